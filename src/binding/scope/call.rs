//! Built-in functions of formulas, and indexing of tensors.

use std::ops::Range;

use super::elements::{OF_TENSORS, REDUCTIONS};
use super::{Scope, mendable};
use crate::binding::formula::{Formula, Node, Operator, Trouble};
use crate::binding::value::{Value, ValueError, integer};
use crate::contract::list_of;

/// Signatures of the built-in functions.
const FUNCTIONS: [&str; 21] = [
    "ceil(x)",
    "floor(x)",
    "min(a, b, ..)",
    "max(a, b, ..)",
    "abs(x)",
    "sqrt(x)",
    "exp(x)",
    "exp2(x)",
    "log(x)",
    "log2(x)",
    "count(tensor)",
    "bytes(tensor)",
    "size(tensor, axis)",
    "stride(tensor, axis)",
    "read(tensor[i, ..])",
    "sum(tensor)",
    "prefix_sum(tensor)",
    "diff(tensor)",
    "iota(n)",
    "repeat(tensor, counts)",
    "chunk_indices(offsets, C)",
];

/// Returns the signature of a built-in function.
pub(super) fn usage(name: &str) -> Option<&'static str> {
    let mut usages = FUNCTIONS.into_iter();
    usages.find(|usage| usage.split('(').next() == Some(name))
}

