//! What the names of a formula stand for.

mod call;
mod shape;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::formula::{Formula, Node, Trouble};
use super::value::{Value, integer};
use crate::contract::Function;
use crate::contract::{self, Values};
use crate::text::nearest;

pub use shape::{Shape, Side};

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
}
