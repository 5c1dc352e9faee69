//! Terms that are added to an output: a number, a number for each row such as a maximum, or an input that the contract adds earlier.

use crate::report::model::{CauseReport, ExplainedElements};
use crate::tensor::{Axis, index, strides};
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::candidate::{is_confirmed, responds};
use super::factors::words;
use super::last_steps::fits;
use super::weigh::{Explanation, explanation, plural};

/// The share of a number by which it may differ from draw to draw.
const SAME: f64 = 1e-2;

/// Errors of inputs in f32.
const ROUNDINGS: f64 = 1e-6;

/// A function of the values along an axis.
type Reduction = (&'static str, fn(&[f64]) -> f64);

const REDUCTIONS: [Reduction; 4] = [
    ("maximum", |values| {
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }),
    ("minimum", |values| {
        values.iter().copied().fold(f64::INFINITY, f64::min)
    }),
    ("sum", |values| values.iter().sum()),
    ("mean", |values| {
        values.iter().sum::<f64>() / values.len() as f64
    }),
];

/// A term with its sign, or an input that is used at the end. Numbers are those of outputs and inputs.
enum Term {
    Reduced(usize, usize, usize, Reduction, f64),
    AddedLast(usize, usize),
    MultipliedLast(usize, usize),
    /// A tensor that is updated in place, with another input that is added to it: its new value is rounded before other outputs use it.
    Rounded(usize, usize, usize),
}

/// Returns the first term that explains all wrong elements.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let mut terms = terms(experiment).into_iter();
    let found = terms.find_map(|term| {
        let found = term.explained(experiment)?;
        let explained = |other: &Experiment<'_>| term.explained(other).is_some();
        is_confirmed(experiment, "", explained).then(|| term.cause(experiment, &found))
    });
    found.or_else(|| number(experiment))
}

/// The fewest wrong elements with one number.
const STUCK: usize = 8;

/// Returns the one number that the kernels have in all wrong elements of an output, and the one that is right there.
fn numbers(output: &ExperimentOutput) -> Option<[f64; 2]> {
    let wrong = (0..output.got.len()).filter(|&at| output.wrong[at]);
    let mut pairs = wrong.map(|at| [output.got[at], output.expected[at]]);
    let first = pairs.next()?;
    (pairs.all(|pair| pair == first) && output.wrong.contains(&false)).then_some(first)
}

/// Returns a cause if all wrong elements have one number in the place of another. An input may say where.
pub(super) fn stuck(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let wrong = outputs.filter(|(_, output)| output.wrong.contains(&true));
    let [(number, output)] = wrong.collect::<Vec<_>>()[..] else {
        return None;
    };
    let [got, right] = numbers(output)?;
    let count = output.wrong.iter().filter(|wrong| **wrong).count();
    let same = |other: &Experiment<'_>| numbers(&other.outputs()[number]) == Some([got, right]);
    if count < STUCK || !is_confirmed(experiment, "", same) {
        return None;
    }
    let inputs = experiment.inputs().iter();
    let place = inputs.filter_map(|input| side(input, output)).next();
    Some(CauseReport {
        kind: "constant".into(),
        output: Some(output.name.clone()),
        tensor: None,
        kernel: None,
        text: format!(
            "`{}` is {got} where it should be {right}{}",
            output.name,
            place.unwrap_or_default()
        ),
        explains: Some(ExplainedElements {
            right: count as u64,
            wrong: count as u64,
        }),
    })
}

/// The number that all wrong elements of an output should have, or that all have.
#[derive(Clone, Copy, PartialEq)]
enum Limit {
    /// All should have it, and have others.
    Missing(f64),
    /// All have it, and should have others.
    Wrong(f64),
}

