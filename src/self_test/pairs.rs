//! The order in which cases are tried for each bug.

/// True if a planted bug was launched in a case, and the description of how it was caught.
pub(super) type PairResult = (bool, Option<String>);

/// Returns the pairs of case and bug that a test runs next: for each bug that no case has caught the
/// cheapest case that has not tried it, and, where `each` case must catch a bug, for each case without a
/// catch the next bug. It returns no pair if nothing is left to catch, or to try.
pub(super) fn next_pairs(
    tried: &[Vec<Option<PairResult>>],
    each: bool,
    cost: impl Fn(usize) -> u64,
) -> Vec<(usize, usize)> {
    let (cases, bugs) = (tried.len(), tried.first().map_or(0, Vec::len));
    let caught = |case: usize, bug: usize| matches!(&tried[case][bug], Some((_, Some(_))));
    let open = |case: usize, bug: usize| tried[case][bug].is_none();
    let missed = (0..bugs).filter(|&bug| !(0..cases).any(|case| caught(case, bug)));
    let mut pairs: Vec<(usize, usize)> = missed
        .filter_map(|bug| {
            let untried = (0..cases).filter(|&case| open(case, bug));
            Some((untried.min_by_key(|&case| cost(case))?, bug))
        })
        .collect();
    if each {
        let without = (0..cases).filter(|&case| !(0..bugs).any(|bug| caught(case, bug)));
        for case in without {
            // Neighbours begin with different bugs, so that a bug that shows in every case is not the
            // only one that is tried.
            let mut turn = (0..bugs).map(|k| (case + k) % bugs);
            let bug = turn.find(|&bug| open(case, bug));
            pairs.extend(
                bug.map(|bug| (case, bug))
                    .filter(|pair| !pairs.contains(pair)),
            );
        }
    }
    pairs
}
