//! The influence of single indices of an input's axis: those that kernels do not read, and those that they use in the place of others.

use std::collections::BTreeSet;

use super::answer::{Answer, changed_at, changed_in};
use super::difference::{Later, Response, difference, differing, never_at_itself};
use super::{cause, clear, is_same, must_respond, same_values, share};
use crate::diagnose::candidate::responds;
use crate::diagnose::weigh::ranges;
use crate::report::model::CauseReport;
use crate::tensor::{Axis, index, strides};
use crate::trial::{Changes, Experiment, ExperimentInput, Outputs};

/// Longest axis whose indices are all tried, and the fewest indices that are tried where runs are long.
const TRIED: usize = 16;
const FEWEST: usize = 2;

/// Returns a cause if the responses to single indices of an input's axis differ. Unread indices are told before exchanged ones, for all inputs.
pub(super) fn along_axes(
    experiment: &Experiment<'_>,
    inputs: &[&ExperimentInput],
) -> Option<CauseReport> {
    let count: usize = inputs.iter().map(|input| input.axes.len()).sum();
    // Half of the runs is for doubts about what they show.
    let most = (experiment.runs_left() / 2 / count.max(1)).clamp(FEWEST, TRIED);
    let answers = |input: &ExperimentInput, axis: usize| -> Option<Vec<Answer>> {
        let tried = tried(input.axes[axis].length, most).into_iter();
        tried
            .map(|at| Answer::to(experiment, input, axis, at))
            .collect()
    };
    // The axes for which there is work left.
    let axes = inputs.iter().map(|input| {
        let axes = 0..input.axes.len();
        let axes = axes.map_while(|axis| Some((axis, answers(input, axis)?)));
        (*input, axes.collect::<Vec<(usize, Vec<Answer>)>>())
    });
    let mut axes: Vec<(&ExperimentInput, Vec<_>)> = axes.collect();
    // Where few indices were tried, more of the axis in question tell what the indices have in common.
    for (input, axes) in &mut axes {
        for (axis, answers) in axes {
            if let Some(found) = unread_indices(experiment, input, *axis, answers) {
                extend(experiment, input, *axis, answers);
                // Where each token uses another one, the last may be left over.
                if let Some(found) = unused_at_itself(experiment, input, *axis, answers) {
                    return Some(found);
                }
                return unread_indices(experiment, input, *axis, answers).or(Some(found));
            }
        }
    }
    for (input, axes) in &mut axes {
        if let Some(found) = other_indices(experiment, input, axes) {
            let mut shortest: Vec<_> = axes.iter_mut().collect();
            shortest.sort_by_key(|(axis, _)| input.axes[*axis].length);
            for (axis, answers) in shortest {
                extend(experiment, input, *axis, answers);
            }
            return other_indices(experiment, input, axes).or(Some(found));
        }
    }
    None
}

/// Adds the answers at more indices of an axis, for half of the work that is left.
fn extend(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    axis: usize,
    answers: &mut Vec<Answer>,
) {
    let kept = experiment.runs_left() / 2;
    let known: BTreeSet<usize> = answers.iter().map(|answer| answer.at).collect();
    let mut more = bounds(input.axes[axis].length, TRIED);
    more.retain(|at| !known.contains(at));
    let more = more.into_iter().map_while(|at| {
        let is_left = experiment.runs_left() > kept;
        is_left
            .then(|| Answer::to(experiment, input, axis, at))
            .flatten()
    });
    answers.extend(more);
    answers.sort_by_key(|answer| answer.at);
}

/// Returns the indices of an axis that are tried, at most so many, in rising order.
fn tried(length: usize, most: usize) -> BTreeSet<usize> {
    bounds(length, most).into_iter().collect()
}

