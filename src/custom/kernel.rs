//! A plain kernel as the reference of a contract. It runs on the emulator, on the same inputs as floats of f64 or f32, between guards.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::function::{ArraySpec, value_mistake};
use super::results::{Outputs, Results};
use crate::binding::{Binding, ContractTensors, Source};
use crate::contract::{DeviceResult, Function, Values};
use crate::device::{DeviceError, DeviceErrorKind};
use crate::document::{Complaint, render};
use crate::program::Program;
use crate::tensor::Data;

/// A run of a reference kernel.
pub struct KernelRun<'a> {
    /// The contract in the kernel's types.
    pub function: &'static Function,
    /// The launch.
    pub binding: &'a Binding,
    /// The tensors of the contract.
    pub tensors: &'a ContractTensors,
    /// The code object.
    pub program: &'a Program,
    /// The id of the case.
    pub case: &'a str,
    /// The parameters of the case.
    pub values: &'a Values,
    /// The inputs by name.
    pub inputs: BTreeMap<String, Data>,
}

/// A function that runs a reference kernel and returns the values of the contract's outputs.
pub type KernelRunner = fn(KernelRun<'_>) -> DeviceResult<Vec<Vec<f64>>>;

/// A kernel that computes the expected values.
pub(super) struct ReferenceKernel {
    /// The contract's file.
    pub source: Arc<Source>,
    /// Byte range of the entry in it.
    pub span: Range<usize>,
    /// The contract in the kernel's types.
    pub function: &'static Function,
    /// The launch.
    pub binding: Binding,
    /// The tensors of the contract.
    pub tensors: ContractTensors,
    /// The code object.
    pub program: Program,
    /// The absolute path of the code object.
    pub path: PathBuf,
    /// The function that runs the kernel.
    pub runner: KernelRunner,
    /// Results of cases that come again.
    pub results: Results,
}

impl ReferenceKernel {
    /// Returns what the kernel computes from some inputs.
    ///
    /// # Errors
    /// The kernel stops before its end, writes where it may not, or leaves a NaN.
    pub fn run(
        &self,
        (case, values): (&str, &Values),
        inputs: Vec<(String, Vec<f64>)>,
        outputs: &[ArraySpec<'_>],
    ) -> DeviceResult<Outputs> {
        let words = values.suffix();
        let numbers = inputs.iter().flat_map(|(_, values)| values.iter().copied());
        let key = Results::key(words.as_bytes(), numbers);
        if let Some(known) = self.results.get(&key) {
            return Ok(known);
        }
        let run = KernelRun {
            function: self.function,
            binding: &self.binding,
            tensors: &self.tensors,
            program: &self.program,
            case,
            values,
            inputs: inputs
                .into_iter()
                .map(|(name, values)| (name, Data::f64(values)))
                .collect(),
        };
        let results = (self.runner)(run).map_err(|error| self.failed(case, &error.message))?;
        for (output, values) in outputs.iter().zip(&results) {
            if let Some(mistake) = value_mistake(values, output) {
                return Err(self.failed(case, &mistake));
            }
        }
        self.results.keep(key, &results);
        Ok(results)
    }

    fn failed(&self, case: &str, why: &str) -> DeviceError {
        let first = why.lines().next().unwrap_or_default();
        let complaint = Complaint {
            span: self.span.clone(),
            title: format!("the reference kernel is wrong in case {case}: {first}"),
            label: "this kernel".into(),
            help: "mend it first: the expected values come from it".into(),
        };
        let text = render(&self.source.name, &self.source.text, &[complaint]);
        DeviceError::of(DeviceErrorKind::Test, text)
    }
}
