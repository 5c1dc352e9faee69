//! Shrinking: a smaller case of the same contract in which the kernels fail, too. Experiments with it are quick, and a person can look at it.

use crate::contract::{Case, Value, Values};
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
    for factor in plan.test.function.domain.factors {
        let names = factor.names();
        let mut levels = factor.levels();
        levels.sort_by_key(|level| level.iter().product::<i64>());
        for level in levels {
            if runs == RUNS || !is_smaller(&values, names, level) {
                continue;
            }
            let Some(case) =
                with_level(&values, names, level).and_then(|values| case(plan, values))
            else {
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

fn with_level(values: &Values, names: &[&str], level: &[i64]) -> Option<Values> {
    let mut pairs = names.iter().zip(level);
    pairs.try_fold(values.clone(), |values, (name, &number)| {
        values.replaced(name, Value::Number(number))
    })
}

fn wrong_output(report: &TrialReport) -> Option<&str> {
    let mut outputs = report.outputs.iter();
    let wrong = outputs.find(|output| output.problem.is_some())?;
    Some(&wrong.name)
}

/// Returns true if a level makes parameters smaller, and none larger or smaller than the smallest size.
fn is_smaller(values: &Values, names: &[&str], level: &[i64]) -> bool {
    let pairs = names.iter().zip(level);
    let pairs: Option<Vec<(i64, i64)>> = pairs
        .map(|(name, &value)| Some((values.get(name)?, value)))
        .collect();
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