/// Returns the indices of an axis that are tried, at most so many, the most telling first: all of a short axis; else both ends, the middle,
/// and bounds of waves and half waves.
fn bounds(length: usize, most: usize) -> Vec<usize> {
    if length < 2 {
        return Vec::new();
    }
    if length <= most {
        return (0..length).collect();
    }
    let bounds = [
        0,
        length - 1,
        length / 2,
        1,
        63,
        64,
        31,
        32,
        15,
        16,
        length / 2 - 1,
        length - 2,
        2,
        3,
        127,
    ];
    let mut tried = Vec::new();
    for at in bounds {
        if at < length && tried.len() < most && !tried.contains(&at) {
            tried.push(at);
        }
    }
    tried
}

/// Pieces of an axis that are changed at first in search of what a sum leaves out, and the number of runs for all pieces of an axis.
const PIECES: usize = 16;
const RUNS: usize = 64;

/// The factor on a piece of an axis, so large that a sum over the axis has little else.
const LARGER: f64 = 64.0;

/// Returns which indices of an input's axis change no other index of an output in the kernels, though they do in the reference: those that a
/// sum over the axis leaves out. Returns none if there are none.
pub(in crate::diagnose) fn left_out(experiment: &Experiment<'_>, number: usize) -> Option<String> {
    let inputs = experiment.inputs().iter();
    let inputs = inputs.filter(|input| responds(experiment, input));
    let mut pairs = inputs.flat_map(|input| {
        let axes = (0..input.axes.len()).rev();
        axes.map(move |axis| (input, axis))
    });
    pairs.find_map(|(input, axis)| {
        let [out, summed] = split(experiment, number, input, axis)?;
        let name = &input.axes[axis].name;
        let used = match summed.is_empty() {
            true => "the contract's does".to_owned(),
            false => format!("it does to {}", ranges(name, &summed)),
        };
        let text = || {
            let out = ranges(name, &out);
            format!(
                "which does not respond to {out} of `{}`; {used}",
                input.tensor
            )
        };
        (!out.is_empty()).then(text)
    })
}

/// Returns the indices of an axis that change no other index of an output in the kernels, though they do in the reference, and those that do. Pieces
/// at the end and beside those that change nothing are halved until one index is left.
fn split(
    experiment: &Experiment<'_>,
    number: usize,
    input: &ExperimentInput,
    axis: usize,
) -> Option<[BTreeSet<usize>; 2]> {
    let length = input.axes[axis].length;
    let step = length.div_ceil(PIECES);
    let mut pieces: Vec<(std::ops::Range<usize>, Option<bool>)> = Vec::new();
    for start in (0..length).step_by(step) {
        let piece = start..(start + step).min(length);
        let answers = answers(experiment, number, input, axis, &piece)?;
        pieces.push((piece, answers));
    }
    let mut runs = pieces.len();
    let is_out = |piece: Option<&(_, Option<bool>)>| piece.is_some_and(|of| of.1 == Some(false));
    while runs < RUNS {
        let at_edge = (0..pieces.len()).find(|&at| {
            let (piece, answers) = &pieces[at];
            let before = at.checked_sub(1).and_then(|at| pieces.get(at));
            // A sum may leave out the last index alone.
            let is_last = at + 1 == pieces.len();
            let beside = is_out(before) || is_out(pieces.get(at + 1)) || is_last;
            *answers == Some(true) && piece.len() > 1 && beside
        });
        let Some(at) = at_edge else {
            break;
        };
        let piece = pieces[at].0.clone();
        let middle = piece.start + piece.len() / 2;
        let halves = [piece.start..middle, middle..piece.end];
        let mut halved = Vec::new();
        for half in halves {
            let answers = answers(experiment, number, input, axis, &half)?;
            halved.push((half, answers));
        }
        pieces.splice(at..=at, halved);
        runs += 2;
    }
    let of = |wanted| {
        let pieces = pieces
            .iter()
            .filter(|(_, answers)| *answers == Some(wanted));
        pieces.flat_map(|(piece, _)| piece.clone()).collect()
    };
    Some([of(false), of(true)])
}

