//! The explanation of one element of an output: what its value came from, through which instructions, and where this departs from the
//! reference.

mod lines;
mod page;
mod picture;
mod places;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::places::places;
use super::influence::{changed_at, is_same, significant};
use super::weigh::ranges;
use crate::report::model::number;
use crate::report::model::number::Real;
use crate::tensor::{Axis, count, index};
use crate::trial::{Experiment, ExperimentInput, SliceError, SourceTensor};

pub use self::page::page;
pub use self::text::text;

/// The schema of the JSON.
pub const SCHEMA: &str = "deltanet-check/explain/1";

/// Most nodes of the graph. If there are more instructions, those of one source line are one node.
const MOST: usize = 200;

/// Values of a tensor that are told.
const VALUES: usize = 8;

/// Indices that are changed in the kernels' input, of those that reach an element against the contract.
const CONFIRMED: usize = 4;

/// Longest axis whose indices are changed one by one.
const LONGEST: usize = 1024;

/// The explanation of an element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElementReport {
    /// The schema: `deltanet-check/explain/1`.
    pub schema: &'static str,
    /// The id of the test.
    pub test: String,
    /// The seed of its inputs.
    pub seed: u64,
    /// The element: `o[0,5,1,17]`.
    pub element: String,
    /// The value that the kernels left.
    #[serde(with = "number")]
    pub got: f64,
    /// The value of the reference.
    #[serde(with = "number")]
    pub expected: f64,
    /// The error that is allowed.
    #[serde(with = "number")]
    pub allowed: f64,
    /// True if the error is larger.
    pub wrong: bool,
    /// Dependences on other inputs than the reference's, in words.
    pub departures: Vec<String>,
    /// The inputs whose indices were not all changed, because the case is large.
    pub not_compared: Vec<String>,
    /// The elements of tensors that the value came from.
    pub sources: Vec<SourceReport>,
    /// The other things that it came from.
    pub others: Vec<OtherSource>,
    /// The instructions that it came through, from the element backwards.
    pub nodes: Vec<NodeReport>,
    /// The flows of values between them: numbers of nodes.
    pub edges: Vec<[usize; 2]>,
    /// Number of runs of instructions that write something, of all waves.
    pub runs: u64,
}

/// The elements of a tensor that a value came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceReport {
    /// The tensor.
    pub tensor: String,
    /// Names of its axes.
    pub axes: Vec<String>,
    /// The elements: `0, 0-5, 1, 0-63` stands for a box of them.
    pub elements: Vec<String>,
    /// Their number.
    pub count: usize,
    /// The first ones with their values before the run, where they are known.
    pub values: Vec<ValueReport>,
    /// Numbers of the nodes that used them.
    pub to: Vec<usize>,
}

/// An element and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueReport {
    /// The element's index along each axis.
    pub index: Vec<usize>,
    /// The value.
    pub value: Real,
}

/// Something else that a value came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherSource {
    /// Its description.
    pub text: String,
    /// Numbers of the nodes that used it.
    pub to: Vec<usize>,
}

/// An instruction, or the instructions of a source line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeReport {
    /// The kernel.
    pub kernel: String,
    /// The link address of the instruction; of a line, that of the one that ran last.
    pub pc: u64,
    /// The instruction.
    pub text: String,
    /// `FILE:LINE`, where the code object has line tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of instructions: 1, or those of a line.
    pub instructions: usize,
    /// Number of their runs that have a part in the element.
    pub runs: u64,
    /// Number of values that they made for the element, one for each lane of a run.
    pub values: u64,
    /// The work-group of the last one.
    pub group: [u32; 3],
    /// Its wave within the group.
    pub wave: u32,
    /// Its lane.
    pub lane: usize,
    /// The last value; none for a store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Returns the element of an output whose error is the largest share of what is allowed: the output's number and the flat position.
