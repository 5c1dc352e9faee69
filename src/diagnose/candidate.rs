//! Candidates: mistakes under which the reference computes what the kernels left.

use std::collections::BTreeSet;

use crate::report::model::CauseReport;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::change::{
    Change, diagonals, orders, output_moves, output_values, place_changes, roundings, steps,
    value_changes,
};
use super::weigh::{Explanation, explanation, explanation_of};

/// The number of wrong elements of which one may stay unexplained by a mistake that is everywhere.
const REST: u64 = 200;

/// Lengths that kernels take for others: a number that is left out of a product, and sizes of tiles.
const TILES: [usize; 3] = [1, 64, 128];

/// A mistake in the use of one tensor.
struct Candidate {
    /// The name of the tensor.
    tensor: String,
    change: Change,
    /// The side of the kernels on which the mistake is made.
    side: Side,
    /// True if an output's values go where the change would read them, and false if they come from there.
    stored: bool,
}

/// The side of the kernels on which a tensor is taken wrongly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
    /// A tensor that is updated in place.
    Both,
    /// All inputs that have an influence.
    AllInputs,
}

impl Candidate {
    /// Returns what the reference computes if it makes the mistake. Returns none if the mistake changes nothing.
    fn predict(&self, experiment: &Experiment<'_>) -> Option<Outputs> {
        let mut outputs = match self.side {
            Side::AllInputs => {
                let inputs = experiment.inputs().iter();
                let changed = inputs.map(|input| {
                    let changed = self.change.apply(&input.axes, &input.values);
                    (input.name.clone(), changed)
                });
                experiment.predict(&changed.collect())?
            }
            Side::Output => {
                let outputs = experiment.outputs().iter();
                outputs.map(|output| output.expected.clone()).collect()
            }
            Side::Input | Side::Both => {
                let mut inputs = experiment.data().iter();
                let input = inputs.find(|input| input.tensor == self.tensor)?;
                let changed = match self.side == Side::Both && !self.stored {
                    true => self.change.store(&input.axes, &input.values)?,
                    false => self.change.apply(&input.axes, &input.values),
                };
                // A rounding to a narrow type leaves a number as one.
                let grew = || {
                    let mut pairs = input.values.iter().zip(&changed);
                    pairs.any(|(value, changed)| value.is_finite() && !changed.is_finite())
                };
                if changed == input.values || self.change.kind == "rounded" && grew() {
                    return None;
                }
                experiment.predict(&Changes::from([(input.name.clone(), changed)]))?
            }
        };
        if matches!(self.side, Side::Output | Side::Both) {
            let mut tensors = experiment.outputs().iter();
            let at = tensors.position(|output| output.name == self.tensor)?;
            let axes = &experiment.outputs()[at].axes;
            outputs[at] = match self.stored {
                true => self.change.store(axes, &outputs[at])?,
                false => self.change.apply(axes, &outputs[at]),
            };
        }
        Some(outputs)
    }

    /// Returns what the reference computes if it makes the mistake, where the mistake may have given the kernels' outputs.
    fn possible(&self, experiment: &Experiment<'_>) -> Option<Outputs> {
        // Many mistakes overflow, and a narrow type is one of them.
        let mut outputs = experiment.outputs().iter();
        if self.change.kind == "rounded" && outputs.any(ExperimentOutput::overflows) {
            return None;
        }
        self.predict(experiment)
    }

    fn explained(&self, experiment: &Experiment<'_>) -> Option<Explanation> {
        explanation(experiment, &self.possible(experiment)?)
    }

    /// Returns the candidate as a cause, if it explains other inputs, too.
    fn confirmed(&self, experiment: &Experiment<'_>, found: Explanation) -> Option<CauseReport> {
        let explained = |other: &Experiment<'_>| self.explained(other).is_some();
        is_confirmed(experiment, &self.tensor, explained).then(|| self.cause(found))
    }

    /// Returns true if a cause of another case may be this candidate.
    fn may_be(&self, cause: &CauseReport) -> bool {
        let tensor = cause.tensor.as_ref().or(cause.output.as_ref());
        let is_named = match self.side {
            Side::AllInputs => tensor.is_none(),
            _ => tensor == Some(&self.tensor),
        };
        self.change.kind == cause.kind && is_named
    }

