//! Answers of kernels and reference to a change at one index of an input's axis.

use std::cell::OnceCell;
use std::ops::RangeInclusive;

use super::is_same;
use crate::tensor::strides;
use crate::trial::{Changes, Experiment, ExperimentInput, Outputs};

/// The answers to a change at one index of an axis.
pub(super) struct Answer {
    pub(super) at: usize,
    /// The kernels' outputs.
    pub(super) left: Outputs,
    /// The reference's outputs.
    pub(super) predicted: Outputs,
    /// The responses to larger changes, once they are asked for.
    larger: OnceCell<Option<Vec<Responses>>>,
}

/// Flags of each element of each output: true if the kernels' value changes, and if the reference's does.
pub(super) struct Responses {
    pub(super) found: Vec<Vec<bool>>,
    pub(super) possible: Vec<Vec<bool>>,
}

impl Answer {
    /// Changes an index of an axis. Returns none if no work is left.
    pub(super) fn to(
        experiment: &Experiment<'_>,
        input: &ExperimentInput,
        axis: usize,
        at: usize,
    ) -> Option<Answer> {
        let mut changes = changed_at(input, axis, at);
        let mut predicted = experiment.predict(&changes)?;
        let outputs = experiment.outputs().iter().map(|output| &output.expected);
        // A small step changes no maximum.
        if predicted.iter().eq(outputs) {
            changes = largest_at(input, axis, at);
            predicted = experiment.predict(&changes)?;
        }
        Some(Answer {
            at,
            left: experiment.run(&changes)?,
            predicted,
            larger: OnceCell::new(),
        })
    }

    /// Returns the responses to larger changes at the same index, and to one beside small values. A saturated function answers no small
    /// change, and neither does a maximum. Returns none if no work is left for them.
    pub(super) fn larger(
        &self,
        experiment: &Experiment<'_>,
        input: &ExperimentInput,
        axis: usize,
    ) -> Option<&[Responses]> {
        let larger = self.larger.get_or_init(|| {
            let small = ExperimentInput {
                values: input.values.iter().map(|value| value * SMALL).collect(),
                ..input.clone()
            };
            let unchanged = Changes::new();
            let small_values = Changes::from([(small.name.clone(), small.values.clone())]);
            let pairs = [
                (
                    &unchanged,
                    replaced_at(input, axis, self.at, |value| -2.0 * value),
                ),
                (&unchanged, replaced_at(input, axis, self.at, |_| 0.0)),
                (&unchanged, largest_at(input, axis, self.at)),
                (
                    &small_values,
                    replaced_at(&small, axis, self.at, |value| -2.0 * value),
                ),
            ];
            let mut responses = Vec::new();
            for (before, after) in &pairs {
                let response = || {
                    let found = differences(&experiment.run(before)?, &experiment.run(after)?);
                    let possible =
                        differences(&experiment.predict(before)?, &experiment.predict(after)?);
                    Some(Responses { found, possible })
                };
                match response() {
                    Some(response) => responses.push(response),
                    None if experiment.is_exhausted() => return None,
                    // The kernels or the reference refuse the values.
                    None => {}
                }
            }
            Some(responses)
        });
        larger.as_deref()
    }
}

/// The factor that makes the values of an input small.
const SMALL: f64 = 1.0 / 64.0;

/// Returns for each element of each output whether it differs.
fn differences(before: &Outputs, after: &Outputs) -> Vec<Vec<bool>> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| {
            let pairs = before.iter().zip(after);
            pairs.map(|(a, b)| !is_same(*a, *b)).collect()
        })
        .collect()
}

/// Changes one index of an axis.
pub(in crate::diagnose) fn changed_at(input: &ExperimentInput, axis: usize, at: usize) -> Changes {
    changed_in(input, axis, &(at..=at))
}

/// Changes some neighbouring indices of an axis. Two values of a row change by different factors, because a norm takes one factor away.
pub(super) fn changed_in(
    input: &ExperimentInput,
    axis: usize,
    indices: &RangeInclusive<usize>,
) -> Changes {
    let stride = strides(&input.axes)[axis];
    let length = input.axes[axis].length;
    let values = input.values.iter().enumerate();
    let changed = values.map(|(flat, &value)| {
        let factor = if flat % 2 == 0 { 0.75 } else { 0.625 };
        match (indices.contains(&(flat / stride % length)), value) {
            (false, value) => value,
            (true, 0.0) => 0.5,
            (true, value) => factor * value,
        }
    });
    Changes::from([(input.name.clone(), changed.collect())])
}

/// Replaces the values at one index of an axis by a function of them.
fn replaced_at(input: &ExperimentInput, axis: usize, at: usize, f: impl Fn(f64) -> f64) -> Changes {
    let stride = strides(&input.axes)[axis];
    let length = input.axes[axis].length;
    let values = input.values.iter().enumerate();
    let changed = values.map(|(flat, &value)| match flat / stride % length == at {
        true => f(value),
        false => value,
    });
    Changes::from([(input.name.clone(), changed.collect())])
}

/// Gives one index of an axis twice the largest value.
fn largest_at(input: &ExperimentInput, axis: usize, at: usize) -> Changes {
    let finite = input.values.iter().filter(|value| value.is_finite());
    let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    replaced_at(input, axis, at, |_| 2.0 * largest)
}
