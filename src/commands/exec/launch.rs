//! The launch file: which kernels run on which buffers with which arguments.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gfx906::machine::Limits;

use super::argument::{self, ArgSpec};
use super::array::{ArrayFile, is_safetensors};
use super::expect::{self, Expectation};
use super::json::{Json, Node, Object};
use super::triton::{self, Triton};
use super::variables::{self, Variable};
use crate::commands::MAX_TEXT;
use crate::files;
use crate::npy::{DTYPES, Dtype};
use crate::text::shown;

/// Buffers together may take this much of the host's memory.
pub(super) const MAX_BUFFERS: u64 = 4 << 30;

/// A launch file; paths are resolved against its directory.
#[derive(Debug)]
pub(super) struct LaunchFile {
    pub(super) code_object: PathBuf,
    pub(super) buffers: Vec<Buffer>,
    pub(super) variables: Vec<Variable>,
    pub(super) launches: Vec<LaunchSpec>,
    pub(super) expect: Vec<Expectation>,
    pub(super) limits: Limits,
    /// What Triton wrote beside the code object.
    pub(super) triton: Option<Triton>,
}

#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) save: Option<PathBuf>,
    /// The type of the elements, where it is given.
    pub(super) dtype: Option<Dtype>,
    /// The size along each axis, where it is given.
    pub(super) shape: Option<Vec<usize>>,
}

/// What a buffer holds before the first launch.
#[derive(Debug)]
pub(super) enum Source {
    File(ArrayFile),
    Poison(u64),
    Zero(u64),
}

#[derive(Debug)]
pub(super) struct LaunchSpec {
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) dynamic_lds: u32,
    pub(super) args: Vec<ArgSpec>,
}

/// Reads a launch file.
pub(super) fn read(path: &Path) -> anyhow::Result<LaunchFile> {
    let bytes = files::read(path, MAX_TEXT)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, directory).with_context(|| shown(path))
}

fn parse(bytes: &[u8], directory: &Path) -> anyhow::Result<LaunchFile> {
    let json: Json = serde_json::from_slice(bytes).context("not a launch file")?;
    let root = Node::root(&json).object(&[
        "code_object",
        "buffers",
        "variables",
        "launches",
        "expect",
        "limits",
    ])?;
    let code_object = directory.join(file_name(root.require("code_object")?)?);
    let buffers = match root.get("buffers") {
        Some(node) => buffers(node, directory)?,
        None => Vec::new(),
    };
    let variables = match root.get("variables") {
        Some(node) => variables::parse(node, directory, &buffers)?,
        None => Vec::new(),
    };
    let triton = triton::beside(&code_object)?;
    let node = root.require("launches")?;
    let launches: Vec<_> = node
        .array()?
        .iter()
        .map(|node| launch(node, &buffers, triton.as_ref()))
        .collect::<Result<_, _>>()?;
    if launches.is_empty() {
        return Err(node.error("empty: name a kernel to run"));
    }
    let expect = match root.get("expect") {
        Some(node) => expect::parse(node, directory, &buffers)?,
        None => Vec::new(),
    };
    let limits = root
        .get("limits")
        .map_or_else(|| Ok(Limits::default()), limits)?;
    Ok(LaunchFile {
        code_object,
        buffers,
        variables,
        launches,
        expect,
        limits,
        triton,
    })
}

/// The file that `file` and `tensor` name.
pub(super) fn array_file(
    object: &Object<'_>,
    directory: &Path,
) -> anyhow::Result<Option<ArrayFile>> {
    let (file, tensor) = (object.get("file"), object.get("tensor"));
    let path = file.map(|node| Ok::<_, anyhow::Error>(directory.join(file_name(node)?)));
    let path = path.transpose()?;
    let tensor = match (tensor, &path) {
        (None, _) => None,
        (Some(node), Some(path)) if is_safetensors(path) => Some(node.string()?.to_owned()),
        (Some(node), _) => {
            return Err(node.error("is for a `file` whose name ends in .safetensors"));
        }
    };
    Ok(path.map(|path| ArrayFile { path, tensor }))
}

fn file_name<'a>(node: &Node<'a>) -> anyhow::Result<&'a str> {
    match node.string()? {
        "" => Err(node.error("empty: name a file")),
        name => Ok(name),
    }
}

fn buffers(node: &Node<'_>, directory: &Path) -> anyhow::Result<Vec<Buffer>> {
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
    let object = node.object(&["file", "tensor", "bytes", "fill", "save", "dtype", "shape"])?;
    let file = array_file(&object, directory)?;
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
    let save = object
        .get("save")
        .map(|save| Ok::<_, anyhow::Error>(directory.join(file_name(save)?)))
        .transpose()?;
    let dtype = object.get("dtype").map(dtype).transpose()?;
    let shape = object.get("shape").map(shape).transpose()?;
    Ok(Buffer {
        name: name.to_owned(),
        source,
        save,
        dtype,
        shape,
    })
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

/// A launch; what Triton wrote down need not be said again.
fn launch(
    node: &Node<'_>,
    buffers: &[Buffer],
    triton: Option<&Triton>,
) -> anyhow::Result<LaunchSpec> {
    let object = node.object(&["kernel", "grid", "block", "dynamic_lds", "args"])?;
    let args = match object.get("args") {
        Some(args) => args
            .array()?
            .iter()
            .map(|node| argument::parse(node, buffers))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let kernel = match (object.get("kernel"), triton) {
        (None, Some(triton)) => triton.kernel()?,
        _ => object.require("kernel")?.string()?.to_owned(),
    };
    let grid = counts(object.require("grid")?)?;
    let block = match (object.get("block"), triton) {
        (None, Some(triton)) => triton.block()?,
        _ => counts(object.require("block")?)?,
    };
    let dynamic_lds = match (object.get("dynamic_lds"), triton) {
        (None, Some(triton)) => triton.dynamic_lds()?,
        (given, _) => given.map_or(Ok(0), Node::u32)?,
    };
    Ok(LaunchSpec {
        kernel,
        grid,
        block,
        dynamic_lds,
        args,
    })
}

fn counts(node: &Node<'_>) -> anyhow::Result<[u32; 3]> {
    let items = node.array()?;
    let [x, y, z] = items.as_slice() else {
        return Err(node.error(format_args!(
            "should be three counts (x, y, z), has {}",
            items.len()
        )));
    };
    let counts = [x.u32()?, y.u32()?, z.u32()?];
    if counts.contains(&0) {
        return Err(node.error(format_args!("{counts:?} has a 0: nothing would run")));
    }
    Ok(counts)
}

fn limits(node: &Node<'_>) -> anyhow::Result<Limits> {
    let object = node.object(&["instructions", "seconds", "turn"])?;
    let mut limits = Limits::default();
    if let Some(node) = object.get("instructions") {
        limits.instructions = node.u64()?;
        if limits.instructions == 0 {
            return Err(node.error("0: nothing could run"));
        }
    }
    if let Some(node) = object.get("seconds") {
        limits.seconds = node.f64()?;
        if limits.seconds.is_nan() || limits.seconds <= 0.0 {
            return Err(node.error("should be more than 0"));
        }
    }
    if let Some(node) = object.get("turn") {
        limits.turn = node.u32()?;
        if limits.turn == 0 {
            return Err(node.error("0: no wave could run"));
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests;
