//! Properties of the wrong outputs themselves: factors of rows, and steps that are too small for a narrow type.

use std::collections::BTreeSet;

use crate::report::model::CauseReport;
use crate::tensor::ElementKind;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, narrow};

use super::candidate::responds;
use super::weigh::{ranges, spacing};

/// Returns the first property that tells a cause.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let inputs = inputs.filter(|input| responds(experiment, input));
    let coarse = inputs.filter_map(|input| coarse(experiment, input)).next();
    coarse.or_else(|| experiment.outputs().iter().find_map(row_factors))
}

/// Returns a cause if the kernels do not answer a small step of an input that f32 would show.
fn coarse(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    if input.kind.size() < 4 {
        return None;
    }
    let silent = |step: f64| {
        let changed: Vec<f64> = input.values.iter().map(|x| x * (1.0 + step)).collect();
        let changes = Changes::from([(input.name.clone(), narrow(&changed))]);
        let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
        let (mut silent, mut expected) = (0usize, 0usize);
        let outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
        for (output, (left, predicted)) in outputs.filter(|(output, _)| output.kind.size() >= 4) {
            for at in 0..output.got.len() {
                let response = (output.expected[at] - predicted[at]).abs();
                let visible = 16.0 * spacing(output.kind) * output.expected[at].abs();
                if output.wrong[at] && response > visible {
                    expected += 1;
                    silent += usize::from(output.got[at] == left[at]);
                }
            }
        }
        (expected >= 3).then_some(2 * silent > expected)
    };
    let kind = match (silent(2f64.powi(-13))?, silent(2f64.powi(-10))?) {
        (true, true) => ElementKind::Bf16,
        (true, false) => ElementKind::F16,
        (false, _) => return None,
    };
    Some(CauseReport {
        kind: "rounded".into(),
        output: None,
        tensor: Some(input.name.clone()),
        text: format!(
            "steps of `{}` that f32 shows change nothing: a value on its way is rounded to {}",
            input.name,
            kind.name()
        ),
        explains: None,
    })
}

/// Returns a cause if the rows of an output are the reference's times a factor of each row.
fn row_factors(output: &ExperimentOutput) -> Option<CauseReport> {
    let columns = output.axes.last().filter(|axis| axis.length >= 4)?.length;
    let rows = output.got.len() / columns;
    if rows < 2 || !output.wrong.contains(&true) {
        return None;
    }
    let mut factors = Vec::new();
    let mut wrong_rows = BTreeSet::new();
    for row in 0..rows {
        let part = row * columns..(row + 1) * columns;
        let factor = factor(&output.got[part.clone()], &output.expected[part.clone()])?;
        if output.wrong[part].contains(&true) {
            factors.push(factor);
            wrong_rows.insert(row);
        }
    }
    let smallest = factors.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = factors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Equal factors are a factor of the whole output.
    if wrong_rows.len() < 2 || largest - smallest < 1e-3 * largest.abs() {
        return None;
    }
    let all = wrong_rows.len() == rows;
    let which = if all {
        "every row".into()
    } else {
        ranges("row", &wrong_rows)
    };
    Some(CauseReport {
        kind: "row-factor".into(),
        output: Some(output.name.clone()),
        tensor: None,
        text: format!(
            "{which} of `{}` has a factor of its own, {smallest:.3} to {largest:.3}: a norm or a sum of the row is wrong",
            output.name
        ),
        explains: None,
    })
}

/// Returns the factor between a row and its reference, if all elements have the same.
fn factor(got: &[f64], expected: &[f64]) -> Option<f64> {
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let factor = product(got, expected) / product(expected, expected);
    let error: f64 = got
        .iter()
        .zip(expected)
        .map(|(got, expected)| (got - factor * expected).powi(2))
        .sum();
    let alike = factor.is_finite() && error <= 1e-8 * product(got, got);
    alike.then_some(factor)
}
