//! Limits of one launch, beyond which the launch counts as a hang, and the schedule of a group's waves.

use std::fmt;
use std::str::FromStr;

use gfx906::machine::Schedule;
use serde::{Deserialize, Serialize};

/// Wave instructions of a launch in a test run, if nobody says: the largest launch of the built-in registry takes 14 million at -O3, and a
/// few that are not optimised come near this. The emulator takes some 20 seconds for as many.
const INSTRUCTIONS: u64 = 1_000_000_000;

/// CPU seconds of a launch, if nobody says: the second line of defence against kernels that never end.
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

/// A schedule as the command line has it.
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

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        let mut budget = Budget {
            instructions: None,
            seconds: None,
        };
        for part in text.split(',') {
            let twice = || format!("`{part}` is the second of its kind");
            match part.strip_suffix('s') {
                Some(seconds) => {
                    let seconds: f64 = seconds.parse().map_err(|_| neither(part))?;
                    if !(seconds > 0.0 && seconds.is_finite()) {
                        return Err(format!("`{part}` is no time: give more than 0 seconds"));
                    }
                    if budget.seconds.replace(seconds).is_some() {
                        return Err(twice());
                    }
                }
                None => {
                    let count = whole(part).ok_or_else(|| neither(part))?;
                    if budget.instructions.replace(count).is_some() {
                        return Err(twice());
                    }
                }
            }
        }
        Ok(budget)
    }
}

fn neither(part: &str) -> String {
    format!("`{part}` is neither wave instructions (as 2000000 or 2e6) nor CPU seconds (as 90s)")
}

/// A whole number from 1 up, also in the form 2e9.
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
        assert_eq!(parsed("250000"), Ok((Some(250_000), None)));
        assert_eq!(parsed("2e9"), Ok((Some(2_000_000_000), None)));
        assert_eq!(parsed("1.5s"), Ok((None, Some(1.5))));
        assert_eq!(parsed("90s,1e6"), Ok((Some(1_000_000), Some(90.0))));
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
            let error = parsed(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