impl Scope<'_> {
    /// Returns true if formulas have a function of this name.
    pub fn has_function(name: &str) -> bool {
        usage(name).is_some()
    }

    pub(super) fn call(
        &self,
        name: &str,
        arguments: &[Formula],
        at: &Range<usize>,
    ) -> Result<Value, Trouble> {
        if usage(name).is_none() {
            let help = format!("known are {}", FUNCTIONS.join(", "));
            return Err(Trouble::new(at, format!("unknown function `{name}`"), help));
        }
        if name == "read" {
            return match arguments {
                [place] => self.read(place),
                _ => Err(self.wrong_count(name, arguments.len(), at)),
            };
        }
        if matches!(name, "count" | "bytes" | "size" | "stride") {
            return self
                .of_tensor(name, arguments)
                .unwrap_or_else(|| Err(self.wrong_count(name, arguments.len(), at)));
        }
        if let (true, [argument]) = (REDUCTIONS.contains(&name), arguments) {
            // As with `read`, what is not there yet counts as 1.
            let reduced = self.reduced(name, argument, at)?;
            return Ok(reduced.unwrap_or(integer(1)));
        }
        if OF_TENSORS.iter().any(|(known, _)| *known == name) {
            let title = format!("`{name}` gives a tensor, and a number is due");
            let help = "name the tensor under `tensors`, or reduce it by sum(x), min(x) or max(x)";
            return Err(Trouble::new(at, title, help));
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.number(argument))
            .collect::<Result<_, _>>()?;
        self.function(name, &values, at)
    }

    /// Makes the complaint about a call with too few or too many arguments.
    pub(super) fn wrong_count(&self, name: &str, count: usize, at: &Range<usize>) -> Trouble {
        let title = format!("`{name}` is called with {count} arguments");
        let help = match usage(name) {
            Some(usage) => format!("write {usage}"),
            None => format!("known are {}", FUNCTIONS.join(", ")),
        };
        Trouble::new(at, title, help)
    }

    /// Applies a function of numbers.
    pub(super) fn function(
        &self,
        name: &str,
        values: &[Value],
        at: &Range<usize>,
    ) -> Result<Value, Trouble> {
        let failed = |error: ValueError| mendable(at, error);
        let float = |f: fn(f64) -> f64, x: &Value| -> Result<Value, Trouble> {
            let value = f(x.float().map_err(failed)?);
            let fine = value.is_finite().then_some(Value::Float(value));
            fine.ok_or_else(|| mendable(at, format!("{name}({x}) is {value}")))
        };
        match (name, values) {
            ("ceil", [x]) => x.rounded(true).map_err(failed),
            ("floor", [x]) => x.rounded(false).map_err(failed),
            ("sqrt", [x]) => float(f64::sqrt, x),
            ("exp", [x]) => float(f64::exp, x),
            ("exp2", [x]) => float(f64::exp2, x),
            ("log", [x]) => float(f64::ln, x),
            ("log2", [x]) => float(f64::log2, x),
            ("abs", [x]) => {
                let negative = x.float().map_err(failed)? < 0.0;
                let minus = Operator::Minus;
                match negative {
                    true => Value::apply(minus, &integer(0), x).map_err(failed),
                    false => Ok(x.clone()),
                }
            }
            ("min" | "max", [first, rest @ ..]) => {
                let mut best = first.clone();
                for value in rest {
                    let (one, other) = (
                        best.float().map_err(failed)?,
                        value.float().map_err(failed)?,
                    );
                    if (other < one) == (name == "min") {
                        best = value.clone();
                    }
                }
                Ok(best)
            }
            _ => Err(self.wrong_count(name, values.len(), at)),
        }
    }

    /// Resolves a position in a tensor by indices of its axes, the outermost in memory first.
    pub(super) fn index(
        &self,
        name: &str,
        indices: &[Formula],
        at: &Range<usize>,
    ) -> Result<Value, Trouble> {
        let Value::Pointer(tensor, offset) = self.named(name, at)? else {
            let title = format!("`{name}` is no tensor");
            return Err(Trouble::new(at, title, "only tensors have indices"));
        };
        let Some(shape) = self.shape(&tensor) else {
            return Err(self.unknown(name, at));
        };
        let order = &shape.layout.order;
        if indices.len() > order.len() {
            let title = format!(
                "`{name}` has {} axes, these are {} indices",
                order.len(),
                indices.len()
            );
            return Err(Trouble::new(
                at,
                title,
                "give an index for some of its axes, the outermost first",
            ));
        }
        let mut element = 0i128;
        for (formula, &axis) in indices.iter().zip(order) {
            let index = self.number(formula)?.integer();
            let index = index.map_err(|error| mendable(&formula.at, error))?;
            let length = shape.layout.lengths[axis];
            if !(0..length as i128).contains(&index) {
                let name = &shape.axes[axis].name;
                let why = format!("index {index} of axis {name}, which has {length}");
                return Err(mendable(&formula.at, why));
            }
            element += index * shape.layout.strides[axis] as i128;
        }
        Ok(Value::Pointer(
            tensor,
            offset + element * shape.kind.size() as i128,
        ))
    }

    /// Reads an element from the device at the time of the launch. Before any launch the element counts as 1.
    fn read(&self, place: &Formula) -> Result<Value, Trouble> {
        let value = self.value(place)?;
        let shape = match &value {
            Value::Pointer(tensor, offset) => self.shape(tensor).map(|shape| (shape, *offset)),
            _ => None,
        };
        let Some((shape, offset)) = shape else {
            let title = format!("`read` takes a place in a tensor, this is {}", value.kind());
            return Err(Trouble::new(
                &place.at,
                title,
                "write it as read(sums[0, T - 1])",
            ));
        };
        self.asked.set(true);
        let found = self.held.map_or(Ok(1.0), |held| held(shape, offset));
        let failed = |why| Trouble::new(&place.at, why, "read what a launch before this one wrote");
        found.map(Value::Float).map_err(failed)
    }

    /// Returns true if a formula is the name of a size of several values.
    fn is_list(&self, formula: &Formula) -> bool {
        matches!(&formula.node, Node::Name(name) if self.function.lists.contains(&name.as_str()))
    }

    /// Evaluates a function of a tensor; returns none if the number of arguments is wrong.
    fn of_tensor(&self, name: &str, arguments: &[Formula]) -> Option<Result<Value, Trouble>> {
        let wants_axis = matches!(name, "size" | "stride");
        let (tensor, axis) = match arguments {
            [tensor] if !wants_axis => (tensor, None),
            [tensor, axis] if wants_axis => (tensor, Some(axis)),
            _ => return None,
        };
        let found = match self.value(tensor) {
            Ok(Value::Word(word)) if name == "count" && self.is_list(tensor) => {
                return Some(Ok(integer(list_of(&word).len() as i128)));
            }
            Ok(Value::Pointer(name, 0)) => self.shape(&name),
            Ok(_) => None,
            Err(trouble) => return Some(Err(trouble)),
        };
        let Some(shape) = found else {
            let title = format!("`{name}` takes a tensor");
            return Some(Err(Trouble::new(
                &tensor.at,
                title,
                "name a tensor of the contract or of `scratch`",
            )));
        };
        let Some(axis) = axis else {
            let each = if name == "bytes" {
                shape.kind.size()
            } else {
                1
            };
            return Some(Ok(integer((shape.count() * each) as i128)));
        };
        let called = match &axis.node {
            Node::Name(name) | Node::Word(name) => name.as_str(),
            _ => "",
        };
        let Some(position) = shape.axis(called) else {
            let axes = shape.axis_names().join(", ");
            let title = format!("`{}` has no axis of this name", shape.name);
            return Some(Err(Trouble::new(
                &axis.at,
                title,
                format!("its axes are {axes}"),
            )));
        };
        let number = match name {
            "size" => shape.axes[position].length,
            _ => shape.layout.strides[position],
        };
        Some(Ok(integer(number as i128)))
    }
}