/// Returns the limit of an output's wrong elements, if they have one.
fn limit(output: &ExperimentOutput) -> Option<Limit> {
    let wrong = (0..output.got.len()).filter(|&at| output.wrong[at]);
    let wrong: Vec<usize> = wrong.collect();
    let same = |values: &[f64]| {
        let first = values[*wrong.first()?];
        wrong.iter().all(|&at| values[at] == first).then_some(first)
    };
    let is_usual = wrong.iter().all(|&at| output.got[at].is_finite());
    let is_alone = output.wrong.iter().all(|wrong| *wrong);
    // All numbers of one side are on the same side of a limit, and the wrong ones of the other are beyond it.
    let ends = |limit: f64, within: &[f64], beyond: &[f64]| {
        let side = |sign: f64| {
            let is_within = |value: &f64| sign * (limit - value) >= 0.0;
            within.iter().all(is_within) && wrong.iter().all(|&at| !is_within(&beyond[at]))
        };
        limit == 0.0 || side(1.0) || side(-1.0)
    };
    let (expected, got) = (&output.expected, &output.got);
    match (same(expected), same(got)) {
        _ if !is_usual || is_alone => None,
        (Some(right), None) => ends(right, expected, got).then_some(Limit::Missing(right)),
        (None, Some(limit)) => ends(limit, got, expected).then_some(Limit::Wrong(limit)),
        _ => None,
    }
}

/// Returns a cause if the wrong elements of each wrong output should all have one number and have several, or have one and should have several.
pub(super) fn limits(experiment: &Experiment<'_>) -> Option<CauseReport> {
    limit_of(experiment, |number| number != 0.0)
}

/// Returns a cause if the wrong elements of each wrong output should all be 0, or are all 0. Where an index is wrong, its influence tells more.
pub(super) fn only_zeros(experiment: &Experiment<'_>) -> Option<CauseReport> {
    limit_of(experiment, |number| number == 0.0)
}

fn limit_of(experiment: &Experiment<'_>, counts: fn(f64) -> bool) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let wrong = outputs.filter(|(_, output)| output.wrong.contains(&true));
    let found = wrong.map(|(number, output)| {
        let limit = limit(output).filter(|limit| {
            let (Limit::Missing(at) | Limit::Wrong(at)) = limit;
            counts(*at)
        })?;
        Some((number, output, limit))
    });
    let found: Vec<(usize, &ExperimentOutput, Limit)> = found.collect::<Option<_>>()?;
    let count = found.iter().flat_map(|(_, output, _)| &output.wrong);
    let count = count.filter(|wrong| **wrong).count();
    let same = |other: &Experiment<'_>| {
        let mut outputs = other.outputs().iter().enumerate();
        outputs.all(|(number, output)| {
            let first = found.iter().find(|(first, ..)| *first == number);
            !output.wrong.contains(&true)
                || first.is_some_and(|(_, _, first)| limit(output) == Some(*first))
        })
    };
    if count < STUCK || !is_confirmed(experiment, "", same) {
        return None;
    }
    let texts = found.iter().map(|(_, output, limit)| {
        let name = &output.name;
        match *limit {
            Limit::Missing(0.0) => format!("`{name}` should be 0 wherever it is wrong"),
            Limit::Missing(number) => format!(
                "`{name}` should be {number} wherever it is wrong: a limit of {number} is missing, or in another place"
            ),
            Limit::Wrong(number) => format!("`{name}` is {number} wherever it is wrong"),
        }
    });
    let (_, first, own) = found.first()?;
    let kind = match own {
        Limit::Wrong(0.0) => "zero",
        _ => "constant",
    };
    Some(CauseReport {
        kind: kind.into(),
        output: Some(first.name.clone()),
        tensor: None,
        kernel: None,
        text: texts.collect::<Vec<_>>().join("; "),
        explains: Some(ExplainedElements::all(count as u64)),
    })
}

/// Returns the values of an input where an output is wrong, if they are on one side of all others: ``: where `x` is above 0.0``.
fn side(input: &ExperimentInput, output: &ExperimentOutput) -> Option<String> {
    if input.values.len() != output.got.len() {
        return None;
    }
    let range = |flag: bool| {
        let values = input.values.iter().zip(&output.wrong);
        let values = values.filter(|(_, wrong)| **wrong == flag);
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        values.fold(start, |(least, most), (value, _)| {
            (least.min(*value), most.max(*value))
        })
    };
    let (wrong, right) = (range(true), range(false));
    let between = |low: f64, high: f64| match low <= 0.0 && high >= 0.0 {
        true => 0.0,
        false => f64::midpoint(low, high),
    };
    let (word, bound) = match (wrong.0 > right.1, wrong.1 < right.0) {
        (true, _) => ("above", between(right.1, wrong.0)),
        (_, true) => ("below", between(wrong.1, right.0)),
        _ => return None,
    };
    Some(format!(", where `{}` is {word} {bound:.2}", input.tensor))
}

