//! The levels that a design chooses from, and the combinations that the domain allows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{KernelChoice, Refusals};
use crate::contract::{Function, MAX_ELEMENTS, Rule, Value, Values, list_of};
use crate::tensor::Stream;

/// Sizes along the lanes of a wave: a few lanes take about as long as all.
const CHANNELS: [&str; 4] = ["K", "V", "DK", "DV"];
const WAVE: i128 = 64;

/// The most combinations of levels for which a design looks up the launched kernels.
const MAX_COMBINATIONS: usize = 4096;

/// The most combinations of levels of which a design asks whether a binding takes them.
const MAX_REFUSALS: usize = 1 << 15;

/// A set of levels of any factors, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Levels(u128);

/// Parameters that a level sets, by name.
type Set = Vec<(&'static str, Value)>;

/// The factors of a contract: sizes, words and options. The levels of all factors have numbers in one sequence.
pub(super) struct Space<'a> {
    function: &'a Function,
    sets: Vec<Set>,
    factors: Vec<Range<usize>>,
    /// The estimated work of each level.
    works: Vec<i128>,
    /// Combinations of levels that no case may contain.
    apart: Vec<Levels>,
    /// The same combinations by each level that they contain.
    apart_with: Vec<Vec<Levels>>,
    /// Factors that appear in such combinations; all other factors combine freely.
    bound: Vec<Range<usize>>,
    /// Kernels that some cases launch. Each has a level of its own, which sets no parameter and is no factor's.
    kernels: Vec<LaunchedKernels>,
}

/// Kernels that some cases launch.
struct LaunchedKernels {
    /// The level that stands for the kernels.
    level: usize,
    /// The combinations of the deciding levels that launch them.
    combinations: Vec<Levels>,
}

impl<'a> Space<'a> {
    pub(super) fn of(function: &'a Function, choice: Option<&KernelChoice<'_>>) -> Space<'a> {
        let sizes = function.domain.factors.iter().map(|factor| {
            let set = |numbers: &[i64]| -> Set {
                let pairs = factor.names().iter().zip(numbers);
                let pair = |(name, number): (&&'static str, &i64)| (*name, Value::Number(*number));
                pairs.map(pair).collect()
            };
            factor.levels().into_iter().map(set).collect()
        });
        let words = function.choices().map(|(name, words)| {
            let set = |word: &&'static str| vec![(*name, Value::Word(word))];
            words.iter().map(set).collect()
        });
        let mut sets = Vec::new();
        let factors = sizes.chain(words).map(|own: Vec<Set>| {
            let first = sets.len();
            sets.extend(own);
            first..sets.len()
        });
        let factors = factors.collect();
        assert!(
            sets.len() <= Levels::MOST,
            "{function:?} has more levels than a design takes"
        );
        let works = sets.iter().map(|set| work(function, set)).collect();
        let mut space = Space {
            function,
            works,
            sets,
            factors,
            apart: Vec::new(),
            apart_with: Vec::new(),
            bound: Vec::new(),
            kernels: Vec::new(),
        };
        let rules = function.domain.rules.iter();
        let largest = function.largest.iter();
        let broken = rules.flat_map(|rule| space.broken(rule));
        let too_large = largest.flat_map(|sizes| space.too_large(sizes));
        let apart = broken.chain(too_large).collect();
        space.keep_apart(apart);
        if let Some(refusals) = choice.and_then(|choice| choice.refusals.as_ref()) {
            space.leave_out(refusals);
        }
        if let Some(choice) = choice {
            space.add_kernels(choice);
        }
        space
    }

    /// Sets the combinations of levels that no case may contain.
    fn keep_apart(&mut self, apart: Vec<Levels>) {
        let any = |levels: &&Range<usize>| apart.iter().any(|apart| apart.any_of(levels));
        self.bound = self.factors.iter().filter(any).cloned().collect();
        self.apart_with = vec![Vec::new(); self.sets.len()];
        for combination in &apart {
            for level in combination.iter() {
                self.apart_with[level].push(*combination);
            }
        }
        self.apart = apart;
    }

