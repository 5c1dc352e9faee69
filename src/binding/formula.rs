//! Formulas over the sizes of a case: `ceil(N / 64)`, `map == tiled ? 1 : 0`, `dst + 4*S*H`.
//!
//! ```text
//! formula  = either [ "?" formula ":" formula ]
//! either   = both { "||" both }
//! both     = order { "&&" order }
//! order    = sum [ ( "==" | "!=" | "<=" | ">=" | "<" | ">" ) sum ]
//! sum      = product { ( "+" | "-" ) product }
//! product  = unary { ( "*" | "/" | "%" ) unary }
//! unary    = ( "-" | "!" ) unary | atom
//! atom     = number | 'word' | name | name "(" formula { "," formula } ")" | name "[" formula { "," formula } "]" | "(" formula ")"
//! ```
//! Names are letters, digits and `_`; a word of a case that has other characters stands in single quotes.

use std::ops::Range;

/// The longest formula, in bytes.
const MAX_LENGTH: usize = 2048;
/// The maximum nesting depth of formulas.
const MAX_DEPTH: u32 = 64;

/// A complaint about a formula: its span, the error, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Byte range within the formula's text.
    pub at: Range<usize>,
    /// The error.
    pub title: String,
    /// The remedy.
    pub help: String,
}

impl Trouble {
    /// Makes a complaint about a byte range.
    pub fn new(at: &Range<usize>, title: impl ToString, help: impl Into<String>) -> Trouble {
        Trouble {
            at: at.clone(),
            title: title.to_string(),
            help: help.into(),
        }
    }
}

/// A formula, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// Byte range within the text.
    pub at: Range<usize>,
    /// The root of the expression tree.
    pub node: Node,
}

impl Formula {
    /// Returns the formula as part of a longer text in which it begins at byte `by`.
    pub fn behind(mut self, by: usize) -> Formula {
        self.shift(by);
        self
    }

    /// Adds the names in the formula, once for each occurrence.
    pub fn collect_names(&self, out: &mut Vec<String>) {
        match &self.node {
            Node::Integer(_) | Node::Float(_) => {}
            // A tensor may stand in quotes.
            Node::Name(name) | Node::Word(name) => out.push(name.clone()),
            Node::Negative(of) | Node::Not(of) => of.collect_names(out),
            Node::Binary(_, left, right) => {
                [left, right]
                    .into_iter()
                    .for_each(|of| of.collect_names(out));
            }
            Node::Choice(a, b, c) => [a, b, c].into_iter().for_each(|of| of.collect_names(out)),
            Node::Index(name, all) => {
                out.push(name.clone());
                all.iter().for_each(|of| of.collect_names(out));
            }
            Node::Call(_, all) => all.iter().for_each(|of| of.collect_names(out)),
        }
    }

    fn shift(&mut self, by: usize) {
        self.at = self.at.start + by..self.at.end + by;
        match &mut self.node {
            Node::Integer(_) | Node::Float(_) | Node::Word(_) | Node::Name(_) => {}
            Node::Negative(of) | Node::Not(of) => of.shift(by),
            Node::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|part| part.shift(by))
            }
            Node::Choice(a, b, c) => [a, b, c].into_iter().for_each(|part| part.shift(by)),
            Node::Call(_, arguments) | Node::Index(_, arguments) => {
                arguments.iter_mut().for_each(|part| part.shift(by))
            }
        }
    }
}

impl Trouble {
    /// Returns the complaint as part of a longer text in which the formula begins at byte `by`.
    pub fn behind(self, by: usize) -> Trouble {
        Trouble {
            at: self.at.start + by..self.at.end + by,
            ..self
        }
    }
}

/// Reads a formula that is part of a longer text, in which it begins at byte `by`.
pub fn parse_part(text: &str, by: usize) -> Result<Formula, Trouble> {
    match parse(text) {
        Ok(formula) => Ok(formula.behind(by)),
        Err(trouble) => Err(trouble.behind(by)),
    }
}

/// A node of the expression tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A whole number.
    Integer(i128),
    /// A number with a point or an exponent.
    Float(f64),
    /// A word in quotes.
    Word(String),
    /// A name that the case or the binding defines.
    Name(String),
    /// `-x`.
    Negative(Box<Formula>),
    /// `!x`.
    Not(Box<Formula>),
    /// A binary operation.
    Binary(Operator, Box<Formula>, Box<Formula>),
    /// `condition ? this : that`.
    Choice(Box<Formula>, Box<Formula>, Box<Formula>),
    /// A function of arguments.
    Call(String, Vec<Formula>),
    /// An element of a tensor, by indices of the tensor's outer axes.
    Index(String, Vec<Formula>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operators by name")]
pub enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Plus,
    Minus,
    Times,
    Divided,
    Remainder,
}

use Operator::*;

/// Operators by precedence, the loosest first; the longest spelling comes first within a level.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Or)],
    &[("&&", And)],
    &[
        ("==", Equal),
        ("!=", Unequal),
        ("<=", LessOrEqual),
        (">=", GreaterOrEqual),
        ("<", Less),
        (">", Greater),
    ],
    &[("+", Plus), ("-", Minus)],
    &[("*", Times), ("/", Divided), ("%", Remainder)],
];
/// The level of comparisons. Comparisons do not chain.
const COMPARISON: usize = 2;

