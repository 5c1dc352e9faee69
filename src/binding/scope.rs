//! Resolution of the names in a formula.

mod call;
mod elements;
mod shape;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::formula::{Formula, Node, Trouble};
use super::value::{Value, ValueError, integer};
use crate::contract::{self, Function, Values};
use crate::device::DeviceError;
use crate::text::nearest;

pub use elements::Elements;
pub use shape::{TensorAxis, TensorShape};

/// A named formula: an entry of `let`.
pub struct NamedFormula<'a> {
    /// Its name.
    pub name: &'a str,
    /// The formula.
    pub formula: &'a Formula,
}

/// The names that are known at one case, and their values.
pub struct Scope<'a> {
    /// Sizes, whole numbers and words of the case.
    pub values: &'a Values,
    /// The contract that takes these values.
    pub function: &'a Function,
    /// Tensors of the contract, and scratch.
    pub shapes: &'a [TensorShape],
    /// Named formulas of the binding.
    pub lets: &'a [NamedFormula<'a>],
    /// Local numbers: a loop's variable, the element under conversion.
    pub locals: Vec<(String, Value)>,
    /// Reads elements from the device once launches have been made.
    pub held: Option<&'a ElementReader<'a>>,
    /// True once a formula has read the device.
    pub asked: Cell<bool>,
    /// Names of `let` under evaluation, for the detection of cycles.
    busy: RefCell<Vec<String>>,
    /// Numbers of entries of `let` that the evaluation of another entry has found.
    numbers: KnownResults<Value>,
    /// Tensors of entries of `let` that the evaluation of another entry has found.
    tensors: KnownResults<Option<Elements>>,
}

/// Results by names of `let`. A result is good as long as the outermost entry is under evaluation: then no loop goes on and no kernel runs.
type KnownResults<T> = RefCell<BTreeMap<String, T>>;

/// Entries of `let` that a complaint about one of them names, from the outermost.
const NAMED: usize = 3;
/// Entries of `let` of which each uses the next one.
const MAX_NESTED: usize = 200;

/// A reader of the device's value at a byte offset from the first element of a tensor.
pub type ElementReader<'a> = dyn Fn(&TensorShape, i128) -> Result<f64, DeviceError> + 'a;

/// Constants of every formula.
const CONSTANTS: [(&str, f64); 2] = [("e", std::f64::consts::E), ("pi", std::f64::consts::PI)];

/// Makes the complaint about a formula that has no value at a case.
pub(super) fn mendable(at: &Range<usize>, why: impl ToString) -> Trouble {
    Trouble::new(
        at,
        why,
        "mend the formula, or leave the case out with `when`",
    )
}