pub fn worst_element(experiment: &Experiment<'_>) -> Option<(usize, usize)> {
    let share = |got: f64, expected: f64, allowed: f64| match (got - expected).abs() {
        error if error.is_nan() => f64::INFINITY,
        0.0 => 0.0,
        error => error / allowed,
    };
    let mut worst: Option<(f64, (usize, usize))> = None;
    for (number, output) in experiment.outputs().iter().enumerate() {
        let values = output.got.iter().zip(&output.expected).zip(&output.allowed);
        for (at, ((&got, &expected), &allowed)) in values.enumerate() {
            let share = share(got, expected, allowed);
            if worst.is_none_or(|(most, _)| share > most) {
                worst = Some((share, (number, at)));
            }
        }
    }
    worst.map(|(_, place)| place)
}

/// Explains an element of an output: `at` has the output's number and the flat position.
///
/// # Errors
/// The run cannot be recorded.
pub fn explain(
    experiment: &Experiment<'_>,
    test: &str,
    at: (usize, usize),
) -> Result<ElementReport, SliceError> {
    let found = experiment.slice(at.0, at.1)?;
    let output = &experiment.outputs()[at.0];
    let inputs = experiment.inputs().iter();
    let mut departures = Vec::new();
    let mut not_compared = Vec::new();
    for input in inputs {
        let (found, complete) = self::departures(experiment, input, &found.sources, at);
        departures.extend(found);
        not_compared.extend((!complete).then(|| input.tensor.clone()));
    }
    let place: Vec<String> = index(&output.axes, at.1)
        .iter()
        .map(usize::to_string)
        .collect();
    let instructions = found.slice.nodes.iter().map(|node| NodeReport {
        kernel: node.kernel.clone(),
        pc: node.site.pc,
        text: node.site.text.clone(),
        source: node.site.source.clone(),
        instructions: 1,
        runs: node.runs,
        values: node.values,
        group: node.place.0,
        wave: node.place.1,
        lane: node.place.2,
        value: node.value.clone(),
    });
    let (nodes, numbers) = collapsed(instructions.collect());
    let to = |users: &[usize]| -> Vec<usize> {
        let users: BTreeSet<usize> = users.iter().map(|&user| numbers[user]).collect();
        users.into_iter().collect()
    };
    let flows = found.slice.edges.iter().filter_map(|edge| {
        let edge = [numbers[edge.from], numbers[edge.to?]];
        (edge[0] != edge[1]).then_some(edge)
    });
    let flows: BTreeSet<[usize; 2]> = flows.collect();
    Ok(ElementReport {
        schema: SCHEMA,
        test: test.to_owned(),
        seed: experiment.seed(),
        element: format!("{}[{}]", output.name, place.join(",")),
        got: output.got[at.1],
        expected: output.expected[at.1],
        allowed: output.allowed[at.1],
        wrong: output.wrong[at.1],
        departures,
        not_compared,
        sources: found
            .sources
            .iter()
            .map(|source| report(source, &to))
            .collect(),
        others: found
            .others
            .iter()
            .map(|(text, users)| OtherSource {
                text: text.clone(),
                to: to(users),
            })
            .collect(),
        nodes,
        edges: flows.into_iter().collect(),
        runs: found.steps as u64,
    })
}

fn report(source: &SourceTensor, to: &dyn Fn(&[usize]) -> Vec<usize>) -> SourceReport {
    let flat: Vec<usize> = source.elements.keys().copied().collect();
    let values = source.elements.iter().filter_map(|(&flat, element)| {
        Some(ValueReport {
            index: index(&source.axes, flat),
            value: Real(element.value?),
        })
    });
    let users = source.elements.values().flat_map(|element| &element.to);
    let users: Vec<usize> = users.copied().collect();
    SourceReport {
        tensor: source.name.clone(),
        axes: source.axes.iter().map(|axis| axis.name.clone()).collect(),
        elements: places(&source.axes, &flat),
        count: flat.len(),
        values: values.take(VALUES).collect(),
        to: to(&users),
    }
}

