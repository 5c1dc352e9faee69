//! The weight of a prediction: which wrong elements it explains, and which right ones it contradicts.

use std::collections::BTreeSet;

use crate::report::model::ExplainedElements;
use crate::tensor::{ElementKind, index};
use crate::trial::{Experiment, ExperimentOutput, Outputs};

/// The factor by which a prediction must reduce the error of wrong elements together, and by which the rest must be smaller than the elements
/// themselves. Beside a reference of huge values, every small value is near.
const REDUCTION: f64 = 4.0;

/// The share of the errors of its row that a wrong element may keep. Kernels round in f32, and a wrong state may grow.
const REST: f64 = 1e-3;

/// The part of a narrow type's spacing that remains in the mean of many values.
const MEASURED: f64 = 1.0 / 16.0;

/// The number of wrong elements of which one may stay unexplained.
const MOST: u64 = 50;

/// The root of the largest f32.
const OVERFLOWS: f64 = 1e19;

/// Ranges of indices that are told.
const SHOWN: usize = 4;

/// The number of wrong elements that must be finite, because many mistakes give the same infinities.
const FEWEST: u64 = 3;

/// The parts of the outputs that a prediction explains.
pub(super) struct Explanation {
    /// Wrong elements, and those of them that equal the prediction.
    pub(super) elements: ExplainedElements,
    /// The part of an output where the mistake is made, if the rest is right: `at slot 2`.
    pub(super) part: Option<String>,
}

/// Returns the explanation that a prediction gives, if it explains most wrong elements and contradicts no right one. A
/// prediction may contradict right elements at indices of an axis that have no wrong element.
pub(super) fn explanation(
    experiment: &Experiment<'_>,
    prediction: &Outputs,
) -> Option<Explanation> {
    explanation_of(experiment, prediction, |_| true)
}

/// Returns the explanation that a prediction gives of some outputs, as if there were no others.
pub(super) fn explanation_of(
    experiment: &Experiment<'_>,
    prediction: &Outputs,
    counts: impl Fn(usize) -> bool,
) -> Option<Explanation> {
    let (mut wrong, mut rest, mut finite) = (0, 0, 0);
    let (mut before, mut after, mut size) = (0.0, 0.0, 0.0);
    let mut part = None;
    let outputs = experiment.outputs().iter().zip(prediction).enumerate();
    let outputs = outputs.filter(|(number, _)| counts(*number));
    for (_, (output, predicted)) in outputs {
        let mut contradicted = vec![false; output.got.len()];
        let rests = rests(output);
        for at in 0..output.got.len() {
            let near = is_near(
                output,
                at,
                output.kind.rounded(*predicted.get(at)?),
                rests[at],
            );
            if !output.wrong[at] {
                contradicted[at] = !near;
                continue;
            }
            wrong += 1;
            if !near {
                rest += 1;
                continue;
            }
            finite += u64::from(output.got[at].is_finite());
            before += square(output.got[at] - output.expected[at]);
            after += square(output.got[at] - predicted[at]);
            size += square(output.got[at]);
        }
        if contradicted.contains(&true) {
            part = Some(separate(output, &contradicted)?);
        }
    }
    let better = REDUCTION * REDUCTION * after <= before.min(size);
    let enough = finite >= FEWEST.min(wrong) && finite > 0 && rest * MOST <= wrong;
    (enough && better).then_some(Explanation {
        elements: ExplainedElements {
            right: wrong - rest,
            wrong,
        },
        part,
    })
}

/// Returns the error that each wrong element may keep.
fn rests(output: &ExperimentOutput) -> Vec<f64> {
    let columns = output.axes.last().map_or(1, |axis| axis.length).max(1);
    let pairs = output.got.iter().zip(&output.expected);
    let squares: Vec<[f64; 2]> = pairs
        .map(|(got, expected)| [square(got - expected), square(*got)])
        .collect();
    // What is measured on values of a narrow type has a part of their roundings.
    let narrow = match output.kind {
        ElementKind::Bf16 | ElementKind::F16 => spacing(output.kind) * MEASURED,
        _ => 0.0,
    };
    let rows = squares.chunks(columns).flat_map(|row| {
        let mean = |of: usize| row.iter().map(|pair| pair[of]).sum::<f64>() / row.len() as f64;
        vec![REST * mean(0).sqrt() + narrow * mean(1).sqrt(); row.len()]
    });
    rows.collect()
}

