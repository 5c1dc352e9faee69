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
use crate::text::shortest;

/// The largest Python file that is shown in a complaint.
const MAX_BYTES: u64 = 4 << 20;

/// The first number from which f64 does not hold every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

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
        let checked =
            outputs
                .iter()
                .zip(arrays)
                .map(|(output, array)| match mistake(&array, output) {
                    None => Ok(array.values),
                    Some(what) => Err(failed(PythonError::Refused(what))),
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
                "make it faster, or allow it more: `seconds = 600` beside `python`",
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

/// Returns the mistake of an array that a function returned.
fn mistake(array: &Array, due: &ArraySpec<'_>) -> Option<String> {
    let Array {
        name,
        dtype,
        shape,
        values,
    } = array;
    let kinds = ["int", "uint", "bool"];
    let whole = kinds.iter().any(|kind| dtype.starts_with(kind));
    if due.kind.is_float() && dtype != "float64" {
        return Some(format!("`{name}` is of {dtype}, and float64 is due"));
    }
    if !due.kind.is_float() && !whole {
        return Some(format!("`{name}` is of {dtype}, and whole numbers are due"));
    }
    shape_mistake(name, shape, due.axes).or_else(|| value_mistake(values, due))
}

/// Returns the mistake if a tensor has another shape than its axes say.
pub(super) fn shape_mistake(name: &str, shape: &[usize], axes: &[Axis]) -> Option<String> {
    let due = lengths(axes);
    (*shape != due).then(|| format!("`{name}` has shape {shape:?}, and {due:?} is due"))
}

/// Returns the first value of a tensor that its type cannot hold, as a mistake. Numbers beyond f16 are saturated later.
pub(super) fn value_mistake(values: &[f64], due: &ArraySpec<'_>) -> Option<String> {
    let kind = due.kind;
    let mistake = |value: f64| -> Option<&str> {
        let is_beyond =
            || value.is_finite() && kind != ElementKind::F16 && kind.rounded(value).is_infinite();
        match kind.is_float() {
            true if value.is_nan() => Some("is NaN"),
            true if is_beyond() => Some("is beyond its type"),
            true => None,
            false if value.fract() != 0.0 || !value.is_finite() => Some("is no whole number"),
            false if value.abs() >= EXACT => Some("is beyond 2^53"),
            false if kind.rounded(value) != value => Some("is beyond its type"),
            false => None,
        }
    };
    let mut found = values.iter().enumerate();
    let (at, value, what) = found.find_map(|(at, value)| Some((at, value, mistake(*value)?)))?;
    let (name, index, kind) = (due.name, index(due.axes, at), kind.name());
    Some(match what {
        "is NaN" => format!("`{name}` is NaN at {index:?}"),
        what => format!(
            "`{name}` is {} at {index:?}, which {what} ({kind})",
            shortest(*value)
        ),
    })
}
