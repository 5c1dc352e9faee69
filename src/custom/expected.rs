//! Expected values in files: a file of safetensors for each case, with inputs and outputs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::function::{ArraySpec, shape_mistake, value_mistake};
use crate::binding::Source;
use crate::contract::{DeviceResult, Values};
use crate::device::{DeviceError, DeviceErrorKind};
use crate::document::{Complaint, render};
use crate::files;
use crate::tensor::{ElementKind, read_safetensors, safetensors_type};
use crate::text::shown;

/// The largest file of tensors.
const MAX_BYTES: u64 = 1 << 30;

/// Expected values in files.
pub(super) struct ExpectedFiles {
    /// The contract's file.
    pub source: Arc<Source>,
    /// Byte range of the pattern in it.
    pub span: Range<usize>,
    /// The folder from which the pattern starts.
    pub folder: PathBuf,
    /// The path of a case's file: `{case}` stands for its sizes and choices, `{T}` for one of them.
    pub pattern: String,
    /// Files that have been read.
    pub read: Mutex<BTreeMap<PathBuf, Arc<StoredTensors>>>,
}

/// The tensors of a file: shapes and elements by name.
pub(super) type StoredTensors = BTreeMap<String, (Vec<usize>, Vec<f64>)>;

impl ExpectedFiles {
    /// Returns the tensors of a case's file.
    ///
    /// # Errors
    /// The file cannot be read, or is no file of tensors.
    pub fn tensors(&self, case: &Values) -> DeviceResult<Arc<StoredTensors>> {
        let path = files::named(&self.folder, self.path(case)).map_err(|error| {
            let (title, help) = error.parts();
            self.failed(&title, &help)
        })?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&path) {
            return Ok(Arc::clone(known));
        }
        let bytes = files::read(&path, MAX_BYTES).map_err(|error| {
            self.failed(
                &error.to_string(),
                "write a file for each case: `deltanet-check --list` has their names",
            )
        })?;
        let name = shown(&path);
        let unusable = |what: &str| {
            let title = format!("{name}: {what}");
            self.failed(&title, "write it with the safetensors package")
        };
        let (_, file) = read_safetensors(&bytes).map_err(|error| unusable(&error.to_string()))?;
        let mut tensors = StoredTensors::new();
        for (tensor, view) in file.tensors() {
            let mut kinds = ElementKind::ALL.into_iter();
            let kind = kinds.find(|kind| safetensors_type(*kind) == view.dtype());
            let kind = kind.ok_or_else(|| {
                let (tensor, dtype) = (tensor.escape_debug(), view.dtype());
                unusable(&format!("`{tensor}` is of {dtype:?}, which no tensor has"))
            })?;
            let elements = view.data().chunks_exact(kind.size());
            let values = elements.map(|element| kind.value(element)).collect();
            tensors.insert(tensor, (view.shape().to_vec(), values));
        }
        let tensors = Arc::new(tensors);
        read.insert(path, Arc::clone(&tensors));
        Ok(tensors)
    }

    /// Returns the elements of a tensor in a file.
    ///
    /// # Errors
    /// The file has no such tensor, or one of another shape.
    pub fn values(
        &self,
        (case, file): (&Values, &StoredTensors),
        due: &ArraySpec<'_>,
    ) -> DeviceResult<Vec<f64>> {
        let name = due.name;
        let place = shown(&self.folder.join(self.path(case)));
        let Some((shape, values)) = file.get(name) else {
            let title = format!("{place} has no tensor `{name}`");
            return Err(self.failed(
                &title,
                "write all inputs and outputs: drawn inputs would not belong to the outputs",
            ));
        };
        let wrong = shape_mistake(name, shape, due.axes).or_else(|| value_mistake(values, due));
        if let Some(mistake) = wrong {
            let title = format!("{place}: {mistake}");
            return Err(self.failed(&title, "write the tensors of this case there"));
        }
        Ok(values.clone())
    }

    /// Makes the error of inputs that are not those of the file.
    pub fn other_inputs(&self, name: &str) -> DeviceError {
        let title = format!("the expected values are not known for other values of `{name}`");
        self.failed(&title, "a reference in Python computes them for any inputs")
    }

    fn path(&self, case: &Values) -> String {
        let mut path = self.pattern.replace("{case}", &case.suffix());
        for (name, value) in case.iter() {
            path = path.replace(&format!("{{{name}}}"), &value.to_string());
        }
        path
    }

    fn failed(&self, title: &str, help: &str) -> DeviceError {
        let complaint = Complaint {
            span: self.span.clone(),
            title: title.into(),
            label: "expected here".into(),
            help: help.into(),
        };
        let text = render(&self.source.name, &self.source.text, &[complaint]);
        DeviceError::of(DeviceErrorKind::Test, text)
    }
}
