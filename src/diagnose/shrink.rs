//! Shrinking: a smaller case of the same contract in which the kernels fail, too. Experiments with it are quick, and a person can look at it.

use crate::contract::{Case, Function, Value, Values, list_of};
use crate::report::model::TrialReport;
use crate::trial::Plan;

use super::is_explainable;

/// The number of runs in search of a smaller case.
const RUNS: usize = 40;

/// The smallest size that is tried. Mistakes in indices look alike along shorter axes.
const SMALLEST: i64 = 4;

/// Returns a smaller case in which the first wrong output of a failed trial is wrong, too, with the report of its trial.
pub(super) fn shrink(plan: &Plan<'_>, report: &TrialReport) -> Option<(Case, TrialReport)> {
    let bare = plan.bare()?;
    let output = wrong_output(report)?;
    let mut values = plan.case.values.clone();
    let mut found = None;
    let mut runs = 0;
    for levels in levels(plan.test.function) {
        for level in levels {
            if runs == RUNS || !is_smaller(&values, &level) {
                continue;
            }
            let replaced = level
                .into_iter()
                .try_fold(values.clone(), |values, (name, value)| {
                    values.replaced(name, value)
                });
            let Some(case) = replaced.and_then(|values| case(plan, values)) else {
                continue;
            };
            runs += 1;
            let report = Plan {
                case: &case,
                ..bare
            }
            .run()
            .report;
            if is_explainable(&report) && wrong_output(&report) == Some(output) {
                values = case.values.clone();
                found = Some((case, report));
                break;
            }
        }
    }
    found
}

/// Parameters that change together, each with its value.
type Level = Vec<(&'static str, Value)>;

/// Returns the levels of each factor of a contract and of each size of several values, the smallest first.
fn levels(function: &Function) -> Vec<Vec<Level>> {
    let factors = function.domain.factors.iter().map(|factor| {
        let mut levels = factor.levels();
        levels.sort_by_key(|level| level.iter().product::<i64>());
        let level = |level: &[i64]| -> Level {
            let pairs = factor.names().iter().zip(level);
            pairs
                .map(|(name, number)| (*name, Value::Number(*number)))
                .collect()
        };
        levels.into_iter().map(level).collect()
    });
    let lists = function.words.iter();
    let lists = lists
        .filter(|(name, _)| function.lists.contains(name))
        .map(|(name, words)| {
            let mut words = words.to_vec();
            words.sort_by_key(|word| list_of(word).iter().sum::<i64>());
            let level = |word| vec![(*name, Value::Word(word))];
            words.into_iter().map(level).collect()
        });
    factors.chain(lists).collect()
}

fn wrong_output(report: &TrialReport) -> Option<&str> {
    let mut outputs = report.outputs.iter();
    let wrong = outputs.find(|output| output.problem.is_some())?;
    Some(&wrong.name)
}

/// Returns true if a level makes parameters smaller, and none larger or smaller than the smallest size. A list counts as its sum, and must
/// not become longer.
fn is_smaller(values: &Values, level: &Level) -> bool {
    let pairs = level.iter().map(|(name, value)| match value {
        Value::Number(then) => Some((values.get(name)?, *then)),
        Value::Word(word) => {
            let (now, then) = (list_of(values.word(name)?), list_of(word));
            let sums = (now.iter().sum(), then.iter().sum());
            (then.len() <= now.len()).then_some(sums)
        }
    });
    let pairs: Option<Vec<(i64, i64)>> = pairs.collect();
    pairs.is_some_and(|pairs| {
        pairs
            .iter()
            .all(|&(now, then)| then == now || (SMALLEST..now).contains(&then))
            && pairs.iter().any(|(now, then)| now != then)
    })
}

/// Returns the case of a test with other values, if the contract and the binding take them.
fn case(plan: &Plan<'_>, values: Values) -> Option<Case> {
    let function = plan.test.function;
    if function.refuses(&values).is_some() || function.domain.broken(&values).is_some() {
        return None;
    }
    let case = plan.test.case(values);
    let taken = matches!(plan.bound.binding.refuses(&case.values), Ok(None));
    taken.then_some(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_smaller_by_its_sum_and_never_longer() {
        let lengths = vec![("lengths".to_owned(), Value::Word("1+64+3"))];
        let values = Values::new(lengths);
        for (word, smaller) in [
            ("5", true),
            ("0+60", true),
            ("1+64+3", false),
            ("70", false),
            ("1+1+1+1", false),
            ("2+1", false),
        ] {
            let level = vec![("lengths", Value::Word(word))];
            assert_eq!(is_smaller(&values, &level), smaller, "{word}");
        }
    }
}
