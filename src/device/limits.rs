//! Limits of one launch, beyond which the launch counts as a hang, and the schedule of a group's waves.

use std::fmt;
use std::str::FromStr;

use gfx906::machine::Schedule;
use serde::{Deserialize, Serialize};

/// Wave instructions that a launch of a test run has by default. The largest launch of the built-in registry takes 14 million at -O3, and a
/// few kernels without optimisation come near this limit. The emulator reaches it in some 20 seconds.
const INSTRUCTIONS: u64 = 1_000_000_000;

/// CPU seconds that a launch has by default: the second line of defence against kernels that never end.
const SECONDS: f64 = 30.0;

/// Limits of one launch, on devices that count instructions. Time is processor time and never wall-clock time, because
/// a stopped process uses no processor time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wave instructions; none: without limit.
    pub instructions: Option<u64>,
    /// Seconds of processor time of all threads that run it; none: without limit.
    pub seconds: Option<f64>,
    /// Instructions that a wave runs before another wave of its group has its turn; none: the device's own choice.
    pub turn: Option<u32>,
    /// The order of groups and waves; none lets the trial choose.
    #[serde(with = "as_text")]
    pub schedule: Option<Schedule>,
}

/// Serialization of a schedule in its form on the command line.
mod as_text {
    use gfx906::machine::Schedule;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    pub fn serialize<S: Serializer>(it: &Option<Schedule>, to: S) -> Result<S::Ok, S::Error> {
        it.map(|schedule| schedule.to_string()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Schedule>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            instructions: Some(INSTRUCTIONS),
            seconds: Some(SECONDS),
            turn: None,
            schedule: None,
        }
    }
}

impl Limits {
    /// Returns the limits with another number of instructions.
    pub fn of_instructions(self, instructions: u64) -> Limits {
        Limits {
            instructions: Some(instructions),
            ..self
        }
    }
}

/// The value of `--budget`: wave instructions, CPU seconds, or both. An absent part has no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Wave instructions.
    pub instructions: Option<u64>,
    /// CPU seconds.
    pub seconds: Option<f64>,
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instructions = self.instructions.map(|n| n.to_string());
        let seconds = self.seconds.map(|s| format!("{s}s"));
        let parts: Vec<String> = instructions.into_iter().chain(seconds).collect();
        f.write_str(&parts.join(","))
    }
}

/// A part of a budget that cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum BudgetError {
    /// The part is no number of instructions and no time.
    #[error("`{0}` is neither wave instructions (as 2000000 or 2e6) nor CPU seconds (as 90s)")]
    Neither(String),
    /// The time is not above 0, or has no end.
    #[error("`{0}` is no time: give more than 0 seconds")]
    NoTime(String),
    /// An earlier part is of the same kind.
    #[error("`{0}` is the second of its kind")]
    Twice(String),
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Budget, BudgetError> {
        let mut budget = Budget {
            instructions: None,
            seconds: None,
        };
        for part in text.split(',') {
            let neither = || BudgetError::Neither(part.into());
            let twice = || BudgetError::Twice(part.into());
            match part.strip_suffix('s') {
                Some(seconds) => {
                    let seconds: f64 = seconds.parse().map_err(|_| neither())?;
                    if !(seconds > 0.0 && seconds.is_finite()) {
                        return Err(BudgetError::NoTime(part.into()));
                    }
                    if budget.seconds.replace(seconds).is_some() {
                        return Err(twice());
                    }
                }
                None => {
                    let count = whole(part).ok_or_else(neither)?;
                    if budget.instructions.replace(count).is_some() {
                        return Err(twice());
                    }
                }
            }
        }
        Ok(budget)
    }
}

/// Parses a whole number from 1 up, also in the form 2e9.
fn whole(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return Some(number).filter(|&number| number > 0);
    }
    let number: f64 = text.parse().ok()?;
    let whole = number.fract() == 0.0 && (1.0..=9e15).contains(&number);
    whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_instructions_or_cpu_seconds_or_both() {
        let parsed = |text: &str| text.parse::<Budget>().map(|b| (b.instructions, b.seconds));
        for (text, want) in [
            ("250000", (Some(250_000), None)),
            ("2e9", (Some(2_000_000_000), None)),
            ("1.5s", (None, Some(1.5))),
            ("90s,1e6", (Some(1_000_000), Some(90.0))),
        ] {
            assert_eq!(parsed(text).ok(), Some(want), "{text}");
        }
        for (text, part) in [
            ("0", "neither"),
            ("", "neither"),
            ("1.5", "neither"),
            ("-1", "neither"),
            ("0s", "no time"),
            ("infs", "no time"),
            ("s", "neither"),
            ("1,2", "second of its kind"),
            ("1s,2s", "second of its kind"),
        ] {
            let error = parsed(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