fn right(experiment: &Experiment<'_>) -> Outputs {
    let outputs = experiment.outputs().iter();
    outputs.map(|output| output.expected.clone()).collect()
}

fn whole(found: Explanation) -> Option<Explanation> {
    let whole = found.part.is_none() && found.elements.right == found.elements.wrong;
    whole.then_some(found)
}

/// Returns a cause if each element of an output is the right value plus the same number.
fn number(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let mut outputs = outputs.filter(|(_, output)| output.wrong.contains(&true));
    outputs.find_map(|(at, output)| {
        let term = difference(output)?;
        let explained = |other: &Experiment<'_>| {
            let mut predicted = right(other);
            let same = difference(&other.outputs()[at])?;
            predicted[at].iter_mut().for_each(|value| *value += term);
            let near = (same - term).abs() <= SAME * term.abs();
            explanation(other, &predicted)
                .and_then(whole)
                .filter(|_| near)
        };
        let found = explained(experiment)?;
        let confirmed = is_confirmed(experiment, "", |other| explained(other).is_some());
        confirmed.then(|| CauseReport {
            kind: "constant".into(),
            output: Some(output.name.clone()),
            tensor: None,
            kernel: None,
            text: format!("`{}` is the right value plus {}", output.name, words(term)),
            explains: Some(found.elements),
        })
    })
}

/// Returns the mean difference between the kernels' values and the right ones.
fn difference(output: &ExperimentOutput) -> Option<f64> {
    let pairs = output.got.iter().zip(&output.expected);
    let all: f64 = pairs.map(|(got, expected)| got - expected).sum();
    let mean = all / output.got.len() as f64;
    (mean.is_finite() && mean != 0.0).then_some(mean)
}

fn terms(experiment: &Experiment<'_>) -> Vec<Term> {
    let outputs = experiment.outputs().iter().enumerate();
    let outputs = outputs.filter(|(_, output)| output.wrong.contains(&true));
    let inputs = experiment.inputs().iter().enumerate();
    let inputs: Vec<_> = inputs
        .filter(|(_, input)| responds(experiment, input))
        .collect();
    let mut terms = Vec::new();
    for (number, output) in outputs {
        for &(at, input) in &inputs {
            for axis in 0..input.axes.len() {
                if has_axes_without(input, axis, &output.axes) {
                    let signs = REDUCTIONS.into_iter().flat_map(|f| [(f, 1.0), (f, -1.0)]);
                    terms.extend(signs.map(|(f, sign)| Term::Reduced(number, at, axis, f, sign)));
                }
            }
            if fits(input, output) {
                terms.extend([
                    Term::AddedLast(number, at),
                    Term::MultipliedLast(number, at),
                ]);
            }
        }
    }
    terms.extend(rounded(experiment));
    terms
}

/// Returns the tensors that are updated in place, each with an input of the same size that may be added to it.
fn rounded(experiment: &Experiment<'_>) -> Vec<Term> {
    let inputs = experiment.inputs().iter().enumerate();
    let outputs = experiment.outputs().iter().enumerate();
    let terms = outputs.flat_map(|(number, output)| {
        let own = inputs
            .clone()
            .find(|(_, input)| input.tensor == output.name);
        let others = inputs
            .clone()
            .filter(|(_, other)| other.values.len() == output.got.len());
        own.into_iter().flat_map(move |(own, _)| {
            let others = others.clone().filter(move |(other, _)| *other != own);
            others.map(move |(other, _)| Term::Rounded(number, own, other))
        })
    });
    terms.collect()
}

/// Returns true if an input has the axes of an output and one more.
pub(super) fn has_axes_without(input: &ExperimentInput, axis: usize, output: &[Axis]) -> bool {
    let rest = input.axes.iter().enumerate().filter(|(at, _)| *at != axis);
    let rest = rest.map(|(_, axis)| axis.length);
    input.axes[axis].length > 1 && rest.eq(output.iter().map(|axis| axis.length))
}

