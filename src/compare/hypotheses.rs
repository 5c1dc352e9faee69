//! Hypotheses about a wrong output. Each predicts the output that a simple mistake would leave, and the error that
//! remains shows whether the mistake was made.
//!
//! A new hypothesis is a row of [`TABLE`] and a function. A contract adds its own mistakes as [`Alternative`]s, such as an output
//! computed with the other head map, or with the state dropped at a chunk boundary.

mod elementwise;
mod moved;

use std::cmp::Ordering;

use crate::report::model::Hypothesis;
use crate::tensor::Axis;

use super::location::Square;
use super::metrics::{self, ReferenceLimits};
use super::{NamedInput, OutputCase};
use crate::tensor::Element;

/// The maximum number of hypotheses in a report.
const SHOWN: usize = 3;

/// The same, with mistakes of the contract that explain everything: of several outputs, one mistake must explain each.
const SHOWN_OF_CONTRACT: usize = 8;

/// The minimum number of wrong elements, and of elements that a hypothesis must explain. Too few elements agree with
/// any hypothesis by chance.
const FEWEST: usize = 3;

/// The factor by which a hypothesis must reduce the error if it leaves some elements beyond tolerance.
const REDUCTION: f64 = 100.0;

/// A wrong result that a contract can compute.
#[derive(Clone, Copy)]
pub struct Alternative<'a> {
    /// Short stable name: `state-dropped`.
    pub name: &'a str,
    /// The explanation of the mistake: `the state is dropped at chunk boundaries`.
    pub explanation: &'a str,
    /// Computes the wrong result, in the output's layout. Called only for an output that is wrong.
    pub values: &'a dyn Fn() -> Vec<f64>,
}

/// The evidence that a hypothesis may use.
struct Evidence<'a> {
    /// Length of each axis, outermost first.
    lengths: Vec<usize>,
    /// Name of each axis.
    names: Vec<&'a str>,
    /// Values that the device left.
    got: Vec<f64>,
    /// Values of the golden reference.
    want: &'a [f64],
    /// Values of the oracle, before they are rounded to the output's type.
    oracle: &'a [f64],
    /// The trial's inputs of the same size.
    inputs: Vec<(&'a str, Vec<f64>)>,
    /// The largest finite number of the output's type.
    largest: f64,
}

impl Evidence<'_> {
    /// Returns the lengths of the last two axes, if both are more than 1.
    fn matrix(&self) -> Option<(usize, usize)> {
        match self.lengths.as_slice() {
            [.., rows, columns] if *rows > 1 && *columns > 1 => Some((*rows, *columns)),
            _ => None,
        }
    }

    /// Returns the axes of square matrices, whose rows and columns need not be neighbouring axes.
    fn square(&self) -> Option<Square> {
        let axes = self.names.iter().zip(&self.lengths);
        let axes: Vec<Axis> = axes
            .map(|(name, &length)| Axis::new(*name, length))
            .collect();
        Square::of(&axes)
    }
}

/// An output predicted by a hypothesis. An element is `None` if the hypothesis makes no claim about it.
struct Prediction {
    explanation: String,
    values: Vec<Option<f64>>,
}

