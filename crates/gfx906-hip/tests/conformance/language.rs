//! Language of the conformance tables: statements that call functions of HIP and compare results.
//!
//! A case is a list of statements, separated by `;`:
//!
//! - `hipMalloc(&p, 64) -> OutOfMemory` calls a function. The name behind the arrow is that of the expected code without `hipError`; without
//!   an arrow, the call must succeed. `thread: hipDeviceSynchronize()` makes the call on another thread.
//! - `p.1 == 7` compares the second 32-bit word of a variable, and `p == 64` its first 64 bits.
//!
//! Arguments are numbers, `null`, texts in quotes, `name` for a variable's value, `&name` for its address, sums of these with `+`,
//! `u32(...)` and `u64(...)` for the address of an array, `dim(x, y, z)` for a `dim3`, and `struct(...)` for 64-bit words of a structure
//! that is passed in memory. A variable is 256 zero bytes at first. A variable that no statement has filled is made by its statement in
//! `objects.toml`.

use std::iter::Peekable;
use std::str::Chars;

/// Statement of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Call of a function.
    Call {
        /// Name of the function.
        function: String,
        /// Arguments.
        arguments: Vec<Argument>,
        /// Name of the expected code without `hipError`, or `Success`.
        expected: String,
        /// True if another thread makes the call.
        on_thread: bool,
    },
    /// Comparison of a variable.
    Compare {
        /// Name of the variable.
        variable: String,
        /// Index of the 32-bit word, or none for the first 64 bits.
        word: Option<usize>,
        /// Expected value.
        value: Argument,
    },
}

/// Argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Number.
    Number(u64),
    /// Text.
    Text(String),
    /// Value of a variable.
    Value(String),
    /// Address of a variable.
    Address(String),
    /// Sum.
    Sum(Vec<Argument>),
    /// Address of an array: bytes of an element, and the elements.
    Array(usize, Vec<Argument>),
    /// Three sizes in two registers.
    Dim(Vec<Argument>),
    /// Structure in memory.
    Struct(Vec<Argument>),
}

struct Parser<'a> {
    text: &'a str,
    rest: Peekable<Chars<'a>>,
}

/// Parses a case.
pub fn parse(text: &str) -> Result<Vec<Statement>, String> {
    let mut parser = Parser {
        text,
        rest: text.chars().peekable(),
    };
    let mut statements = vec![parser.statement()?];
    while parser.skip(';') {
        statements.push(parser.statement()?);
    }
    match parser.peek() {
        None => Ok(statements),
        Some(other) => Err(parser.error(&format!("unexpected {other:?}"))),
    }
}

impl Parser<'_> {
    fn error(&self, what: &str) -> String {
        format!("{what} in {:?}", self.text)
    }

    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn skip(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.rest.next().is_some()
    }

    fn take(&mut self, wanted: &str) -> Result<(), String> {
        for c in wanted.chars() {
            if !self.skip(c) {
                return Err(self.error(&format!("{wanted:?} is missing")));
            }
        }
        Ok(())
    }

    fn word(&mut self) -> String {
        self.peek();
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|&c| c.is_alphanumeric() || c == '_') {
            word.push(c);
        }
        word
    }

    fn statement(&mut self) -> Result<Statement, String> {
        let mut name = self.word();
        let on_thread = name == "thread" && self.skip(':');
        if on_thread {
            name = self.word();
        }
        if self.peek() == Some('(') {
            let arguments = self.list()?;
            let expected = if self.skip('-') {
                self.take(">")?;
                self.word()
            } else {
                "Success".to_owned()
            };
            return Ok(Statement::Call {
                function: name,
                arguments,
                expected,
                on_thread,
            });
        }
        let word = match self.skip('.') {
            true => Some(self.word().parse().map_err(|_| self.error("no index"))?),
            false => None,
        };
        self.take("==")?;
        Ok(Statement::Compare {
            variable: name,
            word,
            value: self.argument()?,
        })
    }

    fn list(&mut self) -> Result<Vec<Argument>, String> {
        self.take("(")?;
        let mut arguments = Vec::new();
        if self.skip(')') {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.skip(')') {
                return Ok(arguments);
            }
            self.take(",")?;
        }
    }

    fn argument(&mut self) -> Result<Argument, String> {
        let mut terms = vec![self.term()?];
        while self.skip('+') {
            terms.push(self.term()?);
        }
        Ok(match terms.len() {
            1 => terms.remove(0),
            _ => Argument::Sum(terms),
        })
    }

    fn term(&mut self) -> Result<Argument, String> {
        match self.peek() {
            Some('&') => {
                self.rest.next();
                Ok(Argument::Address(self.word()))
            }
            Some('"') => {
                self.rest.next();
                let mut text = String::new();
                while let Some(c) = self.rest.next_if(|&c| c != '"') {
                    text.push(c);
                }
                self.take("\"")?;
                Ok(Argument::Text(text))
            }
            Some('-') => {
                self.rest.next();
                Ok(Argument::Number(self.number()?.wrapping_neg()))
            }
            Some(c) if c.is_ascii_digit() => Ok(Argument::Number(self.number()?)),
            _ => {
                let name = self.word();
                if self.peek() == Some('(') {
                    let arguments = self.list()?;
                    return match name.as_str() {
                        "u32" => Ok(Argument::Array(4, arguments)),
                        "u64" => Ok(Argument::Array(8, arguments)),
                        "dim" => Ok(Argument::Dim(arguments)),
                        "struct" => Ok(Argument::Struct(arguments)),
                        _ => Err(self.error(&format!("{name:?} is no form of an argument"))),
                    };
                }
                match name.as_str() {
                    "" => Err(self.error("an argument is missing")),
                    "null" => Ok(Argument::Number(0)),
                    _ => Ok(Argument::Value(name)),
                }
            }
        }
    }

    fn number(&mut self) -> Result<u64, String> {
        let word = self.word();
        let parsed = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        parsed.map_err(|_| self.error(&format!("{word:?} is no number")))
    }
}
