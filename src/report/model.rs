//! The data of every report.
//!
//! These types hold data. `trial` and `compare` fill them, the reporters show them, and their serialised form is the JSON report (schema
//! `deltanet-check/report/1`).

mod counters;
mod damage;
mod diagnosis;
mod environment;
mod error;
mod finding;
pub mod number;
mod output;
mod problem;
mod run;

pub use counters::{BytesReport, CountersReport};
pub use damage::{Damage, DamageMap, Histogram, Level, Series, WrongRow};
pub use diagnosis::{
    CAUSE_KINDS, CauseReport, DiagnosisReport, ExplainedElements, OriginReport, SmallestCase,
};
pub use environment::{EnvironmentReport, HostReport, KernelReport, SettingsReport, SourceReport};
pub use error::ErrorKind;
pub use finding::{FindingReport, OtherReport, Severity, SiteReport};
pub use output::{Metrics, OutputReport, Rounding, Tolerance};
pub use problem::{
    Element, FirstBad, GuardSide, Hypothesis, Owner, Problem, Reference, UnwrittenSource,
    UnwrittenStorage, WrongNumbers,
};
pub use run::{
    CardReport, CodeObjectReport, DeviceReport, LaunchReport, PartitionReport, PhaseReport,
    RelationReport, RunReport, Totals, TrialReport,
};

use serde::{Deserialize, Serialize};

/// The verdict on an output, a trial or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything was compared and every error is within its tolerance.
    Pass,
    /// Everything was compared, and something is wrong.
    Fail,
    /// The test ended before a comparison: a fault, a hang, a missing kernel, an unusable reference.
    Error,
    /// The test was not run, for a reason that is given. A skip never counts as a pass.
    Skip,
    /// The device cannot run the test.
    Unsupported,
}

impl Verdict {
    /// Every verdict, in the order in which totals name them.
    pub const ALL: [Verdict; 5] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Error,
        Verdict::Skip,
        Verdict::Unsupported,
    ];

    /// Returns the word as tables print it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Error => "ERROR",
            Verdict::Skip => "SKIP",
            Verdict::Unsupported => "UNSUPPORTED",
        }
    }

    /// Returns true if a run with this verdict has failed (exit code 1).
    pub fn is_bad(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_a_run() {
        let bad: Vec<Verdict> = Verdict::ALL
            .into_iter()
            .filter(|verdict| verdict.is_bad())
            .collect();
        assert_eq!(bad, [Verdict::Fail, Verdict::Error]);
    }
}
