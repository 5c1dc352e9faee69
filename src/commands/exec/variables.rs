//! Variables of a code object (`__device__`, `__constant__`): what they hold before the first launch.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use gfx906::code_object::{CodeObject, Symbol, SymbolKind};

use super::argument::{self, ArgSpec};
use super::array::{ArrayFile, listed};
use super::buffer::{Buffer, array_file};
use super::json::{Json, Node};
use crate::commands::did_you_mean;
use crate::device::Session;

/// A variable and its value.
#[derive(Debug)]
pub(super) struct Variable {
    name: String,
    pub(super) value: VariableValue,
}

/// The value of a variable.
#[derive(Debug)]
pub(super) enum VariableValue {
    File(ArrayFile),
    /// A value that is written like an argument: a number, a pointer or a structure.
    Said(ArgSpec),
}

/// A variable found in a code object: its symbol, and its bytes if no address is in them.
pub(super) type ResolvedVariable<'a> = (&'a Symbol, Result<Vec<u8>, &'a ArgSpec>);

/// Reads `{"table": {"file": "table.bin"}, "count": {"i32": 5}, "head": "$buffer"}`.
pub(super) fn parse(
    node: &Node<'_>,
    directory: &Path,
    buffers: &[Buffer],
) -> anyhow::Result<Vec<Variable>> {
    let one = |(name, node): (&str, Node<'_>)| {
        let value = match node.json {
            Json::Object(entries) if entries.iter().any(|(key, _)| key == "file") => {
                let file = array_file(&node.object(&["file", "tensor"])?, directory)?;
                VariableValue::File(file.ok_or_else(|| node.error("has no `file`"))?)
            }
            Json::Object(entries) if entries.is_empty() => {
                return Err(node.error("needs a `file`, or a value (as {\"i32\": 5})"));
            }
            Json::Number(_) => return Err(node.error("needs a type, as in {\"i32\": 5}")),
            _ => VariableValue::Said(argument::parse(&node, buffers)?),
        };
        let name = name.to_owned();
        Ok(Variable { name, value })
    };
    node.entries()?.into_iter().map(one).collect()
}

/// Finds the variables in a code object and reads their values.
pub(super) fn read<'a>(
    variables: &'a [Variable],
    object: &'a CodeObject,
) -> anyhow::Result<Vec<ResolvedVariable<'a>>> {
    let one = |variable: &'a Variable| {
        let place = || format!("variables.{}", variable.name.escape_debug());
        let symbol = find(&variable.name, object).with_context(place)?;
        let (value, bytes, what) = match &variable.value {
            VariableValue::File(file) => {
                let data = file.read().with_context(place)?.data;
                let bytes = data.len();
                (Ok(data), bytes, file.shown())
            }
            VariableValue::Said(value) => (Err(value), value.size(), "its value".to_owned()),
        };
        if bytes as u64 != symbol.size {
            bail!(
                "{}: {what} has {bytes} bytes, the variable {}",
                place(),
                symbol.size
            );
        }
        Ok((symbol, value))
    };
    variables.iter().map(one).collect()
}

fn find<'o>(name: &str, object: &'o CodeObject) -> anyhow::Result<&'o Symbol> {
    // Descriptors of kernels are objects too, and so is the mark of a compilation.
    let variable = |symbol: &&Symbol| {
        let is_other = symbol.name.ends_with(".kd") || symbol.name.starts_with("__hip_cuid_");
        symbol.kind == SymbolKind::Object && !is_other
    };
    let variables = object.symbols.iter().filter(variable);
    let found = variables.clone().find(|symbol| symbol.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = variables.map(|symbol| symbol.name.as_str()).collect();
        let nearest = did_you_mean(name, names.iter().copied());
        anyhow!(
            "the code object has no such variable{nearest}; there is: {}",
            listed(names)
        )
    })
}

/// Writes the values into a loaded code object.
pub(super) fn write(
    session: &mut dyn Session,
    module: usize,
    values: &[ResolvedVariable<'_>],
    addresses: &[u64],
) -> anyhow::Result<()> {
    for (symbol, value) in values {
        let bytes = match value {
            Ok(bytes) => bytes.clone(),
            Err(value) => value.bytes(addresses),
        };
        if !bytes.is_empty() {
            let address = session.variable(module, symbol)?;
            session.upload(address, &bytes)?;
        }
    }
    Ok(())
}

impl Variable {
    /// The value, where it is not in a file.
    pub(super) fn said(&self) -> Option<&ArgSpec> {
        match &self.value {
            VariableValue::File(_) => None,
            VariableValue::Said(value) => Some(value),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}
