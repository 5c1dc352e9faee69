//! Libraries: code objects that the program loads at run time and whose kernels it looks up by name (HIP 7).

use std::sync::Arc;

use super::module;
use crate::boundary::{Address, Out, Text};
use crate::error::{HipError, HipResult};
use crate::image::image;
use crate::objects::module::{Function, LoadedCode};
use crate::runtime::state;

fn add(out: Out<Address>, loaded: Arc<LoadedCode>) -> HipResult {
    out.put(state().libraries.insert(loaded))
}

/// Refuses compiler options, as there is no compiler to take them.
fn check(out: Out<Address>, options: u32) -> HipResult {
    out.required()?;
    match options {
        0 => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn load_data(out: Out<Address>, at: Address, options: u32) -> HipResult {
    check(out, options)?;
    if at == 0 {
        return Err(HipError::InvalidValue);
    }
    add(out, module::load_code(image(at)?)?)
}

pub fn load(out: Out<Address>, file: Text, options: u32) -> HipResult {
    check(out, options)?;
    let bytes = module::read("hipLibraryLoadFromFile", &file.get()?);
    add(
        out,
        module::load_code(&bytes.map_err(|_| HipError::InvalidValue)?)?,
    )
}

/// Returns the error code for an unknown handle.
fn unknown(library: Address) -> HipError {
    match library {
        0 => HipError::InvalidValue,
        _ => HipError::InvalidHandle,
    }
}

/// Unloads a library. Launches under way keep its code until they have ended.
pub fn unload(library: Address) -> HipResult {
    let removed = state().libraries.remove(library);
    let removed = removed.ok_or_else(|| unknown(library))?;
    module::free_managed(&removed);
    let mut state = state();
    state
        .functions
        .retain(|f| !Arc::ptr_eq(&f.loaded, &removed));
    Ok(())
}

/// Returns a kernel, with the same handle each time. Functions that launch accept the handle for a module's function or a host function.
pub fn kernel(out: Out<Address>, library: Address, name: Text) -> HipResult {
    out.required()?;
    let name = name.get()?;
    let mut state = state();
    let loaded = state.libraries.get(library).cloned();
    let loaded = loaded.ok_or_else(|| unknown(library))?;
    if loaded.module.kernel(&name).is_none() {
        return Err(HipError::NotFound);
    }
    out.put(state.functions.find_or_insert(Function { loaded, name }))
}

/// Returns the number of kernels.
pub fn count(out: Out<u32>, library: Address) -> HipResult {
    out.required()?;
    let state = state();
    let found = state.libraries.get(library);
    out.put(found.ok_or_else(|| unknown(library))?.kernels as u32)
}
