//! The launch file: which kernels run on which buffers with which arguments.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gfx906::machine::Limits;

use super::json::{Json, Node};
use super::value::{self, Value};
use crate::commands::{MAX_TEXT, did_you_mean};
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
    pub(super) launches: Vec<LaunchSpec>,
    pub(super) limits: Limits,
}

#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) save: Option<PathBuf>,
    /// The type of the elements of a saved `.npy`, where it is given.
    pub(super) dtype: Option<Dtype>,
}

/// What a buffer holds before the first launch.
#[derive(Debug)]
pub(super) enum Source {
    File(PathBuf),
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

#[derive(Debug)]
pub(super) enum ArgSpec {
    /// The index of a buffer.
    Buffer(usize),
    Value(Value),
}

/// Reads a launch file.
pub(super) fn read(path: &Path) -> anyhow::Result<LaunchFile> {
    let bytes = files::read(path, MAX_TEXT)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, directory).with_context(|| shown(path))
}

fn parse(bytes: &[u8], directory: &Path) -> anyhow::Result<LaunchFile> {
    let json: Json = serde_json::from_slice(bytes).context("not a launch file")?;
    let root = Node::root(&json).object(&["code_object", "buffers", "launches", "limits"])?;
    let code_object = directory.join(file_name(root.require("code_object")?)?);
    let buffers = match root.get("buffers") {
        Some(node) => buffers(node, directory)?,
        None => Vec::new(),
    };
    let node = root.require("launches")?;
    let launches: Vec<_> = node
        .array()?
        .iter()
        .map(|node| launch(node, &buffers))
        .collect::<Result<_, _>>()?;
    if launches.is_empty() {
        return Err(node.error("empty: name a kernel to run"));
    }
    let limits = root
        .get("limits")
        .map_or_else(|| Ok(Limits::default()), limits)?;
    Ok(LaunchFile {
        code_object,
        buffers,
        launches,
        limits,
    })
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
    let object = node.object(&["file", "bytes", "fill", "save", "dtype"])?;
    let source = match (object.get("file"), object.get("bytes"), object.get("fill")) {
        (Some(file), None, None) => Source::File(directory.join(file_name(file)?)),
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
    Ok(Buffer {
        name: name.to_owned(),
        source,
        save,
        dtype,
    })
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

fn launch(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<LaunchSpec> {
    let object = node.object(&["kernel", "grid", "block", "dynamic_lds", "args"])?;
    let args = match object.get("args") {
        Some(args) => args
            .array()?
            .iter()
            .map(|node| arg(node, buffers))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(LaunchSpec {
        kernel: object.require("kernel")?.string()?.to_owned(),
        grid: counts(object.require("grid")?)?,
        block: counts(object.require("block")?)?,
        dynamic_lds: object.get("dynamic_lds").map_or(Ok(0), Node::u32)?,
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

fn arg(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<ArgSpec> {
    let Json::String(text) = node.json else {
        return Ok(ArgSpec::Value(value::parse(node)?));
    };
    let Some(name) = text.strip_prefix('$') else {
        let text = text.escape_debug();
        return Err(node.error(format_args!(
            "`{text}` is neither a buffer (`${text}`) nor a value (as {{\"i32\": 5}})"
        )));
    };
    buffers
        .iter()
        .position(|buffer| buffer.name == name)
        .map(ArgSpec::Buffer)
        .ok_or_else(|| {
            let nearest = did_you_mean(name, buffers.iter().map(|buffer| buffer.name.as_str()));
            node.error(format_args!("no buffer `{}`{nearest}", name.escape_debug()))
        })
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