    /// Returns true if the candidate may be a mistake in one of several outputs alone. Many maps of indices agree along short axes, and in one of
    /// several wrong outputs.
    fn tells_of_one(&self, experiment: &Experiment<'_>) -> bool {
        let mut inputs = experiment.data().iter();
        let input = inputs.find(|input| input.tensor == self.tensor);
        match (input, self.change.moved_axis()) {
            (Some(input), Some(axis)) => {
                let outputs = experiment.outputs().iter();
                let wrong = outputs.filter(|output| output.wrong.contains(&true));
                input.axes[axis].length >= FEWEST_MOVED && wrong.count() == 1
            }
            _ => !self.change.is_move(),
        }
    }

    fn cause(&self, found: Explanation) -> CauseReport {
        let part = found.part.map(|part| format!(", {part}"));
        let part = part.unwrap_or_default();
        let (on_output, all) = (self.side == Side::Output, self.side == Side::AllInputs);
        let subject = match all {
            true => "each input".into(),
            false => format!("`{}`", self.tensor),
        };
        CauseReport {
            kind: self.change.kind.into(),
            output: on_output.then(|| self.tensor.clone()),
            tensor: (!on_output && !all).then(|| self.tensor.clone()),
            kernel: None,
            text: format!("{subject} {}{part}", self.change.says),
            explains: Some(found.elements),
        }
    }
}

/// The shortest axis along which a wrong map of indices may be told of one output.
const FEWEST_MOVED: usize = 4;

/// Wrong elements of one of several outputs below which a mistake may explain them by chance.
const OF_ONE_OUTPUT: usize = 4;

/// Returns the number of the first wrong output, of several outputs, of which a prediction explains every wrong element.
fn explained_output(
    experiment: &Experiment<'_>,
    prediction: &Outputs,
) -> Option<(usize, Explanation)> {
    let outputs = experiment.outputs().iter().enumerate();
    // An index of few values may be right by chance.
    let wrong = outputs.filter(|(_, output)| output.wrong.contains(&true));
    let wrong = wrong.filter(|(_, output)| output.kind.is_float());
    let wrong: Vec<usize> = wrong.map(|(number, _)| number).collect();
    let is_one_of_several = experiment.outputs().len() > 1;
    let is_enough = |number: usize| {
        let wrong = experiment.outputs()[number].wrong.iter();
        wrong.filter(|wrong| **wrong).count() >= OF_ONE_OUTPUT
    };
    let mut wrong = wrong
        .into_iter()
        .filter(|&number| is_one_of_several && is_enough(number));
    wrong.find_map(|number| Some((number, whole_output(experiment, prediction, number)?)))
}

/// Returns the explanation that a prediction gives of one output, if it explains all of it.
fn whole_output(
    experiment: &Experiment<'_>,
    prediction: &Outputs,
    number: usize,
) -> Option<Explanation> {
    let found = explanation_of(experiment, prediction, |other| other == number)?;
    (found.part.is_none() && found.elements.right == found.elements.wrong).then_some(found)
}

/// Candidates that explain wrong elements of an experiment, but are no mistake everywhere in a tensor.
#[derive(Default)]
pub(super) struct Partial {
    kept: Vec<(Candidate, Explanation)>,
    /// Candidates that explain one of several wrong outputs, with its number.
    of_output: Vec<(Candidate, usize, Explanation)>,
    /// The cause whose candidates are tried; all candidates if there is none.
    only: Option<CauseReport>,
}

/// Experiments from other inputs by which a candidate is confirmed.
const CONFIRMING: u64 = 3;

impl Partial {
    /// Tries the candidates that may be a cause that was found in another case.
    pub(super) fn only(cause: &CauseReport) -> Partial {
        Partial {
            only: Some(cause.clone()),
            ..Partial::default()
        }
    }

