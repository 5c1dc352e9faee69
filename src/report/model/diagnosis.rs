//! The diagnosis of a trial: why its kernels are wrong, as experiments with them have shown.

use serde::{Deserialize, Serialize};

use super::SiteReport;

/// The causes of a trial's failure, and the smallest case that fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosisReport {
    /// The causes, the one that explains most first. None where no experiment found a cause.
    pub causes: Vec<CauseReport>,
    /// The instruction that made a wrong value that is not finite, then those of the values that it was made of.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub origins: Vec<OriginReport>,
    /// The smallest case of the contract that still fails, where it is smaller than the trial's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub smallest: Option<SmallestCase>,
    /// The number of launches that the experiments made.
    pub launches: u64,
    /// True if experiments were left out because the case is too long for them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut_short: bool,
    /// True if no cause was found, and another case of the run is wrong by far more than roundings.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub far_elsewhere: bool,
}

/// The instruction that made a value that is not finite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginReport {
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub at: SiteReport,
    /// The value that it made: `inf`, `-inf` or `NaN`.
    pub value: String,
    /// The tensor that held the value, if no instruction made it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tensor: Option<String>,
    /// The instruction and its operands, in words.
    pub text: String,
    /// The work-group, the wave and the lane, in words.
    pub place: String,
}

/// The kinds of causes, apart from the names of known mistakes.
pub const CAUSE_KINDS: [&str; 18] = [
    "not-applied",
    "sign",
    "function",
    "scale",
    "rounded",
    "index",
    "unread",
    "layout",
    "zero",
    "overflow",
    "eps",
    "row-factor",
    "non-finite",
    "constant",
    "operation",
    "step",
    "race",
    "kernel",
];

/// A cause of wrong elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseReport {
    /// The kind of the cause: one of [`CAUSE_KINDS`], or the name of a known mistake.
    pub kind: String,
    /// The output that the cause makes wrong, where it concerns one output.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
    /// The input that the kernel uses wrongly, where the cause lies in one input.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tensor: Option<String>,
    /// The kernel that is wrong by itself, if a test of it alone fails.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel: Option<String>,
    /// The cause in one sentence.
    pub text: String,
    /// The number of wrong elements that the cause explains, where it was counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explains: Option<ExplainedElements>,
}

/// The share of an output's wrong elements that a cause explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedElements {
    /// Wrong elements that are right against a reference with the same mistake.
    pub right: u64,
    /// All wrong elements.
    pub wrong: u64,
}

impl ExplainedElements {
    /// Returns the share of a cause that explains all of some wrong elements.
    pub fn all(wrong: u64) -> ExplainedElements {
        ExplainedElements {
            right: wrong,
            wrong,
        }
    }
}

/// The smallest case that fails in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallestCase {
    /// The id of the case, or its sizes and choices if no test has it.
    pub case: String,
    /// The command that runs the case.
    pub rerun: String,
}
