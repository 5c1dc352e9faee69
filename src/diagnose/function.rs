//! Functions that the kernels leave out: an input is used as it is, in place of its sigmoid, exp or softplus.
//!
//! No input of the reference stands for most values, such as a sigmoid of 3. The experiment gives the kernels values that the function has.

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput};

use super::candidate::responds;
use super::influence::cause;
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