/// Returns the place of the first element along an axis, for all indices of the others.
pub(super) fn starts(input: &ExperimentInput, axis: usize) -> impl Iterator<Item = usize> {
    let places = 0..input.values.len();
    places.filter(move |&flat| index(&input.axes, flat)[axis] == 0)
}

/// Returns the reduction of an input along an axis.
fn reduced(input: &ExperimentInput, axis: usize, f: fn(&[f64]) -> f64) -> Vec<f64> {
    let (stride, length) = (strides(&input.axes)[axis], input.axes[axis].length);
    let values = starts(input, axis).map(|start| {
        let along: Vec<f64> = (0..length)
            .map(|at| input.values[start + at * stride])
            .collect();
        f(&along)
    });
    values.collect()
}

/// Returns true if the reference's output is a linear function of an input, plus what does not depend on it.
fn is_linear(experiment: &Experiment<'_>, at: usize, output: usize) -> bool {
    let input = &experiment.inputs()[at];
    let scaled = |factor: f64| {
        let values = input.values.iter().map(|value| value * factor);
        let changes = Changes::from([(input.name.clone(), values.collect())]);
        experiment.predict(&changes)
    };
    let (Some(none), Some(twice)) = (scaled(0.0), scaled(2.0)) else {
        return false;
    };
    let once = &experiment.outputs()[output].expected;
    let mut values = once.iter().zip(none[output].iter().zip(&twice[output]));
    values.all(|(once, (none, twice))| {
        (twice - 2.0 * once + none).abs() <= ROUNDINGS * (once.abs() + none.abs() + twice.abs())
    })
}

/// Returns the one input on which the reference's factor of a linear input depends, if there is exactly one.
fn factor(experiment: &Experiment<'_>, at: usize, output: usize) -> Option<usize> {
    let inputs = experiment.inputs();
    let none = Changes::from([(inputs[at].name.clone(), vec![0.0; inputs[at].values.len()])]);
    let term = |changes: &Changes| -> Option<Vec<f64>> {
        let mut without = none.clone();
        without.extend(changes.clone());
        let (with, without) = (experiment.predict(changes)?, experiment.predict(&without)?);
        let pairs = with[output].iter().zip(&without[output]);
        Some(pairs.map(|(with, without)| with - without).collect())
    };
    let usual = term(&Changes::new())?;
    let mut factors = (0..inputs.len()).filter(|&other| {
        let values = inputs[other].values.iter().map(|value| 0.75 * value);
        let changes = Changes::from([(inputs[other].name.clone(), values.collect())]);
        let differs = |term: Vec<f64>| {
            let mut pairs = term.iter().zip(&usual);
            pairs.any(|(new, old)| (new - old).abs() > ROUNDINGS * old.abs())
        };
        other != at && term(&changes).is_some_and(differs)
    });
    let factor = factors.next()?;
    factors.next().is_none().then_some(factor)
}

impl Term {
    fn predict(&self, experiment: &Experiment<'_>) -> Option<Outputs> {
        let input = |at: usize| &experiment.inputs()[at];
        let replaced = |at: usize, value: f64| {
            let input = &experiment.inputs()[at];
            Changes::from([(input.name.clone(), vec![value; input.values.len()])])
        };
        match *self {
            Term::Reduced(output, at, axis, (_, f), sign) => {
                let mut outputs = right(experiment);
                let term = reduced(input(at), axis, f);
                let pairs = outputs[output].iter_mut().zip(term);
                pairs.for_each(|(value, term)| *value += sign * term);
                Some(outputs)
            }
            Term::AddedLast(output, at) => {
                let mut outputs = experiment.predict(&replaced(at, 0.0))?;
                let values = input(at).values.iter().cycle();
                let pairs = outputs[output].iter_mut().zip(values);
                pairs.for_each(|(value, term)| *value += term);
                Some(outputs)
            }
            Term::MultipliedLast(output, at) => {
                let mut outputs = experiment.predict(&replaced(at, 1.0))?;
                let values = input(at).values.iter().cycle();
                let pairs = outputs[output].iter_mut().zip(values);
                pairs.for_each(|(value, factor)| *value *= factor);
                Some(outputs)
            }
            Term::Rounded(output, own, other) => {
                let updated = &experiment.outputs()[output];
                let new = updated
                    .expected
                    .iter()
                    .map(|&value| updated.kind.rounded(value));
                let new: Vec<f64> = new.collect();
                let mut changes = replaced(other, 0.0);
                changes.insert(input(own).name.clone(), new.clone());
                let mut outputs = experiment.predict(&changes)?;
                let stays = outputs[output] == new;
                outputs[output].clone_from(&updated.expected);
                stays.then_some(outputs)
            }
        }
    }

