//! Handles, which are numbers that are no valid pointers, and the settings of each handle.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::hip::{Address, store_host_bytes, store_host_value};
use crate::status::{BlasResult, Status};

/// Settings that a program has made for a handle.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandleSettings {
    /// Stream for kernels.
    pub stream: Address,
    /// True if factors and results are on the device.
    pub on_device: bool,
    atomics: u32,
    math: u32,
}

/// First handle, and the distance from handle to handle.
const FIRST: Address = 0x1a40 << 48;
const STEP: Address = 16;

/// The handles of the process.
#[derive(Default)]
struct HandleTable {
    /// Number of handles that have been created, destroyed ones included.
    created: u64,
    settings: HashMap<Address, HandleSettings>,
}

static HANDLES: LazyLock<Mutex<HandleTable>> = LazyLock::new(Mutex::default);

fn handles() -> MutexGuard<'static, HandleTable> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn create(out: Address) -> BlasResult {
    if out == 0 {
        return Err(Status::HandleIsNull);
    }
    let mut handles = handles();
    handles.created += 1;
    let handle = FIRST + handles.created * STEP;
    handles.settings.insert(handle, HandleSettings::default());
    store_host_value(out, handle)
}

pub fn destroy(handle: Address) -> BlasResult {
    if handle == 0 {
        return Err(Status::HandleIsNull);
    }
    let removed = handles().settings.remove(&handle);
    removed.map(drop).ok_or(Status::NotInitialized)
}

/// Returns the settings of a handle.
pub fn settings(handle: Address) -> BlasResult<HandleSettings> {
    let settings = handles().settings.get(&handle).copied();
    settings.ok_or(Status::NotInitialized)
}

fn change(handle: Address, f: impl FnOnce(&mut HandleSettings)) -> BlasResult {
    let mut handles = handles();
    let settings = handles.settings.get_mut(&handle);
    f(settings.ok_or(Status::NotInitialized)?);
    Ok(())
}

/// Returns the number if it is in the range of an enumeration, and fails otherwise.
fn check_enum(number: u32, numbers: std::ops::RangeInclusive<u32>) -> BlasResult<u32> {
    if !numbers.contains(&number) {
        return Err(Status::InvalidEnum);
    }
    Ok(number)
}

pub fn set_stream(handle: Address, stream: Address) -> BlasResult {
    change(handle, |settings| settings.stream = stream)
}

pub fn get_stream(handle: Address, out: Address) -> BlasResult {
    store_host_value(out, settings(handle)?.stream)
}

pub fn set_pointer_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = check_enum(mode, 0..=1)?;
    change(handle, |settings| settings.on_device = mode == 1)
}

pub fn get_pointer_mode(handle: Address, out: Address) -> BlasResult {
    store_host_value(out, settings(handle)?.on_device as u32)
}

pub fn set_atomics_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = check_enum(mode, 0..=1)?;
    change(handle, |settings| settings.atomics = mode)
}

pub fn get_atomics_mode(handle: Address, out: Address) -> BlasResult {
    store_host_value(out, settings(handle)?.atomics)
}

/// Accepts a math mode. All modes compute the same results, because the type of sums depends on the function alone.
pub fn set_math_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = check_enum(mode, 0..=3)?;
    change(handle, |settings| settings.math = mode)
}

pub fn get_math_mode(handle: Address, out: Address) -> BlasResult {
    store_host_value(out, settings(handle)?.math)
}

/// Accepts a workspace, which no kernel needs.
pub fn set_workspace(handle: Address) -> BlasResult {
    settings(handle).map(drop)
}

/// Version of rocBLAS that programs see, with the NUL at its end: the newest whose functions the table names.
pub const VERSION: &[u8] = b"4.2.0.gfx906\0";

/// Stores the version as text. The caller's room must hold the text and its NUL.
pub fn version(out: Address, len: usize) -> BlasResult {
    if len < VERSION.len() {
        return Err(Status::InvalidSize);
    }
    store_host_bytes(out, VERSION)
}
