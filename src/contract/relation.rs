//! Laws of a contract that need no reference, of two runs of the kernels or of one.
//!
//! A reference and a kernel by the same author may share mistakes, which a comparison does not show. A law follows from the formula
//! itself, not from a second implementation of it (metamorphic testing: Chen, Cheung and Yiu, HKUST-CS98-01, 1998).

mod arrays;
mod judge;
mod second;
mod step;

use super::Values;

pub use arrays::{Array, allowances};
pub use judge::{LawViolation, judge};
pub use second::{Misfit, second};
pub use step::{Order, Step, heads, reversed, within_groups};

/// A law of the outputs of a contract.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// Short stable name: `scaled-by-two`.
    pub name: &'static str,
    /// The law in words.
    pub says: &'static str,
    /// True for the cases of which the law holds.
    pub applies: fn(&Values) -> bool,
    /// The law itself.
    pub law: Law,
}

/// The kind of a law.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// A law of two runs.
    TwoRuns(TwoRunLaw),
    /// A law of one run: equations between inputs and outputs. An absent tensor makes no claim.
    OneRun(fn(&Values, &RunArrays<'_>) -> Option<Vec<Claim>>),
}

/// A law of two runs: the outputs of the second run follow from the outputs of the first.
#[derive(Clone, Copy, Debug)]
pub struct TwoRunLaw {
    /// The case of the second run, if it differs from the first.
    pub case: Option<fn(&Values) -> Values>,
    /// Steps that make the inputs of an intermediate run from the tensors of the first run. The outputs of the
    /// intermediate run join the tensors of the first, with an apostrophe behind their names.
    pub between: Option<&'static [Step]>,
    /// Steps that make the inputs of the second run from the tensors of the first.
    pub inputs: &'static [Step],
    /// Steps that make the expected outputs of the second run from the tensors of the first.
    pub outputs: &'static [Step],
    /// Steps applied to the outputs of the second run before the comparison.
    pub seen: &'static [Step],
    /// The required closeness.
    pub closeness: Closeness,
}

/// The required closeness of the two sides of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// The sides have equal bits unless they over- or underflow: powers of two and signs do not change how a number is rounded.
    Bits,
    /// The sides may differ by the sum of the outputs' tolerances, each propagated through the law.
    Tolerance,
}

/// Inputs and outputs of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunArrays<'a> {
    /// Arrays that the run started with.
    pub inputs: &'a [Array],
    /// Arrays that the run left.
    pub outputs: &'a [Array],
}

impl<'a> RunArrays<'a> {
    /// Returns an input by name.
    pub fn input(&self, name: &str) -> Option<&'a Array> {
        self.inputs.iter().find(|array| array.name == name)
    }

    /// Returns an output by name.
    pub fn output(&self, name: &str) -> Option<&'a Array> {
        self.outputs.iter().find(|array| array.name == name)
    }
}

/// One equation for each element: the left side must be within `right.allowed` of the right side.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The left side.
    pub left: Vec<f64>,
    /// The right side, under the output's name and the equations' axes.
    pub right: Array,
}

/// Returns true for every case.
pub fn always(_: &Values) -> bool {
    true
}

impl Relation {
    /// Makes a law of two runs of a case.
    pub const fn twice(
        name: &'static str,
        says: &'static str,
        [inputs, outputs]: [&'static [Step]; 2],
        closeness: Closeness,
    ) -> Relation {
        let law = Law::TwoRuns(TwoRunLaw {
            case: None,
            between: None,
            inputs,
            outputs,
            seen: &[],
            closeness,
        });
        Relation {
            name,
            says,
            applies: always,
            law,
        }
    }

    /// Makes a law of one run.
    pub const fn alone(
        name: &'static str,
        says: &'static str,
        law: fn(&Values, &RunArrays<'_>) -> Option<Vec<Claim>>,
    ) -> Relation {
        Relation {
            name,
            says,
            applies: always,
            law: Law::OneRun(law),
        }
    }

    /// Restricts the law to some cases.
    pub const fn when(self, applies: fn(&Values) -> bool) -> Relation {
        Relation { applies, ..self }
    }

    /// Adds an intermediate run.
    pub const fn after(self, between: &'static [Step]) -> Relation {
        let law = match self.law {
            Law::TwoRuns(twice) => Law::TwoRuns(TwoRunLaw {
                between: Some(between),
                ..twice
            }),
            Law::OneRun(_) => self.law,
        };
        Relation { law, ..self }
    }

    /// Gives the second run another case. The steps `seen` change its outputs before the comparison.
    pub const fn at(self, case: fn(&Values) -> Values, seen: &'static [Step]) -> Relation {
        let law = match self.law {
            Law::TwoRuns(twice) => Law::TwoRuns(TwoRunLaw {
                case: Some(case),
                seen,
                ..twice
            }),
            Law::OneRun(_) => self.law,
        };
        Relation { law, ..self }
    }
}
