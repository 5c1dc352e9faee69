//! Memory of the host that kernels reach at its own address.
//!
//! Guest addresses of such an allocation are the host's, and kernels use the host program's words themselves. No byte is copied, and each
//! side sees the other's accesses at once. Aligned accesses of up to 8 bytes are atomic, whatever their sizes.

use std::ptr::NonNull;

use gfx906::machine::{PAGE, Region, Words};
use memmap2::MmapMut;

use super::capture;
use crate::boundary::Address;
use crate::diagnostics::call::current_call;
use crate::error::{HipError, HipResult};
use crate::host::available;
use crate::leaks;
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::{RuntimeState, state};
use crate::settings;

/// Bytes behind each allocation that belong to no other, so that an access beyond the end is a fault.
pub const GUARD: usize = 4096;
/// Alignment of shared memory: words come in pairs, as 64-bit atomics need.
pub const ALIGN: u64 = 8;

/// Returns the number of words up to an end. If reads beyond the end pass, it includes the rest of the last page, which is mapped in any
/// case.
pub fn words_of(end: u64) -> usize {
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
pub fn share(call: &str, allocation: Allocation, words: Words, writable: bool) -> HipResult {
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

/// Frees memory that [`allocate`] returned. A reset of the device may have freed it already.
pub fn free(state: &mut RuntimeState, address: Address) {
    if state.memory.remove(address, current_call()).is_some() {
        // The region exists as long as the allocation does.
        let _ = state.gpu.detach(address);
    }
}
