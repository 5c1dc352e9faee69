//! Handles: numbers that are no valid pointers, and the settings behind them.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::hip::{Address, put};
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

#[derive(Default)]
struct Handles {
    made: u64,
    held: HashMap<Address, HandleSettings>,
}

static HANDLES: LazyLock<Mutex<Handles>> = LazyLock::new(Mutex::default);

fn handles() -> MutexGuard<'static, Handles> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn create(out: Address) -> BlasResult {
    if out == 0 {
        return Err(Status::HandleIsNull);
    }
    let mut handles = handles();
    handles.made += 1;
    let handle = FIRST + handles.made * STEP;
    handles.held.insert(handle, HandleSettings::default());
    put(out, handle)
}

pub fn destroy(handle: Address) -> BlasResult {
    if handle == 0 {
        return Err(Status::HandleIsNull);
    }
    let removed = handles().held.remove(&handle);
    removed.map(drop).ok_or(Status::NotInitialized)
}

/// Returns the settings of a handle.
pub fn settings(handle: Address) -> BlasResult<HandleSettings> {
    let settings = handles().held.get(&handle).copied();
    settings.ok_or(Status::NotInitialized)
}

fn change(handle: Address, f: impl FnOnce(&mut HandleSettings)) -> BlasResult {
    let mut handles = handles();
    let settings = handles.held.get_mut(&handle);
    f(settings.ok_or(Status::NotInitialized)?);
    Ok(())
}

/// Returns a number. Fails unless it is one of a constant's.
fn one_of(number: u32, numbers: std::ops::RangeInclusive<u32>) -> BlasResult<u32> {
    if !numbers.contains(&number) {
        return Err(Status::InvalidEnum);
    }
    Ok(number)
}

pub fn set_stream(handle: Address, stream: Address) -> BlasResult {
    change(handle, |settings| settings.stream = stream)
}

pub fn get_stream(handle: Address, out: Address) -> BlasResult {
    put(out, settings(handle)?.stream)
}

pub fn set_pointer_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = one_of(mode, 0..=1)?;
    change(handle, |settings| settings.on_device = mode == 1)
}

pub fn get_pointer_mode(handle: Address, out: Address) -> BlasResult {
    put(out, settings(handle)?.on_device as u32)
}

pub fn set_atomics_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = one_of(mode, 0..=1)?;
    change(handle, |settings| settings.atomics = mode)
}

pub fn get_atomics_mode(handle: Address, out: Address) -> BlasResult {
    put(out, settings(handle)?.atomics)
}

/// Accepts a math mode. Every mode computes alike, as sums are as wide as the function demands.
pub fn set_math_mode(handle: Address, mode: u32) -> BlasResult {
    let mode = one_of(mode, 0..=3)?;
    change(handle, |settings| settings.math = mode)
}

pub fn get_math_mode(handle: Address, out: Address) -> BlasResult {
    put(out, settings(handle)?.math)
}

/// Accepts a workspace, which no kernel needs.
pub fn set_workspace(handle: Address) -> BlasResult {
    settings(handle).map(drop)
}
