//! The last steps of an output: its values are a base times one input plus another, and the base may be a function of what came before. A
//! mistake in the function, or in the base of a row, shows in the base alone.

use crate::report::model::{CauseReport, ExplainedElements};
use crate::tensor::ElementKind;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::activation::{ACTIVATIONS, Activation, IDENTITY, KERNELS};
use super::candidate::is_confirmed;
use super::factors::{columns, is_explained, is_summand, origin, words};
use super::influence::left_out;
use super::weigh::explanation;

/// The most elements of an output whose functions are looked at. Each is inverted by bisection.
const MOST: usize = 1 << 14;

/// Wrong elements that are tried before all others.
const FIRST: usize = 32;

/// The fewest columns of a row for a factor and a term.
const COLUMNS: usize = 8;

/// Errors of f64 and of inputs in f32.
const ROUNDINGS: f64 = 1e-6;

/// The narrow types of values on the way.
const NARROW: [ElementKind; 2] = [ElementKind::Bf16, ElementKind::F16];

/// The last steps of one output.
#[derive(Clone)]
struct LastSteps {
    /// The number of the output.
    number: usize,
    /// The name of the input that the base is multiplied with.
    factor: Option<String>,
    /// The name of the input that is added.
    summand: Option<String>,
}

/// A mistake in the base of an output.
#[derive(Clone, Copy)]
enum Mistake {
    /// The kernels have the second function in the place of the contract's.
    Function(&'static Activation, &'static Activation),
    /// The argument of a function is rounded.
    Rounded(&'static Activation, ElementKind),
}

impl LastSteps {
    fn of(experiment: &Experiment<'_>, number: usize) -> LastSteps {
        let inputs = || experiment.inputs().iter();
        let summand = inputs().find(|input| is_summand(experiment, input, number));
        let mut steps = LastSteps {
            number,
            factor: None,
            summand: summand.map(|input| input.name.clone()),
        };
        let output = &experiment.outputs()[number];
        let factor = inputs().find(|input| {
            let with = LastSteps {
                factor: Some(input.name.clone()),
                ..steps.clone()
            };
            let fits = fits(input, output) && steps.summand.as_ref() != Some(&input.name);
            fits && with.is_right(experiment)
        });
        steps.factor = factor.map(|input| input.name.clone());
        steps
    }

    /// Returns the base of each element.
    fn base(&self, experiment: &Experiment<'_>) -> Option<Vec<f64>> {
        let neutral = [(&self.factor, 1.0), (&self.summand, 0.0)];
        let neutral = neutral.into_iter().filter_map(|(name, value)| {
            let input = named(experiment, name.as_ref()?)?;
            Some((input.name.clone(), vec![value; input.values.len()]))
        });
        let changes: Changes = neutral.collect();
        match changes.is_empty() {
            true => Some(experiment.outputs()[self.number].expected.clone()),
            false => experiment.predict(&changes)?.into_iter().nth(self.number),
        }
    }

    /// Returns the values of the factor and of the summand for an element.
    fn values<'e>(&self, experiment: &'e Experiment<'_>) -> impl Fn(usize) -> (f64, f64) + use<'e> {
        let values = |name: &Option<String>| {
            let input = named(experiment, name.as_ref()?)?;
            Some(&input.values[..])
        };
        let (factors, summands) = (values(&self.factor), values(&self.summand));
        let value = |of: Option<&[f64]>, at: usize, none| of.map_or(none, |of| of[at % of.len()]);
        move |at| (value(factors, at, 1.0), value(summands, at, 0.0))
    }

    /// Returns true if the reference has these last steps.
    fn is_right(&self, experiment: &Experiment<'_>) -> bool {
        let Some(base) = self.base(experiment) else {
            return false;
        };
        let values = self.values(experiment);
        let mut expected = experiment.outputs()[self.number]
            .expected
            .iter()
            .enumerate();
        expected.all(|(at, expected)| {
            let (factor, summand) = values(at);
            let error = (base[at] * factor + summand - expected).abs();
            error <= ROUNDINGS * (expected.abs() + summand.abs())
        })
    }

    /// Returns the outputs if the base has the given values.
    fn with_base(&self, experiment: &Experiment<'_>, base: impl Fn(usize) -> f64) -> Outputs {
        let values = self.values(experiment);
        let outputs = experiment.outputs().iter();
        let mut predicted: Outputs = outputs.map(|output| output.expected.clone()).collect();
        for (at, value) in predicted[self.number].iter_mut().enumerate() {
            let (factor, summand) = values(at);
            *value = base(at) * factor + summand;
        }
        predicted
    }

