//! Host memory that kernels reach: pinned, managed, registered.

use std::any::Any;
use std::ptr::NonNull;

use gfx906::machine::Words;

use super::free;
use crate::boundary::{Address, Out};
use crate::calls::shared::{ALIGN, GUARD, allocate, share, words_of};
use crate::calls::{capture, stream};
use crate::card::FIRST_ADDRESS;
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::host::{is_mapped, readable};
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;

const COHERENT: u32 = 0x4000_0000;
const NON_COHERENT: u32 = 0x8000_0000;
const MAPPED: u32 = 2;
const ATTACH_GLOBAL: u32 = 1;
const ATTACH_HOST: u32 = 2;

/// Allocates host memory and stores its address.
pub fn allocate_into(
    call: &str,
    out: Out<Address>,
    bytes: usize,
    kind: Kind,
    flags: u32,
) -> HipResult {
    out.put(0)?;
    if bytes == 0 {
        return Ok(());
    }
    out.put(allocate(call, bytes, kind, flags)?)
}

pub fn malloc(out: Out<Address>, bytes: usize, flags: u32) -> HipResult {
    const BOTH: u32 = COHERENT | NON_COHERENT;
    /// Flags: portable, mapped, write-combined, uncached, NUMA node of the program's threads.
    const OTHERS: u32 = 1 | MAPPED | 4 | 0x1000_0000 | 0x2000_0000;
    out.required()?;
    if flags & BOTH == BOTH || flags & !(BOTH | OTHERS) != 0 {
        return Err(HipError::InvalidValue);
    }
    allocate_into("hipHostMalloc", out, bytes, Kind::Host, flags)
}

/// `hipHostAlloc`: from HIP 6 on it takes the flags of CUDA alone: portable, mapped, write-combined.
pub fn alloc(out: Out<Address>, bytes: usize, flags: u32) -> HipResult {
    const LAST: u32 = 7;
    if generation() >= Generation::Six && flags > LAST {
        return Err(HipError::InvalidValue);
    }
    malloc(out, bytes, flags)
}

pub fn malloc_managed(out: Out<Address>, bytes: usize, flags: u32) -> HipResult {
    out.required()?;
    // Both sides reach the memory at once, whichever it is attached to.
    if bytes == 0 || ![ATTACH_GLOBAL, ATTACH_HOST].contains(&flags) {
        return Err(HipError::InvalidValue);
    }
    allocate_into("hipMallocManaged", out, bytes, Kind::Managed, flags)
}

pub fn free(address: Address) -> HipResult {
    if address == 0 {
        return Ok(());
    }
    match state().memory.starting_at(address) {
        Some(Allocation {
            kind: Kind::Host, ..
        }) => {}
        _ => return Err(HipError::InvalidValue),
    }
    free::free(address)
}

pub fn device_pointer(out: Out<Address>, host: Address, flags: u32) -> HipResult {
    out.put(0)?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    match state().memory.allocation_at(host) {
        Some(allocation) if !matches!(allocation.kind, Kind::Device | Kind::Mapped) => {
            out.put(host)
        }
        _ => Err(HipError::InvalidValue),
    }
}

pub fn get_flags(out: Out<u32>, host: Address) -> HipResult {
    out.required()?;
    match state().memory.allocation_at(host) {
        Some(Allocation {
            kind: Kind::Host | Kind::Registered,
            flags,
            ..
        }) => out.put(flags),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn register(host: Address, bytes: usize, flags: u32) -> HipResult {
    /// Flags, which change nothing: portable, mapped, of a device, read-only.
    const FLAGS: u32 = 1 | MAPPED | 4 | 8;
    if flags & !FLAGS != 0 {
        return Err(HipError::InvalidValue);
    }
    register_range("hipHostRegister", host, bytes, flags, true)
}

/// Registers memory that kernels may only read. The process may have mapped the memory read-only too.
pub fn register_read_only(host: Address, bytes: usize) -> HipResult {
    register_range("gfx906_register_read_only", host, bytes, 0, false)
}

fn register_range(
    call: &str,
    host: Address,
    bytes: usize,
    flags: u32,
    writable: bool,
) -> HipResult {
    capture::allow_unsafe()?;
    if host == 0 || bytes == 0 {
        return Err(HipError::InvalidValue);
    }
    let end = host.checked_add(bytes as u64);
    if host < GUARD as u64 || end.is_none_or(|end| end > FIRST_ADDRESS) {
        return Err(HipError::InvalidValue);
    }
    let mapped = if writable {
        is_mapped(host, bytes as u64)
    } else {
        readable(host) >= bytes as u64
    };
    if !mapped {
        return Err(HipError::InvalidValue);
    }
    // A range that ends beyond the program's memory is invalid, whatever it runs over.
    if state().memory.overlaps(host, bytes as u64) {
        return Err(HipError::HostMemoryAlreadyRegistered);
    }
    let start = host / ALIGN * ALIGN;
    let count = words_of(host + bytes as u64) - (start / 4) as usize;
    let first = std::ptr::with_exposed_provenance_mut(start as usize);
    let first = NonNull::new(first).ok_or(HipError::InvalidValue)?;
    let owner: Box<dyn Any + Send + Sync> = Box::new(());
    // SAFETY: the range is mapped (and writable if the region is), and the program keeps it mapped until it unregisters it, as the function
    // demands. Rounding to words stays within the range's pages.
    let words = unsafe { Words::of_host(first, count, owner) };
    let allocation = Allocation {
        kind: Kind::Registered,
        base: host,
        size: bytes as u64,
        flags,
        call: 0,
    };
    share(call, allocation, words, writable)
}

pub fn unregister(host: Address) -> HipResult {
    if host == 0 {
        return Err(HipError::InvalidValue);
    }
    stream::wait_to_free()?;
    let mut state = state();
    match state.memory.starting_at(host) {
        Some(Allocation {
            kind: Kind::Registered,
            ..
        }) => {
            state.memory.remove(host, "hipHostUnregister");
            state.gpu.detach(host).map_err(|_| HipError::Unknown)
        }
        _ => Err(HipError::HostMemoryNotRegistered),
    }
}
