//! Functions that the kernels leave out: an input is used as it is, in place of its sigmoid, exp or softplus, or a curve is taken as its straight
//! lines.
//!
//! No input of the reference stands for most values, such as a sigmoid of 3. The experiment gives the kernels values that the function has,
//! or values at which the curve is straight.

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput};

use super::candidate::responds;
use super::influence::{cause, significant};
use super::observe::is_right;
use super::uses::is_factor;
use super::weigh::explanation;

/// A function with its name and its inverse.
type Missing = (&'static str, fn(f64) -> f64, fn(f64) -> f64);

const FUNCTIONS: [Missing; 3] = [
    (
        "sigmoid",
        |x| 1.0 / (1.0 + (-x).exp()),
        |y| (y / (1.0 - y)).ln(),
    ),
    ("exp", f64::exp, f64::ln),
    ("softplus", |x| x.exp().ln_1p(), |y| y.exp_m1().ln()),
];

/// Returns the first function of an input that the kernels leave out, on the trial's inputs and on another draw.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let mut inputs = inputs.filter(|input| responds(experiment, input));
    inputs.find_map(|input| {
        let mut functions = FUNCTIONS.iter();
        let (name, ..) = functions.find(|missing| {
            let redrawn = || experiment.redrawn(experiment.seed().wrapping_add(1));
            lacks(experiment, input, missing)
                && redrawn().is_some_and(|redrawn| lacks(&redrawn, input, missing))
        })?;
        let text = format!(
            "`{}` is used as it is: the contract uses its {name}",
            input.tensor
        );
        Some(cause("function", input, None, text))
    })
}

/// The multiple of what it is allowed above which an error is no rounding.
const LARGE: f64 = 4.0;

/// Returns the largest error as a multiple of what its element is allowed.
fn largest_error(experiment: &Experiment<'_>) -> f64 {
    let outputs = experiment.outputs().iter();
    let errors = outputs.flat_map(|output| {
        let values = output.got.iter().zip(&output.expected).zip(&output.allowed);
        values.map(|((got, expected), allowed)| (got - expected).abs() / allowed)
    });
    errors.filter(|error| error.is_finite()).fold(0.0, f64::max)
}

/// The distance from 0 at which softplus and SiLU are straight lines in f32.
const STRAIGHT: f64 = 32.0;

/// A third of the largest of the values where softplus and SiLU are no lines.
const BENT: f64 = 0.25;

/// Returns the first input of which a curve is taken as its straight lines: with values far above 0 and far below 0 the kernels are right. There, the
/// outputs must respond to it above 0.
pub(super) fn straight(experiment: &Experiment<'_>) -> Option<CauseReport> {
    // A rounding on the way vanishes beside large values, too.
    if largest_error(experiment) < LARGE {
        return None;
    }
    let inputs = experiment.inputs().iter();
    let mut inputs = inputs.filter(|input| responds(experiment, input));
    let moved = |input: &ExperimentInput, side: f64| {
        let sizes = input.values.iter().map(|value| value.abs());
        let by = side * (STRAIGHT + sizes.fold(0.0, f64::max));
        let values = input.values.iter().map(|value| value + by).collect();
        experiment.changed(Changes::from([(input.name.clone(), values)]))
    };
    // All values where the curves are farthest from lines: an epsilon of a norm does not count there, and no exp overflows.
    let bent = |input: &ExperimentInput| {
        let values = input.values.iter().map(|value| BENT * (2.0 + value.sin()));
        experiment.changed(Changes::from([(input.name.clone(), values.collect())]))
    };
    let is_straight = |input: &&ExperimentInput| {
        // What is a factor of the contract's terms has no curve.
        if is_factor(experiment, input) {
            return false;
        }
        let Some(above) = moved(input, 1.0).filter(|above| is_right(above)) else {
            return false;
        };
        let mut inputs = above.inputs().iter();
        let shifted = inputs.find(|shifted| shifted.name == input.name);
        shifted.is_some_and(|shifted| responds_much(&above, shifted))
            && moved(input, -1.0).is_some_and(|below| is_near(&below, experiment))
            && bent(input).is_some_and(|bent| !is_right(&bent))
    };
    let input = inputs.find(is_straight)?;
    let text = format!(
        "`{}` is used rightly only where its values are far from 0, above {STRAIGHT} and below -{STRAIGHT}: near 0 the contract has a curve, such \
         as softplus or SiLU, where the kernel has another one, or max(x, 0)",
        input.tensor
    );
    Some(cause("function", input, None, text))
}

/// Returns true if the kernels' outputs are as near to the reference's as they may be in another experiment, of larger values.
fn is_near(experiment: &Experiment<'_>, other: &Experiment<'_>) -> bool {
    let mut outputs = experiment.outputs().iter().zip(other.outputs());
    outputs.all(|(output, other)| {
        let mut values = output.got.iter().zip(&output.expected).zip(&other.allowed);
        values.all(|((got, expected), allowed)| (got - expected).abs() <= *allowed)
    })
}

/// Returns true if an output responds to a change of an input by more than its tolerance.
fn responds_much(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    let values = input.values.iter().map(|value| 0.75 * value).collect();
    let Some(predicted) = experiment.predict(&Changes::from([(input.name.clone(), values)])) else {
        return false;
    };
    let mut outputs = experiment.outputs().iter().zip(&predicted);
    outputs.any(|(output, predicted)| significant(experiment, output, predicted).contains(&true))
}

/// Returns true if the kernels are right for values of the function, but for the function.
fn lacks(experiment: &Experiment<'_>, input: &ExperimentInput, missing: &Missing) -> bool {
    let (_, function, inverse) = missing;
    let changed = |values: &[f64], f: fn(f64) -> f64| -> Changes {
        let values = values.iter().map(|&value| f(value)).collect();
        Changes::from([(input.name.clone(), values)])
    };
    let mut inputs = experiment.inputs().iter();
    let same = inputs.find(|same| same.name == input.name);
    let explained = same.and_then(|same| {
        let within = experiment.changed(changed(&same.values, *function))?;
        let mut inputs = within.inputs().iter();
        let same = inputs.find(|same| same.name == input.name)?;
        let predicted = within.predict(&changed(&same.values, *inverse))?;
        let found = explanation(&within, &predicted)?;
        (found.part.is_none() && found.elements.right == found.elements.wrong).then_some(())
    });
    explained.is_some()
}
