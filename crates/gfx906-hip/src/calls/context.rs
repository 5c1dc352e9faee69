//! The context: there is one, and it is always current. HIP keeps these functions for programs that came from CUDA's driver API.

use std::cell::Cell;

use crate::boundary::{Address, Out};
use crate::calls::device;
use crate::card;
use crate::error::{HipError, HipResult};
use crate::handles::CONTEXT;
use crate::runtime::state;

/// Checks a context handle.
pub fn check(context: Address) -> HipResult {
    match context {
        0 => Err(HipError::InvalidValue),
        CONTEXT => Ok(()),
        _ => Err(HipError::InvalidContext),
    }
}

thread_local! {
    /// Number of contexts on the calling thread's stack. Below them the device's own context is current.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

pub fn create(out: Out<Address>, device: i32) -> HipResult {
    out.required()?;
    card::check(device).map_err(|_| HipError::InvalidValue)?;
    DEPTH.set(DEPTH.get() + 1);
    out.put(CONTEXT)
}

/// Destroys a context. The device's own context stays.
pub fn destroy(context: Address) -> HipResult {
    check(context)?;
    DEPTH.set(DEPTH.get().saturating_sub(1));
    Ok(())
}

pub fn push(context: Address) -> HipResult {
    check(context).map_err(|_| HipError::InvalidContext)?;
    DEPTH.set(DEPTH.get() + 1);
    Ok(())
}

/// Pops the context. Fails if the thread has pushed none, and the device's own context stays current.
pub fn pop(out: Out<Address>) -> HipResult {
    let below = DEPTH.get().checked_sub(1);
    let below = below.ok_or(HipError::InvalidContext)?;
    out.put_unless_null(CONTEXT)?;
    DEPTH.set(below);
    Ok(())
}

/// Makes a context current in place of the one on top of the stack. The context 0 only pops.
pub fn set_current(context: Address) -> HipResult {
    if context == 0 {
        DEPTH.set(DEPTH.get().saturating_sub(1));
        return Ok(());
    }
    check(context)?;
    DEPTH.set(DEPTH.get().max(1));
    Ok(())
}

pub fn api_version(context: Address, out: Out<i32>) -> HipResult {
    out.required()?;
    check(context)?;
    out.put(4)
}

pub fn primary_state(device: i32, flags: Out<u32>, active: Out<i32>) -> HipResult {
    card::check(device)?;
    flags.put_unless_null(0)?;
    active.put_unless_null(state().context_retained as i32)
}

pub fn retain_primary(out: Out<Address>, device: i32) -> HipResult {
    out.required()?;
    card::check(device)?;
    state().context_retained = true;
    out.put(CONTEXT)
}

pub fn release_primary(device: i32) -> HipResult {
    card::check(device)?;
    state().context_retained = false;
    Ok(())
}

pub fn reset_primary(device: i32) -> HipResult {
    card::check(device)?;
    device::reset()
}

pub fn set_primary_flags(device: i32) -> HipResult {
    card::check(device)?;
    Err(HipError::ContextAlreadyInUse)
}
