//! The order in which pairs of a case and a planted bug run.

use crate::report::model::CauseReport;

/// The result of a case with a planted bug.
#[derive(Clone, Default)]
pub(super) struct PairResult {
    /// True if the bug was launched.
    pub launched: bool,
    /// The description of how the case caught the bug; none if it did not.
    pub caught: Option<String>,
    /// True if wrong values caught the bug, which a diagnosis may explain.
    pub wrong_values: bool,
    /// The reason that a diagnosis found, if there was one.
    pub reason: Option<CauseReport>,
}

/// Returns the pairs of a case and a bug that a test runs next; none if nothing is left to catch or to try.
///
/// Each bug that no case has caught runs in the cheapest case that has not tried it. With `every_case`,
/// each case that has caught nothing tries its next bug.
pub(super) fn next_pairs<C: Ord>(
    tried: &[Vec<Option<PairResult>>],
    every_case: bool,
    cost: impl Fn(usize) -> C,
) -> Vec<(usize, usize)> {
    let (cases, bugs) = (tried.len(), tried.first().map_or(0, Vec::len));
    let caught = |case: usize, bug: usize| {
        let result = tried[case][bug].as_ref();
        result.is_some_and(|result| result.caught.is_some())
    };
    let untried = |case: usize, bug: usize| tried[case][bug].is_none();
    let missed = (0..bugs).filter(|&bug| !(0..cases).any(|case| caught(case, bug)));
    let mut pairs: Vec<(usize, usize)> = missed
        .filter_map(|bug| {
            let cases = (0..cases).filter(|&case| untried(case, bug));
            Some((cases.min_by_key(|&case| cost(case))?, bug))
        })
        .collect();
    if every_case {
        let without = (0..cases).filter(|&case| !(0..bugs).any(|bug| caught(case, bug)));
        for case in without {
            // Neighbouring cases begin with different bugs. Otherwise a bug that shows in every case would
            // be the only one that runs.
            let mut turn = (0..bugs).map(|k| (case + k) % bugs);
            let bug = turn.find(|&bug| untried(case, bug));
            pairs.extend(
                bug.map(|bug| (case, bug))
                    .filter(|pair| !pairs.contains(pair)),
            );
        }
    }
    pairs
}
