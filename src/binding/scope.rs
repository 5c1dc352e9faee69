//! What the names of a formula stand for.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::formula::{Formula, Node, Trouble};
use super::layout::Layout;
use super::value::{Value, integer};
use crate::compare::ElementKind;
use crate::contract::Function;
use crate::contract::{self, Values};
use crate::text::nearest;

/// A tensor of the contract, or scratch of the binding, at one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// The type of its elements on the device.
    pub kind: ElementKind,
    /// Names of its axes, in words and as the sizes they have, and their lengths; in the contract's order.
    pub axes: Vec<Side>,
    /// Where its elements stand on the device.
    pub layout: Layout,
    /// The value of one that has a single element, where that is known.
    pub scalar: Option<f64>,
}

/// An axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What reports call it: `key channel`.
    pub name: String,
    /// Its length as a formula over the sizes: `K`, `ceil(T / C)`.
    pub symbol: String,
    /// Its length.
    pub length: usize,
}

impl Shape {
    /// Elements.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }

    /// The axis that a name means: the symbol of one axis, or what reports call it (blanks as `_`).
    pub fn axis(&self, name: &str) -> Option<usize> {
        let by_name = |axis: &Side| axis.name.replace(' ', "_") == name;
        let symbols = self.axes.iter().filter(|axis| axis.symbol == name).count();
        let by_symbol = |axis: &Side| symbols == 1 && axis.symbol == name;
        let axes = &self.axes;
        axes.iter()
            .position(by_name)
            .or_else(|| axes.iter().position(by_symbol))
    }

    /// Names that [`Shape::axis`] takes.
    pub fn axis_names(&self) -> Vec<String> {
        let named = |axis: &Side| match self.axis(&axis.symbol) {
            Some(_) => axis.symbol.clone(),
            None => axis.name.replace(' ', "_"),
        };
        self.axes.iter().map(named).collect()
    }
}

/// A formula with a name: an entry of `let`.
pub struct Named<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it stands for.
    pub formula: &'a Formula,
}

/// What names stand for at one case.
pub struct Scope<'a> {
    /// Sizes, whole numbers and words of the case.
    pub values: &'a Values,
    /// What takes them.
    pub function: &'a Function,
    /// Tensors of the contract, and scratch.
    pub shapes: &'a [Shape],
    /// Named formulas of the binding.
    pub lets: &'a [Named<'a>],
    /// Numbers of the moment: a loop's variable, the element that is converted.
    pub locals: Vec<(String, Value)>,
    /// What the device holds at a place of a tensor, once launches have been made.
    pub held: Option<&'a Held<'a>>,
    /// Whether a formula asked for that.
    pub asked: Cell<bool>,
    /// Names of `let` that are being worked out.
    busy: RefCell<Vec<String>>,
}

/// The value at a place: so many bytes behind the first of a tensor.
pub type Held<'a> = dyn Fn(&Shape, i128) -> Result<f64, String> + 'a;

/// Names that stand for the same in every formula.
const CONSTANTS: [(&str, f64); 2] = [("e", std::f64::consts::E), ("pi", std::f64::consts::PI)];

/// Functions, and how they are called.
const FUNCTIONS: [&str; 15] = [
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
];

