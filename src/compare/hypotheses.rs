//! Cheap hypotheses about a wrong output: each says what the output would be if it were so, and the error that
//! remains shows whether it is.
//!
//! A new one is a row of [`TABLE`] and a function. What only one test can know (an output computed with the other
//! head map, with the state dropped at a chunk boundary) the test hands in as an [`Alternative`].

mod elementwise;
mod moved;

use crate::verdict::{Axis, Hypothesis};

use super::location::Square;
use super::metrics::{self, Yardstick};
use super::{Element, NamedInput, OutputCase};

/// How many hypotheses a report shows at most.
const SHOWN: usize = 3;

/// How much smaller the error must get for a hypothesis that leaves some beyond tolerance.
const REDUCTION: f64 = 100.0;

/// A wrong result that a test knows of.
#[derive(Clone, Copy)]
pub struct Alternative<'a> {
    /// Short stable name: `state-dropped`.
    pub name: &'a str,
    /// What went wrong if the output is this one: `the state is dropped at chunk boundaries`.
    pub explanation: &'a str,
    /// Computes the wrong result, in the output's layout. Called only for an output that is wrong.
    pub values: &'a dyn Fn() -> Vec<f64>,
}

/// What a hypothesis may look at.
struct Evidence<'a> {
    /// Length of each axis, outermost first.
    lengths: Vec<usize>,
    /// Name of each axis.
    names: Vec<&'a str>,
    /// What the device left.
    got: Vec<f64>,
    /// What the reference says.
    want: &'a [f64],
    /// What the oracle says, before it is rounded to the output's type.
    oracle: &'a [f64],
    /// The trial's inputs of the same size.
    inputs: Vec<(&'a str, Vec<f64>)>,
}

impl Evidence<'_> {
    /// Rows and columns of the last two axes, where they are a matrix of more than one row and column.
    fn matrix(&self) -> Option<(usize, usize)> {
        match self.lengths.as_slice() {
            [.., rows, columns] if *rows > 1 && *columns > 1 => Some((*rows, *columns)),
            _ => None,
        }
    }

    /// The same for square matrices, whose rows and columns need not be neighbouring axes.
    fn square(&self) -> Option<Square> {
        let axes = self.names.iter().zip(&self.lengths);
        let axes: Vec<Axis> = axes
            .map(|(name, &length)| Axis::new(*name, length))
            .collect();
        Square::of(&axes)
    }
}

/// What the output would be. `None` where the hypothesis does not say.
struct Prediction {
    explanation: String,
    values: Vec<Option<f64>>,
}

impl Prediction {
    /// A prediction for every element.
    fn of(explanation: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Prediction {
        Prediction {
            explanation: explanation.into(),
            values: values.into_iter().map(Some).collect(),
        }
    }
}

type Predict = fn(&Evidence<'_>) -> Vec<Prediction>;

/// The hypotheses, the simplest first: among those that explain everything the first is shown first.
#[rustfmt::skip]
const TABLE: &[(&str, Predict)] = &[
    ("zero",          elementwise::zero),
    ("sign",          elementwise::sign),
    ("echo",          elementwise::echo),
    ("transposed",    moved::transposed),
    ("identity",      elementwise::identity),
    ("shifted",       moved::shifted),
    ("reversed",      moved::reversed),
    ("broadcast",     moved::broadcast),
    ("head-map",      moved::heads),
    ("scale",         elementwise::scale),
    ("reciprocal",    elementwise::reciprocal),
    ("base",          elementwise::base),
    ("power",         elementwise::power),
    ("complement",    elementwise::complement),
    ("input-added",   elementwise::input_added),
    ("precision",     elementwise::precision),
];

/// The hypotheses that explain why `case` is off by up to `max_abs`, best first.
pub(super) fn explain<E: Element>(
    case: &OutputCase<'_, E>,
    stick: &Yardstick,
    max_abs: f64,
) -> Vec<Hypothesis> {
    let same_size = |input: &&NamedInput<'_, E>| input.values.len() == case.got.len();
    let evidence = Evidence {
        lengths: case.axes.iter().map(|axis| axis.length).collect(),
        names: case.axes.iter().map(|axis| axis.name.as_str()).collect(),
        got: case.got.iter().map(|value| value.to_f64()).collect(),
        want: &stick.want,
        oracle: case.oracle,
        inputs: case
            .inputs
            .iter()
            .filter(same_size)
            .map(|input| {
                (
                    input.name,
                    input.values.iter().map(|value| value.to_f64()).collect(),
                )
            })
            .collect(),
    };
    let known = case.alternatives.iter().map(|alternative| {
        let values = (alternative.values)();
        (
            alternative.name,
            vec![Prediction::of(alternative.explanation, values)],
        )
    });
    let general = TABLE
        .iter()
        .map(|(name, predict)| (*name, predict(&evidence)));
    let mut found: Vec<Hypothesis> = Vec::new();
    for (name, predictions) in known.chain(general) {
        let best = predictions
            .into_iter()
            .filter_map(|prediction| weigh(case, stick, max_abs, name, prediction))
            .min_by(|a, b| {
                b.explains_all
                    .cmp(&a.explains_all)
                    .then(a.remaining.total_cmp(&b.remaining))
            });
        found.extend(best);
    }
    // The sort is stable: explanations of everything stay in the order of the table.
    found.sort_by(|a, b| match (a.explains_all, b.explains_all) {
        (false, false) => a.remaining.total_cmp(&b.remaining),
        (a, b) => b.cmp(&a),
    });
    found.truncate(SHOWN);
    found
}

/// What remains of the error under a prediction, if that is little.
fn weigh<E: Element>(
    case: &OutputCase<'_, E>,
    stick: &Yardstick,
    max_abs: f64,
    name: &str,
    prediction: Prediction,
) -> Option<Hypothesis> {
    let Prediction {
        explanation,
        values,
    } = prediction;
    let mut remaining = 0.0f64;
    let mut explains_all = true;
    let mut surprising = false;
    for (at, value) in values.iter().enumerate().take(case.got.len()) {
        let Some(value) = *value else { continue };
        // Rounding to the output's type is no error of the hypothesis.
        let rounded = E::nearest(value);
        let error = metrics::error(case.got[at], rounded.to_f64());
        remaining = if error.is_nan() {
            f64::INFINITY
        } else {
            remaining.max(error)
        };
        explains_all &= error <= stick.allowance(rounded.to_f64(), case.got[at]);
        let expected = (rounded.to_f64() - stick.want[at]).abs() <= stick.allowed(at, rounded);
        surprising |= !expected;
    }
    // Saying what the reference says explains nothing.
    let telling = surprising && values.len() == case.got.len();
    let better = explains_all || remaining * REDUCTION < max_abs;
    (telling && better).then(|| Hypothesis {
        name: name.to_string(),
        explanation,
        remaining,
        explains_all,
    })
}

#[cfg(test)]
mod tests;