/// Returns at most [`MOST`] nodes for some instructions, and the number of each instruction's node. The instructions of a source line
/// are one node if there are more; the nodes farthest from the element are one node if there are still more.
fn collapsed(instructions: Vec<NodeReport>) -> (Vec<NodeReport>, Vec<usize>) {
    if instructions.len() <= MOST {
        let count = instructions.len();
        return (instructions, (0..count).collect());
    }
    let mut nodes: Vec<NodeReport> = Vec::new();
    let mut known: BTreeMap<(String, Option<String>, u64), usize> = BTreeMap::new();
    let mut numbers = Vec::new();
    for one in instructions {
        let alone = if one.source.is_none() { one.pc } else { 0 };
        let key = (one.kernel.clone(), one.source.clone(), alone);
        let last = nodes.len().min(MOST - 1);
        let number = *known.entry(key).or_insert(last);
        numbers.push(number);
        match nodes.get_mut(number) {
            None => nodes.push(one),
            Some(node) => {
                node.instructions += one.instructions;
                node.runs += one.runs;
                node.values += one.values;
                if node.source != one.source {
                    node.source = None;
                }
            }
        }
    }
    (nodes, numbers)
}

/// Returns where an element depends on other values of an input than the reference's does, in words, and true if every index was tried.
fn departures(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    sources: &[SourceTensor],
    (number, at): (usize, usize),
) -> (Vec<String>, bool) {
    experiment.begin_alone();
    let source = sources.iter().find(|source| source.name == input.tensor);
    let reaching: Vec<usize> =
        source.map_or_else(Vec::new, |source| source.elements.keys().copied().collect());
    let output = &experiment.outputs()[number];
    let mut found = Vec::new();
    let mut expected_at_all = false;
    let mut complete = true;
    for (axis, Axis { name, length }) in input.axes.iter().enumerate() {
        if *length > LONGEST {
            complete = false;
            continue;
        }
        let mut clearly = BTreeSet::new();
        let mut possibly = BTreeSet::new();
        for i in 0..*length {
            let Some(predicted) = experiment.predict(&changed_at(input, axis, i)) else {
                return (found, false);
            };
            let new = &predicted[number];
            if !is_same(output.expected[at], new[at]) {
                possibly.insert(i);
            }
            if significant(experiment, output, new)[at] {
                clearly.insert(i);
            }
        }
        expected_at_all |= !clearly.is_empty();
        let reached = reaching.iter().map(|&flat| index(&input.axes, flat)[axis]);
        let reached: BTreeSet<usize> = reached.collect();
        if reached.is_empty() {
            continue;
        }
        let missing: BTreeSet<usize> = clearly.difference(&reached).copied().collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "does" } else { "do" };
            found.push(format!(
                "{} of `{}` {verb} not reach it: the reference depends on {}",
                ranges(name, &missing),
                input.tensor,
                ranges(name, &possibly)
            ));
        }
        let surplus = reached.difference(&possibly).copied().take(CONFIRMED);
        let answered = surplus.filter(|&i| {
            let left = experiment.run(&changed_at(input, axis, i));
            left.is_some_and(|left| !is_same(output.got[at], left[number][at]))
        });
        let answered: BTreeSet<usize> = answered.collect();
        if !answered.is_empty() && !possibly.is_empty() {
            let verb = if answered.len() == 1 {
                "reaches"
            } else {
                "reach"
            };
            found.push(format!(
                "{} of `{}` {verb} it: the reference depends on {}",
                ranges(name, &answered),
                input.tensor,
                ranges(name, &possibly)
            ));
        }
    }
    if reaching.is_empty() && expected_at_all && count(&input.axes) > 0 {
        found.push(format!(
            "no value of `{}` reaches it: the reference depends on it",
            input.tensor
        ));
    }
    (found, complete)
}
