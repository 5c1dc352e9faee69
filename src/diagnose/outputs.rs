//! Outputs that are wrong each in its own way: one is 0, and another stays as it was; two are exchanged.

use crate::report::model::{CauseReport, ExplainedElements};
use crate::trial::{Experiment, ExperimentOutput, Outputs};

use super::candidate::is_confirmed;
use super::change::{Change, output_values};
use super::weigh::{Explanation, explanation_of};

/// A mistake that concerns one output. Numbers are those of the experiment's outputs and inputs.
enum Own {
    Value(Change),
    /// The output has the values of another output.
    Other(usize),
    /// The output has the values of an input.
    Input(usize),
}

impl Own {
    /// Returns the outputs if one of them has this mistake.
    fn predict(&self, experiment: &Experiment<'_>, number: usize) -> Outputs {
        let outputs = experiment.outputs();
        let mut predicted: Outputs = outputs
            .iter()
            .map(|output| output.expected.clone())
            .collect();
        predicted[number] = match self {
            Own::Value(change) => change.apply(&outputs[number].axes, &predicted[number]),
            Own::Other(other) => outputs[*other].expected.clone(),
            Own::Input(input) => experiment.inputs()[*input].values.clone(),
        };
        predicted
    }

    fn explained(&self, experiment: &Experiment<'_>, number: usize) -> Option<Explanation> {
        let predicted = self.predict(experiment, number);
        let found = explanation_of(experiment, &predicted, |output| output == number)?;
        (found.part.is_none() && found.elements.right == found.elements.wrong).then_some(found)
    }

    fn kind(&self) -> &'static str {
        match self {
            Own::Value(change) => change.kind,
            Own::Other(_) => "operation",
            Own::Input(_) => "step",
        }
    }

    fn text(&self, experiment: &Experiment<'_>, number: usize) -> String {
        let outputs = experiment.outputs();
        let name = &outputs[number].name;
        match self {
            Own::Value(change) => format!("`{name}` {}", change.says),
            Own::Other(other) => format!("`{name}` has the values of `{}`", outputs[*other].name),
            Own::Input(input) => match &experiment.inputs()[*input].tensor {
                tensor if tensor == name => format!("`{name}` stays as it was"),
                tensor => format!("`{name}` has the values of `{tensor}`"),
            },
        }
    }
}

/// Returns a cause if each element of all wrong outputs is 0. Each mistake that makes zeros explains it, and nothing tells which was made.
pub(super) fn zeros(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let zeros = |experiment: &Experiment<'_>| {
        let mut wrong = experiment
            .outputs()
            .iter()
            .filter(|output| is_wrong(output));
        wrong.all(|output| output.got.iter().all(|&value| value == 0.0))
    };
    if !zeros(experiment) || !is_confirmed(experiment, "", zeros) {
        return None;
    }
    let wrong = experiment
        .outputs()
        .iter()
        .filter(|output| is_wrong(output));
    let wrong: Vec<&ExperimentOutput> = wrong.collect();
    let count = wrong.iter().flat_map(|output| &output.wrong);
    let count = count.filter(|wrong| **wrong).count() as u64;
    let texts = wrong.iter().map(|output| format!("`{}` is 0", output.name));
    Some(CauseReport {
        kind: "zero".into(),
        output: Some(wrong.first()?.name.clone()),
        tensor: None,
        kernel: None,
        text: texts.collect::<Vec<_>>().join("; "),
        explains: Some(ExplainedElements::all(count)),
    })
}

/// Returns the mistakes of two or more wrong outputs, if each has one of its own.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let wrong = outputs.filter(|(_, output)| is_wrong(output));
    let wrong: Vec<usize> = wrong.map(|(number, _)| number).collect();
    if wrong.len() < 2 {
        return None;
    }
    let found = wrong.iter().map(|&number| {
        let mut mistakes = mistakes(experiment, number).into_iter();
        mistakes.find_map(|own| {
            let explained = own.explained(experiment, number)?;
            Some((number, own, explained.elements))
        })
    });
    let found: Vec<(usize, Own, ExplainedElements)> = found.collect::<Option<_>>()?;
    let explained = |other: &Experiment<'_>| {
        found.iter().all(|(number, own, _)| {
            let right = !is_wrong(&other.outputs()[*number]);
            right || own.explained(other, *number).is_some()
        })
    };
    if !is_confirmed(experiment, "", explained) {
        return None;
    }
    let (first, own, _) = &found[0];
    let texts = found.iter();
    let texts = texts.map(|(number, own, _)| own.text(experiment, *number));
    let count: u64 = found.iter().map(|(_, _, elements)| elements.wrong).sum();
    Some(CauseReport {
        kind: own.kind().into(),
        output: Some(experiment.outputs()[*first].name.clone()),
        tensor: None,
        kernel: None,
        text: texts.collect::<Vec<_>>().join("; "),
        explains: Some(ExplainedElements::all(count)),
    })
}

fn is_wrong(output: &ExperimentOutput) -> bool {
    output.wrong.contains(&true)
}

/// Returns the mistakes that one output may have, the simplest first.
fn mistakes(experiment: &Experiment<'_>, number: usize) -> Vec<Own> {
    let outputs = experiment.outputs();
    let count = outputs[number].got.len();
    let others = (0..outputs.len()).filter(|&other| other != number);
    let others = others.filter(|&other| outputs[other].got.len() == count);
    let inputs = experiment.inputs().iter().enumerate();
    let inputs = inputs.filter(|(_, input)| input.values.len() == count);
    let inputs = inputs.map(|(input, _)| Own::Input(input));
    let values = output_values(outputs[number].kind).map(Own::Value);
    values.chain(others.map(Own::Other)).chain(inputs).collect()
}
