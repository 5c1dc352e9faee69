//! A test: a contract, its cases, tolerances, and planted bugs to catch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Function, Values};
use crate::report::model::Tolerance;

/// A test: one contract in one or more cases.
#[derive(Debug)]
pub struct Test {
    /// Its name.
    pub id: String,
    /// Other names of the test.
    pub aliases: Vec<String>,
    /// The contract.
    pub function: &'static Function,
    /// The name of the binding that the test is for; none for the binding without a name.
    pub binding: Option<String>,
    /// A title in words.
    pub title: String,
    /// True if it is one of the document's 26 tests.
    pub documented: bool,
    /// True if its cases are designed from the contract's domain.
    pub designed: bool,
    /// Its cases. The id of a single case is the test's.
    pub cases: Vec<Case>,
    /// The tolerance of each output.
    pub outputs: BTreeMap<String, OutputTolerance>,
    /// The planted bugs that it must catch, by the names that the contract's binding gives them.
    pub planted: Vec<String>,
}

/// A case of a test.
#[derive(Debug, Clone)]
pub struct Case {
    /// The id that `--test` takes: the test's, or `ID:name=value,...` where there are several cases.
    pub id: String,
    /// The parameters.
    pub values: Values,
}

fn steps(ulp: u32) -> String {
    match ulp {
        1 => "a step of the type".into(),
        _ => format!("{ulp} steps of the type"),
    }
}

/// An output's tolerance, and the reason for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OutputTolerance {
    /// The allowed difference.
    pub tolerance: Tolerance,
    /// The measured figure that justifies the tolerance.
    pub reason: String,
}

impl OutputTolerance {
    /// Returns the tolerance in words: `1.5e-5 times the largest value (at least 1), relative RMS 1.6e-5`.
    pub fn in_words(&self) -> String {
        let Tolerance {
            absolute,
            relative,
            scaled,
            ulp,
            relative_rms,
            absolute_rms,
            ..
        } = &self.tolerance;
        let size = match scaled {
            true => format!("{absolute:e} times the largest value (at least 1)"),
            false => format!("{absolute:e}"),
        };
        let share = format!("{relative:e} of the element");
        let mut words = match (*absolute > 0.0, *relative > 0.0, ulp) {
            (false, false, None) => "exact".to_owned(),
            (false, false, Some(ulp)) => steps(*ulp),
            (true, false, _) => size,
            (false, true, _) => share,
            (true, true, _) => format!("{size} plus {share}"),
        };
        if let Some(ulp) = ulp.filter(|_| *absolute > 0.0 || *relative > 0.0) {
            words += &format!(", or {} if that is more", steps(ulp));
        }
        if let Some(rms) = relative_rms {
            words += &format!("; relative RMS {rms:e}");
            if *absolute_rms > 0.0 {
                words += &format!(
                    ", or RMS {absolute_rms:.1e} times the largest input (at least 1) if that is more"
                );
            }
        }
        if !self.reason.is_empty() {
            words += &format!(" ({})", self.reason);
        }
        words
    }

    /// Returns a tolerance that allows what either of two tolerances allows. The reason is that of the
    /// tolerance that allows as much, or else both reasons.
    pub fn union(&self, other: &OutputTolerance) -> OutputTolerance {
        let tolerance = self.tolerance.union(&other.tolerance);
        let reason = if tolerance == self.tolerance || self.reason == other.reason {
            self.reason.clone()
        } else if tolerance == other.tolerance {
            other.reason.clone()
        } else {
            format!("{}; {}", self.reason, other.reason)
        };
        OutputTolerance { tolerance, reason }
    }
}