/// Returns whether the other indices of an output change in the kernels with a piece of an input's axis. Returns none inside if they do not in the
/// reference, either.
fn answers(
    experiment: &Experiment<'_>,
    number: usize,
    input: &ExperimentInput,
    axis: usize,
    piece: &std::ops::Range<usize>,
) -> Option<Option<bool>> {
    let output = &experiment.outputs()[number];
    let Axis { name, length } = &input.axes[axis];
    let stride = strides(&input.axes)[axis];
    let values = input.values.iter().enumerate();
    let larger = values.map(
        |(flat, value)| match piece.contains(&(flat / stride % length)) {
            true => LARGER * value,
            false => *value,
        },
    );
    let changes = Changes::from([(input.name.clone(), larger.collect())]);
    let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
    let own = output.axes.iter().position(|axis| axis.name == *name);
    let others = |flags: Vec<bool>| {
        let mut flags = flags.into_iter().enumerate();
        flags.any(|(flat, flag)| {
            flag && own.is_none_or(|own| !piece.contains(&index(&output.axes, flat)[own]))
        })
    };
    let pairs = output.got.iter().zip(&left[number]);
    let answers = others(pairs.map(|(old, new)| !is_same(*old, *new)).collect());
    let share = share(output.kind);
    let expected = others(relative(&output.expected, &predicted[number], share));
    Some((answers || expected).then_some(answers))
}

/// Indices of an input's axis by the responses of some outputs.
struct Indices {
    read: BTreeSet<usize>,
    /// Indices to which the reference alone responds.
    unread: BTreeSet<usize>,
    /// Indices to which the kernels alone respond.
    surplus: BTreeSet<usize>,
}

impl Indices {
    /// Returns none if too little work is left.
    fn of(
        experiment: &Experiment<'_>,
        (input, axis): (&ExperimentInput, usize),
        answers: &[Answer],
        numbers: &[usize],
    ) -> Option<Indices> {
        let outputs = experiment.outputs();
        let mut indices = Indices {
            read: BTreeSet::new(),
            unread: BTreeSet::new(),
            surplus: BTreeSet::new(),
        };
        for answer in answers {
            let expected = numbers.iter().any(|&number| {
                let new = &answer.predicted[number];
                must_respond(experiment, input, &outputs[number], new).contains(&true)
            });
            if has_changed(experiment, &answer.left, numbers) {
                indices.read.insert(answer.at);
            } else if expected {
                let mut larger = answer.larger(experiment, input, axis)?.iter();
                let answers = larger.any(|responses| {
                    let mut found = numbers.iter().flat_map(|&number| &responses.found[number]);
                    found.any(|found| *found)
                });
                match answers {
                    true => indices.read.insert(answer.at),
                    false => indices.unread.insert(answer.at),
                };
            }
            let mut pairs = outputs.iter().zip(&answer.predicted);
            if indices.read.contains(&answer.at)
                && pairs.all(|(output, new)| same_values(&output.expected, new))
            {
                indices.surplus.insert(answer.at);
            }
        }
        Some(indices)
    }
}

/// Returns true if one of some outputs of the kernels has changed.
fn has_changed(experiment: &Experiment<'_>, left: &Outputs, numbers: &[usize]) -> bool {
    let outputs = experiment.outputs();
    let mut numbers = numbers.iter();
    numbers.any(|&number| !same_values(&outputs[number].got, &left[number]))
}

