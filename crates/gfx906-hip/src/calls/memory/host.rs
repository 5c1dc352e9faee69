//! Host memory that kernels reach at its own address: pinned, managed, registered.
//!
//! Guest addresses of such an allocation are the host's, and kernels use the host program's words themselves. No byte is copied, and each
//! side sees the other's accesses at once. Aligned accesses of up to 8 bytes are atomic, whatever their sizes.

use std::any::Any;
use std::ptr::NonNull;

use gfx906::machine::{PAGE, Region, Words};
use memmap2::MmapMut;

use super::free;
use crate::boundary::{Address, Out};
use crate::calls::{capture, stream};
use crate::card::FIRST_ADDRESS;
use crate::error::{HipError, HipResult};
use crate::host::{available, is_mapped, readable};
use crate::leaks;
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;
use crate::settings;

/// Bytes behind each allocation that belong to no other, so that an access beyond the end is a fault.
const GUARD: usize = 4096;
/// Alignment of shared memory: words come in pairs, as 64-bit atomics need.
const ALIGN: u64 = 8;

const COHERENT: u32 = 0x4000_0000;
const NON_COHERENT: u32 = 0x8000_0000;
const MAPPED: u32 = 2;
const ATTACH_GLOBAL: u32 = 1;

/// Returns the number of words up to an end. If reads beyond the end pass, it includes the rest of the last page, which is mapped in any
/// case.
fn words_of(end: u64) -> usize {
    let end = if settings::reads_beyond_pass() {
        end.next_multiple_of(PAGE)
    } else {
        end
    };
    end.div_ceil(4) as usize
}

/// Allocates host memory and returns its address.
pub fn allocate(call: &str, bytes: usize, kind: Kind, flags: u32) -> HipResult<Address> {
    capture::allow_unsafe()?;
    if bytes as u64 > available() {
        return Err(HipError::OutOfMemory);
    }
    let mapped = bytes.next_multiple_of(GUARD) + GUARD;
    let mut map = MmapMut::map_anon(mapped).map_err(|_| HipError::OutOfMemory)?;
    let start = map.as_mut_ptr().cast();
    let start = NonNull::new(start).ok_or(HipError::OutOfMemory)?;
    // SAFETY: the pages are this allocation's own and larger than the words. They stay until `map` is dropped, and no other code accesses
    // them.
    let words = unsafe { Words::of_host(start, words_of(bytes as u64), Box::new(map)) };
    let base = start.as_ptr().expose_provenance() as Address;
    let allocation = Allocation {
        kind,
        base,
        size: bytes as u64,
        flags,
        call: 0,
    };
    share(call, allocation, words, true)?;
    Ok(base)
}

/// Lets kernels reach words at their own address. The words hold the bytes from `base`, rounded down to [`ALIGN`]. If reads beyond the end
/// pass, the words go on to the end of the page.
fn share(call: &str, allocation: Allocation, words: Words, writable: bool) -> HipResult {
    let mut state = state();
    let (words, page) = if settings::reads_beyond_pass() {
        let [words, page] = words.shared();
        (words, Some(page))
    } else {
        (words, None)
    };
    let name = state.memory.name(call);
    let region = Region::with_words(&name, allocation.base, allocation.size, words);
    let mut region = region.ok_or(HipError::Unknown)?;
    region.writable = writable;
    if let Some(page) = page {
        region = region.with_page(page);
    }
    let attached = state.gpu.attach(region);
    attached.map_err(|_| HipError::HostMemoryAlreadyRegistered)?;
    leaks::watch();
    state.memory.insert(allocation);
    Ok(())
}

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

pub fn malloc_managed(out: Out<Address>, bytes: usize, flags: u32) -> HipResult {
    out.required()?;
    // HIP has an attach flag for host memory, and refuses it.
    if bytes == 0 || flags != ATTACH_GLOBAL {
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
    /// Flags: portable, mapped, coarse-grained. Memory of devices is not supported.
    const FLAGS: u32 = 1 | MAPPED | 8;
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
    if host == 0 || bytes == 0 {
        return Err(HipError::InvalidValue);
    }
    let end = host.checked_add(bytes as u64);
    if host < GUARD as u64 || end.is_none_or(|end| end > FIRST_ADDRESS) {
        return Err(HipError::InvalidValue);
    }
    if state().memory.overlaps(host, bytes as u64) {
        return Err(HipError::HostMemoryAlreadyRegistered);
    }
    let mapped = if writable {
        is_mapped(host, bytes as u64)
    } else {
        readable(host) >= bytes as u64
    };
    if !mapped {
        return Err(HipError::InvalidValue);
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
    stream::wait_for_device()?;
    let mut state = state();
    match state.memory.starting_at(host) {
        Some(Allocation {
            kind: Kind::Registered,
            ..
        }) => {
            state.memory.remove(host);
            state.gpu.detach(host).map_err(|_| HipError::Unknown)
        }
        _ => Err(HipError::HostMemoryNotRegistered),
    }
}