impl<'a> Scope<'a> {
    /// The names of a case.
    pub fn new(
        function: &'a Function,
        values: &'a Values,
        shapes: &'a [Shape],
        lets: &'a [Named<'a>],
    ) -> Scope<'a> {
        Scope {
            values,
            function,
            shapes,
            lets,
            locals: Vec::new(),
            held: None,
            asked: Cell::new(false),
            busy: RefCell::default(),
        }
    }

    /// A tensor by name.
    pub fn shape(&self, name: &str) -> Option<&'a Shape> {
        self.shapes.iter().find(|shape| shape.name == name)
    }

    /// What a formula comes to.
    pub fn value(&self, formula: &Formula) -> Result<Value, Trouble> {
        let at = &formula.at;
        let failed = |why: String| {
            Trouble::new(
                at,
                why,
                "mend the formula, or leave the case out with `when`",
            )
        };
        match &formula.node {
            Node::Integer(number) => Ok(integer(*number)),
            Node::Float(number) => Ok(Value::Float(*number)),
            Node::Word(word) => Ok(match self.shape(word) {
                Some(_) => Value::Pointer(word.clone(), 0),
                None => Value::Word(word.clone()),
            }),
            Node::Name(name) => self.named(name, at),
            Node::Negative(of) => {
                let of = self.number(of)?;
                let zero = integer(0);
                Value::apply(super::formula::Operator::Minus, &zero, &of).map_err(failed)
            }
            Node::Not(of) => Ok(Value::Bool(!self.number(of)?.truth().map_err(failed)?)),
            Node::Choice(condition, this, that) => {
                let chosen = self.number(condition)?.truth().map_err(failed)?;
                self.value(if chosen { this } else { that })
            }
            Node::Binary(operator, left, right) => {
                use super::formula::Operator::{And, Or};
                let left = self.value(left)?;
                if matches!(operator, And | Or) {
                    let first = left.truth().map_err(failed)?;
                    if first == (*operator == Or) {
                        return Ok(Value::Bool(first));
                    }
                    let second = self.number(right)?.truth().map_err(failed)?;
                    return Ok(Value::Bool(second));
                }
                let right = self.value(right)?;
                Value::apply(*operator, &left, &right).map_err(failed)
            }
            Node::Call(name, arguments) => self.call(name, arguments, at),
            Node::Index(name, indices) => self.index(name, indices, at),
        }
    }

    /// The same where a tensor is due: a choice of the same name is not meant.
    pub fn place(&self, formula: &Formula) -> Result<Value, Trouble> {
        match &formula.node {
            Node::Name(name) if self.shape(name).is_some() => Ok(Value::Pointer(name.clone(), 0)),
            _ => self.value(formula),
        }
    }

    /// The same where a number is due: a tensor of one element is its value.
    pub fn number(&self, formula: &Formula) -> Result<Value, Trouble> {
        let value = self.value(formula)?;
        let Value::Pointer(name, 0) = &value else {
            return Ok(value);
        };
        match self.shape(name) {
            Some(shape) if shape.count() == 1 => Ok(Value::Float(shape.scalar.unwrap_or(1.0))),
            _ => Ok(value),
        }
    }

    /// What a name stands for, if anything.
    pub fn name(&self, name: &str) -> Option<Value> {
        self.named(name, &(0..0)).ok()
    }

    fn named(&self, name: &str, at: &Range<usize>) -> Result<Value, Trouble> {
        if let Some((_, value)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return Ok(value.clone());
        }
        if let Some((_, value)) = self.values.iter().find(|(known, _)| *known == name) {
            return Ok(match value {
                contract::Value::Number(number) => integer((*number).into()),
                contract::Value::Word(word) => Value::Word((*word).into()),
            });
        }
        // Tensors of others come without the choices that they leave open: the first word is what they are.
        if let Some((_, words)) = self.function.choices().find(|(known, _)| *known == name)
            && let Some(first) = words.first()
        {
            return Ok(Value::Word((*first).into()));
        }
        if self.shape(name).is_some() {
            return Ok(Value::Pointer(name.into(), 0));
        }
        if let Some(entry) = self.lets.iter().find(|entry| entry.name == name) {
            return self.entry(entry, at);
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
            return Ok(Value::Float(*value));
        }
        match name {
            "null" => return Ok(Value::Null),
            "true" | "false" => return Ok(Value::Bool(name == "true")),
            _ => {}
        }
        let words = || self.function.choices().flat_map(|(_, words)| words.iter());
        if words().any(|word| *word == name) {
            return Ok(Value::Word(name.into()));
        }
        Err(self.unknown(name, at))
    }

    /// An entry of `let`, worked out each time: formulas have no effects.
    fn entry(&self, entry: &Named<'_>, at: &Range<usize>) -> Result<Value, Trouble> {
        if self.busy.borrow().iter().any(|busy| busy == entry.name) {
            let chain = self.busy.borrow().join(" -> ");
            let title = format!(
                "`{}` is defined by itself: {chain} -> {}",
                entry.name, entry.name
            );
            return Err(Trouble::new(
                at,
                title,
                "take the name out of its own formula",
            ));
        }
        self.busy.borrow_mut().push(entry.name.to_owned());
        let value = self.value(entry.formula);
        self.busy.borrow_mut().pop();
        // The place of a complaint is where the name is used: the file shows that line.
        value.map_err(|trouble| Trouble {
            at: at.clone(),
            title: format!("`{}`: {}", entry.name, trouble.title),
            ..trouble
        })
    }

    fn unknown(&self, name: &str, at: &Range<usize>) -> Trouble {
        let known = self.names();
        let near = nearest(name, known.iter().map(String::as_str), 1);
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are: {}", known.join(", ")),
        };
        Trouble::new(at, format!("unknown name `{name}`"), help)
    }

    /// Every name that means something here.
    fn names(&self) -> Vec<String> {
        let locals = self.locals.iter().map(|(name, _)| name.clone());
        let values = self.values.names().map(Into::into);
        let shapes = self.shapes.iter().map(|shape| shape.name.clone());
        let lets = self.lets.iter().map(|entry| entry.name.to_owned());
        let words = self.function.choices().flat_map(|(_, words)| words.iter());
        let words = words.map(|word| (*word).into());
        locals
            .chain(values)
            .chain(shapes)
            .chain(lets)
            .chain(words)
            .collect()
    }

    fn call(&self, name: &str, arguments: &[Formula], at: &Range<usize>) -> Result<Value, Trouble> {
        let failed = |why: String| {
            Trouble::new(
                at,
                why,
                "mend the formula, or leave the case out with `when`",
            )
        };
        let wrong = |usage: &str| {
            let title = format!("`{name}` is called with {} arguments", arguments.len());
            Trouble::new(at, title, format!("write {usage}"))
        };
        let known = FUNCTIONS
            .iter()
            .find(|usage| usage.split('(').next() == Some(name));
        let Some(usage) = known else {
            let help = format!("known are {}", FUNCTIONS.join(", "));
            return Err(Trouble::new(at, format!("unknown function `{name}`"), help));
        };
        if name == "read" {
            return match arguments {
                [place] => self.read(place),
                _ => Err(wrong(usage)),
            };
        }
        if matches!(name, "count" | "bytes" | "size" | "stride") {
            return self
                .of_tensor(name, arguments, at)
                .unwrap_or_else(|| Err(wrong(usage)));
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.number(argument))
            .collect::<Result<_, _>>()?;
        let float = |f: fn(f64) -> f64, x: &Value| -> Result<Value, Trouble> {
            let value = f(x.float().map_err(failed)?);
            let fine = value.is_finite().then_some(Value::Float(value));
            fine.ok_or_else(|| failed(format!("{name}({x}) is {value}")))
        };
        match (name, &values[..]) {
            ("ceil", [x]) => x.rounded(true).map_err(failed),
            ("floor", [x]) => x.rounded(false).map_err(failed),
            ("sqrt", [x]) => float(f64::sqrt, x),
            ("exp", [x]) => float(f64::exp, x),
            ("exp2", [x]) => float(f64::exp2, x),
            ("log", [x]) => float(f64::ln, x),
            ("log2", [x]) => float(f64::log2, x),
            ("abs", [x]) => {
                let negative = x.float().map_err(failed)? < 0.0;
                let minus = super::formula::Operator::Minus;
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
            _ => Err(wrong(usage)),
        }
    }

    /// A place in a tensor by indices of its axes, the outermost in memory first.
    fn index(&self, name: &str, indices: &[Formula], at: &Range<usize>) -> Result<Value, Trouble> {
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
            let fail = |why: String| {
                let help = "mend the formula, or leave the case out with `when`";
                Trouble::new(&formula.at, why, help)
            };
            let index = self.number(formula)?.integer().map_err(fail)?;
            let length = shape.layout.lengths[axis];
            if !(0..length as i128).contains(&index) {
                let name = &shape.axes[axis].name;
                return Err(fail(format!(
                    "index {index} of axis {name}, which has {length}"
                )));
            }
            element += index * shape.layout.strides[axis] as i128;
        }
        Ok(Value::Pointer(
            tensor,
            offset + element * shape.kind.size() as i128,
        ))
    }

    /// What the device holds at a place when the launch is made. Before anything runs it is taken to be 1.
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

    /// A function of a tensor; nothing where the arguments are of the wrong number.
    fn of_tensor(
        &self,
        name: &str,
        arguments: &[Formula],
        at: &Range<usize>,
    ) -> Option<Result<Value, Trouble>> {
        let wants_axis = matches!(name, "size" | "stride");
        let (tensor, axis) = match arguments {
            [tensor] if !wants_axis => (tensor, None),
            [tensor, axis] if wants_axis => (tensor, Some(axis)),
            _ => return None,
        };
        let found = match self.value(tensor) {
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
        let _ = at;
        Some(Ok(integer(number as i128)))
    }
}