    /// Leaves out the cases that the bindings refuse. If no case would be left, nothing is left out, so that the refusals are reported.
    fn leave_out(&mut self, refusals: &Refusals<'_>) {
        let refuses = |levels: Levels, names: &[&str]| {
            let named = |name: &str, value: &Value| {
                names.contains(&name) && !self.is_left_open(name, value)
            };
            (refusals.refuses)(&self.values(levels, named))
        };
        let parameters = refusals.parameters.as_slice();
        if self.combination_count(parameters) > MAX_REFUSALS {
            return;
        }
        let all = self.combinations(parameters).into_iter();
        let (refused, taken): (Vec<Levels>, Vec<Levels>) =
            all.partition(|levels| refuses(*levels, parameters));
        let mut refused = shortest(&refused, &taken);
        // A binding may be unaware of a choice that a case may leave open.
        let open = self.function.domain.open().map(|(name, _)| name);
        for name in open.filter(|name| !parameters.contains(name)) {
            let names = [parameters, &[name]].concat();
            let alone = self.combinations(&[name]).into_iter();
            refused.extend(alone.filter(|level| {
                let mut taken = taken.iter();
                taken.all(|levels| refuses(levels.or(*level), &names))
            }));
        }
        let before = self.apart.clone();
        let apart = before.iter().copied().chain(refused).collect();
        self.keep_apart(apart);
        if !self.completes(Levels::default()) {
            self.keep_apart(before);
        }
    }

    /// Adds a level for each set of kernels that a case can launch. Nothing is added if all cases launch the same.
    fn add_kernels(&mut self, choice: &KernelChoice<'_>) {
        let parameters = &choice.parameters;
        if self.combination_count(parameters) > MAX_COMBINATIONS {
            return;
        }
        let mut all: BTreeMap<String, Vec<Levels>> = BTreeMap::new();
        for levels in self.combinations(parameters) {
            let case = self.values(levels, |name, _| parameters.contains(&name));
            if let Some(kernels) = (choice.kernels)(&case)
                && self.completes(levels)
            {
                all.entry(kernels).or_default().push(levels);
            }
        }
        if all.len() < 2 || self.count() + all.len() > Levels::MOST {
            return;
        }
        for combinations in all.into_values() {
            let level = self.sets.len();
            self.sets.push(Set::new());
            self.works.push(1);
            self.kernels.push(LaunchedKernels {
                level,
                combinations,
            });
        }
    }

    /// Returns the number of combinations of levels of the factors that set these parameters.
    fn combination_count(&self, names: &[&str]) -> usize {
        let own = self
            .factors
            .iter()
            .filter(|levels| self.sets_any(levels, names));
        own.map(Range::len).fold(1, usize::saturating_mul)
    }

    /// Returns true if a factor sets one of these parameters.
    fn sets_any(&self, levels: &Range<usize>, names: &[&str]) -> bool {
        let mut set = self.sets[levels.clone()].iter().flatten();
        set.any(|(name, _)| names.contains(name))
    }

    /// Adds levels with which a case launches the chosen kernels, if kernels are among the chosen levels.
    pub(super) fn launching(&self, chosen: Levels, stream: &mut Stream) -> Option<Levels> {
        let kernels = self
            .kernels
            .iter()
            .find(|kernels| chosen.has(kernels.level));
        let Some(kernels) = kernels else {
            return Some(chosen);
        };
        let count = kernels.combinations.len();
        let turn = stream.below(count);
        let mut turned = (0..count).map(|step| kernels.combinations[(turn + step) % count]);
        let agrees = |levels: &Levels| self.agree(chosen, *levels);
        turned.find(agrees).map(|levels| chosen.or(levels))
    }

    /// Adds the level of the kernels that a case launches.
    pub(super) fn with_kernels(&self, case: Levels) -> Levels {
        let launched = self.kernels.iter().find(|kernels| {
            let mut all = kernels.combinations.iter();
            all.any(|levels| levels.without(case) == Levels::default())
        });
        launched.map_or(case, |kernels| case.with(kernels.level))
    }

    /// Returns true if some case has the levels of both sets.
    fn agree(&self, one: Levels, other: Levels) -> bool {
        let both = one.or(other);
        let mut factors = self.factors.iter();
        factors.all(|factor| both.within(factor).count() <= 1) && self.completes(both)
    }

    /// Returns the numbers of each factor's levels.
    pub(super) fn factors(&self) -> &[Range<usize>] {
        &self.factors
    }