impl<'a> Scope<'a> {
    /// Makes the scope of a case.
    pub fn new(
        function: &'a Function,
        values: &'a Values,
        shapes: &'a [TensorShape],
        lets: &'a [NamedFormula<'a>],
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
            numbers: KnownResults::default(),
            tensors: KnownResults::default(),
        }
    }

    /// Returns the same scope with other tensors.
    pub fn with_shapes<'b>(&'b self, shapes: &'b [TensorShape]) -> Scope<'b> {
        Scope {
            locals: self.locals.clone(),
            ..Scope::new(self.function, self.values, shapes, self.lets)
        }
    }

    /// Adds a local number.
    pub fn add_number(&mut self, name: &str, number: f64) {
        self.locals.push((name.into(), Value::Float(number)));
    }

    /// Returns a local value by name.
    pub fn local(&self, name: &str) -> Option<&Value> {
        let found = self.locals.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Returns a tensor by name.
    pub fn shape(&self, name: &str) -> Option<&'a TensorShape> {
        self.shapes.iter().find(|shape| shape.name == name)
    }

    /// Evaluates a formula.
    pub fn value(&self, formula: &Formula) -> Result<Value, Trouble> {
        let at = &formula.at;
        let failed = |error: ValueError| mendable(at, error);
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

    /// Evaluates a formula where a tensor is due: the tensor takes precedence over a choice of the same name.
    pub fn place(&self, formula: &Formula) -> Result<Value, Trouble> {
        match &formula.node {
            Node::Name(name) if self.shape(name).is_some() => Ok(Value::Pointer(name.clone(), 0)),
            _ => self.value(formula),
        }
    }

    /// Evaluates a formula where a number is due: a tensor of one element evaluates to its element.
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

    /// Returns the value of a name, if it has one.
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
        // External tensors come without the choices that their case leaves open; such a choice has its first word.
        if let Some((_, words)) = self.function.choices().find(|(known, _)| *known == name)
            && let Some(first) = words.first()
        {
            return Ok(Value::Word((*first).into()));
        }
        let mut derived = self.function.derived.iter();
        if let Some(size) = derived.find(|size| size.name == name)
            && let Some(number) = (size.value)(self.values)
        {
            return Ok(integer(number.into()));
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

    /// Returns true if a name means an entry of `let`, because nothing else has the name.
    pub(super) fn is_let(&self, name: &str) -> bool {
        let mut choices = self.function.choices();
        let mut derived = self.function.derived.iter();
        self.local(name).is_none()
            && self.values.iter().all(|(known, _)| known != name)
            && choices.all(|(known, _)| *known != name)
            && derived.all(|size| size.name != name)
            && self.shape(name).is_none()
    }

    /// Evaluates an entry of `let` where a number is due.
    fn entry(&self, entry: &NamedFormula<'_>, at: &Range<usize>) -> Result<Value, Trouble> {
        self.within(entry, at, &self.numbers, |formula| self.value(formula))
    }

    /// Evaluates an entry of `let` where a tensor is due.
    fn tensor_entry(
        &self,
        entry: &NamedFormula<'_>,
        at: &Range<usize>,
    ) -> Result<Option<Elements>, Trouble> {
        self.within(entry, at, &self.tensors, |formula| self.elements(formula))
    }

    /// Evaluates an entry of `let` in some way, once within the evaluation of another entry. Refuses an entry that is defined by itself.
    fn within<T: Clone>(
        &self,
        entry: &NamedFormula<'_>,
        at: &Range<usize>,
        known: &KnownResults<T>,
        evaluate: impl FnOnce(&Formula) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let depth = self.busy.borrow().len();
        if depth == 0 {
            self.numbers.borrow_mut().clear();
            self.tensors.borrow_mut().clear();
        } else if let Some(value) = known.borrow().get(entry.name) {
            return Ok(value.clone());
        } else if depth == MAX_NESTED {
            let title = format!("more than {MAX_NESTED} names of `let` use one another in a row");
            return Err(Trouble::new(at, title, "write some of them as one formula"));
        }
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
        let value = evaluate(entry.formula);
        self.busy.borrow_mut().pop();
        if let Ok(value) = &value {
            let name = entry.name.to_owned();
            known.borrow_mut().insert(name, value.clone());
        }
        // The complaint points to the use of the name because the file shows that line.
        value.map_err(|trouble| Trouble {
            at: at.clone(),
            title: match depth {
                0..NAMED => format!("`{}`: {}", entry.name, trouble.title),
                _ => trouble.title,
            },
            ..trouble
        })
    }

    pub(super) fn unknown(&self, name: &str, at: &Range<usize>) -> Trouble {
        let known = self.names();
        let near = nearest(name, known.iter().map(String::as_str), 1);
        let help = match near.first() {
            // A formula would subtract the parts of such a word.
            Some(near) if near.contains('-') => {
                format!("did you mean the word '{near}'? It stands in quotes")
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are: {}", known.join(", ")),
        };
        Trouble::new(at, format!("unknown name `{name}`"), help)
    }

    /// Returns every name that the scope defines.
    fn names(&self) -> Vec<String> {
        let locals = self.locals.iter().map(|(name, _)| name.clone());
        let derived = self.function.derived.iter().map(|size| size.name);
        let sizes = self
            .function
            .dims
            .iter()
            .chain(self.function.lists)
            .copied();
        let values = self.values.names().chain(sizes).chain(derived);
        let values = values.map(Into::into);
        let shapes = self.shapes.iter().map(|shape| shape.name.clone());
        let lets = self.lets.iter().map(|entry| entry.name.to_owned());
        let words = self.function.choices().flat_map(|(_, words)| words.iter());
        let words = words.map(|word| (*word).into());
        let mut seen = BTreeSet::new();
        locals
            .chain(values)
            .chain(shapes)
            .chain(lets)
            .chain(words)
            .filter(|name: &String| seen.insert(name.clone()))
            .collect()
    }
}