    /// Returns the steps in words: `` before `gamma` and `beta` ``.
    fn before(&self) -> String {
        let names = [&self.factor, &self.summand].into_iter().flatten();
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(" before {}", names.join(" and ")),
        }
    }
}

fn named<'e>(experiment: &'e Experiment<'_>, name: &str) -> Option<&'e ExperimentInput> {
    let mut inputs = experiment.inputs().iter();
    inputs.find(|input| input.name == name)
}

/// Returns true if an input has a number for each element or each column of an output.
pub(super) fn fits(input: &ExperimentInput, output: &ExperimentOutput) -> bool {
    let count = input.values.len();
    count == output.got.len() || Some(count) == columns(output)
}

/// Returns the wrong outputs' last steps.
fn wrong_outputs(experiment: &Experiment<'_>) -> impl Iterator<Item = LastSteps> {
    let outputs = experiment.outputs().iter().enumerate();
    let wrong =
        outputs.filter(|(_, output)| output.kind.is_float() && output.wrong.contains(&true));
    wrong.map(|(number, _)| LastSteps::of(experiment, number))
}

impl Mistake {
    /// Returns the outputs that the mistake makes. Where a function has a value twice, the kernels' value chooses the argument.
    fn predict(self, experiment: &Experiment<'_>, steps: &LastSteps) -> Option<Outputs> {
        let base = steps.base(experiment)?;
        let output = &experiment.outputs()[steps.number];
        let values = steps.values(experiment);
        let mistaken = |at: usize| {
            let (factor, summand) = values(at);
            let error = |base: &f64| (base * factor + summand - output.got[at]).abs();
            let bases = self.bases(base[at]).into_iter();
            bases
                .min_by(|a, b| error(a).total_cmp(&error(b)))
                .unwrap_or(f64::NAN)
        };
        // The first wrong elements decide whether the others are worth the work.
        let wrong = (0..output.got.len()).filter(|&at| output.wrong[at]);
        let first: Vec<usize> = wrong.take(FIRST).collect();
        let near = first.iter().filter(|&&at| {
            let (factor, summand) = values(at);
            let predicted = output.kind.rounded(mistaken(at) * factor + summand);
            (predicted - output.got[at]).abs() <= 2.0 * output.allowed[at]
        });
        let few = near.count() * 10 < first.len() * 9;
        (!few).then(|| steps.with_base(experiment, mistaken))
    }

    /// Returns the values that the mistake makes of a right one.
    fn bases(self, right: f64) -> Vec<f64> {
        match self {
            Mistake::Function(contract, kernel) => {
                contract.arguments(right).map(kernel.f).collect()
            }
            Mistake::Rounded(function, kind) => {
                let arguments = function.arguments(right);
                arguments.map(|x| (function.f)(kind.rounded(x))).collect()
            }
        }
    }

    fn cause(self, output: &str, steps: &LastSteps) -> (&'static str, String) {
        let before = match steps.before() {
            none if none.is_empty() => " at its end".into(),
            before => before,
        };
        match self {
            Mistake::Function(contract, kernel) if contract.name == IDENTITY => (
                "function",
                format!(
                    "`{output}` has {}{before}; the contract has no such function",
                    kernel.name
                ),
            ),
            Mistake::Function(contract, kernel) if kernel.name == IDENTITY => (
                "function",
                format!("`{output}` lacks {}{before}", contract.name),
            ),
            Mistake::Function(contract, kernel) => (
                "function",
                format!(
                    "`{output}` has {}{before}; the contract has {}",
                    kernel.name, contract.name
                ),
            ),
            Mistake::Rounded(function, kind) if function.name == IDENTITY => (
                "rounded",
                format!(
                    "the values of `{output}` are rounded to {}{before}",
                    kind.name()
                ),
            ),
            Mistake::Rounded(function, kind) => (
                "rounded",
                format!(
                    "the argument of the {} of `{output}` is rounded to {}",
                    function.name,
                    kind.name()
                ),
            ),
        }
    }
}