    /// Returns the number of levels.
    pub(super) fn count(&self) -> usize {
        self.sets.len()
    }

    /// Returns the combinations of levels that break a rule.
    fn broken(&self, rule: &Rule) -> impl Iterator<Item = Levels> {
        let all = self.combinations(rule.of).into_iter();
        all.filter(|levels| {
            let case = self.values(*levels, |name, _| rule.of.contains(&name));
            (rule.breaks)(&case)
        })
    }

    /// Returns the combinations at which a product of sizes exceeds a tensor's limit.
    fn too_large(&self, sizes: &[&str]) -> impl Iterator<Item = Levels> {
        let all = self.combinations(sizes).into_iter();
        all.filter(|levels| {
            let set = levels.iter().flat_map(|level| &self.sets[level]);
            let numbers = set.filter_map(|(name, value)| match value {
                Value::Number(number) if sizes.contains(name) => Some(i128::from(*number)),
                _ => None,
            });
            numbers.product::<i128>() > MAX_ELEMENTS.into()
        })
    }

    /// Returns every combination of levels of the factors that set these parameters.
    fn combinations(&self, names: &[&str]) -> Vec<Levels> {
        let own = self
            .factors
            .iter()
            .filter(|levels| self.sets_any(levels, names));
        own.fold(vec![Levels::default()], |some, levels| {
            let longer = |one: Levels| levels.clone().map(move |level| one.with(level));
            some.into_iter().flat_map(longer).collect()
        })
    }

    /// Returns the pairs that the domain allows, the lower level first.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let factors = self.factors.last().map_or(0, |last| last.end);
        let alone = (self.factors.len() == 1).then(|| (0..factors).map(|one| (one, one)));
        let met = self.factors.iter().flat_map(move |own| {
            let others = own.end..factors;
            own.clone()
                .flat_map(move |one| others.clone().map(move |other| (one, other)))
        });
        let all = alone.into_iter().flatten().chain(met);
        let pairs = all.filter(|(a, b)| self.completes(Levels::default().with(*a).with(*b)));
        pairs.chain(self.pairs_with_kernels())
    }

    /// Returns the pairs of a level with the kernels of a case that has the level.
    fn pairs_with_kernels(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let factors = self.factors.last().map_or(0, |last| last.end);
        self.kernels.iter().flat_map(move |kernels| {
            let met = move |level: &usize| {
                let alone = Levels::default().with(*level);
                let mut all = kernels.combinations.iter();
                all.any(|levels| self.agree(alone, *levels))
            };
            (0..factors).filter(met).map(|level| (level, kernels.level))
        })
    }

    /// Returns true if some case has these levels.
    pub(super) fn completes(&self, chosen: Levels) -> bool {
        let contained = |apart: &Levels| apart.and(chosen) == *apart;
        !self.apart.iter().any(contained) && self.completes_open(chosen)
    }

    /// Returns true if some case has these levels and one more. Some case must have these levels.
    pub(super) fn completes_with(&self, chosen: Levels, level: usize) -> bool {
        let more = chosen.with(level);
        // A combination without the level is not contained, because it was not before.
        let apart = self.apart_with.get(level);
        let contained = |apart: &Levels| apart.and(more) == *apart;
        !apart.is_some_and(|apart| apart.iter().any(contained)) && self.completes_open(more)
    }

    /// Returns true if some case has these levels, which contain no combination that is kept apart.
    fn completes_open(&self, chosen: Levels) -> bool {
        let open = self.bound.iter().find(|levels| !chosen.any_of(levels));
        open.is_none_or(|levels| {
            let mut levels = levels.clone();
            levels.any(|level| self.completes_with(chosen, level))
        })
    }

    /// Returns the case with these levels. It leaves an open choice out if the level is the choice's default.
    pub(super) fn case(&self, levels: Levels) -> Values {
        self.values(levels, |name, value| !self.is_left_open(name, value))
    }

    /// Returns true if a case leaves a choice open in place of this word, because the word is the default.
    fn is_left_open(&self, name: &str, value: &Value) -> bool {
        let mut own = self.function.domain.open();
        own.any(|(known, words)| {
            *known == name
                && words
                    .first()
                    .is_some_and(|word| *value == Value::Word(word))
        })
    }

    /// Returns the estimated work of a level.
    pub(super) fn level_work(&self, level: usize) -> i128 {
        self.works[level]
    }

    /// Estimates the work of a case as the product of its levels' work.
    pub(super) fn work(&self, levels: Levels) -> i128 {
        let works = levels.iter().map(|level| self.works[level]);
        works.fold(1, i128::saturating_mul)
    }

    /// Returns the wanted parameters with their values at the given levels, in the order of the function, as in the registry's cases.
    pub(super) fn values(&self, levels: Levels, wanted: impl Fn(&str, &Value) -> bool) -> Values {
        let set: Vec<_> = levels.iter().flat_map(|level| &self.sets[level]).collect();
        let names = self.function.dims.iter().chain(self.function.integers);
        let names = names.chain(self.function.choices().map(|(name, _)| name));
        let values = names.filter_map(|name| {
            let (_, value) = set.iter().find(|(known, _)| known == name)?;
            wanted(name, value).then(|| ((*name).to_owned(), value.clone()))
        });
        Values::new(values.collect())
    }

    /// Returns the parameters that a level sets.
    #[cfg(test)]
    pub(super) fn set(&self, level: usize) -> &[(&'static str, Value)] {
        &self.sets[level]
    }
}

