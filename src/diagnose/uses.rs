//! Uses: a mistake in an input where it meets another, or where it does not. Without the other input, which is then 0, the terms of their products
//! are gone from the outputs.

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput, Outputs};

use super::candidate::{is_confirmed, responds};
use super::change::{Change, value_changes};
use super::weigh::{Explanation, explanation, spacing};

/// The terms in which the mistake is made.
#[derive(Clone, Copy)]
enum Terms {
    With,
    Without,
}

/// A mistake in the values of one input, in the terms with another input or without it. The inputs are named as they are changed.
struct Use<'u> {
    input: &'u str,
    other: &'u str,
    change: &'u Change,
    terms: Terms,
}

fn named<'e>(experiment: &'e Experiment<'_>, name: &str) -> Option<&'e ExperimentInput> {
    let mut inputs = experiment.inputs().iter();
    inputs.find(|input| input.name == name)
}

fn zeros(input: &ExperimentInput) -> Changes {
    Changes::from([(input.name.clone(), vec![0.0; input.values.len()])])
}

impl Use<'_> {
    fn predict(&self, experiment: &Experiment<'_>) -> Option<Outputs> {
        let (input, other) = (
            named(experiment, self.input)?,
            named(experiment, self.other)?,
        );
        let changed = self.change.apply(&input.axes, &input.values);
        let mistake = Changes::from([(input.name.clone(), changed)]);
        let mut both = zeros(other);
        both.extend(mistake.clone());
        let wrong = experiment.predict(&both)?;
        let right = experiment.predict(&zeros(other))?;
        // The mistake changes nothing in these terms, or the terms have no others beside them.
        let outputs = experiment.outputs().iter();
        let whole: Outputs = match self.terms {
            Terms::With => experiment.predict(&mistake)?,
            Terms::Without => outputs.map(|output| output.expected.clone()).collect(),
        };
        (wrong != right && wrong != whole).then(|| combined(&whole, &wrong, &right, self.terms))
    }

    /// Returns the explanation that the mistake gives, if it explains all wrong elements.
    fn explained(&self, experiment: &Experiment<'_>) -> Option<Explanation> {
        let found = explanation(experiment, &self.predict(experiment)?)?;
        let whole = found.part.is_none() && found.elements.right == found.elements.wrong;
        whole.then_some(found)
    }

    fn cause(&self, experiment: &Experiment<'_>, found: Explanation) -> Option<CauseReport> {
        let tensor = |name: &str| Some(named(experiment, name)?.tensor.clone());
        let (input, other) = (tensor(self.input)?, tensor(self.other)?);
        let terms = match self.terms {
            Terms::With => "with",
            Terms::Without => "without",
        };
        Some(CauseReport {
            kind: self.change.kind.into(),
            output: None,
            text: format!(
                "in the terms {terms} `{other}`, `{input}` {}",
                self.change.says
            ),
            tensor: Some(input),
            kernel: None,
            explains: Some(found.elements),
        })
    }
}

/// Returns the outputs with the mistake in one part of the terms: those without an input are in `wrong` and `right`, with the mistake and without
/// it.
fn combined(whole: &Outputs, wrong: &Outputs, right: &Outputs, terms: Terms) -> Outputs {
    let outputs = whole.iter().zip(wrong.iter().zip(right));
    let combined = outputs.map(|(whole, (wrong, right))| {
        let values = whole.iter().zip(wrong.iter().zip(right));
        let values = values.map(|(whole, (wrong, right))| match terms {
            Terms::With => whole - wrong + right,
            Terms::Without => whole + wrong - right,
        });
        values.collect()
    });
    combined.collect()
}

/// Returns true if the reference's outputs are sums of terms with an input once and of terms without it. A gate is in exponents: a gate of 0 takes no
/// term away.
pub(super) fn is_factor(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    const ROUNDINGS: f64 = 4.0;
    let times = |factor: f64| {
        let values = input.values.iter().map(|value| factor * value);
        experiment.predict(&Changes::from([(input.name.clone(), values.collect())]))
    };
    let [Some(none), Some(once), Some(twice)] = [0.0, 1.0, 2.0].map(times) else {
        return false;
    };
    let values = none.iter().zip(once.iter().zip(&twice));
    let mut outputs = experiment.outputs().iter().zip(values);
    outputs.all(|(output, (none, (once, twice)))| {
        // References round to the output's type.
        let step = ROUNDINGS * spacing(output.kind);
        let largest = twice
            .iter()
            .fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let mut elements = none.iter().zip(once.iter().zip(twice));
        elements.all(|(none, (once, twice))| (twice - 2.0 * once + none).abs() <= step * largest)
    })
}

/// Returns the first mistake in one use of an input that explains all wrong elements, for the inputs of two more seeds, too.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let inputs: Vec<&ExperimentInput> =
        inputs.filter(|input| responds(experiment, input)).collect();
    let factors = inputs.iter().filter(|input| is_factor(experiment, input));
    let factors: Vec<&ExperimentInput> = factors.copied().collect();
    inputs.iter().find_map(|input| {
        value_changes(input).iter().find_map(|change| {
            let others = factors.iter().filter(|other| other.name != input.name);
            let mut uses = others.flat_map(|other| {
                [Terms::Without, Terms::With].map(|terms| Use {
                    input: &input.name,
                    other: &other.name,
                    change,
                    terms,
                })
            });
            uses.find_map(|used| {
                let found = used.explained(experiment)?;
                let explained = |other: &Experiment<'_>| used.explained(other).is_some();
                is_confirmed(experiment, "", explained)
                    .then(|| used.cause(experiment, found))
                    .flatten()
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mistake_of_one_part_of_the_terms_leaves_the_other() {
        // The right output is 2 + 30, of which 2 does not depend on the other input. The mistake doubles both.
        let [right, whole, wrong] = [2.0, 32.0, 4.0].map(|value| vec![vec![value]]);
        assert_eq!(combined(&whole, &wrong, &right, Terms::Without), [[34.0]]);
        let doubled = vec![vec![64.0]];
        assert_eq!(combined(&doubled, &wrong, &right, Terms::With), [[62.0]]);
    }
}
