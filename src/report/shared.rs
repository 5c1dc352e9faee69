//! Parameters that the cases of a failure share and no case that passes has: the sizes and choices that a mistake needs to show.

use std::collections::BTreeSet;

use super::groups::Group;
use super::model::{TrialReport, Verdict};

/// The fewest cases on each side from which something common is told. Fewer have much in common by chance.
const FEWEST: usize = 2;

/// Parameters that are told.
const TOLD: usize = 2;

/// Sizes of tiles and waves whose multiples are looked at.
const TILES: [i64; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// Returns the parameters that all cases of a group share and that no passed case of the same contract has: `K above 64 in all 12 cases, and in none
/// that passes`. `trials` are all of the run.
pub(super) fn shared<'a>(
    group: &Group<'_>,
    trials: impl Iterator<Item = &'a TrialReport>,
) -> Option<String> {
    let failed: Vec<&str> = group.trials().map(|trial| &*trial.shape).collect();
    let contract = &group.first.contract;
    let passed = trials.filter(|trial| trial.verdict == Verdict::Pass);
    let passed = passed.filter(|of| of.contract == *contract);
    let passed: Vec<&str> = passed.map(|trial| &*trial.shape).collect();
    if failed.len() < FEWEST || passed.len() < FEWEST || contract.is_empty() {
        return None;
    }
    let names = parameters(failed[0]).map(|(name, _)| name);
    let told = names.filter_map(|name| {
        let values = |shapes: &[&str]| -> BTreeSet<Option<String>> {
            shapes.iter().map(|shape| value(shape, name)).collect()
        };
        condition(name, &values(&failed), &values(&passed))
    });
    let mut told: Vec<String> = told.take(TOLD).collect();
    if told.is_empty() {
        told.extend(pair(&failed, &passed));
    }
    (!told.is_empty()).then(|| {
        format!(
            "{} in all {} cases, and in none that passes",
            told.join(" and "),
            failed.len()
        )
    })
}

/// The fewest cases on each side for a condition on two sizes, of which there are many.
const FEWEST_FOR_PAIRS: usize = 4;