/// Estimates the work of a level as the product of the sizes that it sets; a list counts as its sum. Channels count a wave more, because a few take as long as a
/// wave.
fn work(function: &Function, set: &Set) -> i128 {
    let sizes = set.iter().filter_map(|(name, value)| match value {
        Value::Number(size) if CHANNELS.contains(name) => Some(i128::from(*size) + WAVE),
        Value::Number(size) if function.dims.contains(name) => Some(i128::from(*size)),
        Value::Word(word) if function.lists.contains(name) => {
            Some(list_of(word).into_iter().map(i128::from).sum())
        }
        _ => None,
    });
    sizes.fold(1, |all, size| all.saturating_mul(size.max(1)))
}

/// Returns combinations that the refused ones contain, and no taken one: levels that no taken combination has stand alone.
fn shortest(refused: &[Levels], taken: &[Levels]) -> Vec<Levels> {
    let any = |all: &[Levels]| all.iter().fold(Levels::default(), |any, one| any.or(*one));
    let alone = any(refused).without(any(taken));
    let single = alone.iter().map(|level| Levels::default().with(level));
    let others = refused
        .iter()
        .copied()
        .filter(|levels| levels.without(alone) == *levels);
    single.chain(others).collect()
}

impl Levels {
    /// The largest number of levels: one less than the bits of u128, because `from` must never shift by 128.
    const MOST: usize = u128::BITS as usize - 1;

    /// Returns the levels of a factor.
    pub(super) fn of(factor: &Range<usize>) -> Levels {
        Levels(u128::MAX).within(factor)
    }

    /// Adds a level.
    #[inline(always)]
    pub(super) fn with(self, level: usize) -> Levels {
        Levels(self.0 | 1 << level)
    }

    /// Returns the intersection.
    #[inline(always)]
    pub(super) fn and(self, others: Levels) -> Levels {
        Levels(self.0 & others.0)
    }

    /// Returns the union.
    #[inline(always)]
    pub(super) fn or(self, others: Levels) -> Levels {
        Levels(self.0 | others.0)
    }

    /// Returns true if a level is in the set.
    #[inline(always)]
    fn has(self, level: usize) -> bool {
        self.0 >> level & 1 == 1
    }

    /// Returns those levels of the set that are a factor's.
    #[inline(always)]
    fn within(self, factor: &Range<usize>) -> Levels {
        self.from(factor.start).without(self.from(factor.end))
    }

    /// Returns the difference.
    #[inline(always)]
    pub(super) fn without(self, others: Levels) -> Levels {
        Levels(self.0 & !others.0)
    }

    /// Returns the levels from a number on.
    #[inline(always)]
    pub(super) fn from(self, level: usize) -> Levels {
        Levels(self.0 >> level << level)
    }

    /// Returns true if a level of the factor is in the set.
    #[inline(always)]
    pub(super) fn any_of(self, factor: &Range<usize>) -> bool {
        self.from(factor.start) != self.from(factor.end)
    }

    /// Returns the number of levels in the set.
    #[inline(always)]
    pub(super) fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the numbers of the levels, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(first)
        })
    }
}
