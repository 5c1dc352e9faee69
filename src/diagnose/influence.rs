//! Influence: which indices of an input each output responds to, in the kernels and in the reference.

mod answer;
mod difference;
mod integers;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::report::model::CauseReport;
use crate::tensor::{Axis, ElementKind, index};
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::candidate::responds;
use super::weigh::{ranges, spacing};
pub(super) use answer::changed_at;
use answer::{Answer, changed_in};
use difference::{Response, difference, differing};

/// Longest axis whose indices are all tried, and the fewest indices that are tried where runs are long.
const TRIED: usize = 16;
const FEWEST: usize = 2;

/// The shortest side of a matrix whose diagonal is looked at.
const SQUARE: usize = 4;

/// Returns the places of an output's type by which the reference must respond, so that the kernels must respond, too. Errors of f32 add up
/// on the way, and a narrow output is rounded once.
fn places(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::Bf16 => 4.0,
        ElementKind::F16 => 8.0,
        _ => 64.0,
    }
}

/// Returns the first input whose influence on the outputs differs from the reference's.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    match experiment.outputs().iter().any(hides) {
        true => compare(&tame(experiment)?),
        false => compare(experiment),
    }
}

/// Powers of 2 on all inputs that may keep wrong values from growing.
const SMALLER: [i32; 4] = [-1, -2, -4, -6];

/// Starts an experiment whose inputs are so small that the wrong values hide nothing.
fn tame<'a>(experiment: &Experiment<'a>) -> Option<Experiment<'a>> {
    SMALLER.into_iter().find_map(|power| {
        let inputs = experiment.inputs().iter();
        let smaller = inputs.map(|input| {
            let values = input.values.iter().map(|value| value * 2f64.powi(power));
            (input.name.clone(), values.collect())
        });
        let smaller = experiment.changed(smaller.collect())?;
        let outputs = smaller.outputs();
        let shows = outputs.iter().any(|output| output.wrong.contains(&true));
        (shows && !outputs.iter().any(hides)).then_some(smaller)
    })
}

fn compare(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let inputs: Vec<&ExperimentInput> =
        inputs.filter(|input| responds(experiment, input)).collect();
    let each = |find: fn(&Experiment<'_>, &ExperimentInput) -> Option<CauseReport>| {
        inputs.iter().find_map(|input| find(experiment, input))
    };
    each(unread)
        .or_else(|| integers::find(experiment))
        .or_else(|| each(misused))
        .or_else(|| each(|experiment, input| in_regions(experiment, input, Choice::Unused)))
        .or_else(|| along_axes(experiment, &inputs))
        .or_else(|| each(|experiment, input| in_regions(experiment, input, Choice::All)))
}

/// Parts of the matrix of an axis and the last axis: the elements left of the diagonal, on it and right of it.
const REGIONS: [(Ordering, &str); 3] = [
    (Ordering::Equal, "on its diagonal"),
    (Ordering::Less, "above its diagonal"),
    (Ordering::Greater, "below its diagonal"),
];

/// A choice of the parts of a matrix that are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Parts that the contract does not use. Few matrices have one, and the kernels run for these alone.
    Unused,
    All,
}

/// Returns a cause if the kernels use a part of a matrix that the contract does not use, or do not read a part that it uses.
fn in_regions(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    choice: Choice,
) -> Option<CauseReport> {
    let columns = input.axes.last()?.length;
    let rows = (0..input.axes.len() - 1).rev();
    let mut rows = rows.filter(|&row| columns >= SQUARE && input.axes[row].length >= SQUARE);
    rows.find_map(|row| {
        REGIONS.iter().find_map(|(region, words)| {
            let changed = input.values.iter().enumerate().map(|(flat, value)| {
                let at = index(&input.axes, flat);
                let own = (at[row] % columns).cmp(&(flat % columns)) == *region;
                match (own, *value) {
                    (false, value) => value,
                    (true, 0.0) => 0.5,
                    (true, value) => 0.75 * value,
                }
            });
            let changes = Changes::from([(input.name.clone(), changed.collect())]);
            let predicted = experiment.predict(&changes)?;
            if choice == Choice::Unused && !is_unchanged(experiment, &predicted) {
                return None;
            }
            let left = experiment.run(&changes)?;
            let outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
            let (mut answers, mut silent) = (None, true);
            let (mut unused, mut used) = (true, false);
            for (output, (left, predicted)) in outputs {
                let clear = clear(output, left).contains(&true);
                if clear && output.wrong.contains(&true) && output.kind.is_float() {
                    answers = answers.or(Some(output));
                }
                silent &= same_values(&output.got, left);
                unused &= same_values(&output.expected, predicted);
                used |= significant(experiment, output, predicted).contains(&true);
            }
            let tensor = &input.tensor;
            match answers {
                Some(output) if unused => {
                    let text = format!(
                        "`{}` responds to `{tensor}` {words}, which the contract does not use",
                        output.name
                    );
                    Some(cause("index", input, Some(output), text))
                }
                None if silent && used => {
                    let text = format!("`{tensor}` is not read {words}");
                    Some(cause("unread", input, None, text))
                }
                _ => None,
            }
        })
    })
}

