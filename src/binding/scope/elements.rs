//! Formulas whose result is a tensor of whole numbers: `prefix_sum(ceil(diff(cu_seqlens) / C))`.
//!
//! Operators and functions of numbers work element by element. A single number goes with every element.

use std::ops::Range;

use super::call::usage;
use super::{Scope, TensorShape, mendable};
use crate::binding::formula::{Formula, Node, Operator, Trouble};
use crate::binding::value::{Value, ValueError, integer};
use crate::contract::{MAX_NUMBERS, Numbers, list_of};

/// Functions whose result is a tensor, each with its number of arguments.
pub(super) const OF_TENSORS: [(&str, usize); 5] = [
    ("prefix_sum", 1),
    ("diff", 1),
    ("iota", 1),
    ("repeat", 2),
    ("chunk_indices", 2),
];

/// Functions of the elements of one tensor whose result is a number.
pub(super) const REDUCTIONS: [&str; 3] = ["sum", "min", "max"];

/// The value of a formula where a tensor is due: a tensor, or one number that has no axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// The lengths of the axes, outermost first.
    pub lengths: Vec<usize>,
    /// The elements in this order.
    pub values: Vec<Value>,
}

impl Elements {
    fn number(value: Value) -> Elements {
        Elements {
            lengths: Vec::new(),
            values: vec![value],
        }
    }

    fn list(values: Vec<Value>) -> Elements {
        Elements {
            lengths: vec![values.len()],
            values,
        }
    }
}

/// The result of a formula: none as long as the values of one of its tensors are not drawn.
type Evaluation = Result<Option<Elements>, Trouble>;

