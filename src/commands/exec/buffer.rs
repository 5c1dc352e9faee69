//! The buffers of a launch file: what each holds before the first launch, and where it is saved.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::array::{ArrayFile, MAX_BUFFERS, is_safetensors};
use super::json::{Node, Object};
use crate::files;
use crate::tensor::npy::{DTYPES, Dtype};

/// A buffer of a launch file.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) save: Option<PathBuf>,
    /// True if launches must leave the buffer unchanged.
    pub(super) read_only: bool,
    /// The type of the elements, where it is given.
    pub(super) dtype: Option<Dtype>,
    /// The size along each axis, where it is given.
    pub(super) shape: Option<Vec<usize>>,
    /// The parts that the recorded launch read and wrote, where they are given.
    pub(super) touched: Option<TouchedParts>,
}

/// The parts of a buffer that a recorded launch read and wrote, as byte offsets.
#[derive(Debug)]
pub(super) struct TouchedParts {
    pub(super) read: Vec<Range<u64>>,
    pub(super) written: Vec<Range<u64>>,
}

/// The contents of a buffer before the first launch.
#[derive(Debug)]
pub(super) enum Source {
    File(ArrayFile),
    /// A file with pieces of the buffer, one after the other. The rest of the buffer is zero.
    Pieces(PiecesFile),
    Poison(u64),
    Zero(u64),
}

/// A file with pieces of a buffer.
#[derive(Debug)]
pub(super) struct PiecesFile {
    pub(super) file: ArrayFile,
    /// The size of the buffer.
    pub(super) bytes: u64,
    /// The pieces as byte offsets, in order and apart.
    pub(super) pieces: Vec<Range<u64>>,
}

impl Source {
    /// Returns the file that is read.
    pub(super) fn file(&self) -> Option<&ArrayFile> {
        match self {
            Source::File(file) => Some(file),
            Source::Pieces(pieces) => Some(&pieces.file),
            Source::Poison(_) | Source::Zero(_) => None,
        }
    }
}

/// The file that `file` and `tensor` name.
pub(super) fn array_file(
    object: &Object<'_>,
    directory: &Path,
) -> anyhow::Result<Option<ArrayFile>> {
    let (file, tensor) = (object.get("file"), object.get("tensor"));
    let path = file.map(|node| input_file(node, directory)).transpose()?;
    let tensor = match (tensor, &path) {
        (None, _) => None,
        (Some(node), Some(path)) if is_safetensors(path) => Some(node.string()?.to_owned()),
        (Some(node), _) => {
            return Err(node.error("is for a `file` whose name ends in .safetensors"));
        }
    };
    Ok(path.map(|path| ArrayFile { path, tensor }))
}

/// Returns the file to be read that a key of a launch file in `directory` names.
pub(super) fn input_file(node: &Node<'_>, directory: &Path) -> anyhow::Result<PathBuf> {
    files::named(directory, file_name(node)?).map_err(|error| node.error(error))
}

/// Returns the file to be written that a key of a launch file in `directory` names.
fn output_file(node: &Node<'_>, directory: &Path) -> anyhow::Result<PathBuf> {
    files::named_output(directory, file_name(node)?).map_err(|error| node.error(error))
}

/// The name of a file.
fn file_name<'a>(node: &Node<'a>) -> anyhow::Result<&'a str> {
    match node.string()? {
        "" => Err(node.error("empty: name a file")),
        name => Ok(name),
    }
}

/// Reads `{"in": {"file": "in.npy"}, "out": {"bytes": 4096}}`.
pub(super) fn parse(node: &Node<'_>, directory: &Path) -> anyhow::Result<Vec<Buffer>> {
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut total = 0u64;
    for (name, node) in node.entries()? {
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(node.error("the name of a buffer is one word"));
        }
        let buffer = buffer(name, &node, directory)?;
        if let Source::Poison(bytes) | Source::Zero(bytes) = buffer.source {
            total = total.saturating_add(bytes);
            if total > MAX_BUFFERS {
                return Err(node.error(format_args!(
                    "buffers of {total} bytes together are over the limit of {MAX_BUFFERS}"
                )));
            }
        }
        if let Some(other) = buffers
            .iter()
            .find(|other| other.save.is_some() && other.save == buffer.save)
        {
            return Err(node.error(format_args!("saved to the same file as `{}`", other.name)));
        }
        buffers.push(buffer);
    }
    Ok(buffers)
}