/// Returns true if the reference's outputs are those of the unchanged inputs.
fn is_unchanged(experiment: &Experiment<'_>, predicted: &Outputs) -> bool {
    let mut outputs = experiment.outputs().iter().zip(predicted);
    outputs.all(|(output, predicted)| same_values(&output.expected, predicted))
}

/// Returns true if an output hides responses: by values that are infinite, no number, or much larger than the reference's.
fn hides(output: &ExperimentOutput) -> bool {
    const LARGER: f64 = 1e4;
    // Where the reference is not finite, the kernels' value tells nothing, and hides nothing.
    let pairs = output.got.iter().zip(&output.expected);
    let pairs: Vec<_> = pairs.filter(|(_, expected)| expected.is_finite()).collect();
    let largest = pairs
        .iter()
        .fold(0.0, |largest: f64, (_, x)| largest.max(x.abs()));
    let mut got = pairs.iter().map(|(got, _)| got.abs());
    got.any(|got| !got.is_finite() || got > LARGER * largest)
}

/// Returns a cause if the kernels, or one output of them, do not respond to an input at all.
fn unread(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    let outputs = experiment.outputs();
    let mut silent = vec![true; outputs.len()];
    let mut expected = vec![true; outputs.len()];
    let mut shown = false;
    for factor in [0.75, -2.0] {
        let changed: Vec<f64> = input.values.iter().map(|value| value * factor).collect();
        let changes = Changes::from([(input.name.clone(), changed)]);
        let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
        for (number, output) in outputs.iter().enumerate() {
            silent[number] &= same_values(&output.got, &left[number]);
            expected[number] &= significant(experiment, output, &predicted[number]).contains(&true);
            let pairs = output.expected.iter().zip(&predicted[number]);
            let mut pairs = output.got.iter().zip(pairs);
            shown |= pairs.any(|(got, (old, new))| *got != 0.0 && old != new);
        }
        if !silent.contains(&true) {
            return None;
        }
    }
    // A kernel that leaves zeros responds to nothing.
    if shown && silent.iter().all(|silent| *silent) {
        let text = format!("no output responds to `{}`", input.tensor);
        return Some(cause("unread", input, None, text));
    }
    let is_wrong = |number: usize| outputs[number].wrong.contains(&true);
    let number = (0..outputs.len())
        .find(|&number| silent[number] && expected[number] && is_wrong(number))?;
    let output = &outputs[number];
    let text = format!("`{}` does not respond to `{}`", output.name, input.tensor);
    Some(cause("unread", input, Some(output), text))
}

/// Returns a cause if an output responds to an input on which the reference's does not depend.
fn misused(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    let changed = uneven(input);
    let changes = Changes::from([(input.name.clone(), changed)]);
    let predicted = experiment.predict(&changes)?;
    let mut pairs = experiment.outputs().iter().zip(&predicted);
    // The kernels need not run where each wrong output depends on the input.
    if !pairs
        .any(|(output, new)| output.wrong.contains(&true) && same_values(&output.expected, new))
    {
        return None;
    }
    let left = experiment.run(&changes)?;
    let outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
    let misused = outputs.filter(|(output, (left, predicted))| {
        let answers = clear(output, left);
        output.wrong.contains(&true)
            && same_values(&output.expected, predicted)
            && answers.contains(&true)
    });
    let output = misused
        .map(|(output, _)| output)
        .find(|output| never_depends(experiment, input, output))?;
    let text = format!(
        "`{}` responds to `{}`, on which it does not depend by the contract",
        output.name, input.tensor
    );
    Some(cause("index", input, Some(output), text))
}