    fn explained(&self, experiment: &Experiment<'_>) -> Option<Explanation> {
        whole(explanation(experiment, &self.predict(experiment)?)?)
    }

    fn cause(&self, experiment: &Experiment<'_>, found: &Explanation) -> CauseReport {
        let name = |output: usize| &experiment.outputs()[output].name;
        let tensor = |input: usize| &experiment.inputs()[input].tensor;
        let (kind, output, input, text) = match *self {
            Term::Reduced(output, at, axis, (words, _), sign) => {
                let axis = &experiment.inputs()[at].axes[axis].name;
                let does = if sign > 0.0 {
                    "added to"
                } else {
                    "subtracted from"
                };
                let text = format!(
                    "the {words} over all {} of `{}` is {does} `{}`",
                    plural(axis),
                    tensor(at),
                    name(output)
                );
                ("operation", Some(output), at, text)
            }
            Term::AddedLast(output, at) if is_linear(experiment, at, output) => {
                let added = format!("`{}` is added to `{}` as it is", tensor(at), name(output));
                match factor(experiment, at, output) {
                    Some(factor) => {
                        let text = format!("{added}: `{}` is not applied to it", tensor(factor));
                        ("not-applied", None, factor, text)
                    }
                    None => {
                        let text = format!("{added}; the contract multiplies it first");
                        ("scale", Some(output), at, text)
                    }
                }
            }
            Term::AddedLast(output, at) | Term::MultipliedLast(output, at) => {
                let does = match self {
                    Term::AddedLast(..) => "added to",
                    _ => "multiplied with",
                };
                let text = format!(
                    "`{}` is {does} `{}` at the end; the contract uses it earlier",
                    tensor(at),
                    name(output)
                );
                ("operation", Some(output), at, text)
            }
            Term::Rounded(output, own, _) => {
                let kind = experiment.outputs()[output].kind.name();
                let text = format!(
                    "the new `{}` is rounded to {kind} before the other outputs use it",
                    name(output)
                );
                ("rounded", None, own, text)
            }
        };
        CauseReport {
            kind: kind.into(),
            output: output.map(|output| name(output).clone()),
            tensor: Some(tensor(input).clone()),
            kernel: None,
            text,
            explains: Some(found.elements),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::ElementKind;

    fn output(expected: &[f64], got: &[f64]) -> ExperimentOutput {
        ExperimentOutput {
            name: "o".into(),
            axes: Vec::new(),
            kind: ElementKind::F32,
            expected: expected.to_vec(),
            got: got.to_vec(),
            allowed: vec![1e-6; got.len()],
            wrong: expected.iter().zip(got).map(|(a, b)| a != b).collect(),
        }
    }

    #[test]
    fn a_limit_is_one_only_where_the_wrong_values_are_beyond_it() {
        let right = [-40.0, -12.0, -40.0, -3.0];
        let missing = limit(&output(&right, &[-41.0, -12.0, -50.0, -3.0]));
        assert!(missing == Some(Limit::Missing(-40.0)));
        // Values within it have another mistake.
        assert!(limit(&output(&right, &[-35.0, -12.0, -30.0, -3.0])).is_none());
        let wrong = limit(&output(&[1.0, 5.0, 7.0], &[1.0, 4.0, 4.0]));
        assert!(wrong == Some(Limit::Wrong(4.0)));
        assert!(limit(&output(&[1.0, 5.0, 3.0], &[1.0, 4.0, 4.0])).is_none());
        // One wrong number for another is told elsewhere, and of wrong elements alone nothing is known.
        assert!(limit(&output(&[1.0, 5.0, 5.0], &[1.0, 4.0, 4.0])).is_none());
        assert!(limit(&output(&right[..1], &[-41.0])).is_none());
    }
}
