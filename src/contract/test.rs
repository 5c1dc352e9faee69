//! A test: a contract at shapes, with tolerances and wrong kernels that it must catch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Function, Values};
use crate::report::model::Tolerance;

/// A test: one function at one or more shapes.
#[derive(Debug)]
pub struct Test {
    /// Its name.
    pub id: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    /// The function it runs.
    pub function: &'static Function,
    /// The name of the binding that it is for, if not any that has none.
    pub binding: Option<String>,
    /// A title in words.
    pub title: String,
    /// True if it is one of the document's 26 tests.
    pub documented: bool,
    /// True if its cases are designed from the contract's domain.
    pub designed: bool,
    /// Its shapes. A test with one shape has one case, whose id is the test's.
    pub cases: Vec<Case>,
    /// Judgement of each output.
    pub outputs: BTreeMap<String, OutputTolerance>,
    /// The wrong kernels it must catch, by the names that the contract's binding has for them.
    pub planted: Vec<String>,
}

/// One shape of a test.
#[derive(Debug, Clone)]
pub struct Case {
    /// The id that `--test` takes: the test's, or `ID:name=value,...` where there are several cases.
    pub id: String,
    /// The parameters.
    pub values: Values,
}

/// An output's tolerance, and the reason for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OutputTolerance {
    /// The allowed difference.
    pub tolerance: Tolerance,
    /// The measured figure that justifies the tolerance.
    pub reason: String,
}
