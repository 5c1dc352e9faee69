//! Arrays in files: NumPy's, tensors of a safetensors file, raw bytes.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use safetensors::Dtype as Stored;

use crate::commands::did_you_mean;
use crate::files;
use crate::tensor::npy::{Dtype, Npy};
use crate::tensor::read_safetensors;
use crate::text::shown;

/// Buffers together may take this much of the host's memory.
pub(super) const MAX_BUFFERS: u64 = 4 << 30;

/// The names that a message lists.
const LISTED: usize = 20;

/// The file of an array, and its tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayFile {
    pub(super) path: PathBuf,
    /// The name of a tensor of a safetensors file.
    pub(super) tensor: Option<String>,
}

/// The type, shape and axes of the elements, as a file gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    /// The names of the axes, as `export` writes them; none where the file does not say.
    pub(super) axes: Vec<String>,
}

/// Elements, and what the file says of them.
pub(super) struct Array {
    pub(super) data: Vec<u8>,
    pub(super) layout: Option<Layout>,
}

impl ArrayFile {
    /// Returns the name of the array in messages.
    pub(super) fn shown(&self) -> String {
        let path = shown(&self.path);
        match &self.tensor {
            Some(tensor) => format!("tensor `{}` of {path}", tensor.escape_debug()),
            None => path,
        }
    }

    /// True if the file says the type and the shape of its elements.
    pub(super) fn has_layout(&self) -> bool {
        is_npy(&self.path) || is_safetensors(&self.path)
    }

    /// The elements of an `.npy` file or of a tensor, or all bytes of any other file.
    pub(super) fn read(&self) -> anyhow::Result<Array> {
        let bytes = files::read(&self.path, MAX_BUFFERS)?;
        let place = || format!("cannot read {}", shown(&self.path));
        if let Some(tensor) = &self.tensor {
            return named(&bytes, tensor).with_context(place);
        }
        if is_safetensors(&self.path) {
            let (_, file) = read_safetensors(&bytes).with_context(place)?;
            return Err(anyhow!(
                "name a tensor (\"tensor\"): it has {}",
                listed(file.names())
            ))
            .with_context(place);
        }
        if !is_npy(&self.path) {
            return Ok(Array {
                data: bytes,
                layout: None,
            });
        }
        let Npy { dtype, shape, data } = Npy::from_bytes(&bytes).with_context(place)?;
        let axes = Vec::new();
        let layout = Some(Layout { dtype, shape, axes });
        Ok(Array { data, layout })
    }
}

/// A tensor of a safetensors file.
fn named(bytes: &[u8], name: &str) -> anyhow::Result<Array> {
    let (header, file) = read_safetensors(bytes)?;
    let view = file.tensor(name).map_err(|_| {
        let names = file.names();
        let nearest = did_you_mean(name, names.iter().copied());
        let name = name.escape_debug();
        anyhow!("no tensor `{name}`{nearest}; it has {}", listed(names))
    })?;
    let dtype = dtype(view.dtype()).ok_or_else(|| {
        let name = name.escape_debug();
        anyhow!(
            "tensor `{name}` holds {:?}: store numbers of whole bytes (F32, BF16, I32 ...)",
            view.dtype()
        )
    })?;
    let axes = header
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get(&format!("axes.{name}")));
    let axes: Vec<String> = axes.map_or_else(Vec::new, |axes| {
        axes.split(',').map(str::to_owned).collect()
    });
    let shape = view.shape().to_vec();
    // Names that are not one an axis say nothing.
    let axes = if axes.len() == shape.len() {
        axes
    } else {
        Vec::new()
    };
    Ok(Array {
        data: view.data().to_vec(),
        layout: Some(Layout { dtype, shape, axes }),
    })
}

fn dtype(stored: Stored) -> Option<Dtype> {
    let of = |kind, size| Some(Dtype { kind, size });
    match stored {
        Stored::F64 => Some(Dtype::F64),
        Stored::F32 => Some(Dtype::F32),
        Stored::F16 => Some(Dtype::F16),
        Stored::BF16 => Some(Dtype::BF16),
        Stored::I64 => of('i', 8),
        Stored::I32 => Some(Dtype::I32),
        Stored::I16 => of('i', 2),
        Stored::I8 => of('i', 1),
        Stored::U64 => of('u', 8),
        Stored::U32 => of('u', 4),
        Stored::U16 => Some(Dtype::U16),
        Stored::U8 => Some(Dtype::U8),
        Stored::BOOL => of('b', 1),
        _ => None,
    }
}

/// Names in a message, sorted.
pub(super) fn listed(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let names: Vec<String> = names
        .iter()
        .map(|name| name.escape_debug().to_string())
        .collect();
    match (names.as_slice(), more) {
        ([], _) => "none".to_owned(),
        (_, 0) => names.join(", "),
        _ => format!("{} and {more} more", names.join(", ")),
    }
}

pub(super) fn is_npy(path: &Path) -> bool {
    ends_in(path, "npy")
}

pub(super) fn is_safetensors(path: &Path) -> bool {
    ends_in(path, "safetensors")
}

fn ends_in(path: &Path, end: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(end))
}