impl Scope<'_> {
    /// Evaluates a formula where a tensor of whole numbers is due.
    pub fn elements(&self, formula: &Formula) -> Evaluation {
        let at = &formula.at;
        match &formula.node {
            Node::Integer(_) | Node::Float(_) => {
                self.value(formula).map(Elements::number).map(Some)
            }
            Node::Name(name) => self.named_elements(name, formula),
            Node::Word(name) => match self.shape(name) {
                Some(shape) => of_shape(shape, at),
                None => self.value(formula).map(Elements::number).map(Some),
            },
            Node::Negative(of) => self.each(&[of], at, |values| {
                Value::apply(Operator::Minus, &integer(0), &values[0])
            }),
            Node::Not(of) => self.each(&[of], at, |values| Ok(Value::Bool(!values[0].truth()?))),
            Node::Binary(operator, left, right) => {
                self.each(&[left, right], at, |values| match operator {
                    Operator::And => Ok(Value::Bool(values[0].truth()? && values[1].truth()?)),
                    Operator::Or => Ok(Value::Bool(values[0].truth()? || values[1].truth()?)),
                    _ => Value::apply(*operator, &values[0], &values[1]),
                })
            }
            Node::Choice(condition, this, that) => {
                let Some(decided) = self.elements(condition)? else {
                    return Ok(None);
                };
                if let (true, [only]) = (decided.lengths.is_empty(), &decided.values[..]) {
                    let chosen = only.truth().map_err(|error| mendable(at, error))?;
                    return self.elements(if chosen { this } else { that });
                }
                self.each(&[condition, this, that], at, |values| {
                    Ok(values[if values[0].truth()? { 1 } else { 2 }].clone())
                })
            }
            Node::Call(name, arguments) => self.called(name, arguments, formula),
            Node::Index(name, indices) => self.gathered(name, indices, at),
        }
    }

    /// Returns the least, the greatest, or the sum of the elements of a formula; none if they are not drawn yet.
    pub(super) fn reduced(
        &self,
        name: &str,
        argument: &Formula,
        at: &Range<usize>,
    ) -> Result<Option<Value>, Trouble> {
        let failed = |error: ValueError| mendable(at, error);
        let Some(elements) = self.elements(argument)? else {
            return Ok(None);
        };
        let mut values = elements.values.into_iter();
        if name == "sum" {
            let sum = values.try_fold(integer(0), |sum, value| {
                Value::apply(Operator::Plus, &sum, &value)
            });
            return sum.map(Some).map_err(failed);
        }
        let better = match name {
            "min" => Operator::Less,
            _ => Operator::Greater,
        };
        let first = values
            .next()
            .ok_or_else(|| mendable(at, format!("`{name}` of no elements")))?;
        let best = values.try_fold(first, |best, value| {
            let is_better = Value::apply(better, &value, &best)?.truth()?;
            Ok(if is_better { value } else { best })
        });
        best.map(Some).map_err(failed)
    }

    fn named_elements(&self, name: &str, formula: &Formula) -> Evaluation {
        let at = &formula.at;
        let entry = self.lets.iter().find(|entry| entry.name == name);
        match entry.filter(|_| self.is_let(name)) {
            Some(entry) => self.tensor_entry(entry, at),
            None => match self.value(formula)? {
                Value::Pointer(name, 0) => match self.shape(&name) {
                    Some(shape) => of_shape(shape, at),
                    None => Err(self.unknown(&name, at)),
                },
                Value::Word(word) if self.function.lists.contains(&name) => {
                    Ok(Some(Elements::list(numbers(&word))))
                }
                value => Ok(Some(Elements::number(value))),
            },
        }
    }

    fn called(&self, name: &str, arguments: &[Formula], formula: &Formula) -> Evaluation {
        let at = &formula.at;
        if let (true, [argument]) = (REDUCTIONS.contains(&name), arguments) {
            let reduced = self.reduced(name, argument, at)?;
            return Ok(reduced.map(Elements::number));
        }
        let of_tensors = OF_TENSORS.iter().find(|(known, _)| *known == name);
        if of_tensors.is_none() {
            // These take tensors by name, and give a number. An unknown function is refused there.
            let by_name = matches!(name, "count" | "bytes" | "size" | "stride" | "read");
            if by_name || usage(name).is_none() {
                return self.value(formula).map(Elements::number).map(Some);
            }
            let arguments: Vec<&Formula> = arguments.iter().collect();
            return self.broadcast(&arguments, at, |values| self.function(name, values, at));
        }
        if of_tensors.is_some_and(|(_, count)| *count != arguments.len()) {
            return Err(self.wrong_count(name, arguments.len(), at));
        }
        let mut found = Vec::new();
        for argument in arguments {
            match self.elements(argument)? {
                Some(elements) => found.push(elements),
                None => return Ok(None),
            }
        }
        let whole = |elements: &Elements, argument: &Formula| -> Result<Vec<i128>, Trouble> {
            let values = elements.values.iter().map(Value::integer);
            let values: Result<Vec<i128>, ValueError> = values.collect();
            values.map_err(|error| mendable(&argument.at, error))
        };
        let lists = arguments.iter().zip(&found);
        let lists: Vec<Vec<i128>> = lists
            .map(|(argument, elements)| whole(elements, argument))
            .collect::<Result<_, _>>()?;
        // Every function but `iota` takes the elements along one axis.
        for (position, (argument, elements)) in arguments.iter().zip(&found).enumerate() {
            let is_number = name == "iota" || (name == "chunk_indices" && position == 1);
            if elements.lengths.len() != usize::from(!is_number) {
                let due = if is_number {
                    "one number"
                } else {
                    "a tensor of one axis"
                };
                let title = format!("`{name}` takes {due}, this is {}", listed(elements));
                return Err(Trouble::new(
                    &argument.at,
                    title,
                    "give it another argument",
                ));
            }
        }
        let made = match (name, &lists[..]) {
            ("prefix_sum", [list]) => prefix_sum(list).map(|sums| (sums, 1)),
            ("diff", [list]) => {
                let pairs = list.windows(2);
                Ok((
                    pairs.map(|pair| pair[1].saturating_sub(pair[0])).collect(),
                    1,
                ))
            }
            ("iota", [length]) => match length[0] {
                length if within_limit(length) => Ok(((0..length).collect(), 1)),
                length => Err(format!("`iota` of {length} elements")),
            },
            ("repeat", [list, counts]) => repeat(list, counts).map(|list| (list, 1)),
            ("chunk_indices", [offsets, chunk]) => {
                chunk_indices(offsets, chunk[0]).map(|pairs| (pairs, 2))
            }
            _ => Err(format!("`{name}` does not take these")),
        };
        let (values, width) = made.map_err(|why| mendable(at, why))?;
        let values: Vec<Value> = values.into_iter().map(integer).collect();
        Ok(Some(match width {
            1 => Elements::list(values),
            width => Elements {
                lengths: vec![values.len() / width, width],
                values,
            },
        }))
    }

    /// Returns the elements of a tensor at the places that other tensors give, one for each axis.
    fn gathered(&self, name: &str, indices: &[Formula], at: &Range<usize>) -> Evaluation {
        let named = Formula {
            at: at.clone(),
            node: Node::Name(name.to_owned()),
        };
        let Some(from) = self.named_elements(name, &named)? else {
            return Ok(None);
        };
        if from.lengths.len() != indices.len() {
            let title = format!(
                "`{name}` is {}, these are {} indices",
                listed(&from),
                indices.len()
            );
            return Err(Trouble::new(at, title, "give an index for each axis"));
        }
        let indices: Vec<&Formula> = indices.iter().collect();
        self.broadcast(&indices, at, |values| {
            let mut place = 0;
            for ((value, length), index) in values.iter().zip(&from.lengths).zip(&indices) {
                let number = value
                    .integer()
                    .map_err(|error| mendable(&index.at, error))?;
                let inside = usize::try_from(number).ok().filter(|at| at < length);
                let inside = inside.ok_or_else(|| {
                    let why = format!("index {number} of `{name}`, which has {length} there");
                    mendable(&index.at, why)
                })?;
                place = place * length + inside;
            }
            Ok(from.values[place].clone())
        })
    }

    fn each(
        &self,
        parts: &[&Formula],
        at: &Range<usize>,
        of: impl Fn(&[Value]) -> Result<Value, ValueError>,
    ) -> Evaluation {
        self.broadcast(parts, at, |values| {
            of(values).map_err(|error| mendable(at, error))
        })
    }

    /// Applies a function to the elements of several formulas that stand at the same place.
    fn broadcast(
        &self,
        parts: &[&Formula],
        at: &Range<usize>,
        of: impl Fn(&[Value]) -> Result<Value, Trouble>,
    ) -> Evaluation {
        let mut found = Vec::new();
        for part in parts {
            match self.elements(part)? {
                Some(elements) => found.push(elements),
                None => return Ok(None),
            }
        }
        let tensors = || found.iter().filter(|one| !one.lengths.is_empty());
        let Some(first) = tensors().next() else {
            let values: Vec<Value> = found.into_iter().flat_map(|one| one.values).collect();
            return of(&values).map(Elements::number).map(Some);
        };
        if let Some(other) = tensors().find(|one| one.lengths != first.lengths) {
            let title = format!("{} does not fit {}", listed(other), listed(first));
            let help = "give tensors of the same axes, or a tensor and a number";
            return Err(Trouble::new(at, title, help));
        }
        let values = (0..first.values.len()).map(|element| {
            let own = found.iter().map(|one| match one.lengths.is_empty() {
                true => one.values[0].clone(),
                false => one.values[element].clone(),
            });
            of(&own.collect::<Vec<_>>())
        });
        Ok(Some(Elements {
            values: values.collect::<Result<_, _>>()?,
            lengths: first.lengths.clone(),
        }))
    }
}