/// A relation of two numbers, and its words between their names.
type PairRelation = (fn(i64, i64) -> bool, &'static str);

const PAIR_RELATIONS: [PairRelation; 6] = [
    (|a, b| a % b == 0, "a multiple of"),
    (|a, b| a % b != 0, "no multiple of"),
    (|a, b| a == b, "as large as"),
    (|a, b| a != b, "other than"),
    (|a, b| a > b, "above"),
    (|a, b| a < b, "below"),
];

/// Returns the relation of two sizes that holds for all failed cases and for no passed one: `T a multiple of C`.
fn pair(failed: &[&str], passed: &[&str]) -> Option<String> {
    if failed.len().min(passed.len()) < FEWEST_FOR_PAIRS {
        return None;
    }
    let number = |shape: &str, name| value(shape, name)?.parse::<i64>().ok();
    let names: Vec<&str> = parameters(failed[0]).map(|(name, _)| name).collect();
    let pairs = names
        .iter()
        .flat_map(|a| names.iter().map(move |b| (*a, *b)));
    let pairs: Vec<(&str, &str)> = pairs.filter(|(a, b)| a != b).collect();
    PAIR_RELATIONS.iter().find_map(|(holds, words)| {
        let holds_in = |shape: &str, (a, b)| -> Option<bool> {
            let (a, b) = number(shape, a).zip(number(shape, b))?;
            (b > 0).then(|| holds(a, b))
        };
        let all = |shapes: &[&str], pair, is| {
            let mut shapes = shapes.iter();
            shapes.all(|shape| holds_in(shape, pair) == Some(is))
        };
        // Cases of one pair of sizes, such as 1 and 1, have it in common alone.
        let is_varied = |shapes: &[&str], (a, b)| {
            let sizes = shapes
                .iter()
                .map(|shape| (number(shape, a), number(shape, b)));
            sizes.collect::<BTreeSet<_>>().len() > 1
        };
        let mut pairs = pairs.iter();
        let (a, b) = pairs.find(|&&pair| {
            let varied = is_varied(failed, pair) && is_varied(passed, pair);
            varied && all(failed, pair, true) && all(passed, pair, false)
        })?;
        Some(format!("{a} {words} {b}"))
    })
}

/// Returns the parameters of a case: `K=64` in its shape.
fn parameters(shape: &str) -> impl Iterator<Item = (&str, &str)> {
    shape.split_whitespace().filter_map(|of| of.split_once('='))
}

fn value(shape: &str, name: &str) -> Option<String> {
    let mut parameters = parameters(shape);
    let (_, value) = parameters.find(|(other, _)| *other == name)?;
    Some(value.to_owned())
}

/// Returns the condition on a parameter that holds for all values of failed cases and for none of passed ones, if there is one that a person would
/// name: one value, a bound, or multiples of the size of a tile.
fn condition(
    name: &str,
    failed: &BTreeSet<Option<String>>,
    passed: &BTreeSet<Option<String>>,
) -> Option<String> {
    if !failed.is_disjoint(passed) || failed.contains(&None) {
        return None;
    }
    if let [Some(one)] = failed.iter().collect::<Vec<_>>()[..] {
        return Some(format!("{name}={one}"));
    }
    let numbers = |values: &BTreeSet<Option<String>>| -> Option<Vec<i64>> {
        values
            .iter()
            .map(|value| value.as_ref()?.parse().ok())
            .collect()
    };
    let (failed, passed) = numbers(failed).zip(numbers(passed))?;
    let ends = |values: &[i64]| Some((*values.iter().min()?, *values.iter().max()?));
    let ((least, largest), (least_passed, largest_passed)) = ends(&failed).zip(ends(&passed))?;
    if least > largest_passed {
        return Some(format!("{name} above {largest_passed}"));
    }
    if largest < least_passed {
        return Some(format!("{name} below {least_passed}"));
    }
    let is_multiple = |value: &i64, tile: i64| value % tile == 0;
    TILES.iter().rev().find_map(|&tile| {
        let of_failed = |is| failed.iter().all(|value| is_multiple(value, tile) == is);
        let of_passed = |is| passed.iter().all(|value| is_multiple(value, tile) == is);
        if of_failed(false) && of_passed(true) {
            Some(format!("{name} no multiple of {tile}"))
        } else if of_failed(true) && of_passed(false) {
            Some(format!("{name} a multiple of {tile}"))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sizes_are_related_in_all_failed_cases_and_in_no_passed_one() {
        let told = |failed: &[(i64, i64)], passed: &[(i64, i64)]| {
            let [failed, passed] = [failed, passed].map(|sizes| -> Vec<String> {
                let shapes = sizes.iter().map(|(t, c)| format!("T={t} C={c} gates=slow"));
                shapes.collect()
            });
            let [failed, passed] =
                [&failed, &passed].map(|of| of.iter().map(|shape| &**shape).collect::<Vec<_>>());
            pair(&failed, &passed)
        };
        let whole = [(32, 16), (96, 48), (64, 64), (16, 16)];
        let others = [(33, 16), (7, 3), (65, 64), (1, 16)];
        assert_eq!(told(&whole, &others).as_deref(), Some("T a multiple of C"));
        assert_eq!(told(&others, &whole).as_deref(), Some("T no multiple of C"));
        assert_eq!(told(&whole, &whole), None);
        assert_eq!(told(&others, &[(1, 1); 4]), None);
    }

    #[test]
    fn a_condition_holds_for_all_failed_values_and_for_no_passed_one() {
        let of = |values: &[&str]| -> BTreeSet<Option<String>> {
            values
                .iter()
                .map(|value| Some((*value).to_owned()))
                .collect()
        };
        let told = |failed: &[&str], passed: &[&str]| condition("K", &of(failed), &of(passed));
        for (failed, passed, expected) in [
            (&["tiled"][..], &["block"][..], Some("K=tiled")),
            (&["128", "65"], &["1", "64"], Some("K above 64")),
            (&["1", "3"], &["64", "128"], Some("K below 64")),
            (
                &["3", "100"],
                &["16", "64", "128"],
                Some("K no multiple of 16"),
            ),
            (
                &["32", "96"],
                &["33", "100", "7"],
                Some("K a multiple of 32"),
            ),
            (&["64", "128"], &["64", "1"], None),
            (&["a", "b"], &["c"], None),
        ] {
            assert_eq!(
                told(failed, passed).as_deref(),
                expected,
                "{failed:?} {passed:?}"
            );
        }
        let default = BTreeSet::from([None, Some("far".to_owned())]);
        assert_eq!(condition("size", &default, &of(&["long"])), None);
    }
}
