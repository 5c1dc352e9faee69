//! Candidates: changes of one input under which the reference computes what the kernels left.

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput, narrow};

use super::change::{Change, changes};
use super::weigh::{Explanation, explanation};

/// Returns the first candidate that explains every wrong element, on the trial's inputs and on others.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let mut partial = None;
    for input in experiment.inputs() {
        if !responds(experiment, input) {
            continue;
        }
        for change in changes(input) {
            let Some(found) = explained(experiment, input, &change) else {
                continue;
            };
            if !is_confirmed(experiment, input, &change) {
                continue;
            }
            let whole = found.part.is_none();
            let cause = cause(input, &change, found);
            if whole {
                return Some(cause);
            }
            partial.get_or_insert(cause);
        }
    }
    partial
}

/// Returns true if the reference responds to the values of an input.
pub(super) fn responds(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    let changed: Vec<f64> = input.values.iter().map(|value| value * 0.75).collect();
    let changes = Changes::from([(input.name.clone(), narrow(&changed))]);
    let predicted = experiment.predict(&changes);
    let outputs = experiment.outputs().iter().map(|output| &output.expected);
    predicted.is_some_and(|predicted| !predicted.iter().eq(outputs))
}

fn explained(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    change: &Change,
) -> Option<Explanation> {
    let changed = change.apply(&input.axes, &input.values);
    if changed == input.values {
        return None;
    }
    let changes = Changes::from([(input.name.clone(), narrow(&changed))]);
    explanation(experiment, &experiment.predict(&changes)?)
}

/// Returns true if a candidate also explains the kernels' outputs for other inputs: two more draws, and smaller values of the input.
/// Another mistake may look like the candidate on one draw, if gates are closed or values are alike.
fn is_confirmed(experiment: &Experiment<'_>, input: &ExperimentInput, change: &Change) -> bool {
    let smaller: Vec<f64> = input.values.iter().map(|value| value * 0.5).collect();
    let smaller = Changes::from([(input.name.clone(), narrow(&smaller))]);
    let others = [
        experiment.redrawn(experiment.seed().wrapping_add(1)),
        experiment.redrawn(experiment.seed().wrapping_add(2)),
        experiment.changed(smaller),
    ];
    others.into_iter().flatten().all(|other| {
        let mut outputs = other.outputs().iter();
        let wrong = outputs.any(|output| output.wrong.contains(&true));
        let same = other.inputs().iter().find(|same| same.name == input.name);
        // A right output is no evidence against a mistake that these inputs do not show.
        !wrong || same.is_some_and(|input| explained(&other, input, change).is_some())
    })
}

fn cause(input: &ExperimentInput, change: &Change, found: Explanation) -> CauseReport {
    let part = found.part.map(|part| format!(", {part}"));
    CauseReport {
        kind: change.kind.into(),
        output: None,
        tensor: Some(input.name.clone()),
        text: format!(
            "`{}` {}{}",
            input.name,
            change.says,
            part.unwrap_or_default()
        ),
        explains: Some(found.elements),
    }
}
