//! Modules: code objects that the program loads at run time.

use std::fs;
use std::sync::Arc;

use super::shared;
use crate::boundary::{Address, Out, Text, put_bytes};
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::image::image;
use crate::objects::memory::Kind;
use crate::objects::module::{Function, LoadedCode, ManagedDeclaration};
use crate::runtime::{RuntimeState, queue, state};
use crate::settings::UNTRUSTED;

/// Loads a code object into device memory, with memory for its managed variables.
pub fn load_code(bytes: &[u8]) -> HipResult<Arc<LoadedCode>> {
    let mut loaded = {
        let mut state = state();
        let RuntimeState { gpu, requests, .. } = &mut *state;
        LoadedCode::new(gpu, requests, bytes)?
    };
    for declaration in loaded.declared_managed() {
        let memory = make_managed(&declaration)?;
        // No one else knows the code yet.
        let code = Arc::get_mut(&mut loaded).ok_or(HipError::Unknown)?;
        code.set_managed(declaration.name, memory);
    }
    Ok(loaded)
}

/// Allocates a managed variable with its initial value, and tells the device its address.
fn make_managed(declaration: &ManagedDeclaration) -> HipResult<(Address, u64)> {
    const ATTACH_GLOBAL: u32 = 1;
    let (initial, bytes) = declaration.initial;
    let mut value = vec![0; bytes as usize];
    let address = shared::allocate(
        &declaration.name,
        value.len().max(1),
        Kind::Managed,
        ATTACH_GLOBAL,
    )?;
    let gpu = state().gpu.clone();
    let lost = |_| HipError::InvalidImage;
    gpu.read(initial, &mut value).map_err(lost)?;
    put_bytes(address, &value)?;
    let pointer = address.to_le_bytes();
    gpu.write(declaration.pointer, &pointer).map_err(lost)?;
    Ok((address, bytes))
}

/// Frees the memory of a code object's managed variables, after the device's work is done.
pub fn free_managed(loaded: &LoadedCode) {
    if loaded.managed().next().is_none() {
        return;
    }
    let _idle = queue();
    let mut state = state();
    for address in loaded.managed() {
        shared::free(&mut state, address);
    }
}

/// Reads a file of code, which an untrusted program has below its current directory. A failure is logged with the name of the calling
/// function.
pub fn read(function: &str, file: &str) -> std::io::Result<Vec<u8>> {
    let read = || {
        if UNTRUSTED.is_on() && !fs::canonicalize(file)?.starts_with(fs::canonicalize(".")?) {
            return Err(std::io::Error::other(format!(
                "not below the current directory ({}=1)",
                UNTRUSTED.name()
            )));
        }
        fs::read(file)
    };
    read().inspect_err(|error| log(format!("{function}: {file}: {error}")))
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
    let removed = state().modules.remove(module);
    let loaded = removed.ok_or_else(|| unknown(module))?;
    free_managed(&loaded);
    let mut state = state();
    state.functions.retain(|f| !Arc::ptr_eq(&f.loaded, &loaded));
    Ok(())
}

fn get(module: Address) -> HipResult<Arc<LoadedCode>> {
    let loaded = state().modules.get(module).cloned();
    loaded.ok_or_else(|| unknown(module))
}

/// Returns the error for a null module, or for one that is not there.
fn unknown(module: Address) -> HipError {
    match module {
        0 => HipError::InvalidHandle,
        _ => HipError::NotFound,
    }
}

/// Returns the handle of a module's kernel, the same each time.
pub fn get_function(out: Out<Address>, module: Address, name: Text) -> HipResult {
    out.required()?;
    let name = read_name(name)?;
    let loaded = get(module)?;
    if loaded.module.kernel(&name).is_none() {
        return Err(HipError::NotFound);
    }
    let function = Function { loaded, name };
    let handle = state().functions.find_or_insert(function);
    out.put(handle)
}

pub fn get_global(out: Out<Address>, size: Out<usize>, module: Address, name: Text) -> HipResult {
    let name = read_name(name)?;
    if out.is_null() && size.is_null() {
        return Err(HipError::InvalidValue);
    }
    let found = get(module)?.variable_of_program(&name);
    let (address, bytes) = found.ok_or(HipError::NotFound)?;
    out.put_unless_null(address)?;
    size.put_unless_null(bytes as usize)
}

/// Returns the number of kernels of a module.
pub fn count(out: Out<u32>, module: Address) -> HipResult {
    out.required()?;
    out.put(get(module)?.kernels as u32)
}

/// Returns the handle of the kernel behind a host function, the same each time.
pub fn function_by_symbol(out: Out<Address>, host: Address) -> HipResult {
    out.required()?;
    let mut state = state();
    let function = state.function_of(host)?;
    out.put(state.functions.find_or_insert(function))
}

/// Returns the kernel of a handle.
pub fn function(handle: Address) -> HipResult<Function> {
    let function = state().functions.get(handle).cloned();
    function.ok_or(HipError::InvalidHandle)
}
