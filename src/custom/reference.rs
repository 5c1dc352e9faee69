//! The expected values of a custom contract: the results of a Python function, or the tensors of files.

use std::path::PathBuf;
use std::sync::Arc;

use super::declaration::Declaration;
use super::python::{Array, Python, PythonError, Request};
use crate::binding::formula::Trouble;
use crate::contract::{Buffer, DeviceResult, Instance};
use crate::device::{DeviceError, DeviceErrorKind};
use crate::document::{Complaint, render};
use crate::files;
use crate::tensor::{Axis, index};

/// The origin of the expected values.
pub(super) struct Reference {
    /// Byte range of the entry in the contract's file.
    pub span: std::ops::Range<usize>,
    /// The Python process.
    pub python: Arc<Python>,
    /// The absolute path of the Python file.
    pub file: PathBuf,
    /// The function in it.
    pub function: String,
    /// The seconds that one computation may take.
    pub seconds: u64,
}

/// The largest Python file that is shown in a complaint.
const MAX_BYTES: u64 = 4 << 20;

impl Reference {
    /// Computes the expected values of the compared tensors.
    ///
    /// # Errors
    /// The reference has no results, or wrong ones.
    pub fn results(
        &self,
        of: &Declaration,
        t: &Instance<'_>,
        buffers: &[Buffer],
    ) -> DeviceResult<Vec<Vec<f64>>> {
        let request = self.request(of, t, buffers);
        let arrays = self
            .python
            .compute(&request, self.seconds)
            .map_err(|error| self.failed(of, t.case_id(), &error))?;
        let compared = of.compared(buffers).zip(arrays);
        let values = compared.map(|((tensor, buffer), array)| {
            let wrong = wrong(&array, t.axes(buffer), tensor.kind.is_float());
            match wrong.map(PythonError::Refused) {
                None => Ok(array.values),
                Some(error) => Err(self.failed(of, t.case_id(), &error)),
            }
        });
        values.collect()
    }

    fn request(&self, of: &Declaration, t: &Instance<'_>, buffers: &[Buffer]) -> Request {
        let mut arrays = Vec::new();
        let mut values = Vec::new();
        for (tensor, buffer) in of.given(buffers) {
            let kind = if tensor.kind.is_float() {
                "float"
            } else {
                "integer"
            };
            arrays.push((tensor.name.clone(), kind, lengths(t.axes(buffer))));
            values.extend(t.wide(buffer));
        }
        Request {
            file: self.file.clone(),
            function: self.function.clone(),
            arrays,
            arguments: of.arguments(t),
            outputs: of
                .compared(buffers)
                .map(|(tensor, _)| tensor.name.clone())
                .collect(),
            values,
        }
    }

    /// Makes the error of a reference without results. It points at the line that raised, or else at the contract's entry.
    fn failed(&self, of: &Declaration, case: &str, error: &PythonError) -> DeviceError {
        let name = &self.function;
        let (title, help) = match error {
            PythonError::NoProcess(why) => (
                format!("the reference `{name}` needs Python with numpy: {why}"),
                "install python3 and numpy, or name an interpreter in DELTANET_CHECK_PYTHON".into(),
            ),
            PythonError::Ended(how) => (
                format!("Python ended in the reference `{name}` of case {case}: {how}"),
                "call the function in Python itself to see why".into(),
            ),
            PythonError::Late(seconds) => (
                format!("the reference `{name}` did not return within {seconds} s in case {case}"),
                "make it faster, or allow it more: `seconds = 600`".to_owned(),
            ),
            PythonError::Refused(what) => (
                format!("the reference `{name}` is wrong in case {case}: {what}"),
                "docs/custom-contracts.md says what a reference takes and returns".into(),
            ),
            PythonError::Raised {
                exception,
                line,
                traceback,
            } => {
                let title = format!("the reference `{name}` raised {exception} in case {case}");
                if let Some(error) = self.raised(&title, *line, traceback) {
                    return error;
                }
                (
                    title,
                    "call the function in Python itself to see why".into(),
                )
            }
        };
        let trouble = Trouble::new(&(0..0), title, help);
        let complaint = Complaint {
            label: "this reference".into(),
            ..of.source.complaint(&self.span, trouble)
        };
        let complaint = Complaint {
            span: self.span.clone(),
            ..complaint
        };
        let text = render(&of.source.name, &of.source.text, &[complaint]);
        DeviceError::of(DeviceErrorKind::Test, text)
    }

    /// Makes the error of an exception that passed the reference's file.
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
            help: "the expected values come from this function: mend it first".into(),
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

/// Returns what is wrong with an array that should have these axes.
fn wrong(array: &Array, axes: &[Axis], is_float: bool) -> Option<String> {
    let Array {
        name,
        dtype,
        shape,
        values,
    } = array;
    let whole = ["int", "uint", "bool"]
        .iter()
        .any(|kind| dtype.starts_with(kind));
    if is_float && dtype != "float64" && !whole {
        return Some(format!("`{name}` is of {dtype}, and float64 is due"));
    }
    if !is_float && !whole {
        return Some(format!("`{name}` is of {dtype}, and whole numbers are due"));
    }
    let due = lengths(axes);
    if *shape != due {
        return Some(format!("`{name}` has shape {shape:?}, and {due:?} is due"));
    }
    let at = values.iter().position(|value| value.is_nan())?;
    Some(format!("`{name}` is NaN at {:?}", index(axes, at)))
}
