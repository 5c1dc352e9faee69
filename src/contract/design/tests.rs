//! That designs hold what they are for.

use std::collections::BTreeSet;

use super::*;
use crate::contracts::functions;

/// The level of each factor at a case.
fn levels(space: &Space<'_>, case: &Values) -> Vec<usize> {
    let set = |name: &str, value: &Value| {
        let there = case.iter().find(|(known, _)| *known == name);
        // An option that is left open has its first word.
        there.map_or_else(
            || {
                let options = space.function.domain.open();
                let own = options.filter(|(known, _)| *known == name);
                own.flat_map(|(_, words)| words.first())
                    .any(|word| *value == Value::Word(word))
            },
            |(_, known)| known == value,
        )
    };
    let level = |factor: &Vec<Level>| {
        let at = factor
            .iter()
            .position(|level| level.iter().all(|(name, value)| set(name, value)));
        at.expect("a case has a level of each factor")
    };
    space.factors.iter().map(level).collect()
}

#[test]
fn every_value_and_every_pair_that_the_domain_allows_is_in_a_design() {
    for function in functions() {
        let space = Space::of(function);
        for seed in [0, 1] {
            let cases: Vec<Vec<usize>> = design(function, seed)
                .iter()
                .map(|case| levels(&space, case))
                .collect();
            for (factor, all) in space.factors.iter().enumerate() {
                for (level, said) in all.iter().enumerate() {
                    let mut alone = vec![None; space.factors.len()];
                    alone[factor] = Some(level);
                    // Some rules leave out a value, whatever it meets.
                    if function
                        .domain
                        .broken(&space.values(&alone, false))
                        .is_some()
                    {
                        continue;
                    }
                    assert!(
                        cases.iter().any(|case| case[factor] == level),
                        "{function:?}, seed {seed}: {said:?} is in no case"
                    );
                }
            }
            let mut pairs = 0;
            for pair in space.pairs() {
                pairs += 1;
                let ((a, x), (b, y)) = pair;
                assert!(
                    cases.iter().any(|case| holds(case, &pair)),
                    "{function:?}, seed {seed}: {:?} and {:?} do not meet",
                    space.factors[a][x],
                    space.factors[b][y]
                );
            }
            assert!(pairs > 0 || space.factors.is_empty(), "{function:?}");
        }
    }
}

#[test]
fn no_case_breaks_a_rule_and_none_is_there_twice() {
    for function in functions() {
        let cases = design(function, 3);
        let all: BTreeSet<String> = cases.iter().map(Values::suffix).collect();
        assert_eq!(all.len(), cases.len(), "{function:?}");
        // No design can do with fewer than the two longest factors have pairs.
        let space = Space::of(function);
        let mut lengths: Vec<usize> = space.factors.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        let least: usize = lengths.iter().rev().take(2).product();
        assert!(
            cases.len() <= least + least / 4 + 6,
            "{function:?} has {} for {least}",
            cases.len()
        );
        for case in &cases {
            assert!(function.refuses(case).is_none(), "{function:?}: {case}");
            // A case without its open choices says as much as one with them.
            let broken = function.domain.broken(case).map(|rule| rule.says);
            assert_eq!(broken, None, "{function:?}: {case}");
        }
    }
}

#[test]
fn a_domain_has_every_size_of_its_contract_once_and_values_for_it() {
    for function in functions() {
        let factors = function.domain.factors;
        let mut named: Vec<&str> = factors.iter().flat_map(|f| f.names()).copied().collect();
        let sizes = function.dims.iter().chain(function.integers);
        let mut sizes: Vec<&str> = sizes.copied().collect();
        named.sort_unstable();
        sizes.sort_unstable();
        assert_eq!(named, sizes, "{function:?}");
        for factor in factors {
            let levels = factor.levels();
            let distinct: BTreeSet<&&[i64]> = levels.iter().collect();
            assert_eq!(distinct.len(), levels.len(), "{function:?}: {factor:?}");
            for level in levels {
                assert_eq!(
                    level.len(),
                    factor.names().len(),
                    "{function:?}: {factor:?}"
                );
                let least = |name: &str| {
                    if function.dims.contains(&name) {
                        1
                    } else {
                        i64::MIN
                    }
                };
                let pairs = factor.names().iter().zip(level);
                for (name, value) in pairs {
                    assert!(*value >= least(name), "{function:?}: {name} = {value}");
                }
            }
        }
    }
}

#[test]
fn a_design_follows_from_contract_and_seed() {
    let function = functions().find(|f| f.name == "gdn_recurrent");
    let function = function.expect("it is there");
    assert_eq!(design(function, 5), design(function, 5));
    assert_ne!(design(function, 5), design(function, 6));
}