impl Prediction {
    /// Makes a prediction for every element.
    fn of(explanation: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Prediction {
        Prediction {
            explanation: explanation.into(),
            values: values.into_iter().map(Some).collect(),
        }
    }
}

// Names of hypotheses that decide whether others are tried.
const OVERFLOW: &str = "overflow";
/// Name of the hypothesis that the output is zero.
pub const ZERO: &str = "zero";
const SCALE: &str = "scale";

type Predict = fn(&Evidence<'_>) -> Vec<Prediction>;

/// The hypotheses, the simplest first. Hypotheses that explain everything are shown in this order.
#[rustfmt::skip]
const TABLE: &[(&str, Predict)] = &[
    (ZERO,            elementwise::zero),
    ("sign",          elementwise::sign),
    ("echo",          elementwise::echo),
    ("transposed",    moved::transposed),
    ("identity",      elementwise::identity),
    ("shifted",       moved::shifted),
    ("reversed",      moved::reversed),
    ("broadcast",     moved::broadcast),
    ("heads",         moved::heads),
    (SCALE,           elementwise::scale),
    ("reciprocal",    elementwise::reciprocal),
    ("base",          elementwise::base),
    ("power",         elementwise::power),
    ("complement",    elementwise::complement),
    ("input-added",   elementwise::input_added),
    ("precision",     elementwise::precision),
];

/// Returns true for the name of a hypothesis that is tried for every contract, and false for a mistake that a contract names.
pub fn is_general_hypothesis(name: &str) -> bool {
    name == OVERFLOW || TABLE.iter().any(|(general, _)| *general == name)
}

/// Returns the hypotheses that explain the wrong elements, best first; none for fewer than [`FEWEST`] wrong elements, or if nobody reads
/// them.
pub(super) fn explain<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &ReferenceLimits,
    wrong: &[bool],
) -> Vec<Hypothesis> {
    let Some(alternatives) = case.alternatives else {
        return Vec::new();
    };
    let damage = Damage::of(case, limits, wrong);
    if damage.count < FEWEST {
        return Vec::new();
    }
    let same_size = |input: &&NamedInput<'_, E>| input.values.len() == case.got.len();
    let evidence = Evidence {
        lengths: case.axes.iter().map(|axis| axis.length).collect(),
        names: case.axes.iter().map(|axis| axis.name.as_str()).collect(),
        got: case.got.iter().map(|value| value.to_f64()).collect(),
        want: &limits.want,
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
        largest: E::at_rank(E::nearest(f64::INFINITY).rank() - 1).to_f64(),
    };
    // Other mistakes that enlarge the output give the same infinities, so overflow is tried first.
    let overflow = elementwise::overflow(&evidence);
    let overflow = best(case, limits, &damage, OVERFLOW, overflow);
    if let Some(all) = overflow.filter(|found| found.explains_all && found.except == 0) {
        return vec![all];
    }
    let known = alternatives.iter().map(|alternative| {
        let values = (alternative.values)();
        (
            alternative.name,
            vec![Prediction::of(alternative.explanation, values)],
        )
    });
    let mut found = Vec::new();
    for (name, predictions) in known {
        found.extend(best(case, limits, &damage, name, predictions));
    }
    for (name, predict) in TABLE {
        // An output of zeros also matches any shift or scaling of the reference's zeros, so the plain explanation wins.
        let zeros = |one: &Hypothesis| one.name == ZERO;
        if found.iter().any(|one| zeros(one) && one.explains_all) {
            break;
        }
        if !(*name == SCALE && found.iter().any(zeros)) {
            found.extend(best(case, limits, &damage, name, predict(&evidence)));
        }
    }
    found.sort_by(order);
    // An output of zeros is explained by each mistake that makes zeros of it, and is no evidence for one.
    let is_zero = evidence.got.iter().all(|&value| value == 0.0);
    found.sort_by_key(|one| !(is_zero && one.name == ZERO && one.explains_all));
    let mut count = 0;
    found.retain(|one| {
        count += 1;
        let explains = one.explains_all && !is_general_hypothesis(&one.name);
        count <= SHOWN || explains && count <= SHOWN_OF_CONTRACT
    });
    found
}

/// Orders hypotheses, the best first. Those that explain everything are equal, so that a stable sort keeps the order of the table.
fn order(a: &Hypothesis, b: &Hypothesis) -> Ordering {
    let all = b.explains_all.cmp(&a.explains_all);
    let remaining = || match a.explains_all {
        true => Ordering::Equal,
        false => a.remaining.total_cmp(&b.remaining),
    };
    all.then(a.except.cmp(&b.except)).then_with(remaining)
}

/// The errors to be explained.
struct Damage<'a> {
    wrong: &'a [bool],
    /// Wrong elements.
    count: usize,
    /// The largest error of the elements that are numbers.
    max_abs: f64,
}