    /// Returns the first candidate that explains nearly all wrong elements, on the trial's inputs and on others, and that is a mistake
    /// everywhere in the tensor. Keeps the candidates before it that explain a part.
    pub(super) fn whole(&mut self, experiment: &Experiment<'_>) -> Option<CauseReport> {
        let confirming = CONFIRMING * experiment.restart_work();
        let confirming = confirming.min(experiment.work_left() / 2);
        let only = self.only.clone();
        let mut candidates = candidates(experiment);
        candidates.retain(|candidate| only.as_ref().is_none_or(|only| candidate.may_be(only)));
        candidates.into_iter().find_map(|candidate| {
            // Mistakes in an output are tried without the reference. The last work confirms them.
            if candidate.side != Side::Output && experiment.work_left() < confirming {
                experiment.leave_out();
                return None;
            }
            let prediction = candidate.possible(experiment)?;
            let Some(found) = explanation(experiment, &prediction) else {
                let tried = candidate.tells_of_one(experiment).then_some(&prediction);
                let found = tried.and_then(|prediction| explained_output(experiment, prediction));
                if let Some((number, found)) = found {
                    self.of_output.push((candidate, number, found));
                }
                return None;
            };
            // The indices that a part of an axis reads tell little: many maps agree on a few of them.
            if found.part.is_some() && candidate.change.is_move() {
                return None;
            }
            let rest = found.elements.wrong - found.elements.right;
            if found.part.is_none() && REST * rest <= found.elements.wrong {
                return candidate.confirmed(experiment, found);
            }
            self.kept.push((candidate, found));
            None
        })
    }

    /// Returns the first candidate that explains a part of the wrong elements, on the trial's inputs and on others.
    pub(super) fn find(&mut self, experiment: &Experiment<'_>) -> Option<CauseReport> {
        let mut kept = self.kept.drain(..);
        let found = kept.find_map(|(candidate, found)| candidate.confirmed(experiment, found));
        let mut of_output = self.of_output.drain(..);
        found.or_else(|| {
            of_output.find_map(|(candidate, number, mut found)| {
                let explained = |other: &Experiment<'_>| {
                    let prediction = candidate.possible(other);
                    prediction.is_some_and(|prediction| {
                        let is_right = !other.outputs()[number].wrong.contains(&true);
                        is_right || whole_output(other, &prediction, number).is_some()
                    })
                };
                if !is_confirmed(experiment, &candidate.tensor, explained) {
                    return None;
                }
                let name = &experiment.outputs()[number].name;
                found.part = (candidate.side != Side::Output).then(|| format!("in `{name}`"));
                Some(candidate.cause(found))
            })
        })
    }
}

/// Returns the candidates of an experiment: mistakes in inputs that have an influence, and in the order of outputs.
fn candidates(experiment: &Experiment<'_>) -> Vec<Candidate> {
    let inputs = experiment.data().iter();
    let inputs: Vec<&ExperimentInput> =
        inputs.filter(|input| responds(experiment, input)).collect();
    let of_inputs = |changes: fn(&ExperimentInput) -> Vec<Change>| -> Vec<Candidate> {
        let candidates = inputs.iter().flat_map(|input| {
            changes(input).into_iter().map(|change| Candidate {
                tensor: input.tensor.clone(),
                change,
                side: Side::Input,
                stored: true,
            })
        });
        candidates.collect()
    };
    let mut candidates = Vec::new();
    for output in experiment.outputs() {
        candidates.extend(output_values(output.kind).map(|change| Candidate {
            tensor: output.name.clone(),
            change,
            side: Side::Output,
            stored: false,
        }));
    }
    candidates.extend(of_inputs(value_changes));
    candidates.extend(of_inputs(place_changes));
    candidates.extend(roundings().map(|change| Candidate {
        tensor: String::new(),
        change,
        side: Side::AllInputs,
        stored: false,
    }));
    for output in experiment.outputs() {
        let axes = 0..output.axes.len();
        let moves = axes.flat_map(|axis| output_moves(&output.axes[axis], axis));
        candidates.extend(
            diagonals(&output.axes)
                .into_iter()
                .chain(moves)
                .map(|change| Candidate {
                    tensor: output.name.clone(),
                    change,
                    side: Side::Output,
                    stored: false,
                }),
        );
        let mut inputs = experiment.inputs().iter();
        let in_place = inputs.any(|input| input.tensor == output.name && input.axes == output.axes);
        let both = in_place.then_some((Side::Both, "read and written"));
        let sides = both.into_iter().chain([(Side::Output, "written")]);
        for ((side, verb), stored) in sides.flat_map(|side| [(side, true), (side, false)]) {
            let orders = orders(&output.axes, verb).into_iter();
            let orders = orders.filter(|order| stored || order.has_inverse(&output.axes));
            candidates.extend(orders.map(|change| Candidate {
                tensor: output.name.clone(),
                change,
                side,
                stored,
            }));
        }
    }
    // Wrong steps are many, so they come last.
    let lengths = experiment.data().iter().flat_map(|input| &input.axes);
    let lengths: BTreeSet<usize> = lengths.map(|axis| axis.length).chain(TILES).collect();
    candidates.extend(inputs.iter().flat_map(|input| {
        let steps = steps(input, &lengths).into_iter();
        steps.map(|change| Candidate {
            tensor: input.tensor.clone(),
            change,
            side: Side::Input,
            stored: true,
        })
    }));
    candidates
}