/// Returns true if the reference's output does not depend on an input, whatever one other input is: zeros or ones. Closed gates hide a
/// dependence, and open ones show it. An index of a maximum changes with the order of the values.
fn never_depends(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    output: &ExperimentOutput,
) -> bool {
    let mut outputs = experiment.outputs().iter();
    let Some(number) = outputs.position(|other| other.name == output.name) else {
        return false;
    };
    let values = &input.values;
    let changed = [
        uneven(input),
        values.iter().rev().copied().collect(),
        values.iter().map(|value| -value).collect(),
    ];
    let same = |start: &Changes| -> Option<bool> {
        let before = experiment.predict(start)?;
        let mut after = changed.iter().map(|changed| {
            let mut changes = start.clone();
            changes.insert(input.name.clone(), changed.clone());
            experiment.predict(&changes)
        });
        Some(after.all(|after| after.is_some_and(|x| same_values(&before[number], &x[number]))))
    };
    let others = experiment.inputs().iter();
    let others = others.filter(|other| other.name != input.name);
    let others = others.flat_map(|other| [0.0, 1.0].map(|value| (other, value)));
    let starts = others.map(|(other, value)| {
        Changes::from([(other.name.clone(), vec![value; other.values.len()])])
    });
    let mut starts = [Changes::new()].into_iter().chain(starts);
    starts.all(|start| same(&start) == Some(true))
}

/// Returns changed values of an input. Two of a row change by different factors: a norm takes away one factor.
fn uneven(input: &ExperimentInput) -> Vec<f64> {
    let values = input.values.iter().enumerate();
    values
        .map(|(at, value)| value * if at % 2 == 0 { 0.75 } else { 0.5 })
        .collect()
}

fn same_values(old: &[f64], new: &[f64]) -> bool {
    old.iter().zip(new).all(|(old, new)| is_same(*old, *new))
}

pub(super) fn is_same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// Returns the cause that an input is used wrongly. It counts no elements.
pub(super) fn cause(
    kind: &str,
    input: &ExperimentInput,
    output: Option<&ExperimentOutput>,
    text: String,
) -> CauseReport {
    CauseReport {
        kind: kind.into(),
        output: output.map(|output| output.name.clone()),
        tensor: Some(input.tensor.clone()),
        kernel: None,
        text,
        explains: None,
    }
}

