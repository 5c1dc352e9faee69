//! The influence of whole numbers, such as the bounds of sequences.

use std::collections::BTreeSet;

use crate::report::model::CauseReport;
use crate::tensor::{Axis, index};
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::super::weigh::ranges;
use super::{cause, is_same, same_values};

/// Numbers of a tensor that are tried.
const TRIED: usize = 4;

/// Returns a cause if the kernels do not respond to a tensor of whole numbers, or not where the reference does.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    unread(experiment).or_else(|| {
        handed(experiment).find_map(|input| {
            unsubtracted(experiment, input)
                .or_else(|| unread_somewhere(experiment, input))
                .or_else(|| counted_elsewhere(experiment, input))
        })
    })
}

/// Returns the tensors of whole numbers but those that a binding hands over in other cases alone.
fn handed<'e>(experiment: &'e Experiment<'_>) -> impl Iterator<Item = &'e ExperimentInput> {
    let integers = experiment.integers().iter();
    integers.filter(|input| !experiment.is_withheld(&input.tensor))
}

/// Returns a cause if the kernels do not respond to a tensor of whole numbers at all. Of two tables in order, such as bounds of sequences and
/// pairs of a sequence and its chunk, one follows from the other, and the kernels may take either. Right kernels may not get a tensor on
/// which the contract does not depend once all others are given.
pub(in crate::diagnose) fn unread(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let answers: Vec<(&ExperimentInput, bool)> = handed(experiment)
        .filter_map(|input| Some((input, answers(experiment, input)?)))
        .collect();
    let mut read = answers.iter().filter(|(_, answered)| *answered);
    let table_is_read = read.any(|(input, _)| is_ordered(input));
    let mut silent = answers.iter().filter(|(_, answered)| !answered);
    let (input, _) = silent.find(|(input, _)| {
        let follows = table_is_read && is_ordered(input);
        !follows && (experiment.hands_over(&input.tensor) || counts(experiment, input))
    })?;
    let text = format!("no output responds to `{}`", input.tensor);
    Some(cause("unread", input, None, text))
}

/// Returns true if the reference responds to a tensor.
fn counts(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    changed(input).into_iter().any(|moved| {
        let changes = Changes::from([(input.name.clone(), moved)]);
        let predicted = experiment.predict(&changes);
        predicted.is_some_and(|predicted| {
            let mut outputs = experiment.outputs().iter().zip(&predicted);
            outputs.any(|(output, predicted)| !same_values(&output.expected, predicted))
        })
    })
}

/// Returns true if the rows of a tensor are in order.
fn is_ordered(input: &ExperimentInput) -> bool {
    let columns = input.axes.iter().skip(1).map(|axis| axis.length);
    let rows = input.values.chunks(columns.product::<usize>().max(1));
    rows.is_sorted()
}

/// Returns true if a tensor has one flag, 0 or 1, for each index.
fn is_of_flags(input: &ExperimentInput) -> bool {
    let is_table = input.axes.len() == 1 && input.axes[0].name != "bound";
    is_table && input.values.iter().all(|value| [0.0, 1.0].contains(value))
}

/// Returns changed tensors that the contract allows: flags are all the other way round, single bounds move, and stay in order; other numbers
/// are exchanged.
fn changed(input: &ExperimentInput) -> Vec<Vec<f64>> {
    let values = &input.values;
    if is_of_flags(input) {
        return vec![values.iter().map(|flag| 1.0 - flag).collect()];
    }
    if !values.is_sorted() {
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        return if reversed == *values {
            Vec::new()
        } else {
            vec![reversed]
        };
    }
    let inner = 1..values.len().saturating_sub(1);
    let moved = inner.filter_map(|at| {
        let step = match (values[at] < values[at + 1], values[at] > values[at - 1]) {
            (true, _) => 1.0,
            (false, true) => -1.0,
            (false, false) => return None,
        };
        let mut moved = values.clone();
        moved[at] += step;
        Some(moved)
    });
    moved.take(TRIED).collect()
}

