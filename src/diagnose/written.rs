//! Elements of a tensor that is updated in place which the kernels write though the contract leaves them as they were.

use std::collections::BTreeSet;

use crate::report::model::{CauseReport, ExplainedElements};
use crate::tensor::index;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput};

use super::influence::{is_left, unread_integers};
use super::weigh::ranges;

/// The wrong elements of one output.
struct Places {
    /// Elements that the contract leaves as they were, and that the kernels write.
    written: BTreeSet<usize>,
    /// Elements that the kernels leave as they were, and that the contract writes.
    left: BTreeSet<usize>,
}

impl Places {
    /// Returns the places of an output's wrong elements, if one of them is written against the contract and all others are so or are left.
    fn of(experiment: &Experiment<'_>, output: &ExperimentOutput) -> Option<Places> {
        let mut inputs = experiment.data().iter();
        let input = inputs.find(|input| {
            input.tensor == output.name && input.values.len() == output.expected.len()
        })?;
        let mut places = Places {
            written: BTreeSet::new(),
            left: BTreeSet::new(),
        };
        for at in (0..output.got.len()).filter(|&at| output.wrong[at]) {
            if is_left(input, output, at) {
                places.written.insert(at);
            } else if output.got[at] == input.values[at] {
                places.left.insert(at);
            } else {
                return None;
            }
        }
        let found = !places.written.is_empty() && places.stay(experiment, input, output);
        found.then_some(places)
    }

    /// Returns true if the contract leaves the written elements as they were for other values of all other inputs, too. A gate may be 1.
    fn stay(
        &self,
        experiment: &Experiment<'_>,
        input: &ExperimentInput,
        output: &ExperimentOutput,
    ) -> bool {
        let others = experiment.inputs().iter();
        let others = others.filter(|other| other.name != input.name);
        let changed = others.map(|other| {
            let values = other.values.iter().map(|&value| match value {
                0.0 => 0.5,
                value => 0.75 * value,
            });
            (other.name.clone(), values.collect())
        });
        let changes: Changes = changed.collect();
        let mut outputs = experiment.outputs().iter();
        let number = outputs.position(|other| other.name == output.name);
        let predicted = experiment.predict(&changes).zip(number);
        predicted.is_some_and(|(predicted, number)| {
            let mut written = self.written.iter();
            written.all(|&at| predicted[number].get(at) == Some(&output.expected[at]))
        })
    }

    fn text(&self, output: &ExperimentOutput) -> String {
        let along = |places: &BTreeSet<usize>, axis: usize| -> BTreeSet<usize> {
            let places = places.iter();
            places.map(|&at| index(&output.axes, at)[axis]).collect()
        };
        // The first axis along which the elements are apart, or else at a part of the indices.
        let mut axes = 0..output.axes.len();
        let apart = axes.find(|&axis| {
            let (written, left) = (along(&self.written, axis), along(&self.left, axis));
            written.is_disjoint(&left) && written.len() < output.axes[axis].length
        });
        let name = &output.name;
        let Some(axis) = apart else {
            return format!(
                "`{name}` is written in {} elements that the contract leaves as they were",
                self.written.len()
            );
        };
        let at = |places| ranges(&output.axes[axis].name, &along(places, axis));
        let text = format!(
            "`{name}` is written at {}, where the contract leaves it as it was",
            at(&self.written)
        );
        match self.left.is_empty() {
            true => text,
            false => format!("{text}, and stays as it was at {}", at(&self.left)),
        }
    }
}

/// Returns a cause if the only wrong elements of an updated tensor are written against the contract or not written, for the inputs of two more
/// seeds, too. If the kernels do not respond to a tensor of whole numbers, it says so.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let outputs = experiment.outputs();
    let wrong = |output: &&ExperimentOutput| output.wrong.contains(&true);
    let mut found = outputs
        .iter()
        .enumerate()
        .filter(|(_, output)| wrong(output));
    let (number, places) =
        found.find_map(|(number, output)| Some((number, Places::of(experiment, output)?)))?;
    let seed = experiment.seed();
    let draws = [1, 2].map(|step| experiment.redrawn(seed.wrapping_add(step)));
    let mut draws = draws.iter().flatten().filter_map(|draw| {
        let output = &draw.outputs()[number];
        wrong(&output).then(|| Places::of(draw, output).is_some())
    });
    if !draws.next()? || draws.next() == Some(false) {
        return None;
    }
    if let Some(cause) = unread_integers(experiment) {
        return Some(cause);
    }
    let output = &outputs[number];
    let count = (places.written.len() + places.left.len()) as u64;
    let is_alone = outputs.iter().filter(wrong).count() == 1;
    Some(CauseReport {
        kind: "index".into(),
        output: Some(output.name.clone()),
        tensor: None,
        kernel: None,
        text: places.text(output),
        explains: is_alone.then_some(ExplainedElements {
            right: count,
            wrong: count,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{Axis, ElementKind};

    #[test]
    fn the_places_are_told_along_the_axis_that_parts_them() {
        let axis = |name: &str, length| Axis {
            name: name.into(),
            length,
        };
        let output = ExperimentOutput {
            name: "states".into(),
            axes: vec![axis("line", 3), axis("channel", 2)],
            kind: ElementKind::F32,
            expected: vec![0.0; 6],
            got: vec![0.0; 6],
            allowed: vec![0.0; 6],
            wrong: vec![false; 6],
        };
        let places = |written: &[usize], left: &[usize]| Places {
            written: written.iter().copied().collect(),
            left: left.iter().copied().collect(),
        };
        assert_eq!(
            places(&[2, 3], &[]).text(&output),
            "`states` is written at line 1, where the contract leaves it as it was"
        );
        assert_eq!(
            places(&[0, 1], &[4, 5]).text(&output),
            "`states` is written at line 0, where the contract leaves it as it was, and stays as it was at line 2"
        );
        assert_eq!(
            places(&[0, 2, 4], &[]).text(&output),
            "`states` is written at channel 0, where the contract leaves it as it was"
        );
        assert_eq!(
            places(&[0, 3, 4], &[]).text(&output),
            "`states` is written in 3 elements that the contract leaves as they were"
        );
    }
}