fn buffer(name: &str, node: &Node<'_>, directory: &Path) -> anyhow::Result<Buffer> {
    let object = node.object(&[
        "file",
        "tensor",
        "bytes",
        "fill",
        "save",
        "dtype",
        "shape",
        "read_only",
        "pieces",
        "read",
        "written",
    ])?;
    let file = array_file(&object, directory)?;
    if let Some(node) = object.get("pieces") {
        let plain = |key: &str| object.get(key).is_none();
        let (Some(file), Some(bytes), true) = (file, object.get("bytes"), plain("fill")) else {
            return Err(node.error(
                "needs the `file` of the pieces and the `bytes` of the buffer, and no `fill`",
            ));
        };
        if !plain("shape") || file.has_layout() {
            return Err(node.error("needs a file of raw bytes, and no `shape`"));
        }
        let bytes = bytes.u64()?;
        let pieces = parts(node, bytes)?;
        let source = Source::Pieces(PiecesFile {
            file,
            bytes,
            pieces,
        });
        return finish(name, source, &object, directory);
    }
    let source = match (file, object.get("bytes"), object.get("fill")) {
        (Some(file), None, None) => Source::File(file),
        (None, Some(bytes), fill) => {
            let bytes = bytes.u64()?;
            match fill
                .map(|fill| Ok::<_, anyhow::Error>((fill, fill.string()?)))
                .transpose()?
            {
                None | Some((_, "poison")) => Source::Poison(bytes),
                Some((_, "zero")) => Source::Zero(bytes),
                Some((fill, other)) => {
                    return Err(fill.error(format_args!(
                        "unknown fill `{}`; there is: poison, zero",
                        other.escape_debug()
                    )));
                }
            }
        }
        (Some(_), _, _) => {
            return Err(node.error(
                "has `file`, so its size and content are known: remove `bytes` and `fill`",
            ));
        }
        (None, None, _) => return Err(node.error("needs `file`, or `bytes` and `fill`")),
    };
    finish(name, source, &object, directory)
}

/// Reads the keys that all sources have.
fn finish(
    name: &str,
    source: Source,
    object: &Object<'_>,
    directory: &Path,
) -> anyhow::Result<Buffer> {
    let save = object
        .get("save")
        .map(|save| output_file(save, directory))
        .transpose()?;
    let read_only = object.get("read_only").map_or(Ok(false), Node::bool)?;
    let dtype = object.get("dtype").map(dtype).transpose()?;
    let shape = object.get("shape").map(shape).transpose()?;
    let touched = |key: &str| {
        object
            .get(key)
            .map(|node| parts(node, u64::MAX))
            .transpose()
    };
    let touched = match (touched("read")?, touched("written")?) {
        (None, None) => None,
        (read, written) => Some(TouchedParts {
            read: read.unwrap_or_default(),
            written: written.unwrap_or_default(),
        }),
    };
    Ok(Buffer {
        name: name.to_owned(),
        source,
        save,
        read_only,
        dtype,
        shape,
        touched,
    })
}

/// Reads `[[0, 4096], [65536, 4096]]`: offsets and sizes of parts of a buffer, in order and apart.
fn parts(node: &Node<'_>, size: u64) -> anyhow::Result<Vec<Range<u64>>> {
    let mut parts: Vec<Range<u64>> = Vec::new();
    for node in node.array()? {
        let pair = node.array()?;
        let [offset, bytes] = pair.as_slice() else {
            return Err(node.error("should be an offset and a size: [4096, 256]"));
        };
        let (start, bytes) = (offset.u64()?, bytes.u64()?);
        let end = start.saturating_add(bytes);
        if bytes == 0 || end > size || parts.last().is_some_and(|last| last.end > start) {
            return Err(node.error(
                "is empty, beyond the end of the buffer, or not behind the part before it",
            ));
        }
        parts.push(start..end);
    }
    Ok(parts)
}

fn shape(node: &Node<'_>) -> anyhow::Result<Vec<usize>> {
    let side = |node: &Node<'_>| Ok(usize::try_from(node.u64()?).unwrap_or(usize::MAX));
    node.array()?.iter().map(side).collect()
}

fn dtype(node: &Node<'_>) -> anyhow::Result<Dtype> {
    let name = node.string()?;
    Dtype::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = DTYPES.iter().map(|row| row.0).collect();
        node.error(format_args!(
            "unknown type `{}`; there is: {}",
            name.escape_debug(),
            names.join(" ")
        ))
    })
}
