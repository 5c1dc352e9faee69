//! A Python function that a contract names: a call of it, and the errors of a call.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::python::{Array, Python, PythonError, Request};
use super::results::{Outputs, Results};
use crate::binding::Source;
use crate::contract::DeviceResult;
use crate::device::{DeviceError, DeviceErrorKind};
use crate::document::{Complaint, render};
use crate::files;
use crate::tensor::{Axis, ElementKind, index};

/// The largest Python file that is shown in a complaint.
const MAX_BYTES: u64 = 4 << 20;

/// A Python function that a contract names.
#[derive(Clone)]
pub(super) struct PythonFunction {
    /// The contract's file.
    pub source: Arc<Source>,
    /// Byte range of the entry in it.
    pub span: Range<usize>,
    /// The Python process.
    pub python: Arc<Python>,
    /// The absolute path of the Python file.
    pub file: PathBuf,
    /// The function's name.
    pub name: String,
    /// The seconds that one call may take.
    pub seconds: u64,
}

impl std::fmt::Debug for PythonFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// A tensor that a function takes or returns.
pub(super) struct ArraySpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its elements.
    pub kind: ElementKind,
    /// Its axes.
    pub axes: &'a [Axis],
}

impl PythonFunction {
    /// Calls the function. `inputs` are tensors, whose elements follow each other in `values`; `others` are scalars, choices and sizes.
    /// Returns the elements of each output.
    ///
    /// # Errors
    /// The function raises, does not return in time, or returns other arrays than the outputs.
    pub fn call(
        &self,
        case: &str,
        (inputs, values): (&[ArraySpec<'_>], Vec<f64>),
        others: Map<String, Value>,
        outputs: &[ArraySpec<'_>],
    ) -> DeviceResult<Outputs> {
        let arrays = inputs.iter().map(|input| {
            let kind = if input.kind.is_float() {
                "float"
            } else {
                "integer"
            };
            (input.name.to_owned(), kind, lengths(input.axes))
        });
        let request = Request {
            file: self.file.clone(),
            function: self.name.clone(),
            arrays: arrays.collect(),
            arguments: others,
            outputs: outputs.iter().map(|output| output.name.into()).collect(),
            values,
        };
        let words = serde_json::to_vec(&request).unwrap_or_default();
        let key = Results::key(&words, request.values.iter().copied());
        if let Some(known) = self.python.results.get(&key) {
            return Ok(known);
        }
        let failed = |error: PythonError| self.failed(case, &error);
        let arrays = self
            .python
            .compute(&request, self.seconds)
            .map_err(failed)?;
        let checked = outputs.iter().zip(arrays).map(|(output, array)| {
            let wrong = wrong(&array, output);
            match wrong {
                None => Ok(array.values),
                Some(what) => Err(failed(PythonError::Refused(what))),
            }
        });
        let results = checked.collect::<DeviceResult<Outputs>>()?;
        self.python.results.keep(key, &results);
        Ok(results)
    }

    /// Makes the error of a call without results. It points at the line that raised, or else at the contract's entry.
    fn failed(&self, case: &str, error: &PythonError) -> DeviceError {
        let name = &self.name;
        let (title, help) = match error {
            PythonError::NoProcess(why) => (
                format!("the function `{name}` needs Python with NumPy: {why}"),
                "install python3 and numpy, or name an interpreter in DELTANET_CHECK_PYTHON",
            ),
            PythonError::Ended(how) => (
                format!("Python ended in the function `{name}` of case {case}: {how}"),
                "call the function in Python itself to see why",
            ),
            PythonError::Late(seconds) => (
                format!("the function `{name}` did not return within {seconds} s in case {case}"),
                "make it faster, or allow it more: `seconds = 600` beside the reference",
            ),
            PythonError::Refused(what) => (
                format!("the function `{name}` is wrong in case {case}: {what}"),
                "docs/custom-contracts.md says what a function takes and returns",
            ),
            PythonError::Raised {
                exception,
                line,
                traceback,
            } => {
                let title = format!("the function `{name}` raised {exception} in case {case}");
                if let Some(error) = self.raised(&title, *line, traceback) {
                    return error;
                }
                (title, "call the function in Python itself to see why")
            }
        };
        let complaint = Complaint {
            span: self.span.clone(),
            title,
            label: "this function".into(),
            help: help.into(),
        };
        let text = render(&self.source.name, &self.source.text, &[complaint]);
        DeviceError::of(DeviceErrorKind::Test, text)
    }

    /// Makes the error of an exception that passed the function's file.
    fn raised(&self, title: &str, line: Option<usize>, traceback: &str) -> Option<DeviceError> {
        let (name, text) = files::read_text("reference", &self.file, MAX_BYTES).ok()?;
        let line = line?.checked_sub(1)?;
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let own = text.get(before..)?.lines().next()?;
        let start = before + own.len() - own.trim_start().len();
        let complaint = Complaint {
            span: start..before + own.len(),
            title: title.into(),
            label: "here".into(),
            help: "the contract's values come from this function: mend it first".into(),
        };
        let text = render(&name, &text, &[complaint]);
        let frames = match traceback.matches("File ").count() {
            // One frame is the line that is shown already.
            0 | 1 => String::new(),
            _ => format!("\n\n{traceback}"),
        };
        Some(DeviceError::of(DeviceErrorKind::Test, text + &frames))
    }
}

fn lengths(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|axis| axis.length).collect()
}

/// Returns what is wrong with an array.
fn wrong(array: &Array, due: &ArraySpec<'_>) -> Option<String> {
    let Array {
        name,
        dtype,
        shape,
        values,
    } = array;
    let kinds = ["int", "uint", "bool"];
    let whole = kinds.iter().any(|kind| dtype.starts_with(kind));
    if due.kind.is_float() && dtype != "float64" && !whole {
        return Some(format!("`{name}` is of {dtype}, and float64 is due"));
    }
    if !due.kind.is_float() && !whole {
        return Some(format!("`{name}` is of {dtype}, and whole numbers are due"));
    }
    let lengths = lengths(due.axes);
    if *shape != lengths {
        return Some(format!(
            "`{name}` has shape {shape:?}, and {lengths:?} is due"
        ));
    }
    let at = values.iter().position(|value| value.is_nan())?;
    Some(format!("`{name}` is NaN at {:?}", index(due.axes, at)))
}
