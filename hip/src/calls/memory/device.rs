//! Memory of the device.

use std::sync::LazyLock;

use super::host;
use crate::boundary::{Address, Out};
use crate::calls::stream;
use crate::error::{HipError, Outcome};
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;

/// Whether fresh memory of the device holds poison (`GFX906_POISON=1`); zeros otherwise.
static POISONED: LazyLock<bool> =
    LazyLock::new(|| std::env::var("GFX906_POISON").is_ok_and(|value| value.trim() == "1"));

/// Allocates memory of the device; its address.
pub fn allocate(call: &str, bytes: usize) -> Outcome<Address> {
    let mut state = state();
    let bytes = bytes as u64;
    if bytes > state.memory.left() {
        return Err(HipError::OutOfMemory);
    }
    let name = state.memory.name(call);
    let base = state.gpu.alloc(&name, bytes);
    let base = base.map_err(|_| HipError::OutOfMemory)?;
    if *POISONED {
        state
            .gpu
            .poison(base, bytes)
            .map_err(|_| HipError::Unknown)?;
    }
    state.memory.insert(Allocation {
        kind: Kind::Device,
        base,
        size: bytes,
        flags: 0,
        call: 0,
    });
    Ok(base)
}

fn allocate_into(call: &str, out: Out<Address>, bytes: usize) -> Outcome {
    out.put(0)?;
    if bytes == 0 {
        return Ok(());
    }
    out.put(allocate(call, bytes)?)
}

pub fn malloc(out: Out<Address>, bytes: usize) -> Outcome {
    allocate_into("hipMalloc", out, bytes)
}

pub fn malloc_async(out: Out<Address>, bytes: usize, stream: Address) -> Outcome {
    out.required()?;
    stream::check(stream)?;
    allocate_into("hipMallocAsync", out, bytes)
}

/// `hipExtMallocWithFlags`: fine-grained memory and memory for signals are memory of the device too, as all of it is coherent here.
pub fn malloc_with_flags(out: Out<Address>, bytes: usize, flags: u32) -> Outcome {
    const SIGNAL: u32 = 2;
    out.required()?;
    match flags {
        0 | 1 => allocate_into("hipExtMallocWithFlags", out, bytes),
        // A signal is eight bytes, and the host waits on it.
        SIGNAL if bytes == 8 => {
            host::allocate_into("hipExtMallocWithFlags", out, bytes, Kind::Host, 0)
        }
        _ => Err(HipError::InvalidValue),
    }
}
