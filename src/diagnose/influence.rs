//! Influence: which indices of an input each output responds to, in the kernels and in the reference.

mod answer;
mod difference;
mod indices;
mod integers;

use std::cmp::Ordering;

use crate::report::model::CauseReport;
use crate::tensor::{Axis, ElementKind, index};
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::candidate::responds;
use super::observe::is_right;
use super::weigh::spacing;
pub(super) use answer::changed_at;
use indices::along_axes;
pub(super) use indices::left_out;
pub(super) use integers::unread as unread_integers;

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
        .or_else(|| {
            let found = integers::find(experiment)?;
            Some(unread_index_beside(experiment, &inputs).unwrap_or(found))
        })
        .or_else(|| each(misused))
        .or_else(|| each(|experiment, input| in_regions(experiment, input, Choice::Unused)))
        .or_else(|| each(|experiment, input| in_regions(experiment, input, Choice::Used)))
        .or_else(|| along_axes(experiment, &inputs))
}

/// Returns a cause if an index of an axis that no table bounds is not read: without a tap of a convolution, where a sequence begins may not count.
fn unread_index_beside(
    experiment: &Experiment<'_>,
    inputs: &[&ExperimentInput],
) -> Option<CauseReport> {
    let tables = experiment.integers().iter();
    let bounds: Vec<f64> = tables.flat_map(|table| table.values.clone()).collect();
    let is_bounded = |input: &&ExperimentInput| {
        let mut lengths = input.axes.iter().map(|axis| axis.length as f64);
        lengths.any(|length| bounds.contains(&length))
    };
    let inputs = inputs.iter().copied().filter(|input| !is_bounded(input));
    let found = along_axes(experiment, &inputs.collect::<Vec<_>>())?;
    (found.kind == "unread").then_some(found)
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
    /// Parts that it uses.
    Used,
}