/// Returns a cause if the kernels respond to some indices of an input's axis only.
fn unread_indices(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    axis: usize,
    answers: &[Answer],
) -> Option<CauseReport> {
    let outputs = experiment.outputs();
    let all: Vec<usize> = (0..outputs.len()).collect();
    let Indices {
        read,
        mut unread,
        surplus,
    } = Indices::of(experiment, (input, axis), answers, &all)?;
    if unread.is_empty() || read.is_empty() {
        return None;
    }
    // One change of all indices between those that are not read tells whether one of them is.
    for (first, last) in between(&unread, &read) {
        let changes = changed_in(input, axis, &(first..=last));
        if experiment
            .run(&changes)
            .is_some_and(|left| !has_changed(experiment, &left, &all))
        {
            unread.extend(first..=last);
        }
    }
    let name = &input.axes[axis].name;
    if !surplus.is_empty() {
        let text = format!(
            "`{}` is read at {}, which the contract does not use, and not at {}",
            input.tensor,
            ranges(name, &surplus),
            ranges(name, &unread)
        );
        return Some(cause("index", input, None, text));
    }
    // Another output may respond to more indices than a wrong one.
    let wrong = all
        .iter()
        .filter(|&&number| outputs[number].wrong.contains(&true));
    for &number in wrong.filter(|_| all.len() > 1) {
        let Some(own) = Indices::of(experiment, (input, axis), answers, &[number]) else {
            break;
        };
        let is_more = own.unread.difference(&unread).next().is_some();
        if is_more && unread.iter().all(|at| !own.read.contains(at)) && !own.read.is_empty() {
            let text = format!(
                "`{}` does not respond to `{}` at {}; at {} it does",
                outputs[number].name,
                input.tensor,
                ranges(name, &own.unread),
                ranges(name, &own.read)
            );
            return Some(cause("unread", input, Some(&outputs[number]), text));
        }
    }
    let text = format!(
        "`{}` is not read at {}; at {} it is",
        input.tensor,
        ranges(name, &unread),
        ranges(name, &read)
    );
    Some(cause("unread", input, None, text))
}

/// Returns the first and the last of some indices wherever none of the others lies between them.
fn between(indices: &BTreeSet<usize>, others: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let mut between: Vec<(usize, usize)> = Vec::new();
    for &at in indices {
        match between.last_mut() {
            Some((_, last)) if others.range(*last..at).next().is_none() => *last = at,
            _ => between.push((at, at)),
        }
    }
    between.retain(|(first, last)| last > first);
    between
}

/// Returns a cause if no index of an axis counts for the same index of an output, and others do.
fn unused_at_itself(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    axis: usize,
    answers: &[Answer],
) -> Option<CauseReport> {
    let name = &input.axes[axis].name;
    let outputs = experiment.outputs().iter().enumerate();
    let mut wrong =
        outputs.filter(|(_, output)| output.kind.is_float() && output.wrong.contains(&true));
    wrong.find_map(|(number, output)| {
        let out_axis = output.axes.iter().position(|axis| axis.name == *name)?;
        let at = (number, out_axis);
        let answers = answers.iter();
        let responses = answers.map(|answer| response(experiment, (input, axis), at, answer));
        let responses: Vec<Response> = responses.collect();
        let is_used = responses.iter().any(|response| !response.found.is_empty());
        let text = never_at_itself((input, axis), (output, out_axis), &responses)?;
        is_used.then(|| cause("index", input, Some(output), text))
    })
}

/// Returns a cause if outputs respond to other indices than the reference's.
fn other_indices(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    axes: &[(usize, Vec<Answer>)],
) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    // A whole number changes by steps, and need not respond to each element on which it depends.
    let wrong =
        outputs.filter(|(_, output)| output.kind.is_float() && output.wrong.contains(&true));
    let mut pairs: Vec<_> = wrong
        .flat_map(|(number, output)| {
            let long = (0..output.axes.len()).filter(|&axis| output.axes[axis].length > 1);
            long.flat_map(move |out_axis| {
                let axes = axes.iter();
                axes.map(move |(axis, answers)| (number, output, out_axis, *axis, answers))
            })
        })
        .collect();
    // Axes of the same name come first: their indices are easiest to compare.
    pairs.sort_by_key(|&(number, output, out_axis, axis, _)| {
        (number, output.axes[out_axis].name != input.axes[axis].name)
    });
    let found = |later: Later| {
        pairs
            .iter()
            .find_map(|&(number, output, out_axis, axis, answers)| {
                let of = (output, out_axis);
                let mut responses: Vec<Response> = answers
                    .iter()
                    .map(|answer| response(experiment, (input, axis), (number, out_axis), answer))
                    .collect();
                for _ in 0..DOUBTS {
                    let first = differing((input, axis), of, &responses, later)?;
                    if responses[first].is_confirmed {
                        break;
                    }
                    let at = (number, out_axis);
                    doubt(experiment, (input, axis), at, &mut responses[first]);
                }
                let first = differing((input, axis), of, &responses, later)?;
                let (kind, text) = difference(input, axis, output, out_axis, &responses, later)?;
                let differing = &responses[first];
                let [from, to] = [&input.axes[axis].name, &output.axes[out_axis].name];
                (differing.is_confirmed || differing.is_exchanged(from, to))
                    .then(|| cause(kind, input, Some(output), text))
            })
    };
    found(Later::Fades).or_else(|| found(Later::Counts))
}

