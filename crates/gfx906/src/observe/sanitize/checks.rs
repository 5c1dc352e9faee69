//! The checks, and sets of checks.

use std::fmt;
use std::str::FromStr;

/// A check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Check {
    /// Accesses outside of the permitted memory.
    Memory,
    /// Uses of values that nobody wrote.
    Init,
    /// Accesses of the same bytes without an order.
    Race,
    /// Barriers that some waves or lanes do not reach.
    Sync,
    /// Registers that are used before pending results have arrived.
    Wait,
    /// Instructions that follow each other too closely.
    Hazard,
}

impl Check {
    /// Every check.
    pub const ALL: [Check; 6] = [
        Check::Memory,
        Check::Init,
        Check::Race,
        Check::Sync,
        Check::Wait,
        Check::Hazard,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Check::Memory => "memory",
            Check::Init => "init",
            Check::Race => "race",
            Check::Sync => "sync",
            Check::Wait => "wait",
            Check::Hazard => "hazard",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no check has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no check `{}`: use some of {}", .0.escape_debug(), Check::ALL.map(Check::name).join(", "))]
pub struct UnknownCheck(String);

impl FromStr for Check {
    type Err = UnknownCheck;

    fn from_str(name: &str) -> Result<Check, UnknownCheck> {
        let found = Check::ALL.into_iter().find(|check| check.name() == name);
        found.ok_or_else(|| UnknownCheck(name.into()))
    }
}

/// A set of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks(u8);

impl Checks {
    /// The set of all checks.
    pub const ALL: Checks = Checks((1 << Check::ALL.len()) - 1);

    /// Returns true if the set has a check.
    pub const fn has(self, check: Check) -> bool {
        self.0 >> check as u8 & 1 != 0
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the checks of the set.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.into_iter().filter(move |&check| self.has(check))
    }
}

impl FromIterator<Check> for Checks {
    fn from_iter<I: IntoIterator<Item = Check>>(checks: I) -> Checks {
        Checks(
            checks
                .into_iter()
                .fold(0, |set, check| set | 1 << check as u8),
        )
    }
}

impl FromStr for Checks {
    type Err = UnknownCheck;

    /// Parses names separated by commas.
    fn from_str(list: &str) -> Result<Checks, UnknownCheck> {
        list.split(',').map(|name| name.trim().parse()).collect()
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Check::name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_lists_of_names() {
        let both: Checks = "race, wait".parse().expect("names");
        assert!(both.has(Check::Race) && both.has(Check::Wait) && !both.has(Check::Init));
        assert_eq!(both.to_string(), "race,wait");
        assert_eq!(Checks::ALL.to_string().parse(), Ok(Checks::ALL));
        let wrong = "race,weight".parse::<Checks>().expect_err("no such check");
        let wrong = wrong.to_string();
        assert!(
            wrong.contains("`weight`") && wrong.contains("hazard"),
            "{wrong}"
        );
    }
}