/// Returns the first mistake in the function of the base of all wrong outputs, or in the type of its argument, that explains all wrong elements.
pub(super) fn function(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs();
    let wrong: Vec<LastSteps> = wrong_outputs(experiment).collect();
    let is_short = |steps: &LastSteps| outputs[steps.number].got.len() <= MOST;
    let first = wrong.first().filter(|_| wrong.iter().all(is_short))?;
    let pairs = ACTIVATIONS.iter().flat_map(|contract| {
        let kernels = KERNELS.iter().filter(|kernel| kernel.name != contract.name);
        kernels.map(|kernel| Mistake::Function(contract, kernel))
    });
    let ends = first.factor.is_some() || first.summand.is_some();
    let rounded = ACTIVATIONS
        .iter()
        .filter(|function| ends || function.name != IDENTITY);
    let rounded = rounded.flat_map(|function| NARROW.map(|kind| Mistake::Rounded(function, kind)));
    pairs.chain(rounded).find_map(|mistake| {
        let predict = |other: &Experiment<'_>| -> Option<Outputs> {
            let right = other.outputs().iter();
            let mut predicted: Outputs = right.map(|output| output.expected.clone()).collect();
            for steps in &wrong {
                predicted[steps.number] = mistake.predict(other, steps)?.swap_remove(steps.number);
            }
            Some(predicted)
        };
        let explained = |other: &Experiment<'_>| {
            let found = explanation(other, &predict(other)?)?;
            let whole = found.part.is_none() && found.elements.right == found.elements.wrong;
            whole.then_some(found.elements)
        };
        let elements = explained(experiment)?;
        let confirmed = is_confirmed(experiment, "", |other| explained(other).is_some());
        let names = wrong.iter().map(|steps| &*outputs[steps.number].name);
        let names = names.collect::<Vec<_>>().join("` and `");
        let (kind, mut text) = mistake.cause(&names, first);
        if wrong.len() > 1 {
            text = text
                .replace("` has ", "` have ")
                .replace("` lacks ", "` lack ");
            text = text.replace(" at its end", " at their ends");
        }
        confirmed.then(|| CauseReport {
            kind: kind.into(),
            output: Some(outputs[first.number].name.clone()),
            tensor: None,
            kernel: None,
            text,
            explains: Some(elements),
        })
    })
}

/// The factor and the term of each wrong row.
type Terms = Vec<[f64; 2]>;

/// Returns a cause if each row of an output's base is the right one times a number of its own plus another, in this draw and in others.
pub(super) fn row_terms(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let seed = experiment.seed();
    let draws = [1, 2].map(|step| experiment.redrawn(seed.wrapping_add(step)));
    wrong_outputs(experiment).find_map(|steps| {
        let (mut terms, elements) = explained_terms(experiment, &steps)?;
        for draw in draws.iter().flatten() {
            terms.extend(explained_terms(draw, &steps)?.0);
        }
        let name = &experiment.outputs()[steps.number].name;
        let before = steps.before();
        let of = |at: usize| terms.iter().map(move |term| term[at]);
        let (least, most) = (of(1).fold(f64::INFINITY, f64::min), of(1).fold(f64::NEG_INFINITY, f64::max));
        if of(1).all(|term| term == 0.0) {
            return Some(only_factors(experiment, &steps, of(0).collect(), elements));
        }
        let text = match of(0).all(|factor| (factor - 1.0).abs() < 1e-2) {
            true => format!(
                "each row of `{name}`{before} is the right one plus a number of its own, {} to {}: a mean, a maximum or a sum is not taken off, or is wrong",
                words(least),
                words(most)
            ),
            false => format!(
                "each row of `{name}`{before} is the right one times a number of its own plus another: what is wrong is a sum or a mean of the row{}",
                left_out(experiment, steps.number).map_or_else(String::new, |left_out| format!(", {left_out}"))
            ),
        };
        Some(CauseReport {
            kind: "row-factor".into(),
            output: Some(name.clone()),
            tensor: None,
            kernel: None,
            text,
            explains: Some(elements),
        })
    })
}

/// The share of a row's squares below which a term is none.
const NO_TERM: f64 = 1e-6;

/// The share by which the factors of rows may differ, if they are one number.
const SAME: f64 = 1e-3;

