//! The vocabulary that contracts and their users share: sizes, tensors, domains, relations and references.

pub mod catalog;
pub mod design;
mod domain;
mod given;
mod instance;
mod probe;
pub mod relation;
mod tensor;
mod test;
mod values;

use std::path::Path;

pub use domain::{Choice, Domain, Factor, Predicate, Rule};
pub use given::ExternalTensors;
pub use instance::{Instance, Kinds};
pub use probe::{TensorProbe, probe};
pub use tensor::{
    Buffer, Check, MAX_NUMBERS, Mistake, Numbers, PreparedCase, Role, Tensor, axes, elements, table,
};
pub use test::{Case, OutputTolerance, Test};
pub use values::{Value, Values, list_of, list_word};

pub use crate::device::DeviceResult;

/// The most elements a tensor of a test may have: 64 MiB of f32.
pub const MAX_ELEMENTS: i64 = 1 << 24;

/// A formula, as `left = right; remark`. Its left side begins with a name; it may be without a remark.
pub type Formula = &'static str;

/// Returns the left side of a formula, and its right side with the remark.
pub fn sides(formula: Formula) -> (&'static str, &'static str) {
    formula.split_once(" = ").unwrap_or((formula, ""))
}

/// The code of a contract: it draws the inputs and computes the references of the outputs.
pub type Mathematics = dyn Fn(&mut Instance<'_>) -> DeviceResult + Sync;

/// A contract: the operation that kernels compute and that tests ask for.
pub struct Function {
    /// The name that the registry uses.
    pub name: &'static str,
    /// A title in words.
    pub title: &'static str,
    /// A formula for each output, in the letters of its sizes and tensors; other names are defined by formulas of their own.
    pub formulas: &'static [Formula],
    /// The contract's dimensions, from 1 up.
    pub dims: &'static [&'static str],
    /// The contract's other whole numbers, which may be negative.
    pub integers: &'static [&'static str],
    /// The contract's choices: their names, and the words for each.
    pub words: &'static [Choice],
    /// The choices that are sizes of several values, such as the lengths of packed sequences. Each word is a list, as [`list_word`] writes
    /// it.
    pub lists: &'static [&'static str],
    /// Sizes that follow from others.
    pub derived: &'static [DerivedSize],
    /// The outputs that are compared.
    pub outputs: &'static [&'static str],
    /// The contract's largest tensors, as products of dimensions.
    pub largest: &'static [&'static [&'static str]],
    /// The domain in which the contract holds.
    pub domain: Domain,
    /// Its code.
    pub run: &'static Mathematics,
    /// The absolute path of the file of a custom contract; none for a built-in one.
    pub file: Option<&'static Path>,
}

/// A size that follows from others.
#[derive(Clone, Copy)]
pub struct DerivedSize {
    /// Its name.
    pub name: &'static str,
    /// Its formula as the contract's file has it.
    pub formula: &'static str,
    /// Returns the size in a case; none if it is no whole number there.
    pub value: &'static (dyn Fn(&Values) -> Option<i64> + Sync),
}

/// A reason to refuse a shape.
pub struct Refusal {
    /// The problem.
    pub title: String,
    /// The remedy.
    pub help: String,
}

impl Function {
    /// A contract of nothing. The catalogue's contracts name their own fields and take the others from here.
    pub const EMPTY: Function = Function {
        name: "",
        title: "",
        formulas: &[],
        dims: &[],
        integers: &[],
        words: &[],
        lists: &[],
        derived: &[],
        outputs: &[],
        largest: &[],
        domain: Domain::of(&[]),
        run: &|_| Ok(()),
        file: None,
    };

    /// Returns true for a contract of a user's file.
    pub fn is_custom(&self) -> bool {
        self.file.is_some()
    }

    /// Returns the contract's dimensions, then its other whole numbers.
    pub fn sizes(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.dims.iter().chain(self.integers).copied()
    }

    /// Returns the contract's choices, then the choices that a case may leave open. The first word of an open choice is its default.
    pub fn choices(&self) -> impl Iterator<Item = &'static Choice> {
        self.words.iter().chain(self.domain.open())
    }

    /// Returns a refusal if a shape is beyond the tool's limits.
    pub fn refuses(&self, values: &Values) -> Option<Refusal> {
        let elements = self
            .largest
            .iter()
            .map(|names| product(values, names))
            .max()
            .unwrap_or(0);
        let cap = u128::from(MAX_ELEMENTS.unsigned_abs());
        (elements > cap).then(|| Refusal {
            title: format!("the largest tensor of this shape has {elements} elements"),
            help: format!("choose a shape with no tensor of more than {cap} elements (64 MiB)"),
        })
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn product(values: &Values, names: &[&str]) -> u128 {
    // A size that the contract does not have counts as 1.
    let size = |name: &&str| values.dim(name).unwrap_or(1) as u128;
    names.iter().map(size).product()
}
