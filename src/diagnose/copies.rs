//! Outputs that are copies of elements of inputs: a wrong one is a right element in the wrong place, and its value tells where it came from.

mod order;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::report::model::{CauseReport, ExplainedElements};
use crate::tensor::{index, strides};
use crate::trial::{Experiment, ExperimentInput, ExperimentOutput};

use super::weigh::plural;

/// The fewest wrong elements whose places tell something.
const FEWEST: usize = 4;

/// A wrong element: its place in the output, and the places in an input of the element that it is and of the one that it should be.
struct Displacement {
    at: usize,
    is: usize,
    should_be: usize,
}

/// Returns the cause if all wrong elements of an output are elements of one input that belong elsewhere.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs().iter().enumerate();
    let mut wrong = outputs.filter(|(_, output)| output.wrong.contains(&true));
    wrong.find_map(|(number, output)| {
        let mut inputs = experiment.inputs().iter().enumerate();
        inputs.find_map(|(of, input)| {
            let moved = displaced(input, output)?;
            // A maximum has values of its input, too, but from other places in each draw.
            let redrawn = experiment.redrawn(experiment.seed().wrapping_add(1))?;
            let again = displaced(&redrawn.inputs()[of], &redrawn.outputs()[number])?;
            is_same(&moved, &again).then(|| CauseReport {
                kind: "index".into(),
                output: Some(output.name.clone()),
                tensor: Some(input.tensor.clone()),
                kernel: None,
                text: text(input, output, &moved),
                explains: Some(ExplainedElements::all(moved.len() as u64)),
            })
        })
    })
}

/// Returns true if the elements that are wrong in two draws have the same places in both, and enough are.
fn is_same(one: &[Displacement], other: &[Displacement]) -> bool {
    let other: HashMap<usize, &Displacement> = other.iter().map(|of| (of.at, of)).collect();
    let pairs = one.iter().filter_map(|of| Some((of, *other.get(&of.at)?)));
    let pairs: Vec<_> = pairs.collect();
    let same = |(a, b): &(&Displacement, &Displacement)| (a.is, a.should_be) == (b.is, b.should_be);
    pairs.len() >= FEWEST && pairs.iter().all(same)
}

/// Returns the wrong elements of an output, if all values of the output are those of elements of an input. Values that the input has more than once
/// tell no place.
fn displaced(input: &ExperimentInput, output: &ExperimentOutput) -> Option<Vec<Displacement>> {
    let mut places: HashMap<u64, Option<usize>> = HashMap::new();
    for (at, value) in input.values.iter().enumerate() {
        let place = places.entry(value.to_bits());
        place.and_modify(|place| *place = None).or_insert(Some(at));
    }
    let place = |value: f64| places.get(&value.to_bits());
    let mut moved = Vec::new();
    for (at, wrong) in output.wrong.iter().enumerate() {
        let [is, should_be] = [output.got[at], output.expected[at]].map(place);
        // A wrong element without a source is no copy.
        let (is, should_be) = match wrong {
            true => (is?, should_be?),
            false => continue,
        };
        if let (Some(is), Some(should_be)) = (*is, *should_be) {
            moved.push(Displacement { at, is, should_be });
        }
    }
    // A function may have two values of the input everywhere.
    let distinct: HashSet<usize> = moved.iter().map(|of| of.should_be).collect();
    (distinct.len() >= FEWEST).then_some(moved)
}

/// Returns the places in words: as one distance, as a step along an axis of the output that is too short or too long, or as an example.
fn text(input: &ExperimentInput, output: &ExperimentOutput, moved: &[Displacement]) -> String {
    let (name, tensor) = (&output.name, &input.tensor);
    let distances: Vec<i64> = moved
        .iter()
        .map(|of| of.is as i64 - of.should_be as i64)
        .collect();
    // The outermost axis of which the distance is a number of steps.
    let words = |distance: i64| {
        let distance = distance.unsigned_abs() as usize;
        let steps = strides(&input.axes);
        let axes = input.axes.iter().zip(&steps);
        let mut whole = axes.filter(|(axis, step)| {
            distance.is_multiple_of(**step) && (1..axis.length).contains(&(distance / **step))
        });
        match whole.next().map(|(axis, step)| (axis, distance / step)) {
            Some((axis, 1)) => format!("1 {}", axis.name),
            Some((axis, many)) => format!("{many} {}", plural(&axis.name)),
            None if distance == 1 => "1 element".to_owned(),
            None => format!("{distance} elements"),
        }
    };
    let of_axis = |axis: usize| -> Option<i64> {
        let of = |(of, distance): (&Displacement, &i64)| {
            let at = index(&output.axes, of.at)[axis] as i64;
            (at != 0 && distance % at == 0).then(|| distance / at)
        };
        let mut steps = moved.iter().zip(&distances).map(of);
        let first = steps.next()??;
        steps.all(|step| step == Some(first)).then_some(first)
    };
    let step = (0..output.axes.len()).find_map(|axis| Some((axis, of_axis(axis)?)));
    if let Some((axis, step)) = step {
        let side = if step < 0 { "short" } else { "long" };
        return format!(
            "the step in `{tensor}` from one {} of `{name}` to the next is {} too {side}",
            output.axes[axis].name,
            words(step),
        );
    }
    if let [first, rest @ ..] = &distances[..]
        && rest.iter().all(|distance| distance == first)
    {
        let side = if *first < 0 {
            "too early"
        } else {
            "too far on"
        };
        return format!("`{name}` is read from `{tensor}` {} {side}", words(*first));
    }
    if let Some((axis, belongs)) = along_one_axis(output, moved)
        && let Some(order) = order::told(&output.axes[axis], &belongs)
    {
        return format!("`{name}` {order}");
    }
    let place = |axes, flat| {
        let parts = std::iter::zip(axes, index(axes, flat));
        let parts: Vec<String> = parts
            .map(|(axis, at): (&crate::tensor::Axis, usize)| format!("{} {at}", axis.name))
            .collect();
        parts.join(", ")
    };
    let Displacement { at, is, should_be } = moved[0];
    format!(
        "`{name}` has elements of `{tensor}` from other places: at {} it has the one at {}, not that at {}",
        place(&output.axes, at),
        place(&input.axes, is),
        place(&input.axes, should_be),
    )
}

