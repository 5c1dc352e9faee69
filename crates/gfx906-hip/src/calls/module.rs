//! Modules: code objects that the program loads at run time.

use std::sync::Arc;

use crate::boundary::{Address, Out, Text};
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::image::image;
use crate::objects::module::{Function, LoadedCode};
use crate::runtime::{RuntimeState, state};

/// Loads a code object into device memory.
pub fn load_code(bytes: &[u8]) -> HipResult<Arc<LoadedCode>> {
    let mut state = state();
    let RuntimeState { gpu, requests, .. } = &mut *state;
    LoadedCode::new(gpu, requests, bytes)
}

/// Reads a file. A failure is logged with the name of the calling function.
pub fn read(function: &str, file: &str) -> std::io::Result<Vec<u8>> {
    std::fs::read(file).inspect_err(|error| log(format!("{function}: {file}: {error}")))
}

fn add(out: Out<Address>, bytes: &[u8]) -> HipResult {
    let loaded = load_code(bytes)?;
    out.put(state().modules.insert(loaded))
}

/// Reads a name, which must not be empty.
fn read_name(name: Text) -> HipResult<String> {
    Some(name.get()?)
        .filter(|name| !name.is_empty())
        .ok_or(HipError::InvalidValue)
}

pub fn load(out: Out<Address>, file: Text) -> HipResult {
    out.required()?;
    let bytes = read("hipModuleLoad", &read_name(file)?);
    add(out, &bytes.map_err(|_| HipError::FileNotFound)?)
}

pub fn load_data(out: Out<Address>, at: Address) -> HipResult {
    out.required()?;
    if at == 0 {
        return Err(HipError::InvalidValue);
    }
    add(out, image(at)?)
}

/// Unloads a module. Launches under way keep its code until they have ended.
pub fn unload(module: Address) -> HipResult {
    let mut state = state();
    let loaded = state.modules.remove(module);
    let loaded = loaded.ok_or(HipError::InvalidHandle)?;
    state.functions.retain(|f| !Arc::ptr_eq(&f.loaded, &loaded));
    Ok(())
}

fn get(module: Address) -> HipResult<Arc<LoadedCode>> {
    let loaded = state().modules.get(module).cloned();
    loaded.ok_or(HipError::InvalidHandle)
}

pub fn get_function(out: Out<Address>, module: Address, name: Text) -> HipResult {
    out.required()?;
    let name = read_name(name)?;
    let loaded = get(module)?;
    if loaded.module.kernel(&name).is_none() {
        return Err(HipError::NotFound);
    }
    let handle = state().functions.insert(Function { loaded, name });
    out.put(handle)
}

pub fn get_global(out: Out<Address>, size: Out<usize>, module: Address, name: Text) -> HipResult {
    let name = read_name(name)?;
    if out.is_null() && size.is_null() {
        return Err(HipError::InvalidValue);
    }
    let (address, bytes) = get(module)?.variable(&name).ok_or(HipError::NotFound)?;
    out.put_unless_null(address)?;
    size.put_unless_null(bytes as usize)
}

/// Returns the number of kernels of a module.
pub fn count(out: Out<u32>, module: Address) -> HipResult {
    out.required()?;
    out.put(get(module)?.kernels as u32)
}

/// Returns a handle for the kernel behind a host function.
pub fn function_by_symbol(out: Out<Address>, host: Address) -> HipResult {
    out.required()?;
    let mut state = state();
    let function = state.function_of(host)?;
    out.put(state.functions.insert(function))
}

/// Returns the kernel of a handle.
pub fn function(handle: Address) -> HipResult<Function> {
    let function = state().functions.get(handle).cloned();
    function.ok_or(HipError::InvalidHandle)
}