/// Returns true if the reference responds to the values of an input.
pub(super) fn responds(experiment: &Experiment<'_>, input: &ExperimentInput) -> bool {
    // A norm takes away a factor of a whole row.
    let values = input.values.iter().enumerate();
    let changed = values.map(|(at, value)| value * if at % 2 == 0 { 0.75 } else { 0.625 });
    let changes = Changes::from([(input.name.clone(), changed.collect())]);
    let predicted = experiment.predict(&changes);
    let outputs = experiment.outputs().iter().map(|output| &output.expected);
    predicted.is_some_and(|predicted| !predicted.iter().eq(outputs))
}

/// Draws of other seeds that a mistake must explain.
const DRAWS: u64 = 2;
const MORE_DRAWS: u64 = 6;

/// Wrong elements below which more draws are asked.
const FEW: usize = 4;

/// Wrong elements, on all inputs together, below which a mistake that explains them may do so by chance.
const EVIDENCE: usize = 3;

/// Returns true if a mistake also explains the kernels' outputs for other inputs: two more draws, and smaller values of a tensor if it is
/// an input. Another mistake may look like this one on one draw, if gates are closed or values are alike.
pub(super) fn is_confirmed(
    experiment: &Experiment<'_>,
    tensor: &str,
    explained: impl Fn(&Experiment<'_>) -> bool,
) -> bool {
    let mut inputs = experiment.inputs().iter();
    let input = inputs.find(|input| input.tensor == tensor);
    let smaller = input.and_then(|input| {
        let values: Vec<f64> = input.values.iter().map(|value| value * 0.5).collect();
        experiment.changed(Changes::from([(input.name.clone(), values)]))
    });
    // The inputs of files are the same for each seed, and prove nothing.
    let wrong = |experiment: &Experiment<'_>| -> usize {
        let wrong = experiment.outputs().iter().flat_map(|output| &output.wrong);
        wrong.filter(|wrong| **wrong).count()
    };
    // Where an output is an index, or few elements are wrong, few values decide, and other mistakes make the same.
    let mut outputs = experiment.outputs().iter();
    let chooses = outputs.any(|output| !output.kind.is_float()) || wrong(experiment) < FEW;
    let draws = if chooses { MORE_DRAWS } else { DRAWS };
    let redrawn = (1..=draws).map(|step| {
        let redrawn = experiment.redrawn(experiment.seed().wrapping_add(step));
        redrawn.filter(|redrawn| redrawn.data().is_empty() || redrawn.data() != experiment.data())
    });
    let redrawn: Vec<Option<Experiment<'_>>> = redrawn.collect();
    if redrawn.iter().all(Option::is_none) {
        return false;
    }
    let others: Vec<Experiment<'_>> = redrawn.into_iter().chain([smaller]).flatten().collect();
    let all: usize = others.iter().map(wrong).sum::<usize>() + wrong(experiment);
    // A right output is no evidence against a mistake that these inputs do not show.
    let mut telling = others.iter().filter(|other| wrong(other) > 0);
    all >= EVIDENCE && telling.all(explained)
}
