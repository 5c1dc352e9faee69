//! The order in which cases are tried for each bug.

/// True if a planted bug was launched in a case, and the description of how it was caught.
pub(super) type PairResult = (bool, Option<String>);

/// Cases times bugs of a test up to which every pair is run.
pub(super) const EVERY_PAIR: usize = 64;

/// Returns the pairs of case and bug that a test runs next; none if every case catches a bug and every bug is caught, or if
/// no pair is left.
pub(super) fn next_pairs(tried: &[Vec<Option<PairResult>>], round: usize) -> Vec<(usize, usize)> {
    let (cases, bugs) = (tried.len(), tried.first().map_or(0, Vec::len));
    let all = (0..cases).flat_map(|case| (0..bugs).map(move |bug| (case, bug)));
    if cases * bugs <= EVERY_PAIR {
        return if round == 0 {
            all.collect()
        } else {
            Vec::new()
        };
    }
    let caught = |case: usize, bug: usize| matches!(&tried[case][bug], Some((_, Some(_))));
    let open = |case: usize, bug: usize| tried[case][bug].is_none();
    let mut pairs = Vec::new();
    for case in (0..cases).filter(|&case| !(0..bugs).any(|bug| caught(case, bug))) {
        let turn = (0..bugs).map(|k| (case + round + k) % bugs);
        pairs.extend(
            turn.into_iter()
                .find(|&bug| open(case, bug))
                .map(|bug| (case, bug)),
        );
    }
    for bug in (0..bugs).filter(|&bug| !(0..cases).any(|case| caught(case, bug))) {
        // The middle cases come first, because they are neither the smallest nor the largest.
        let turn = (0..cases).map(|k| (cases / 2 + bug + k) % cases);
        let case = turn.into_iter().find(|&case| open(case, bug));
        pairs.extend(
            case.map(|case| (case, bug))
                .filter(|pair| !pairs.contains(pair)),
        );
    }
    pairs
}
