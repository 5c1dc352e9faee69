//! Range: values of an input on one side of a bound that change nothing in the kernels.

use std::collections::BTreeSet;

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput};

use super::candidate::responds;
use super::influence::{is_same, significant};

/// The fewest values beyond a bound.
const FEWEST: usize = 8;

/// Values within the bound that must each be answered.
const WITHIN: usize = 4;

/// The factor by which a bound must reduce the squares of the outputs' errors.
const LESS: f64 = 16.0;

/// A side of a bound.
#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}

/// The answer to a change of some values.
struct Answer {
    kernels: bool,
    reference: bool,
}

/// Returns the first input of which values beyond a bound change nothing.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let mut inputs = inputs.filter(|input| responds(experiment, input));
    inputs.find_map(|input| {
        [Side::Below, Side::Above]
            .into_iter()
            .find_map(|side| bound(experiment, input, side))
    })
}

fn bound(experiment: &Experiment<'_>, input: &ExperimentInput, side: Side) -> Option<CauseReport> {
    let mut order: Vec<usize> = (0..input.values.len()).collect();
    order.sort_by(|&a, &b| match side {
        Side::Below => input.values[a].total_cmp(&input.values[b]),
        Side::Above => input.values[b].total_cmp(&input.values[a]),
    });
    let answer = |elements: &[usize]| answer(experiment, input, side, elements);
    let silent = |count: usize| -> Option<bool> { Some(!answer(&order[..count])?.kernels) };
    let few = FEWEST.max(order.len() / 16);
    if order.len() < 4 * FEWEST || !silent(few)? || !answer(&order[..few])?.reference {
        return None;
    }
    // The kernels answer if all values change, and are silent if the first few do.
    let (mut beyond, mut within) = (few, order.len());
    if silent(within)? {
        return None;
    }
    while within - beyond > 1 {
        let middle = usize::midpoint(beyond, within);
        match silent(middle)? {
            true => beyond = middle,
            false => within = middle,
        }
    }
    // Where the place decides and not the value, values within the bound are silent, too.
    let rest = &order[beyond..];
    for part in 0..WITHIN {
        let one = rest[part * (rest.len() - 1) / (WITHIN - 1)];
        let answer = answer(&[one])?;
        if answer.reference && !answer.kernels {
            return None;
        }
    }
    let [last, first] = [order[beyond - 1], order[beyond]].map(|at| input.values[at]);
    let bound = match (last <= 0.0) == (first <= 0.0) {
        true => f64::midpoint(last, first),
        false => 0.0,
    };
    if !explains(experiment, input, side, bound)
        || !responds_within(experiment, input, side, &order[..beyond], first)
    {
        return None;
    }
    let (word, other) = match side {
        Side::Below => ("below", "smaller"),
        Side::Above => ("above", "larger"),
    };
    Some(CauseReport {
        kind: "function".into(),
        output: None,
        tensor: Some(input.tensor.clone()),
        kernel: None,
        text: format!(
            "`{}` is cut off {word} {bound:.2}: {other} values change nothing",
            input.tensor
        ),
        explains: None,
    })
}

/// Returns true if the kernels respond to the elements beyond the bound where they are within it, from one value away from the bound to another. Where
/// the place of the elements decides, such as a diagonal, they do not.
fn responds_within(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    side: Side,
    beyond: &[usize],
    within: f64,
) -> bool {
    let step = 0.5 * within.abs() + f64::from(f32::EPSILON);
    let away = match side {
        Side::Below => within + step,
        Side::Above => within - step,
    };
    let left = [within, away].map(|value| {
        let mut values = input.values.clone();
        beyond.iter().for_each(|&at| values[at] = value);
        experiment.run(&Changes::from([(input.name.clone(), values)]))
    });
    let [Some(one), Some(other)] = left else {
        return false;
    };
    let mut pairs = one.iter().zip(&other);
    pairs.any(|(one, other)| one.iter().zip(other).any(|(a, b)| !is_same(*a, *b)))
}

/// Returns true if most of the outputs' error goes if the reference gets the bound, or 0, in place of the values beyond it.
fn explains(experiment: &Experiment<'_>, input: &ExperimentInput, side: Side, bound: f64) -> bool {
    let cut = [bound, 0.0].map(|instead| {
        let values = input.values.iter().map(|&value| {
            let beyond = match side {
                Side::Below => value < bound,
                Side::Above => value > bound,
            };
            if beyond { instead } else { value }
        });
        Changes::from([(input.name.clone(), values.collect())])
    });
    cut.iter().any(|changes| {
        let Some(predicted) = experiment.predict(changes) else {
            return false;
        };
        let (mut before, mut after) = (0.0, 0.0);
        for (output, predicted) in experiment.outputs().iter().zip(&predicted) {
            let values = output.expected.iter().zip(predicted);
            for (got, (expected, predicted)) in output.got.iter().zip(values) {
                before += (got - expected).powi(2);
                after += (got - predicted).powi(2);
            }
        }
        LESS * after < before
    })
}

/// Moves some values away from the bound, and returns whether kernels and reference answer.
fn answer(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    side: Side,
    elements: &[usize],
) -> Option<Answer> {
    let spread = input
        .values
        .iter()
        .fold(0.0, |max: f64, x| max.max(x.abs()));
    let step = match side {
        Side::Below => -0.25 * spread,
        Side::Above => 0.25 * spread,
    };
    let chosen: BTreeSet<usize> = elements.iter().copied().collect();
    let values = input.values.iter().enumerate();
    let changed: Vec<f64> = values
        .map(|(at, value)| value + if chosen.contains(&at) { step } else { 0.0 })
        .collect();
    let changes = Changes::from([(input.name.clone(), changed)]);
    let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
    let outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
    let mut answer = Answer {
        kernels: false,
        reference: false,
    };
    for (output, (left, predicted)) in outputs {
        let mut pairs = output.got.iter().zip(left);
        answer.kernels |= pairs.any(|(old, new)| !is_same(*old, *new));
        answer.reference |= significant(experiment, output, predicted).contains(&true);
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::with_exp;
    use super::*;
    use crate::trial::Outputs;

    /// Returns the outputs of a kernel that takes values below -0.5 as -0.5.
    fn cut(experiment: &Experiment<'_>) -> Outputs {
        let input = &experiment.inputs()[0];
        let values = input.values.iter().map(|value| value.max(-0.5));
        let changes = Changes::from([(input.name.clone(), values.collect())]);
        experiment.predict(&changes).expect("values")
    }

    #[test]
    fn a_bound_explains_an_error_only_if_the_reference_with_it_has_little_left() {
        with_exp("2^x for e^x", |plan| {
            let mut experiment = plan.experiment().expect("an experiment");
            experiment.begin_last_method();
            let input = experiment.inputs()[0].clone();
            // The error of another base is everywhere.
            for side in [Side::Below, Side::Above] {
                assert!(!explains(&experiment, &input, side, -0.5));
            }
            let cut = cut(&experiment);
            experiment.set_outputs(cut);
            assert!(explains(&experiment, &input, Side::Below, -0.5));
            assert!(!explains(&experiment, &input, Side::Below, -1.5));
            assert!(!explains(&experiment, &input, Side::Above, -0.5));
        });
    }
}
