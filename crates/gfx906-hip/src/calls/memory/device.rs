//! Allocation of device memory.

use super::host;
use crate::boundary::{Address, Out};
use crate::calls::capture;
use crate::error::{HipError, HipResult};
use crate::leaks;
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;
use crate::sanitize;
use crate::settings;

/// Allocates device memory and returns its address.
pub fn allocate(call: &str, bytes: usize) -> HipResult<Address> {
    capture::allow_unsafe()?;
    allocate_captured(call, bytes)
}

/// Allocates device memory even while streams are being captured.
pub fn allocate_captured(call: &str, bytes: usize) -> HipResult<Address> {
    allocate_with_flags(call, bytes, 0)
}

fn allocate_with_flags(call: &str, bytes: usize, flags: u32) -> HipResult<Address> {
    let mut state = state();
    let bytes = bytes as u64;
    if bytes > state.memory.left() {
        return Err(HipError::OutOfMemory);
    }
    let name = state.memory.name(call);
    let base = if settings::reads_beyond_pass() {
        state.gpu.alloc_with_page(&name, bytes)
    } else {
        state.gpu.alloc(&name, bytes)
    };
    let base = base.map_err(|_| HipError::OutOfMemory)?;
    if settings::POISON.is_on() {
        state
            .gpu
            .poison(base, bytes)
            .map_err(|_| HipError::Unknown)?;
    }
    if let Some(heap) = sanitize::heap() {
        let end = base + bytes;
        heap.declare(&name, base..end, base..end.next_multiple_of(4), None);
        heap.undefined(base..end);
    }
    leaks::watch();
    state.memory.insert(Allocation {
        kind: Kind::Device,
        base,
        size: bytes,
        flags,
        call: 0,
    });
    Ok(base)
}

fn allocate_into(call: &str, out: Out<Address>, bytes: usize) -> HipResult {
    out.put(0)?;
    if bytes == 0 {
        return Ok(());
    }
    out.put(allocate(call, bytes)?)
}

pub fn malloc(out: Out<Address>, bytes: usize) -> HipResult {
    allocate_into("hipMalloc", out, bytes)
}

/// `hipExtMallocWithFlags`. Fine-grained, uncached and contiguous memory is device memory like any other, which is all coherent and in one
/// piece.
pub fn malloc_with_flags(out: Out<Address>, bytes: usize, flags: u32) -> HipResult {
    const SIGNAL: u32 = 2;
    const LAST: u32 = 4;
    const CALL: &str = "hipExtMallocWithFlags";
    out.required()?;
    match flags {
        SIGNAL if bytes != 8 => Err(HipError::InvalidValue),
        // A signal is eight bytes, and the host waits on it.
        SIGNAL => host::allocate_into(CALL, out, bytes, Kind::Host, flags),
        0..=LAST if bytes == 0 => out.put(0),
        0..=LAST => {
            capture::allow_unsafe()?;
            out.put(allocate_with_flags(CALL, bytes, flags)?)
        }
        _ => Err(HipError::InvalidValue),
    }
}