/// Returns the cause of rows that have factors and no terms.
fn only_factors(
    experiment: &Experiment<'_>,
    steps: &LastSteps,
    factors: Vec<f64>,
    elements: ExplainedElements,
) -> CauseReport {
    let name = &experiment.outputs()[steps.number].name;
    let before = steps.before();
    let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
    let most = factors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (kind, text) = match most - least <= SAME * most.abs() {
        true => (
            "scale",
            format!(
                "`{name}`{before} is {} times the reference{}",
                words(most),
                origin(experiment, most)
            ),
        ),
        false => (
            "row-factor",
            format!(
                "each row of `{name}`{before} has a factor of its own, {} to {}: what is wrong is one number for the row, {}",
                words(least),
                words(most),
                left_out(experiment, steps.number)
                    .unwrap_or_else(|| "as a norm, a sum or a gate".into())
            ),
        ),
    };
    CauseReport {
        kind: kind.into(),
        output: Some(name.clone()),
        tensor: None,
        kernel: None,
        text,
        explains: Some(elements),
    }
}

fn explained_terms(
    experiment: &Experiment<'_>,
    steps: &LastSteps,
) -> Option<(Terms, ExplainedElements)> {
    let output = &experiment.outputs()[steps.number];
    let columns = columns(output).filter(|&columns| columns >= COLUMNS)?;
    let (base, values) = (steps.base(experiment)?, steps.values(experiment));
    let rows = output.wrong.chunks(columns).enumerate();
    let rows: Vec<[f64; 2]> = rows
        .map(|(row, wrong)| match wrong.contains(&true) {
            true => {
                let range = row * columns..(row + 1) * columns;
                let points = range.clone().map(|at| {
                    let (factor, summand) = values(at);
                    [base[at] * factor, factor, output.got[at] - summand]
                });
                let points: Vec<[f64; 3]> = points.collect();
                let [factor, term] = line(&points)?;
                let got: Vec<f64> = points.iter().map(|[.., got]| *got).collect();
                let right: Vec<f64> = points.iter().map(|[right, ..]| *right).collect();
                let predicted = points
                    .iter()
                    .map(|[right, one, _]| right * factor + one * term);
                let is_line = is_explained(output.kind, &got, &right, predicted.collect());
                let size = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
                let ones: Vec<f64> = points.iter().map(|[_, one, _]| *one).collect();
                let is_none = term * term * size(&ones) <= NO_TERM * factor * factor * size(&right);
                is_line.then_some([factor, if is_none { 0.0 } else { term }])
            }
            false => Some([1.0, 0.0]),
        })
        .collect::<Option<_>>()?;
    let predicted = steps.with_base(experiment, |at| {
        let [factor, term] = rows[at / columns];
        base[at] * factor + term
    });
    let found = explanation(experiment, &predicted).filter(|found| found.part.is_none())?;
    let wrong = output.wrong.chunks(columns).map(|row| row.contains(&true));
    let terms = rows.into_iter().zip(wrong);
    let terms = terms.filter_map(|(term, wrong)| wrong.then_some(term));
    Some((terms.collect(), found.elements))
}

/// The least factor of a row. A row that does not follow the right one has another mistake.
const LEAST: f64 = 0.1;

/// Returns the factor f and the term t for which `f x + t w` is nearest to y, by least squares over the points `[x, w, y]` of a row. Returns none if
/// y does not follow x.
fn line(points: &[[f64; 3]]) -> Option<[f64; 2]> {
    let points = points.iter().filter(|[.., y]| y.is_finite());
    let sum = |f: fn(&[f64; 3]) -> f64| -> f64 { points.clone().map(f).sum() };
    let (xx, xw, ww) = (
        sum(|p| p[0] * p[0]),
        sum(|p| p[0] * p[1]),
        sum(|p| p[1] * p[1]),
    );
    let (xy, wy) = (sum(|p| p[0] * p[2]), sum(|p| p[1] * p[2]));
    let determinant = xx * ww - xw * xw;
    let factor = (xy * ww - wy * xw) / determinant;
    let term = (wy * xx - xy * xw) / determinant;
    (factor.abs() >= LEAST && term.is_finite()).then_some([factor, term])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_factor_and_a_term_also_where_its_weights_are_small() {
        let weights = [1.0, -0.5, 1e-6, 2.0];
        let base = [0.3, -1.2, 5.0, 0.7];
        let points = base.iter().zip(weights);
        let points: Vec<[f64; 3]> = points
            .map(|(base, weight)| [base * weight, weight, (0.75 * base + 0.125) * weight])
            .collect();
        let [factor, term] = line(&points).expect("a line");
        assert!((factor - 0.75).abs() < 1e-12 && (term - 0.125).abs() < 1e-12);
        // What does not follow has no line.
        let flat: Vec<[f64; 3]> = points.iter().map(|[x, w, _]| [*x, *w, *w]).collect();
        assert_eq!(line(&flat), None);
    }
}
