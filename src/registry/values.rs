//! The parameters of a case.

use std::fmt;

/// Named whole numbers, in the order the registry gives them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Values(Vec<(String, i64)>);

impl Values {
    /// Parameters in order.
    pub fn new(values: Vec<(String, i64)>) -> Values {
        Values(values)
    }

    /// A parameter by name. The registry has checked that every parameter of the function is there, so 0 stands
    /// for a name that no function declares.
    pub fn get(&self, name: &str) -> i64 {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or(0, |&(_, value)| value)
    }

    /// A dimension by name.
    pub fn dim(&self, name: &str) -> usize {
        usize::try_from(self.get(name)).unwrap_or(0)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// `name=value,name=value`: what a case adds to its test's id.
    pub fn suffix(&self) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join(",")
    }
}

/// `name=value name=value`: what a table shows.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, value)) in self.0.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}