/// Returns the numbers of a size of several values.
fn numbers(word: &str) -> Vec<Value> {
    let list = list_of(word).into_iter();
    list.map(|number| integer(number.into())).collect()
}

/// Returns the elements of a tensor of the contract, or of the binding.
fn of_shape(shape: &TensorShape, at: &Range<usize>) -> Evaluation {
    let lengths = shape.axes.iter().map(|axis| axis.length).collect();
    match &shape.numbers {
        Numbers::Known(values) => Ok(Some(Elements {
            lengths,
            values: values.iter().map(|value| integer(*value as i128)).collect(),
        })),
        Numbers::Undrawn => Ok(None),
        Numbers::None => {
            let name = &shape.name;
            let title = match (shape.kind.is_float(), shape.count() > MAX_NUMBERS) {
                (true, _) => format!("`{name}` is of {}", shape.kind.name()),
                (_, true) => format!("`{name}` has {} elements", shape.count()),
                _ => format!("`{name}` has no values before the first launch"),
            };
            let help = format!(
                "a formula takes inputs of whole numbers, of at most {MAX_NUMBERS} elements"
            );
            Err(Trouble::new(at, title, help))
        }
    }
}

/// Describes elements by the lengths of their axes.
fn listed(elements: &Elements) -> String {
    match (&elements.lengths[..], &elements.values[..]) {
        ([], [only]) => only.kind().into(),
        (lengths, _) => format!("a tensor {lengths:?}"),
    }
}

fn within_limit(count: i128) -> bool {
    (0..=MAX_NUMBERS as i128).contains(&count)
}

fn prefix_sum(list: &[i128]) -> Result<Vec<i128>, String> {
    let mut sums = vec![0i128];
    for value in list {
        let last = sums.last().copied().unwrap_or_default();
        let sum = last.checked_add(*value);
        sums.push(sum.ok_or("a sum is too large")?);
    }
    Ok(sums)
}

fn repeat(list: &[i128], counts: &[i128]) -> Result<Vec<i128>, String> {
    if list.len() != counts.len() {
        return Err(format!(
            "`repeat` of {} elements by {} counts",
            list.len(),
            counts.len()
        ));
    }
    if let Some(count) = counts.iter().find(|count| **count < 0) {
        return Err(format!("`repeat` by a count of {count}"));
    }
    let total = counts
        .iter()
        .fold(0i128, |all, count| all.saturating_add(*count));
    if !within_limit(total) {
        return Err(format!("`repeat` gives {total} elements"));
    }
    let repeated = list.iter().zip(counts);
    let repeated = repeated.flat_map(|(value, count)| std::iter::repeat_n(*value, *count as usize));
    Ok(repeated.collect())
}

/// Returns a pair for each chunk of packed sequences: the sequence's number, and the chunk's number in the sequence.
fn chunk_indices(offsets: &[i128], chunk: i128) -> Result<Vec<i128>, String> {
    if chunk < 1 {
        return Err(format!("`chunk_indices` with chunks of {chunk}"));
    }
    let mut pairs = Vec::new();
    for (sequence, bounds) in offsets.windows(2).enumerate() {
        let length = bounds[1].saturating_sub(bounds[0]);
        if length < 0 {
            return Err(format!("sequence {sequence} has {length} tokens"));
        }
        let chunks = length / chunk + i128::from(length % chunk != 0);
        if !within_limit(chunks.saturating_add(pairs.len() as i128)) {
            return Err(format!(
                "`chunk_indices` gives more than {MAX_NUMBERS} chunks"
            ));
        }
        for place in 0..chunks {
            pairs.extend([sequence as i128, place]);
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests;