/// Returns whether the kernels respond to a tensor. Returns none if no change of it is possible.
fn answers(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<bool> {
    let changed = changed(input);
    let mut answers = changed.iter().map(|moved| {
        let changes = Changes::from([(input.name.clone(), moved.clone())]);
        // A fault is an answer, too.
        experiment.run_changed(&changes).is_none_or(|left| {
            let mut outputs = experiment.outputs().iter().zip(&left);
            outputs.any(|(output, left)| !same_values(&output.got, left))
        })
    });
    (!changed.is_empty()).then(|| answers.any(|answered| answered))
}

/// Returns a cause if an output has the numbers of a tensor from the second on, of which the contract takes the one before off.
fn unsubtracted(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    let from_second = input.values.get(1..)?;
    let differences = input.values.windows(2).map(|pair| pair[1] - pair[0]);
    let differences: Vec<f64> = differences.collect();
    let mut outputs = experiment.outputs().iter();
    let output = outputs.find(|output| {
        let is_copy = output.got == from_second && output.expected == differences;
        is_copy && output.wrong.contains(&true)
    })?;
    let text = format!(
        "`{}` at i + 1 is copied to `{}`: `{}` at i is not taken off",
        input.tensor, output.name, input.tensor
    );
    Some(cause("not-applied", input, Some(output), text))
}

/// Returns a cause if elements of a wrong output respond to a number in the reference, and never in the kernels, which respond nowhere else.
fn unread_somewhere(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let wrong = outputs.filter(|(_, output)| output.wrong.contains(&true));
    let moved = moved(input);
    let answers = moved.iter().map(|(at, values)| {
        let changes = Changes::from([(input.name.clone(), values.clone())]);
        let predicted = experiment.predict(&changes)?;
        let left = experiment.run_changed(&changes)?;
        same_lengths(experiment, &predicted).then_some((*at, left, predicted))
    });
    let answers: Vec<(usize, Outputs, Outputs)> = answers.collect::<Option<_>>()?;
    wrong.into_iter().find_map(|(number, output)| {
        let mut missing = answers.iter().map(|(at, left, predicted)| {
            let found = differing(&output.got, &left[number]);
            let expected = differing(&output.expected, &predicted[number]);
            let missing: BTreeSet<usize> = expected.difference(&found).copied().collect();
            let part = found.is_empty() || are_apart(output, &found, &missing);
            (found.is_subset(&expected) && part).then_some((*at, missing))
        });
        let missing: Vec<(usize, BTreeSet<usize>)> = missing.by_ref().collect::<Option<_>>()?;
        let (at, places) = missing.into_iter().find(|(at, places)| {
            !places.is_empty() && !responds_at(experiment, input, *at, (number, places))
        })?;
        let text = format!(
            "`{}` does not respond to {} {at} of `{}` at {}; the contract's does",
            output.name,
            input.axes[0].name,
            input.tensor,
            places_of(output, &places)
        );
        Some(cause("unread", input, Some(output), text))
    })
}

/// Returns true if there is an axis along which two sets of elements have no index in common: one of them is told without the other.
fn are_apart(output: &ExperimentOutput, one: &BTreeSet<usize>, other: &BTreeSet<usize>) -> bool {
    (0..output.axes.len()).any(|axis| {
        let along = |places: &BTreeSet<usize>| -> BTreeSet<usize> {
            let places = places.iter();
            places.map(|&at| index(&output.axes, at)[axis]).collect()
        };
        along(one).is_disjoint(&along(other))
    })
}

/// Returns true if elements of an output respond to a bound that moves further: to the one before it, to the one after it, and halfway. A
/// number that is rounded up responds to other steps than one that is rounded down.
fn responds_at(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    at: usize,
    (number, places): (usize, &BTreeSet<usize>),
) -> bool {
    let inner = at > 0 && at + 1 < input.values.len();
    if !inner || !is_ordered(input) {
        return false;
    }
    let (first, last) = (input.values[at - 1], input.values[at + 1]);
    [first, ((first + last) / 2.0).floor(), last]
        .into_iter()
        .any(|bound| {
            let mut values = input.values.clone();
            values[at] = bound;
            let changes = Changes::from([(input.name.clone(), values)]);
            let left = experiment.run_changed(&changes);
            left.is_some_and(|left| {
                let found = differing(&experiment.outputs()[number].got, &left[number]);
                !found.is_disjoint(places)
            })
        })
}

/// Returns a cause if a number counts at other elements of a wrong output in the kernels than in the reference.
fn counted_elsewhere(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    if !is_of_flags(input) {
        return None;
    }
    moved(input).into_iter().find_map(|(at, values)| {
        let changes = Changes::from([(input.name.clone(), values)]);
        let predicted = experiment.predict(&changes)?;
        let left = experiment.run_changed(&changes)?;
        let mut outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
        outputs.find_map(|(output, (left, predicted))| {
            if !output.wrong.contains(&true) || output.expected.len() != predicted.len() {
                return None;
            }
            let found = differing(&output.got, left);
            let expected = differing(&output.expected, predicted);
            if found.is_empty() || expected.is_empty() || !found.is_disjoint(&expected) {
                return None;
            }
            let text = format!(
                "{} {at} of `{}` counts at {} of `{}`; by the contract at {}",
                input.axes[0].name,
                input.tensor,
                places_of(output, &found),
                output.name,
                places_of(output, &expected)
            );
            Some(cause("index", input, Some(output), text))
        })
    })
}

/// Flags of a tensor that are tried.
const FLAGS: usize = 16;

/// Returns tensors of which one number is another, with its index: a flag is the other way round, bounds move, and stay in order; other numbers
/// grow by 1.
fn moved(input: &ExperimentInput) -> Vec<(usize, Vec<f64>)> {
    let first_difference = |moved: &Vec<f64>| {
        let mut pairs = input.values.iter().zip(moved);
        pairs.position(|(old, new)| old != new)
    };
    let bounds = changed(input).into_iter();
    if input.axes.len() != 1 {
        return Vec::new();
    }
    if is_of_flags(input) {
        let flags = input.values.iter().enumerate().take(FLAGS);
        let turned = flags.map(|(at, flag)| {
            let mut values = input.values.clone();
            values[at] = 1.0 - flag;
            (at, values)
        });
        return turned.collect();
    }
    if is_ordered(input) {
        return bounds
            .filter_map(|moved| Some((first_difference(&moved)?, moved)))
            .collect();
    }
    let last = input.values.len().saturating_sub(1);
    let tried: BTreeSet<usize> = [0, last / 2, last].into();
    let grown = tried.into_iter().map(|at| {
        let mut values = input.values.clone();
        values[at] += 1.0;
        (at, values)
    });
    grown.collect()
}

fn same_lengths(experiment: &Experiment<'_>, outputs: &Outputs) -> bool {
    let mut pairs = experiment.outputs().iter().zip(outputs);
    pairs.all(|(output, new)| output.expected.len() == new.len())
}

fn differing(old: &[f64], new: &[f64]) -> BTreeSet<usize> {
    let pairs = old.iter().zip(new).enumerate();
    let differing = pairs.filter(|(_, (old, new))| !is_same(**old, **new));
    differing.map(|(flat, _)| flat).collect()
}

/// Returns elements of an output in words, by the first axis along which they are at a part of the indices.
fn places_of(output: &ExperimentOutput, places: &BTreeSet<usize>) -> String {
    let along = |axis: usize| -> BTreeSet<usize> {
        let places = places.iter();
        places
            .map(|&flat| index(&output.axes, flat)[axis])
            .collect()
    };
    let is_part = |(number, axis): &(usize, &Axis)| along(*number).len() < axis.length;
    match output.axes.iter().enumerate().find(is_part) {
        Some((number, axis)) => ranges(&axis.name, &along(number)),
        None => "every element".into(),
    }
}
