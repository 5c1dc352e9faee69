//! The parameters of a case.

use std::fmt;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Number(i64),
    /// A word of a choice.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => word.fmt(f),
        }
    }
}

/// Returns the word of a list of whole numbers: `1+64+3`.
pub fn list_word(list: &[i64]) -> String {
    let numbers: Vec<String> = list.iter().map(i64::to_string).collect();
    numbers.join("+")
}

/// Returns the numbers of a list's word.
pub fn list_of(word: &str) -> Vec<i64> {
    let numbers = word.split('+').map(str::parse);
    numbers.map_while(Result::ok).collect()
}

/// Named parameters, in the contract's order, and the number of a launch form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Values {
    named: Vec<(String, Value)>,
    variant: usize,
}

impl Values {
    /// Makes parameters, in order, with the first launch form.
    pub fn new(values: Vec<(String, Value)>) -> Values {
        Values {
            named: values,
            variant: 0,
        }
    }

    /// Returns the same parameters with another launch form of the binding; 0 is the first.
    #[must_use]
    pub fn with_variant(self, variant: usize) -> Values {
        Values { variant, ..self }
    }

    /// Returns the same parameters with another value of one of them. Returns none if there is no such parameter.
    #[must_use]
    pub fn replaced(mut self, name: &str, value: Value) -> Option<Values> {
        let (_, old) = self.named.iter_mut().find(|(key, _)| key == name)?;
        *old = value;
        Some(self)
    }

    /// Returns the index of the binding's launch form.
    pub fn variant(&self) -> usize {
        self.variant
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let found = self.named.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }

    /// Returns a whole number by name.
    pub fn get(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns a word by name.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.value(name) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns a size by name.
    pub fn dim(&self, name: &str) -> Option<usize> {
        usize::try_from(self.get(name)?).ok()
    }

    /// Returns the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    /// Returns names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.named
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the part of a case's id behind the test's id: `name=value,name=value`.
    pub fn suffix(&self) -> String {
        let pairs: Vec<String> = self
            .named
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join(",")
    }
}

/// The form of tables: `name=value name=value`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, value)) in self.named.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}
