//! The expectations of a launch file: the files of the right values, and the tolerances.

use std::path::Path;

use super::array::ArrayFile;
use super::buffer::{Buffer, array_file};
use super::json::{Node, Object};
use crate::commands::did_you_mean;
use crate::report::model::Tolerance;

/// The right values of a buffer, and its tolerance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expectation {
    /// The index of the buffer.
    pub(super) buffer: usize,
    pub(super) file: ArrayFile,
    pub(super) tolerance: Tolerance,
}

/// Reads `{"C": {"file": "golden.npy", "tolerance": 1.7e-5}}`.
pub(super) fn parse(
    node: &Node<'_>,
    directory: &Path,
    buffers: &[Buffer],
) -> anyhow::Result<Vec<Expectation>> {
    let mut expectations = Vec::new();
    for (name, node) in node.entries()? {
        let buffer = buffers.iter().position(|buffer| buffer.name == name);
        let Some(buffer) = buffer else {
            let nearest = did_you_mean(name, buffers.iter().map(|buffer| buffer.name.as_str()));
            let name = name.escape_debug();
            return Err(node.error(format_args!("no buffer `{name}`{nearest}")));
        };
        let object = node.object(&[
            "file",
            "tensor",
            "tolerance",
            "relative",
            "relative_rms",
            "ulp",
        ])?;
        let Some(file) = array_file(&object, directory)? else {
            return Err(node.error("has no `file`: name the one that holds the right values"));
        };
        expectations.push(Expectation {
            buffer,
            file,
            tolerance: tolerance(&node, &object)?,
        });
    }
    Ok(expectations)
}

/// An element is allowed `tolerance + relative * |want|`, or `ulp` places where that is more.
fn tolerance(node: &Node<'_>, object: &Object<'_>) -> anyhow::Result<Tolerance> {
    let number = |key: &str| object.get(key).map(limit).transpose();
    let (absolute, relative) = (number("tolerance")?, number("relative")?);
    let ulp = object.get("ulp").map(Node::u32).transpose()?;
    if absolute.is_none() && relative.is_none() && ulp.is_none() {
        return Err(node.error(
            "does not say how far off an element may be: give `tolerance` (0: bit for bit), `relative` or `ulp`",
        ));
    }
    let absolute = absolute.unwrap_or(0.0);
    Ok(Tolerance {
        relative: relative.unwrap_or(0.0),
        ulp,
        relative_rms: number("relative_rms")?,
        ..Tolerance::absolute(absolute, absolute)
    })
}

fn limit(node: &Node<'_>) -> anyhow::Result<f64> {
    let limit = node.f64()?;
    if limit < 0.0 {
        return Err(node.error(format_args!("{limit:e} is less than 0")));
    }
    Ok(limit)
}
