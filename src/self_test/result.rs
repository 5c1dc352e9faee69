//! The result of a self-test.

use std::collections::BTreeMap;

use crate::binding::Reason;
use crate::report::model::{CAUSE_KINDS, CauseReport};

/// The result of a self-test.
pub struct SelfTest {
    /// The device that ran the kernels.
    pub device: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// True if each planted bug was diagnosed.
    pub diagnosed: bool,
    /// True if the result contains all tests.
    pub complete: bool,
    /// The number of selected tests.
    pub selected: usize,
    /// The result of each test, in the registry's order.
    pub tests: Vec<TestResult>,
}

/// The result of one test.
pub struct TestResult {
    /// The test's id.
    pub id: String,
    /// The number of the test's phase.
    pub phase: u32,
    /// The result of each case.
    pub cases: Vec<CaseResult>,
    /// True if each case must catch a planted bug. A user's bugs need not show in every case, and the
    /// seed selects the cases of a design.
    pub every_case_must_catch: bool,
    /// The result of each planted bug.
    pub planted: Vec<PlantedBugResult>,
}

/// The result of one case.
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// The problem of the kernels without a planted bug; none if they pass. A pass implies that zeros
    /// and echoes are rejected.
    pub honest_problem: Option<String>,
    /// The description of how a run without launches was rejected; none if that run passed.
    pub no_launch_rejected_by: Option<String>,
    /// The number of planted bugs that the case caught.
    pub caught: usize,
}

/// The result of one planted bug.
pub struct PlantedBugResult {
    /// The name of the bug: the mistake in words.
    pub name: String,
    /// True if the test must catch the bug.
    pub due: bool,
    /// The description of how the first catching case caught it; none if no case did.
    pub caught: Option<String>,
    /// The reasons of which a diagnosis should find one.
    pub right_reasons: Vec<Reason>,
    /// The kernels that the bug replaces. In a trial of several kernels, the right reason names one of them.
    pub kernels: Vec<String>,
    /// True if wrong values caught the bug, which a diagnosis may explain. Other messages are the reason by themselves.
    pub wrong_values: bool,
    /// The reason that a diagnosis found; none without one.
    pub reason: Option<CauseReport>,
    /// The number of cases that caught the bug.
    pub caught_by: usize,
    /// The number of cases that tried the bug.
    pub tried: usize,
    /// True if a case launched the bug.
    pub launched: bool,
}

/// The judgement of the reasons that a diagnosis found for some planted bugs.
#[derive(Clone, Copy, Default)]
pub struct ReasonCounts {
    /// Bugs that have a right reason.
    pub bugs: usize,
    /// Bugs whose reason is a right one.
    pub right: usize,
    /// Bugs whose reason is another one.
    pub wrong: usize,
}

impl PlantedBugResult {
    /// Returns true if the reason that was found is right, and false if it is another one. Returns none if no reason was found, or if the
    /// bug has no right reason.
    pub fn reason_is_right(&self) -> Option<bool> {
        let cause = self.reason.as_ref()?;
        if let (Some(kernel), false) = (&cause.kernel, self.kernels.is_empty()) {
            return Some(self.kernels.contains(kernel));
        }
        let mut reasons = self.right_reasons.iter();
        (!self.right_reasons.is_empty()).then(|| reasons.any(|reason| reason.is(cause)))
    }
}

impl SelfTest {
    /// Returns the judgement of the reasons of all bugs that left wrong values, by the kind of their first right reason.
    pub fn reasons(&self) -> BTreeMap<&str, ReasonCounts> {
        let mut kinds: BTreeMap<&str, ReasonCounts> = BTreeMap::new();
        let bugs = self.tests.iter().flat_map(|test| &test.planted);
        for bug in bugs.filter(|bug| bug.wrong_values) {
            let Some(first) = bug.right_reasons.first() else {
                continue;
            };
            let kind = match CAUSE_KINDS.contains(&first.kind.as_str()) {
                true => &first.kind,
                false => "known mistake",
            };
            let counts = kinds.entry(kind).or_default();
            counts.bugs += 1;
            counts.right += usize::from(bug.reason_is_right() == Some(true));
            counts.wrong += usize::from(bug.reason_is_right() == Some(false));
        }
        kinds
    }

    /// Returns every violation of the self-test's demands, one line each.
    pub fn complaints(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for test in &self.tests {
            for case in &test.cases {
                if let Some(what) = &case.honest_problem {
                    lines.push(format!(
                        "{}: the honest kernels do not pass: {what}",
                        case.id
                    ));
                }
                if case.no_launch_rejected_by.is_none() {
                    lines.push(format!("{}: passes without a single launch", case.id));
                }
                if case.caught == 0 && test.every_case_must_catch {
                    lines.push(format!("{}: catches no planted bug of its test", case.id));
                }
            }
            let missed = |bug: &&PlantedBugResult| bug.due && bug.caught.is_none();
            for bug in test.planted.iter().filter(missed) {
                let why = if bug.launched {
                    "was not caught"
                } else {
                    "was never launched"
                };
                lines.push(format!("{}: planted bug `{}` {why}", test.id, bug.name));
            }
        }
        lines
    }

    /// Returns the number of planted bugs that were or must be caught, and the number that were caught.
    pub fn planted(&self) -> (usize, usize) {
        let bugs = self.tests.iter().flat_map(|test| &test.planted);
        let is_caught = |bug: &PlantedBugResult| bug.caught.is_some();
        let counted: Vec<&PlantedBugResult> =
            bugs.filter(|bug| bug.due || is_caught(bug)).collect();
        let caught = counted.iter().filter(|bug| is_caught(bug)).count();
        (counted.len(), caught)
    }
}
