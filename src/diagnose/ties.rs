//! Ties: of equal values, the kernels have the index of another one than the contract.

use crate::report::model::{CauseReport, ExplainedElements};
use crate::tensor::strides;
use crate::trial::{Experiment, ExperimentInput, ExperimentOutput};

use super::added::{has_axes_without, starts};
use super::candidate::is_confirmed;

/// Returns a cause if all wrong indices lead to values that equal those of the right ones.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let mut outputs = outputs.filter(|(_, output)| !output.kind.is_float());
    outputs.find_map(|(number, output)| {
        let inputs = experiment.inputs().iter().enumerate();
        let mut places = inputs.flat_map(|(at, input)| {
            let axes = 0..input.axes.len();
            axes.map(move |axis| (at, input, axis))
        });
        let (_, input, axis) = places.find(|&(at, input, axis)| {
            let are_ties = |other: &Experiment<'_>| {
                are_ties(&other.outputs()[number], &other.inputs()[at], axis)
            };
            let fits = has_axes_without(input, axis, &output.axes);
            fits && are_ties(experiment) && is_confirmed(experiment, "", are_ties)
        })?;
        let wrong = output.wrong.iter().filter(|wrong| **wrong).count() as u64;
        Some(CauseReport {
            kind: "index".into(),
            output: Some(output.name.clone()),
            tensor: Some(input.tensor.clone()),
            kernel: None,
            text: format!(
                "`{}` has the {} of another of the equal values of `{}`",
                output.name, input.axes[axis].name, input.tensor
            ),
            explains: Some(ExplainedElements {
                right: wrong,
                wrong,
            }),
        })
    })
}

/// Returns true if an output has wrong indices along an axis of an input, and each has the value of the right one.
fn are_ties(output: &ExperimentOutput, input: &ExperimentInput, axis: usize) -> bool {
    let (stride, length) = (strides(&input.axes)[axis], input.axes[axis].length);
    let value = |start: usize, at: f64| {
        let inside = at >= 0.0 && at < length as f64;
        inside.then(|| input.values[start + at as usize * stride])
    };
    let pairs = output.got.iter().zip(&output.expected);
    let pairs = starts(input, axis).zip(pairs).zip(&output.wrong);
    let wrong = pairs.filter(|(_, wrong)| **wrong);
    let ties: Vec<bool> = wrong
        .map(|((start, (got, expected)), _)| {
            value(start, *got).is_some_and(|got| Some(got) == value(start, *expected))
        })
        .collect();
    !ties.is_empty() && ties.iter().all(|tie| *tie)
}