/// Returns true if the kernels' value of an element is the predicted one, up to the output's tolerance and the error that it may keep.
fn is_near(output: &ExperimentOutput, at: usize, predicted: f64, rest: f64) -> bool {
    let got = output.got[at];
    if !got.is_finite() {
        // A product on the way to such a value overflows in f32, and becomes infinite or no number.
        return !predicted.is_finite() || predicted.abs() > OVERFLOWS;
    }
    if !predicted.is_finite() {
        return false;
    }
    // A narrow output and its prediction may be rounded to neighbouring numbers. What is allowed counts in places of a smaller right value.
    let place = match output.kind {
        ElementKind::Bf16 | ElementKind::F16 => spacing(output.kind) * got.abs(),
        _ => 0.0,
    };
    let rest = if output.wrong[at] {
        rest.max(place)
    } else {
        0.0
    };
    (got - predicted).abs() <= output.allowed[at].max(rest)
}

/// Returns the relative distance of neighbouring numbers of a type.
pub(super) fn spacing(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F64 => f64::EPSILON,
        ElementKind::F32 => f64::from(f32::EPSILON),
        ElementKind::F16 => 2f64.powi(-10),
        ElementKind::Bf16 => 2f64.powi(-7),
        _ => 0.0,
    }
}

/// Returns the square of an error; nothing for errors that are no numbers, which predictions match exactly.
fn square(error: f64) -> f64 {
    if error.is_finite() {
        error * error
    } else {
        0.0
    }
}

/// Returns the indices of an axis that have wrong elements, if contradicted elements are at other indices of it. The indices must be a few
/// ranges, or evenly spaced.
fn separate(output: &ExperimentOutput, contradicted: &[bool]) -> Option<String> {
    let along = |axis: usize, flags: &[bool]| -> BTreeSet<usize> {
        let flags = flags.iter().enumerate().filter(|(_, flag)| **flag);
        flags.map(|(at, _)| index(&output.axes, at)[axis]).collect()
    };
    (0..output.axes.len()).find_map(|axis| {
        let wrong = along(axis, &output.wrong);
        let apart = along(axis, contradicted).is_disjoint(&wrong);
        (apart && is_regular(&wrong))
            .then(|| format!("at {}", ranges(&output.axes[axis].name, &wrong)))
    })
}

fn is_regular(indices: &BTreeSet<usize>) -> bool {
    let steps: Vec<usize> = indices
        .iter()
        .zip(indices.iter().skip(1))
        .map(|(a, b)| b - a)
        .collect();
    let gaps = steps.iter().filter(|&&step| step > 1).count();
    let even = steps.iter().all(|step| *step == steps[0]);
    !indices.is_empty() && (gaps < SHOWN || even)
}

/// Returns indices of an axis in words: `channel 3`, `channels 0 to 15 and 32`.
pub(super) fn ranges(axis: &str, indices: &BTreeSet<usize>) -> String {
    let runs = runs(indices);
    let texts = runs.iter().take(SHOWN).map(|&(first, last)| match last {
        last if last == first => first.to_string(),
        last if last == first + 1 => format!("{first}, {last}"),
        last => format!("{first} to {last}"),
    });
    let mut text = texts.collect::<Vec<_>>().join(", ");
    if runs.len() > SHOWN {
        text += ", ...";
    }
    match indices.len() {
        1 => format!("{axis} {text}"),
        _ => format!("{} {text}", plural(axis)),
    }
}

/// Returns the first and the last index of each run of neighbours. The indices are in order.
pub(super) fn runs<'i>(indices: impl IntoIterator<Item = &'i usize>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in indices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => runs.push((at, at)),
        }
    }
    runs
}

/// Returns the plural of an axis's name: `key channels`.
pub(super) fn plural(axis: &str) -> String {
    format!("{axis}s")
}
