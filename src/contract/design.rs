//! Cases for a contract's domain: a pairwise covering design. Every two values of different factors that the domain allows together
//! stand in one case at least.
//!
//! Greedy, one case at a time (Cohen et al., "The AETG system", IEEE TSE 23(7), 1997): of a few candidates, each begun with a pair that
//! is not covered yet, the one that covers most. Chance is a stream of numbers named by contract and seed, so that a design
//! depends on nothing else.

use std::collections::BTreeSet;

use super::{Function, Value, Values};
use crate::tensor::Stream;

/// Candidates for each case.
const CANDIDATES: usize = 24;

/// What one factor sets at one of its levels: parameters by name.
type Level = Vec<(&'static str, Value)>;
/// A level: number of the factor, number of the level.
type Place = (usize, usize);
/// A pair of levels, the factor of the lower number first. Where there is no other factor, a level stands with itself.
type Pair = (Place, Place);

/// The cases of a contract for a seed.
pub fn design(function: &Function, seed: u64) -> Vec<Values> {
    let space = Space::of(function);
    let mut open: BTreeSet<Pair> = space.pairs().collect();
    let mut stream = Stream::new(seed, function.name, "design");
    let mut cases = Vec::new();
    if space.factors.is_empty() {
        cases.push(Values::default());
    }
    while !open.is_empty() {
        let mut best: Option<(usize, Vec<usize>)> = None;
        for _ in 0..CANDIDATES {
            let Some(candidate) = space.candidate(&open, &mut stream) else {
                continue;
            };
            let gain = open.iter().filter(|pair| holds(&candidate, pair)).count();
            if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                best = Some((gain, candidate));
            }
        }
        // Every open pair can be completed, so that each candidate covers one at least.
        let Some((_, chosen)) = best else { break };
        open.retain(|pair| !holds(&chosen, pair));
        let levels: Vec<Option<usize>> = chosen.into_iter().map(Some).collect();
        cases.push(space.values(&levels, true));
    }
    cases
}

/// Whether a case has both levels.
fn holds(case: &[usize], ((a, x), (b, y)): &Pair) -> bool {
    case[*a] == *x && case[*b] == *y
}

/// The factors of a contract: those of its sizes, its words, and its options.
pub(super) struct Space<'a> {
    function: &'a Function,
    pub(super) factors: Vec<Vec<Level>>,
}

impl<'a> Space<'a> {
    pub(super) fn of(function: &'a Function) -> Space<'a> {
        let sizes = function.domain.factors.iter().map(|factor| {
            let levels = factor.levels().into_iter();
            let level = |numbers: &[i64]| {
                let pairs = factor.names().iter().zip(numbers);
                pairs
                    .map(|(name, number)| (*name, Value::Number(*number)))
                    .collect()
            };
            levels.map(level).collect()
        });
        let words = function.choices().map(|(name, words)| {
            let level = |word: &&'static str| vec![(*name, Value::Word(word))];
            words.iter().map(level).collect()
        });
        Space {
            function,
            factors: sizes.chain(words).collect(),
        }
    }

    /// The pairs that the domain allows.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let places = |factor: usize| (0..self.factors[factor].len()).map(move |x| (factor, x));
        let count = self.factors.len();
        let alone = (count == 1).then(|| places(0).map(|place| (place, place)));
        let pairs = (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
        let met = pairs.flat_map(move |(a, b)| {
            places(a).flat_map(move |first| places(b).map(move |second| (first, second)))
        });
        let all = alone.into_iter().flatten().chain(met);
        all.filter(|pair| self.completed(&self.begun(pair)).is_some())
    }

    fn begun(&self, ((a, x), (b, y)): &Pair) -> Vec<Option<usize>> {
        let mut levels = vec![None; self.factors.len()];
        levels[*a] = Some(*x);
        levels[*b] = Some(*y);
        levels
    }

    /// The case of some levels. A finished one leaves options open whose word is that of open ones.
    pub(super) fn values(&self, levels: &[Option<usize>], finished: bool) -> Values {
        let chosen = self.factors.iter().zip(levels);
        let set = chosen.filter_map(|(factor, level)| Some(&factor[(*level)?]));
        let set: Vec<&(&'static str, Value)> = set.flatten().collect();
        let open = |name: &str, value: &Value| {
            let mut own = self
                .function
                .domain
                .open()
                .filter(|(known, _)| *known == name);
            finished
                && own.any(|(_, words)| words.first().is_some_and(|w| *value == Value::Word(w)))
        };
        // In the function's order, as the registry's cases are.
        let names = self.function.dims.iter().chain(self.function.integers);
        let names = names.chain(self.function.choices().map(|(name, _)| name));
        let values = names.filter_map(|name| {
            let (_, value) = set.iter().find(|(known, _)| known == name)?;
            (!open(name, value)).then(|| ((*name).to_owned(), value.clone()))
        });
        Values::new(values.collect())
    }

    fn allowed(&self, levels: &[Option<usize>]) -> bool {
        let values = self.values(levels, false);
        let whole = levels.iter().all(Option::is_some);
        self.function.domain.broken(&values).is_none()
            && !(whole && self.function.refuses(&values).is_some())
    }

    /// A case that has these levels, if there is one: the first that a search finds.
    pub(super) fn completed(&self, levels: &[Option<usize>]) -> Option<Vec<usize>> {
        if !self.allowed(levels) {
            return None;
        }
        let Some(next) = levels.iter().position(Option::is_none) else {
            return levels.iter().copied().collect();
        };
        (0..self.factors[next].len()).find_map(|level| {
            let mut more = levels.to_vec();
            more[next] = Some(level);
            self.completed(&more)
        })
    }

    /// A case around an open pair: the other factors in a random order, each at the level that covers most with those before it.
    fn candidate(&self, open: &BTreeSet<Pair>, stream: &mut Stream) -> Option<Vec<usize>> {
        let pair = open.iter().nth(stream.below(open.len()))?;
        let mut levels = self.begun(pair);
        let mut order: Vec<usize> = (0..self.factors.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, stream.below(at + 1));
        }
        for factor in order {
            if levels[factor].is_some() {
                continue;
            }
            let mut best: Option<(usize, usize)> = None;
            let turn = stream.below(self.factors[factor].len());
            for step in 0..self.factors[factor].len() {
                let level = (turn + step) % self.factors[factor].len();
                let gain = gain(open, &levels, (factor, level));
                if best.is_some_and(|(most, _)| gain <= most) {
                    continue;
                }
                levels[factor] = Some(level);
                if self.completed(&levels).is_some() {
                    best = Some((gain, level));
                }
                levels[factor] = None;
            }
            levels[factor] = Some(best?.1);
        }
        levels.into_iter().collect()
    }
}

/// How many open pairs a level makes with those that are chosen.
fn gain(open: &BTreeSet<Pair>, levels: &[Option<usize>], place: Place) -> usize {
    let chosen = levels.iter().enumerate();
    let others = chosen.filter_map(|(factor, level)| Some((factor, (*level)?)));
    let pair = |other: Place| (place.min(other), place.max(other));
    others.filter(|&other| open.contains(&pair(other))).count()
}

#[cfg(test)]
mod tests;
