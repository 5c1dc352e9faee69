//! The functions of a code object: its kernels, and what they may call.

use std::path::Path;

use gfx906::code_object::{CodeObject, Symbol, SymbolKind};

use super::no_kernel;
use crate::exit::Stop;
use crate::text::shown;

/// A function of a code object.
pub(super) struct Function {
    /// Its name.
    pub name: String,
    /// Link address of its first instruction.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// Returns the functions in the order of their addresses, or only the function or kernel that `only` names. `path` is the file of the code
/// object.
///
/// # Errors
/// The code object has no function of that name.
pub(super) fn functions(
    object: &CodeObject,
    only: Option<&str>,
    path: &Path,
) -> Result<Vec<Function>, Stop> {
    let mut functions = all_functions(object);
    let Some(name) = only else {
        return Ok(functions);
    };
    let address = object.kernel(name).map(|kernel| kernel.entry_address);
    functions.retain(|function| match address {
        Some(address) => function.address == address,
        None => function.name == name,
    });
    functions.truncate(1);
    if functions.is_empty() {
        return Err(Stop::usage(format!(
            "{}: {}",
            shown(path),
            no_kernel(object, name)
        )));
    }
    Ok(functions)
}

fn all_functions(object: &CodeObject) -> Vec<Function> {
    let kernels = object.kernels.iter().map(|kernel| Function {
        name: kernel.name.clone(),
        address: kernel.entry_address,
        size: kernel.code_size,
    });
    let mut functions: Vec<Function> = kernels.collect();
    let is_code = |symbol: &&Symbol| {
        let segment = object.image.segment_at(symbol.address, symbol.size);
        symbol.kind == SymbolKind::Function && segment.is_some_and(|segment| segment.executable)
    };
    for symbol in object.symbols.iter().filter(is_code) {
        if !functions
            .iter()
            .any(|function| function.address == symbol.address)
        {
            functions.push(Function {
                name: symbol.name.clone(),
                address: symbol.address,
                size: symbol.size,
            });
        }
    }
    functions.sort_by_key(|function| function.address);
    functions
}
