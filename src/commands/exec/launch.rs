//! The launch file: which kernels run on which buffers with which arguments.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::argument::{self, ArgSpec};
use super::buffer::{self, Buffer};
use super::expect::{self, Expectation};
use super::json::{Json, Node};
use super::triton::{self, Triton};
use super::variables::{self, Variable};
use crate::commands::MAX_TEXT;
use crate::device::Limits;
use crate::files;
use crate::text::shown;

/// Default limits of a launch. The emulator takes minutes for this number of instructions.
const LIMITS: Limits = Limits {
    instructions: Some(20_000_000_000),
    seconds: Some(60.0),
    turn: None,
    schedule: None,
};

/// A launch file; paths are resolved against its directory.
#[derive(Debug)]
pub(super) struct LaunchFile {
    pub(super) code_object: PathBuf,
    pub(super) buffers: Vec<Buffer>,
    pub(super) variables: Vec<Variable>,
    pub(super) launches: Vec<LaunchSpec>,
    pub(super) expect: Vec<Expectation>,
    pub(super) limits: Limits,
    /// The file that Triton wrote beside the code object.
    pub(super) triton: Option<Triton>,
}

#[derive(Debug)]
pub(super) struct LaunchSpec {
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) dynamic_lds: u32,
    /// True if all work-groups are resident.
    pub(super) cooperative: bool,
    pub(super) args: Vec<ArgSpec>,
}

/// Reads a launch file.
pub(super) fn read(path: &Path) -> anyhow::Result<LaunchFile> {
    let bytes = files::read(path, MAX_TEXT)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, directory).with_context(|| shown(path))
}

/// Reads a launch file, or an editor's file with a list of `configurations`, one of which has the keys of a launch file.
pub(super) fn read_configuration(path: &Path) -> anyhow::Result<LaunchFile> {
    let bytes = files::read(path, MAX_TEXT)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let parsed = match serde_json::from_slice::<Value>(&bytes) {
        Ok(json) if json.get("configurations").is_some() => configuration(&json)
            .and_then(|configuration| parse(configuration.to_string().as_bytes(), directory)),
        _ => parse(&bytes, directory),
    };
    parsed.with_context(|| shown(path))
}

/// The keys of a launch file.
pub(in crate::commands) const KEYS: [&str; 6] = [
    "code_object",
    "buffers",
    "variables",
    "launches",
    "expect",
    "limits",
];

/// Returns the only configuration with a code object, without the keys that are the editor's.
fn configuration(json: &Value) -> anyhow::Result<Value> {
    let list = json["configurations"].as_array();
    let list = list.context("configurations: should be an array")?;
    let mut launches = list
        .iter()
        .filter(|configuration| configuration.get("code_object").is_some());
    let (Some(Value::Object(found)), None) = (launches.next(), launches.next()) else {
        bail!("configurations: exactly one of them should have a `code_object`");
    };
    let ours = found.iter().filter(|(key, _)| KEYS.contains(&key.as_str()));
    Ok(ours
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into())
}

pub(super) fn parse(bytes: &[u8], directory: &Path) -> anyhow::Result<LaunchFile> {
    let json: Json = serde_json::from_slice(bytes).context("not a launch file")?;
    let root = Node::root(&json).object(&KEYS)?;
    let code_object = buffer::input_file(root.require("code_object")?, directory)?;
    let buffers = match root.get("buffers") {
        Some(node) => buffer::parse(node, directory)?,
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
    let limits = root.get("limits").map_or(Ok(LIMITS), limits)?;
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

/// A launch; what Triton wrote down need not be said again.
fn launch(
    node: &Node<'_>,
    buffers: &[Buffer],
    triton: Option<&Triton>,
) -> anyhow::Result<LaunchSpec> {
    let object = node.object(&[
        "kernel",
        "grid",
        "block",
        "dynamic_lds",
        "cooperative",
        "args",
    ])?;
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
    let cooperative = object.get("cooperative").map_or(Ok(false), Node::bool)?;
    Ok(LaunchSpec {
        kernel,
        grid,
        block,
        dynamic_lds,
        cooperative,
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
    let mut limits = LIMITS;
    if let Some(node) = object.get("instructions") {
        let instructions = node.u64()?;
        if instructions == 0 {
            return Err(node.error("0: nothing could run"));
        }
        limits.instructions = Some(instructions);
    }
    if let Some(node) = object.get("seconds") {
        let seconds = node.f64()?;
        if seconds.is_nan() || seconds <= 0.0 {
            return Err(node.error("should be more than 0"));
        }
        limits.seconds = Some(seconds);
    }
    if let Some(node) = object.get("turn") {
        let turn = node.u32()?;
        if turn == 0 {
            return Err(node.error("0: no wave could run"));
        }
        limits.turn = Some(turn);
    }
    Ok(limits)
}

#[cfg(test)]
mod tests;