/// Returns the only axis of the output along which elements are in other places, with the place along it at which each of them belongs.
fn along_one_axis(
    output: &ExperimentOutput,
    moved: &[Displacement],
) -> Option<(usize, BTreeMap<usize, usize>)> {
    let of_input: HashMap<usize, usize> = moved.iter().map(|of| (of.should_be, of.at)).collect();
    let pairs = moved.iter().filter_map(|of| {
        let belongs = *of_input.get(&of.is)?;
        Some([of.at, belongs].map(|flat| index(&output.axes, flat)))
    });
    let pairs: Vec<[Vec<usize>; 2]> = pairs.collect();
    // Where values stand twice, some places are not known.
    if 2 * pairs.len() < moved.len() {
        return None;
    }
    let mut axes = 0..output.axes.len();
    let axis = axes.find(|&axis| {
        let others = |[at, belongs]: &[Vec<usize>; 2]| {
            let mut places = at.iter().zip(belongs).enumerate();
            places.all(|(other, (a, b))| other == axis || a == b)
        };
        pairs.iter().all(others)
    })?;
    let mut belongs = BTreeMap::new();
    for [at, of] in &pairs {
        if *belongs.entry(at[axis]).or_insert(of[axis]) != of[axis] {
            return None;
        }
    }
    // What is right belongs where it stands.
    let right = (0..output.got.len()).filter(|&flat| !output.wrong[flat]);
    for flat in right {
        let at = index(&output.axes, flat)[axis];
        belongs.entry(at).or_insert(at);
    }
    Some((axis, belongs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{Axis, ElementKind};

    /// Returns the reason for an output `[2, 4]` that should be these elements of an input of 12, and is those.
    fn reason(should_be: [usize; 8], is: [usize; 8]) -> Option<String> {
        let axis = |name: &str, length| Axis {
            name: name.into(),
            length,
        };
        let values: Vec<f64> = (0..12).map(|at| f64::from(at) + 0.5).collect();
        let [expected, got] = [should_be, is].map(|of| of.map(|at| values[at]).to_vec());
        let output = ExperimentOutput {
            name: "y".into(),
            axes: vec![axis("row", 2), axis("column", 4)],
            kind: ElementKind::F32,
            wrong: std::iter::zip(&got, &expected)
                .map(|(a, b)| a != b)
                .collect(),
            allowed: vec![0.0; 8],
            got,
            expected,
        };
        let input = ExperimentInput {
            name: "x".into(),
            tensor: "x".into(),
            axes: vec![axis("element", 12)],
            kind: ElementKind::F32,
            values,
        };
        Some(text(&input, &output, &displaced(&input, &output)?))
    }

    #[test]
    fn values_of_an_input_tell_the_step_or_the_distance_by_which_they_are_off() {
        let right = [0, 1, 2, 3, 6, 7, 8, 9];
        for (is, expected) in [
            (
                [2, 3, 4, 5, 8, 9, 10, 11],
                "`y` is read from `x` 2 elements too far on",
            ),
            (
                [0, 1, 2, 3, 4, 5, 6, 7],
                "the step in `x` from one row of `y` to the next is 2 elements too short",
            ),
            (
                [0, 2, 1, 3, 6, 8, 7, 9],
                "`y` has its 4 columns, [2, 2], transposed: at column i stands that of column (i mod 2) * 2 + i / 2",
            ),
            (
                [3, 2, 1, 0, 6, 7, 8, 9],
                "`y` has elements of `x` from other places: at row 0, column 0 it has the one at element 3, not that at element 0",
            ),
        ] {
            assert_eq!(reason(right, is).as_deref(), Some(expected));
        }
        // Too few elements tell nothing.
        assert_eq!(reason(right, [1, 0, 2, 3, 6, 7, 8, 9]), None);
    }
}