/// Reads a formula.
pub fn parse(text: &str) -> Result<Formula, Trouble> {
    if text.len() > MAX_LENGTH {
        let title = format!("this formula has {} bytes", text.len());
        let help = format!("write at most {MAX_LENGTH}, or name parts of it under `let`");
        return Err(Trouble::new(&(0..text.len()), title, help));
    }
    // `bind` writes `?` for a value that it cannot derive.
    if text.trim() == "?" {
        let at = text.len() - text.trim_start().len();
        let help = "write what stands here; the comment on the line says what is known";
        return Err(Trouble::new(
            &(at..at + 1),
            "`?` is still to be filled in",
            help,
        ));
    }
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let formula = parser.formula()?;
    parser.blank();
    match parser.rest().chars().next() {
        None => Ok(formula),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.blank();
        let there = self.rest().starts_with(mark);
        if there {
            self.at += mark.len();
        }
        there
    }

    fn unexpected(&self, wanted: &str) -> Trouble {
        let found = self.rest().chars().next();
        let end = self.at + found.map_or(0, char::len_utf8);
        let title = match found {
            Some(c) => format!("`{}` where {wanted} is due", c.escape_debug()),
            None => format!("the formula ends where {wanted} is due"),
        };
        let help = "formulas are numbers, names, + - * / %, comparisons, && || !, a ? b : c, and functions such as ceil(x)";
        Trouble::new(&(self.at..end), title, help)
    }

    fn need(&mut self, mark: &str) -> Result<(), Trouble> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{mark}`")))
    }

    /// Parses a part one nesting level deeper.
    fn deeper(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<Formula, Trouble>,
    ) -> Result<Formula, Trouble> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let help = "name parts of it under `let`";
            let title = format!("this formula nests deeper than {MAX_DEPTH}");
            return Err(Trouble::new(&(self.at..self.at + 1), title, help));
        }
        let done = part(self);
        self.depth -= 1;
        done
    }

    fn formula(&mut self) -> Result<Formula, Trouble> {
        self.deeper(|parser| {
            let condition = parser.level(0)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let this = parser.formula()?;
            parser.need(":")?;
            let that = parser.formula()?;
            let at = condition.at.start..that.at.end;
            let node = Node::Choice(condition.into(), this.into(), that.into());
            Ok(Formula { at, node })
        })
    }

    fn level(&mut self, level: usize) -> Result<Formula, Trouble> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            let at = left.at.start..right.at.end;
            let node = Node::Binary(operator, left.into(), right.into());
            left = Formula { at, node };
            if level == COMPARISON && self.operator(operators).is_some() {
                let help = "join two comparisons by &&";
                return Err(Trouble::new(&left.at, "comparisons in a row", help));
            }
        }
        Ok(left)
    }

    fn operator(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let found = operators.iter().find(|(mark, _)| self.eat(mark));
        found.map(|(_, operator)| *operator)
    }

    fn unary(&mut self) -> Result<Formula, Trouble> {
        self.blank();
        let start = self.at;
        let negative = self.eat("-");
        if !negative && !self.eat("!") {
            return self.atom();
        }
        self.deeper(|parser| {
            let of = parser.unary()?;
            let at = start..of.at.end;
            let node = if negative {
                Node::Negative(of.into())
            } else {
                Node::Not(of.into())
            };
            Ok(Formula { at, node })
        })
    }

    fn atom(&mut self) -> Result<Formula, Trouble> {
        self.blank();
        let start = self.at;
        if self.eat("(") {
            let mut inner = self.formula()?;
            self.need(")")?;
            inner.at = start..self.at;
            return Ok(inner);
        }
        if self.eat("'") {
            let Some(length) = self.rest().find('\'') else {
                let help = "close it with another single quote";
                let at = start..self.text.len();
                return Err(Trouble::new(&at, "this quote is open", help));
            };
            let word = self.rest()[..length].to_owned();
            self.at += length + 1;
            return Ok(self.node(start, Node::Word(word)));
        }
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = self.rest().find(|c| !inside(c));
        let length = length.unwrap_or(self.rest().len());
        match self.rest().chars().next() {
            Some('0'..='9' | '.') => self.number(start),
            Some(_) if length > 0 => {
                let name = self.rest()[..length].to_owned();
                self.at += length;
                if self.eat("(") {
                    let arguments = self.list(")")?;
                    return Ok(self.node(start, Node::Call(name, arguments)));
                }
                if self.eat("[") {
                    let indices = self.list("]")?;
                    return Ok(self.node(start, Node::Index(name, indices)));
                }
                Ok(self.node(start, Node::Name(name)))
            }
            _ => Err(self.unexpected("a number or a name")),
        }
    }

    /// Parses formulas between commas, up to a closing mark.
    fn list(&mut self, end: &str) -> Result<Vec<Formula>, Trouble> {
        let mut list = Vec::new();
        loop {
            list.push(self.formula()?);
            if !self.eat(",") {
                break;
            }
        }
        self.need(end)?;
        Ok(list)
    }

    /// Parses digits, a point, an exponent; or hexadecimal digits after `0x`.
    fn number(&mut self, start: usize) -> Result<Formula, Trouble> {
        let mut previous = ' ';
        let mut taken = 0;
        for c in self.rest().chars() {
            let signed = "+-".contains(c) && "eE".contains(previous) && taken > 1;
            if !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || signed) {
                break;
            }
            previous = c;
            taken += c.len_utf8();
        }
        let written = self.rest()[..taken].replace('_', "");
        self.at += taken;
        let integer = match written.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16).ok(),
            None => written.parse().ok(),
        };
        let float = || written.parse::<f64>().ok().filter(|x| x.is_finite());
        let node = integer
            .map(Node::Integer)
            .or_else(|| Some(Node::Float(float()?)));
        node.map(|node| self.node(start, node)).ok_or_else(|| {
            let title = format!("`{written}` is no number");
            Trouble::new(
                &(start..self.at),
                title,
                "write one as 64, 0x40, 0.5 or 1e-3",
            )
        })
    }

    fn node(&self, start: usize, node: Node) -> Formula {
        let at = start..self.at;
        Formula { at, node }
    }
}

#[cfg(test)]
mod tests;