impl<'a> Damage<'a> {
    fn of<E: Element>(
        case: &OutputCase<'_, E>,
        limits: &ReferenceLimits,
        wrong: &'a [bool],
    ) -> Self {
        let pairs = case.got.iter().zip(&limits.want);
        let errors = pairs.map(|(&got, &want)| metrics::error(got, want));
        Damage {
            wrong,
            count: wrong.iter().filter(|&&wrong| wrong).count(),
            max_abs: errors.filter(|error| error.is_finite()).fold(0.0, f64::max),
        }
    }
}

/// Returns the best of several predictions of one name, if any explains the errors.
fn best<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &ReferenceLimits,
    damage: &Damage<'_>,
    name: &str,
    predictions: Vec<Prediction>,
) -> Option<Hypothesis> {
    predictions
        .into_iter()
        .filter_map(|prediction| weigh(case, limits, damage, name, prediction))
        .min_by(|a, b| order(a, b).then(a.remaining.total_cmp(&b.remaining)))
}

/// Returns a hypothesis with the error that remains under its prediction, if the remaining error is small.
fn weigh<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &ReferenceLimits,
    damage: &Damage<'_>,
    name: &str,
    prediction: Prediction,
) -> Option<Hypothesis> {
    let Prediction {
        explanation,
        values,
    } = prediction;
    if values.len() != case.got.len() {
        return None;
    }
    let mut remaining = 0.0f64;
    let mut explains_all = true;
    // Counts of wrong elements: not finite and unexplained; explained by a value other than the reference's; and NaN where the prediction
    // is NaN, too, which many predictions are.
    let (mut except, mut explained, mut nan) = (0, 0, 0);
    let mut finite = 0;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        let (got, want) = (case.got[at], limits.want[at]);
        // The prediction is rounded to the output's type, as the kernel's result was.
        let rounded = E::nearest(value);
        if got.to_f64().is_nan() && value.is_nan() {
            nan += 1;
            continue;
        }
        let error = metrics::error(got, rounded.to_f64());
        if !error.is_finite() && !got.to_f64().is_finite() {
            except += usize::from(damage.wrong[at]);
            continue;
        }
        remaining = if error.is_nan() {
            f64::INFINITY
        } else {
            remaining.max(error)
        };
        let within = error <= allowance(limits, rounded, want, got);
        explains_all &= within;
        if !explains_all && remaining * REDUCTION >= damage.max_abs {
            return None;
        }
        let expected = (rounded.to_f64() - want).abs() <= limits.allowed(at, rounded);
        let closer = error * REDUCTION < metrics::error(got, want);
        let counts = damage.wrong[at] && !expected && (within || closer);
        explained += usize::from(counts);
        finite += usize::from(counts && got.to_f64().is_finite());
    }
    // Many predictions are infinite where a kernel overflows.
    if name != OVERFLOW && finite < FEWEST {
        return None;
    }
    // A prediction equal to the reference explains nothing. A prediction that leaves an error must account for most of the damage.
    let whole = explains_all && except == 0;
    let telling = explained >= FEWEST && (whole || 2 * (explained + nan) >= damage.count);
    let better = explains_all || remaining * REDUCTION < damage.max_abs;
    (telling && better).then(|| Hypothesis {
        name: name.to_string(),
        explanation,
        remaining,
        explains_all,
        except,
    })
}

/// Returns the allowed distance from a prediction: the reference's tolerance, or a few roundings of the prediction if
/// the prediction is larger.
fn allowance<E: Element>(limits: &ReferenceLimits, predicted: E, want: f64, got: E) -> f64 {
    const ROUNDINGS: f64 = 1e-6;
    let predicted = predicted.to_f64();
    let allowed = limits.allowance(predicted, got);
    if predicted.is_finite() && predicted.abs() > want.abs() {
        allowed.max(ROUNDINGS * predicted.abs())
    } else {
        allowed
    }
}

#[cfg(test)]
mod tests;