/// Returns a cause if the kernels use a part of a matrix that the contract does not use, or do not read a part that it uses.
fn in_regions(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    choice: Choice,
) -> Option<CauseReport> {
    let columns = input.axes.last()?.length;
    let rows = (0..input.axes.len() - 1).rev();
    // Rows of a matrix are as many as its columns, or are tokens, of which each chunk has a matrix, and the contract uses a half of it.
    let has_unused_half = |row: usize| {
        let changed = changed_in_region(input, row, Ordering::Less);
        changed.is_none_or(|changed| {
            let predicted = experiment.predict(&Changes::from([(input.name.clone(), changed)]));
            predicted.is_some_and(|predicted| is_unchanged(experiment, &predicted))
        })
    };
    let is_of_matrix = |row: &usize| {
        let Axis { name, length } = &input.axes[*row];
        *length >= SQUARE && (*length == columns || name == "token" && has_unused_half(*row))
    };
    let mut rows = rows.filter(|row| columns >= SQUARE && is_of_matrix(row));
    rows.find_map(|row| {
        REGIONS.iter().find_map(|(region, words)| {
            let changed = changed_in_region(input, row, *region)?;
            let changes = Changes::from([(input.name.clone(), changed)]);
            let predicted = experiment.predict(&changes)?;
            if (choice == Choice::Unused) != is_unchanged(experiment, &predicted) {
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
                used |= must_respond(experiment, input, output, predicted).contains(&true);
            }
            let tensor = &input.tensor;
            // A kernel that reads the part instead of another one is not right without it.
            let is_right_without = || {
                let neutral = [0.0, 1.0].into_iter().filter_map(|value| {
                    let changed = in_region(input, row, *region, |_| value);
                    experiment.changed(Changes::from([(input.name.clone(), changed)]))
                });
                neutral.into_iter().any(|neutral| is_right(&neutral))
            };
            match answers {
                Some(output) if unused && is_right_without() => {
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

/// Returns changed values of a part of an input's matrices. Elements that are 0 stay: a kernel that reads them computes the same as one that
/// does not. Returns none if all of them are 0.
fn changed_in_region(input: &ExperimentInput, row: usize, region: Ordering) -> Option<Vec<f64>> {
    let changed = in_region(input, row, region, |value| 0.75 * value);
    (changed != input.values).then_some(changed)
}

/// Returns an input's values with others in a part of its matrices.
fn in_region(
    input: &ExperimentInput,
    row: usize,
    region: Ordering,
    change: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let columns = input.axes.last().map_or(1, |axis| axis.length);
    let values = input.values.iter().enumerate();
    let changed = values.map(|(flat, &value)| {
        let at = index(&input.axes, flat);
        match (at[row] % columns).cmp(&(flat % columns)) == region {
            true => change(value),
            false => value,
        }
    });
    changed.collect()
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

/// Returns whether the kernels of another trial do not respond, too, to an input to which those of one with this cause do not. Returns none for other
/// causes, or if it is not known.
pub(super) fn is_unread_too(experiment: &Experiment<'_>, cause: &CauseReport) -> Option<bool> {
    let [tensor, output] = [&cause.tensor, &cause.output].map(Option::as_deref);
    if cause.text != unread_text(tensor?, output) {
        return None;
    }
    let outputs = experiment.outputs();
    let is_meant = |of: &&ExperimentInput| Some(of.tensor.as_str()) == tensor;
    let input = experiment.inputs().iter().find(is_meant)?;
    let changed = input.values.iter().map(|value| 0.75 * value);
    let changes = Changes::from([(input.name.clone(), changed.collect())]);
    let left = experiment.run(&changes)?;
    let pairs = outputs.iter().zip(&left);
    let mut meant = pairs.filter(|(of, _)| output.is_none_or(|name| of.name == name));
    Some(meant.all(|(of, left)| same_values(&of.got, left)))
}

/// Returns true if a cause is that the kernels do not respond to a tensor of whole numbers.
pub(super) fn is_unread_table(experiment: &Experiment<'_>, cause: &CauseReport) -> bool {
    let mut tables = experiment.integers().iter();
    tables.any(|table| cause.text == unread_text(&table.tensor, None))
}

/// Returns the text of the cause that one output, or none, responds to an input.
fn unread_text(tensor: &str, output: Option<&str>) -> String {
    match output {
        Some(output) => format!("`{output}` does not respond to `{tensor}`"),
        None => format!("no output responds to `{tensor}`"),
    }
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
            expected[number] &=
                must_respond(experiment, input, output, &predicted[number]).contains(&true);
            let mut elements = 0..output.got.len();
            shown |= elements.any(|at| {
                let changes = output.expected[at] != predicted[number][at];
                output.got[at] != 0.0 && changes && !is_left(input, output, at)
            });
        }
        if !silent.contains(&true) {
            return None;
        }
    }
    // A kernel that leaves zeros responds to nothing.
    if shown && silent.iter().all(|silent| *silent) {
        let text = unread_text(&input.tensor, None);
        return Some(cause("unread", input, None, text));
    }
    let is_wrong = |number: usize| outputs[number].wrong.contains(&true);
    let number = (0..outputs.len())
        .find(|&number| silent[number] && expected[number] && is_wrong(number))?;
    let output = &outputs[number];
    let text = unread_text(&input.tensor, Some(&output.name));
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

/// Returns for each element whether kernels that read an input must respond. Kernels that do not respond in an element that the contract leaves
/// as it was write the element, and need not read it.
fn must_respond(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    output: &ExperimentOutput,
    new: &[f64],
) -> Vec<bool> {
    let significant = significant(experiment, output, new).into_iter();
    let elements = significant.enumerate();
    elements
        .map(|(at, significant)| significant && !is_left(input, output, at))
        .collect()
}

/// Returns true if the contract leaves an element of a tensor that is updated in place as it was.
pub(super) fn is_left(input: &ExperimentInput, output: &ExperimentOutput, at: usize) -> bool {
    let is_updated = input.tensor == output.name && input.values.len() == output.expected.len();
    is_updated && input.values[at] == output.expected[at]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_are_zero_are_no_part_of_a_matrix_that_is_used() {
        let axis = |name: &str| Axis {
            name: name.into(),
            length: 4,
        };
        let at = |flat: usize| (flat / 4, flat % 4);
        let lower = (0..16).map(|flat| match at(flat) {
            (row, column) if row > column => 2.0,
            _ => 0.0,
        });
        let input = ExperimentInput {
            name: "a".into(),
            tensor: "a".into(),
            axes: vec![axis("row"), axis("column")],
            kind: ElementKind::F32,
            values: lower.collect(),
        };
        assert_eq!(changed_in_region(&input, 0, Ordering::Less), None);
        assert_eq!(changed_in_region(&input, 0, Ordering::Equal), None);
        let below = changed_in_region(&input, 0, Ordering::Greater).expect("values");
        assert_eq!(below.iter().filter(|value| **value == 1.5).count(), 6);
        assert!(below.iter().all(|value| [0.0, 1.5].contains(value)));
    }
}
