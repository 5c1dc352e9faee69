//! Cases for a contract's domain: a pairwise covering design. Every two values of different factors that the domain allows together
//! stand in one case at least.
//!
//! Greedy, one case at a time (Cohen et al., "The AETG system", IEEE TSE 23(7), 1997): of a few candidates, each begun with a pair that
//! is not covered yet, the one that covers most. Chance is a stream of numbers named by contract and seed, so that a design
//! depends on nothing else.

mod open;
mod space;

use super::{Function, Values};
use crate::tensor::Stream;

use open::Open;
use space::{Levels, Space};

/// Candidates for each case.
const CANDIDATES: usize = 24;

/// The cases of a contract for a seed.
pub fn design(function: &Function, seed: u64) -> Vec<Values> {
    let space = Space::of(function);
    let mut open = Open::of(&space);
    let mut stream = Stream::new(seed, function.name, "design");
    let mut cases = Vec::new();
    if space.factors().is_empty() {
        cases.push(Values::default());
    }
    while open.any() {
        let mut best: Option<(usize, Levels)> = None;
        for _ in 0..CANDIDATES {
            let Some(candidate) = candidate(&space, &open, &mut stream) else {
                continue;
            };
            let gain = open.within(candidate);
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, candidate));
            }
        }
        // Every open pair can be completed, so that each candidate covers one at least.
        let Some((_, chosen)) = best else { break };
        open.close(chosen);
        cases.push(space.case(chosen));
    }
    cases
}

/// A case around an open pair: the other factors in a random order, each at the level that covers most with those before it.
fn candidate(space: &Space<'_>, open: &Open, stream: &mut Stream) -> Option<Levels> {
    let mut chosen = open.pair(stream.below(open.count()))?;
    let mut order: Vec<usize> = (0..space.factors().len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, stream.below(at + 1));
    }
    for factor in order {
        let levels = &space.factors()[factor];
        if chosen.any_of(levels) {
            continue;
        }
        let mut best: Option<(usize, usize)> = None;
        let turn = stream.below(levels.len());
        for step in 0..levels.len() {
            let level = levels.start + (turn + step) % levels.len();
            let gain = open.gain(chosen, level);
            if best.is_some_and(|(most, _)| gain <= most) {
                continue;
            }
            if space.completes(chosen.with(level)) {
                best = Some((gain, level));
            }
        }
        chosen = chosen.with(best?.1);
    }
    Some(chosen)
}

#[cfg(test)]
mod tests;