/// Differing responses that are tried again before an axis is left.
const DOUBTS: usize = 4;

/// Values that an input of a gate, or its logarithm, has where the gate does nothing.
const NEUTRAL: [f64; 3] = [0.0, 1.0, -64.0];

/// Adds the responses to a change of the same index where each other input has one of these values. A gate may hide a response, in the kernels or in the
/// reference, and an index is used if it counts with any gate.
fn doubt(
    experiment: &Experiment<'_>,
    (input, axis): (&ExperimentInput, usize),
    (number, out_axis): (usize, usize),
    response: &mut Response,
) {
    let output = &experiment.outputs()[number];
    let others = experiment.inputs().iter();
    let others = others.filter(|other| other.name != input.name && responds(experiment, other));
    for (other, value) in others.flat_map(|other| NEUTRAL.map(|value| (other, value))) {
        let before = Changes::from([(other.name.clone(), vec![value; other.values.len()])]);
        let mut after = before.clone();
        after.extend(changed_at(input, axis, response.at));
        let along = |before: Option<Outputs>, after: Option<Outputs>| -> BTreeSet<usize> {
            let (Some(before), Some(after)) = (before, after) else {
                return BTreeSet::new();
            };
            let pairs = before[number].iter().zip(&after[number]);
            let differing = pairs.enumerate().filter(|(_, (a, b))| !is_same(**a, **b));
            differing
                .map(|(flat, _)| index(&output.axes, flat)[out_axis])
                .collect()
        };
        let found = along(experiment.run(&before), experiment.run(&after));
        let possible = along(experiment.predict(&before), experiment.predict(&after));
        response.found.extend(found);
        response.possible.extend(possible);
    }
    response.is_confirmed = response.is_known && !experiment.is_exhausted();
}

fn response(
    experiment: &Experiment<'_>,
    (input, axis): (&ExperimentInput, usize),
    (number, out_axis): (usize, usize),
    answer: &Answer,
) -> Response {
    let output = &experiment.outputs()[number];
    let (left, predicted) = (&answer.left[number], &answer.predicted[number]);
    let along = |flags: Vec<bool>| -> BTreeSet<usize> {
        let flags = flags.into_iter().enumerate().filter(|(_, flag)| *flag);
        flags
            .map(|(flat, _)| index(&output.axes, flat)[out_axis])
            .collect()
    };
    let pairs = |old: &[f64], new: &[f64]| -> Vec<bool> {
        let pairs = old.iter().zip(new);
        pairs.map(|(old, new)| !is_same(*old, *new)).collect()
    };
    let mut response = Response {
        at: answer.at,
        found: along(pairs(&output.got, left)),
        clear: along(clear(output, left)),
        expected: along(must_respond(experiment, input, output, predicted)),
        possible: along(pairs(&output.expected, predicted)),
        is_known: true,
        is_confirmed: false,
    };
    // An index that seems unused, or used against the contract, may be one of a saturated function or a maximum.
    if !response.expected.is_subset(&response.found)
        || !response.clear.is_subset(&response.possible)
    {
        let larger = answer.larger(experiment, input, axis);
        response.is_known = larger.is_some();
        for responses in larger.unwrap_or_default() {
            response
                .found
                .extend(along(responses.found[number].clone()));
            response
                .possible
                .extend(along(responses.possible[number].clone()));
        }
    }
    response
}

/// Returns for each element whether it changes by more than a share of itself. The rows of an output may have factors of their own.
fn relative(old: &[f64], new: &[f64], share: f64) -> Vec<bool> {
    let pairs = old.iter().zip(new);
    pairs
        .map(|(old, new)| (old - new).abs() > share * old.abs())
        .collect()
}
