//! Norms: inputs that the contract divides by their norms, and kernels that do not, or with another eps.

use crate::report::model::CauseReport;
use crate::trial::{Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::candidate::responds;
use super::influence::cause;
use super::observe::{is_right, scaled};

/// Sizes of an input's values beside which an eps vanishes, as powers of 2 within the range of f16. A norm's result is the same for both.
const LARGER: [i32; 2] = [10, 13];

/// The size of values beside which the eps of a norm is small already, as a power of 2.
const MODERATE: i32 = 4;

/// A size of values that others are not small beside, as a power of 2. An eps is a small part of such values.
const USUAL: i32 = -1;

/// Returns a cause if the kernels are right for large values of the inputs that are divided by their norms: each by itself, or the sum of
/// inputs of the same axes.
pub(super) fn eps(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let inputs: Vec<&ExperimentInput> =
        inputs.filter(|input| responds(experiment, input)).collect();
    // A wrong output that grows with the input may have a constant too many, which large values hide.
    let are_normed = |inputs: &[&ExperimentInput]| {
        let degrees = degrees(experiment, inputs);
        let mut outputs = experiment.outputs().iter().zip(degrees.iter().flatten());
        outputs.any(|(output, degree)| *degree <= 0 && output.wrong.contains(&true))
    };
    let alone = inputs.iter().filter(|input| are_normed(&[input]));
    let mut normed: Vec<&ExperimentInput> = alone.copied().collect();
    if normed.is_empty() {
        let added = |input: &&ExperimentInput| -> Vec<&ExperimentInput> {
            let others = inputs.iter().filter(|other| other.axes == input.axes);
            others.copied().collect()
        };
        let firsts = inputs.iter().enumerate().filter(|(at, input)| {
            let mut before = inputs[..*at].iter();
            before.all(|other| other.axes != input.axes)
        });
        let sums = firsts.map(|(_, input)| added(input));
        let mut sums = sums.filter(|added| added.len() > 1);
        normed = sums.find(|added| are_normed(added))?;
    }
    let larger = |power: i32| {
        let sized = normed.iter().map(|input| {
            let values = sized(input, &|_| power);
            (input.name.clone(), values)
        });
        experiment.changed(sized.collect())
    };
    let right = LARGER.map(|power| larger(power).is_some_and(|larger| is_right(&larger)));
    if right != [true, true] {
        return None;
    }
    let names = normed.iter().map(|input| format!("`{}`", input.tensor));
    Some(CauseReport {
        kind: "eps".into(),
        output: None,
        tensor: Some(normed[0].tensor.clone()),
        kernel: None,
        text: format!(
            "the result is right for large values of {} alone: the eps of a norm is wrong, or in another place",
            names.collect::<Vec<_>>().join(" and ")
        ),
        explains: None,
    })
}

/// Returns a cause if the size of an input that the reference divides by its norm changes the kernels' outputs. The sizes are so large that
/// an eps does not count.
pub(super) fn size_of_normed(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let mut inputs = inputs.filter(|input| responds(experiment, input));
    let input = inputs.find(|input| {
        let at_size = |power: i32| {
            let factor = 2f64.powi(power) / size(&input.values);
            experiment.run(&scaled(input, factor))
        };
        let changes = || {
            let [first, second] = LARGER.map(at_size);
            let finite = |outputs: &Outputs| outputs.iter().flatten().all(|x| x.is_finite());
            let (first, second) = (first.filter(finite)?, second.filter(finite)?);
            Some(!is_same(experiment, &first, &second) && is_far(&first, &second))
        };
        is_normed(experiment, input) && changes() == Some(true)
    })?;
    let tensor = &input.tensor;
    let text = format!(
        "the size of `{tensor}` changes the outputs; the contract divides `{tensor}` by its norm, and its size changes nothing"
    );
    Some(cause("function", input, None, text))
}

/// Returns true if outputs differ by more than values that are rounded to few bits on their way.
fn is_far(first: &Outputs, second: &Outputs) -> bool {
    const ROUNDED: f64 = 1.0 / 16.0;
    let mut outputs = first.iter().zip(second);
    outputs.any(|(first, second)| {
        let largest = first
            .iter()
            .fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let mut pairs = first.iter().zip(second);
        pairs.any(|(a, b)| (a - b).abs() > ROUNDED * largest)
    })
}

/// Returns the power of 2 above some values.
fn size(values: &[f64]) -> f64 {
    let values = values.iter().map(|value| value.abs());
    let largest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    match largest {
        0.0 => 1.0,
        largest => 2f64.powf(largest.log2().ceil()),
    }
}

/// Returns an input whose rows have values of a size, a power of 2 for each value: an eps counts in each row by itself, and most in a row of
/// zeros, which gets other values.
fn sized(input: &ExperimentInput, power: &dyn Fn(usize) -> i32) -> Vec<f64> {
    let columns = input.axes.last().map_or(1, |axis| axis.length).max(1);
    let rows = input.values.chunks(columns).enumerate();
    let values = rows.flat_map(|(row, values)| {
        let size = size(values);
        let is_zero = values.iter().all(|value| *value == 0.0);
        let values = values.iter().enumerate();
        values.map(move |(column, value)| {
            let value = if is_zero {
                ZERO[column % 2]
            } else {
                value / size
            };
            value * 2f64.powi(power(row * columns + column))
        })
    });
    values.collect()
}

/// Values in the place of those of a row of zeros.
const ZERO: [f64; 2] = [0.75, -0.5];

/// Returns true if the reference divides an input by its norm: it responds to the ratio of large values, and not to their size. A gate
/// that is closed responds to neither.
fn is_normed(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    let degrees = degrees(experiment, &[input]);
    degrees.is_some_and(|degrees| degrees.iter().all(|degree| *degree == 0))
}

/// Degrees that an output may have in the size of an input that is divided by its norm: the norm itself may be an output, or its reciprocal,
/// or the input.
const DEGREES: [i32; 4] = [0, -1, -2, 1];

/// Returns the power of the size of large values of inputs that each output of the reference is proportional to, if each has one, and if the
/// ratio of the values counts.
fn degrees(experiment: &Experiment<'_>, inputs: &[&ExperimentInput]) -> Option<Vec<i32>> {
    let predict = |power: &dyn Fn(usize) -> i32| {
        let sized = inputs
            .iter()
            .map(|input| (input.name.clone(), sized(input, power)));
        experiment.predict(&sized.collect())
    };
    let at_size = |power: i32| predict(&|_| power);
    let [first, second] = LARGER;
    let outputs = experiment.outputs().iter().enumerate();
    let alike = |number: usize, degree: i32, grown: i32, [before, after]: [&Outputs; 2]| {
        let output = &experiment.outputs()[number];
        let factor = 2f64.powi(degree * grown);
        let mut pairs = before[number].iter().zip(&after[number]).enumerate();
        pairs.all(|(at, (before, after))| is_close_to(output, at, before * factor, *after, degree))
    };
    let (at_first, at_second) = (at_size(first)?, at_size(second)?);
    // Most inputs are divided by no norm, and two predictions show it.
    let is_alike = |number: usize| {
        let mut degrees = DEGREES.into_iter();
        degrees.any(|degree| alike(number, degree, second - first, [&at_first, &at_second]))
    };
    if !(0..experiment.outputs().len()).all(is_alike) {
        return None;
    }
    // A choice does not respond to the size of a term that outweighs the others.
    let at_usual = at_size(USUAL)?;
    let is_choice = |(number, output): (usize, &ExperimentOutput)| {
        let mut pairs = at_usual[number].iter().zip(&at_second[number]);
        !output.kind.is_float() && !pairs.all(|(usual, large)| usual == large)
    };
    if outputs.clone().any(is_choice) {
        return None;
    }
    // A softmax does not respond to the size of large values either, but to that of moderate ones.
    let at_moderate = at_size(MODERATE)?;
    let degrees = outputs.clone().map(|(number, _)| {
        let mut degrees = DEGREES.into_iter();
        degrees.find(|&degree| {
            alike(number, degree, second - first, [&at_first, &at_second])
                && alike(
                    number,
                    degree,
                    second - MODERATE,
                    [&at_moderate, &at_second],
                )
        })
    });
    let degrees: Vec<i32> = degrees.collect::<Option<_>>()?;
    let turned = predict(&|at| second - (at % 2) as i32)?;
    let mut outputs = outputs.zip(&degrees);
    let responds = outputs.any(|((number, output), degree)| {
        let mut elements = 0..output.got.len();
        elements.any(|at| {
            !is_close_to(
                output,
                at,
                turned[number][at],
                at_second[number][at],
                *degree,
            )
        })
    });
    responds.then_some(degrees)
}

/// The share of itself by which a value that follows the size of an input may differ, and one that does not.
const CLOSE: f64 = 1e-3;
const SAME: f64 = 1e-5;

/// Returns true if two values of an element are the same up to the output's tolerance, or up to a share of them: an eps counts a little in large
/// values, too, and the tolerance of an element that was 0 may be nothing.
fn is_close_to(output: &ExperimentOutput, at: usize, a: f64, b: f64, degree: i32) -> bool {
    let allowed = match degree {
        0 => output.allowed[at].max(SAME * a.abs()),
        _ => CLOSE * a.abs(),
    };
    a == b || (a - b).abs() <= allowed
}

/// Returns true if outputs are the same up to their tolerances.
fn is_same(experiment: &Experiment<'_>, first: &Outputs, second: &Outputs) -> bool {
    let outputs = experiment.outputs().iter();
    let mut pairs = outputs.zip(first.iter().zip(second));
    pairs.all(|(output, (first, second))| {
        let mut pairs = first.iter().zip(second).zip(&output.allowed);
        pairs.all(|((a, b), allowed)| a == b || (a - b).abs() <= *allowed)
    })
}