/// Returns a cause if the responses to single indices of an input's axis differ. Unread indices are told before exchanged ones, for all inputs.
fn along_axes(experiment: &Experiment<'_>, inputs: &[&ExperimentInput]) -> Option<CauseReport> {
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

/// Returns which indices of an input's axis change no other index of an output in the kernels, though they do in the reference: those that a
/// sum over the axis leaves out. Returns none if there are none.
pub(super) fn left_out(experiment: &Experiment<'_>, number: usize) -> Option<String> {
    let output = &experiment.outputs()[number];
    let inputs = experiment.inputs().iter();
    let inputs = inputs.filter(|input| responds(experiment, input));
    let pairs = inputs.flat_map(|input| {
        let axes = (0..input.axes.len()).rev();
        axes.map(move |axis| (input, axis))
    });
    pairs.into_iter().find_map(|(input, axis)| {
        let (mut out, mut summed) = (BTreeSet::new(), BTreeSet::new());
        let Axis { name, length } = &input.axes[axis];
        for at in tried(*length, TRIED) {
            let changes = changed_at(input, axis, at);
            let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
            let own = output.axes.iter().position(|axis| axis.name == *name);
            let others = |flags: Vec<bool>| {
                let mut flags = flags.into_iter().enumerate();
                flags.any(|(flat, flag)| {
                    flag && own.is_none_or(|own| index(&output.axes, flat)[own] != at)
                })
            };
            let pairs = output.got.iter().zip(&left[number]);
            let answers = pairs.map(|(old, new)| !is_same(*old, *new)).collect();
            match (
                others(answers),
                others(relative(
                    &output.expected,
                    &predicted[number],
                    share(output.kind),
                )),
            ) {
                (true, _) => summed.insert(at),
                (false, true) => out.insert(at),
                (false, false) => false,
            };
        }
        let used = match summed.is_empty() {
            true => "the contract's does".to_owned(),
            false => format!("it does to {}", ranges(name, &summed)),
        };
        let text = || {
            format!(
                "which does not respond to {} of `{}`; {used}",
                ranges(name, &out),
                input.tensor
            )
        };
        (!out.is_empty()).then(text)
    })
}

/// Returns a cause if the kernels respond to some indices of an input's axis only.
fn unread_indices(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    axis: usize,
    answers: &[Answer],
) -> Option<CauseReport> {
    let outputs = experiment.outputs();
    let answered = |left: &Outputs| {
        let mut pairs = outputs.iter().zip(left);
        pairs.any(|(output, left)| !same_values(&output.got, left))
    };
    let mut read = BTreeSet::new();
    let mut unread = BTreeSet::new();
    let mut surplus = BTreeSet::new();
    for answer in answers {
        let mut expected = outputs.iter().zip(&answer.predicted);
        let expected =
            expected.any(|(output, new)| significant(experiment, output, new).contains(&true));
        let larger = || {
            let mut larger = answer.larger(experiment, input, axis).iter();
            larger.any(|responses| responses.found.iter().flatten().any(|found| *found))
        };
        match answered(&answer.left) || expected && larger() {
            true => read.insert(answer.at),
            false if expected => unread.insert(answer.at),
            false => false,
        };
        let mut pairs = outputs.iter().zip(&answer.predicted);
        if read.contains(&answer.at)
            && pairs.all(|(output, new)| same_values(&output.expected, new))
        {
            surplus.insert(answer.at);
        }
    }
    if unread.is_empty() || read.is_empty() {
        return None;
    }
    // One change of all indices between those that are not read tells whether one of them is.
    for (first, last) in between(&unread, &read) {
        let changes = changed_in(input, axis, &(first..=last));
        if experiment
            .run(&changes)
            .is_some_and(|left| !answered(&left))
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

/// Returns for each element whether it changes by more than a share of itself. The rows of an output may have factors of their own.
fn relative(old: &[f64], new: &[f64], share: f64) -> Vec<bool> {
    let pairs = old.iter().zip(new);
    pairs
        .map(|(old, new)| (old - new).abs() > share * old.abs())
        .collect()
}

/// Returns the share of the largest value by which an output must respond.
fn share(kind: ElementKind) -> f64 {
    places(kind) * spacing(kind)
}

/// Returns for each element whether the reference responds by enough places, and by more than the error that the element is allowed, so that
/// the kernels must respond, too. A kernel's value that is infinite or no number cannot respond, and a 0 may be a product of which another
/// input's factor is wrong.
pub(super) fn significant(
    experiment: &Experiment<'_>,
    output: &ExperimentOutput,
    new: &[f64],
) -> Vec<bool> {
    let is_alone = experiment.inputs().len() == 1;
    let expected = output.expected.iter().filter(|value| value.is_finite());
    let largest = expected.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let old = output.expected.iter().zip(&output.got);
    old.zip(new)
        .zip(&output.allowed)
        .map(|(((old, got), new), allowed)| {
            let step = share(output.kind) * largest.max(got.abs());
            let step = step.max(*allowed);
            let can_respond =
                got.is_finite() && (*got != 0.0 || is_alone || !output.kind.is_float());
            can_respond && (old - new).abs() > step
        })
        .collect()
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
    pairs
        .into_iter()
        .find_map(|(number, output, out_axis, axis, answers)| {
            let mut responses: Vec<Response> = answers
                .iter()
                .map(|answer| response(experiment, (input, axis), (number, out_axis), answer))
                .collect();
            for _ in 0..DOUBTS {
                let first = differing((input, axis), (output, out_axis), &responses)?;
                if responses[first].is_confirmed {
                    break;
                }
                doubt(
                    experiment,
                    (input, axis),
                    (number, out_axis),
                    &mut responses[first],
                );
            }
            let first = differing((input, axis), (output, out_axis), &responses)?;
            let (kind, text) = difference(input, axis, output, out_axis, &responses)?;
            responses[first]
                .is_confirmed
                .then(|| cause(kind, input, Some(output), text))
        })
}

/// Differing responses that are tried again before an axis is left.
const DOUBTS: usize = 4;

/// Adds the responses to a change of the same index where each other input is 0, or 1. A gate may hide a response, in the kernels or in the
/// reference, and an index is used if it counts with any gate.
fn doubt(
    experiment: &Experiment<'_>,
    (input, axis): (&ExperimentInput, usize),
    (number, out_axis): (usize, usize),
    response: &mut Response,
) {
    response.is_confirmed = true;
    let output = &experiment.outputs()[number];
    let others = experiment.inputs().iter();
    let others = others.filter(|other| other.name != input.name && responds(experiment, other));
    for (other, value) in others.flat_map(|other| [0.0, 1.0].map(|value| (other, value))) {
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
        expected: along(significant(experiment, output, predicted)),
        possible: along(pairs(&output.expected, predicted)),
        is_confirmed: false,
    };
    // An index that seems unused, or used against the contract, may be one of a saturated function or a maximum.
    if !response.expected.is_subset(&response.found)
        || !response.clear.is_subset(&response.possible)
    {
        for responses in answer.larger(experiment, input, axis) {
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

/// Returns for each element whether the kernels' value changes by more than a share of the largest. An element whose right value is infinite
/// or no number is no evidence: another such value is the same.
fn clear(output: &ExperimentOutput, new: &[f64]) -> Vec<bool> {
    let finite = output.got.iter().filter(|value| value.is_finite());
    let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let step = share(output.kind) * largest;
    let old = output.expected.iter().zip(&output.got);
    old.zip(new)
        .map(|((expected, old), new)| expected.is_finite() && (old - new).abs() > step)
        .collect()
}
