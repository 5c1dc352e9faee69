//! The context: there is one, and it is always current. HIP keeps these functions for programs that came from CUDA's driver API.

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

pub fn create(out: Out<Address>, device: i32) -> HipResult {
    out.required()?;
    card::check(device)?;
    out.put(CONTEXT)
}

/// Pops the context. The device's own context stays current.
pub fn pop(out: Out<Address>) -> HipResult {
    if out.is_null() {
        return Ok(());
    }
    out.put(CONTEXT)
}

/// Makes a context current. The context 0 changes nothing.
pub fn set_current(context: Address) -> HipResult {
    if context == 0 {
        return Ok(());
    }
    check(context)
}

pub fn api_version(context: Address, out: Out<i32>) -> HipResult {
    out.required()?;
    check(context)?;
    out.put(4)
}

pub fn no_peer_access(context: Address) -> HipResult {
    check(context)?;
    Err(HipError::PeerAccessNotEnabled)
}

pub fn peer_access(context: Address) -> HipResult {
    check(context)?;
    Err(HipError::InvalidDevice)
}

pub fn primary_state(device: i32, flags: Out<u32>, active: Out<i32>) -> HipResult {
    flags.required()?;
    active.required()?;
    card::check(device)?;
    flags.put(0)?;
    active.put(state().context_retained as i32)
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
