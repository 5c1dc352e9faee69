//! Cases for a contract's domain: a pairwise covering array. Every two values of different factors that the domain allows together
//! occur in at least one case.
//!
//! The search is greedy (Cohen et al., "The AETG system", IEEE TSE 23(7), 1997). It makes a few candidates for each case, each from a
//! pair that is not covered yet, and takes the candidate with the least work for each pair that it covers. Random numbers come from a
//! stream named by contract and seed, so that a design depends on nothing else.

mod open;
mod space;

use std::cmp::Reverse;

use super::{Function, Values};
use crate::tensor::Stream;

use open::OpenPairs;
use space::{Levels, Space};

/// Candidates for each case.
const CANDIDATES: usize = 24;

/// A function that names the kernels of a case, or returns `None` if no kernel takes the case.
pub type KernelNames<'a> = dyn Fn(&Values) -> Option<String> + 'a;

/// The kernels that a test launches, as a function of its case.
pub struct KernelChoice<'a> {
    /// The sizes and choices that decide which kernels a case launches.
    pub parameters: Vec<&'static str>,
    /// The names of the kernels that a case launches.
    pub kernels: Box<KernelNames<'a>>,
    /// The cases that a design leaves out, because the binding that the test asks for refuses them.
    pub refusals: Option<Refusals<'a>>,
}

/// The cases that no binding of a test takes.
pub struct Refusals<'a> {
    /// True if the cases of the whole domain that are refused are listed besides, so that a report says what does not run.
    pub are_told: bool,
    /// The sizes and choices in the conditions of the bindings.
    pub parameters: Vec<&'static str>,
    /// Returns true if every binding refuses the case.
    pub refuses: Box<dyn Fn(&Values) -> bool + 'a>,
}

/// Returns the designed cases of a contract for a seed. If sizes and choices decide which kernels a case launches, each kernel meets every
/// value that the domain allows it. If bindings refuse cases, every two values that they take together meet in a case that they take.
pub fn design(function: &Function, choice: Option<&KernelChoice<'_>>, seed: u64) -> Vec<Values> {
    let mut cases = covering(function, choice, seed);
    let refusals = choice.and_then(|choice| choice.refusals.as_ref());
    if let Some(refusals) = refusals.filter(|refusals| refusals.are_told) {
        let whole = covering(function, None, seed);
        let refused = whole.into_iter().filter(|case| (refusals.refuses)(case));
        let known = |case: &Values| cases.iter().any(|other| other.iter().eq(case.iter()));
        let refused: Vec<Values> = refused.filter(|case| !known(case)).collect();
        cases.extend(refused);
    }
    cases
}

fn covering(function: &Function, choice: Option<&KernelChoice<'_>>, seed: u64) -> Vec<Values> {
    let space = Space::of(function, choice);
    let mut open = OpenPairs::of(&space);
    let mut stream = Stream::new(seed, function.name, "design");
    let mut cases = Vec::new();
    if space.factors().is_empty() {
        cases.push(Values::default());
    }
    while open.any() {
        let count = open.count();
        let candidate = |_| candidate(&space, (&open, count), &mut stream);
        let candidates = (0..CANDIDATES).filter_map(candidate);
        // The best candidate is chosen, the first among equals. Every open pair can be completed, so each candidate
        // covers at least one.
        let rank = |one: &Levels| {
            space.work(*one).saturating_mul(1 << 32) / open.within(*one).max(1) as i128
        };
        let Some(chosen) = candidates.min_by_key(rank) else {
            break;
        };
        open.close(chosen);
        cases.push(space.case(chosen));
    }
    cases
}

/// Makes a case from an open pair. The other factors follow in random order, each at the level that covers most open pairs with the
/// levels before it. Of levels that cover as many, the level with the least work is taken.
fn candidate(
    space: &Space<'_>,
    (open, count): (&OpenPairs, usize),
    stream: &mut Stream,
) -> Option<Levels> {
    let pair = open.pair(stream.below(count))?;
    let mut chosen = space.launching(pair, stream)?;
    let mut order: Vec<usize> = (0..space.factors().len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, stream.below(at + 1));
    }
    for factor in order {
        let levels = &space.factors()[factor];
        if chosen.any_of(levels) {
            continue;
        }
        let turn = stream.below(levels.len());
        let mut left = Levels::of(levels);
        chosen = loop {
            // From the turn on, then from the first level on: of equal levels, the first is the best.
            let turned = left.from(levels.start + turn);
            let best = turned.iter().chain(left.without(turned).iter());
            let rank =
                |level: &usize| (Reverse(open.gain(chosen, *level)), space.level_work(*level));
            let best = best.min_by_key(rank)?;
            if space.completes_with(chosen, best) {
                break chosen.with(best);
            }
            left = left.without(Levels::default().with(best));
        };
    }
    Some(space.with_kernels(chosen))
}

#[cfg(test)]
mod tests;
