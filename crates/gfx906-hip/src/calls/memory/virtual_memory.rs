//! Virtual memory management: address ranges, physical memory, mappings, and access rights.

use super::pool::{Access, Location, NO_ACCESS, READ, READ_WRITE};
use crate::boundary::{Address, In, Out};
use crate::calls::stream;
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::objects::memory::{Allocation, Kind};
use crate::objects::virtual_memory::{GRANULARITY, Mapping};
use crate::runtime::{RuntimeState, state};
use crate::sanitize;

/// Recommended granularity of large mappings.
const RECOMMENDED: u64 = 2 << 20;
const PINNED: u32 = 1;

/// `hipMemAllocationProp` as words, because HIP 6 orders its fields differently.
pub type Properties = [u32; 8];

/// Returns the indices of memory type, handle type and location in [`Properties`].
fn fields() -> (usize, usize, usize) {
    match generation() {
        Generation::Five => (4, 3, 1),
        Generation::Six | Generation::Seven => (0, 1, 2),
    }
}

/// Fails unless the properties ask for device memory without a handle for other processes.
fn check(properties: In<Properties>) -> HipResult {
    check_place(properties)?;
    let (_, handles, _) = fields();
    match properties.get()?[handles] {
        0 => Ok(()),
        _ => Err(HipError::NotSupported),
    }
}

/// Fails unless the properties ask for device memory.
fn check_place(properties: In<Properties>) -> HipResult {
    let words = properties.get()?;
    let (kind, _, place) = fields();
    let location = Location {
        kind: words[place],
        id: words[place + 1] as i32,
    };
    location.check()?;
    if words[kind] != PINNED {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// Returns a size. Fails unless it is a multiple of the page.
fn whole_pages(bytes: usize) -> HipResult<u64> {
    let bytes = bytes as u64;
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
        return Err(HipError::InvalidValue);
    }
    Ok(bytes)
}

pub fn granularity(out: Out<usize>, properties: In<Properties>, option: u32) -> HipResult {
    out.required()?;
    check_place(properties)?;
    match option {
        0 => out.put(GRANULARITY as usize),
        1 => out.put(RECOMMENDED as usize),
        _ => Err(HipError::InvalidValue),
    }
}

/// `hipMemMapArrayAsync`: AMD's runtime has no arrays in mapped memory either.
pub fn map_array(list: Address, count: u32) -> HipResult {
    if list == 0 || count == 0 {
        return Err(HipError::InvalidValue);
    }
    Err(HipError::NotSupported)
}

/// Reserves addresses. A wish for certain addresses is accepted and ignored.
pub fn reserve(
    out: Out<Address>,
    bytes: usize,
    alignment: usize,
    _wish: Address,
    flags: u64,
) -> HipResult {
    out.required()?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    // AMD's runtime reports sizes and alignments that cannot be as a lack of memory.
    let bytes = whole_pages(bytes).map_err(|_| HipError::OutOfMemory)?;
    let alignment = alignment as u64;
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(HipError::OutOfMemory);
    }
    let alignment = alignment.max(RECOMMENDED);
    let base = state().memory.virtual_memory.reserve(bytes, alignment);
    out.put(base.ok_or(HipError::OutOfMemory)?)
}

pub fn give_back(base: Address, bytes: usize) -> HipResult {
    if !state().memory.virtual_memory.give_back(base, bytes as u64) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

pub fn create(
    out: Out<Address>,
    bytes: usize,
    properties: In<Properties>,
    flags: u64,
) -> HipResult {
    out.required()?;
    check(properties)?;
    let bytes = whole_pages(bytes)?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    let mut state = state();
    if bytes > state.memory.left() {
        return Err(HipError::OutOfMemory);
    }
    let handle = state.memory.virtual_memory.create(bytes);
    out.put(handle.ok_or(HipError::OutOfMemory)?)
}

pub fn release(handle: Address) -> HipResult {
    if !state().memory.virtual_memory.release(handle) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

pub fn retain(out: Out<Address>, address: Address) -> HipResult {
    out.required()?;
    let handle = state().memory.virtual_memory.retain(address);
    out.put(handle.ok_or(HipError::InvalidValue)?)
}

pub fn properties_of(out: Out<Properties>, handle: Address) -> HipResult {
    out.required()?;
    let exists = state()
        .memory
        .virtual_memory
        .find_referenced(handle)
        .is_some();
    if !exists {
        return Err(HipError::InvalidValue);
    }
    let (kind, _, place) = fields();
    let mut words = [0; 8];
    (words[kind], words[place]) = (PINNED, 1);
    out.put(words)
}

/// Maps memory from its start, as HIP demands. The mapping is inaccessible until access is set.
pub fn map(base: Address, bytes: usize, offset: usize, handle: Address, flags: u64) -> HipResult {
    let bytes = whole_pages(bytes)?;
    let aligned = base.is_multiple_of(GRANULARITY);
    if offset != 0 || flags != 0 || !aligned {
        return Err(HipError::InvalidValue);
    }
    if !state().memory.virtual_memory.map(base, bytes, handle) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

fn parts(state: &RuntimeState, base: Address, bytes: usize) -> HipResult<Vec<Mapping>> {
    let parts = state
        .memory
        .virtual_memory
        .whole_mappings(base, bytes as u64);
    parts.ok_or(HipError::InvalidValue)
}

/// Removes a mapping from the device's address space.
fn withdraw(state: &mut RuntimeState, mapping: &Mapping) {
    if mapping.access == NO_ACCESS {
        return;
    }
    if let Some(heap) = sanitize::heap() {
        heap.free(mapping.base, "hipMemUnmap");
    }
    state.memory.remove(mapping.base, "hipMemUnmap");
    // A mapping with access is attached, so detaching succeeds.
    let detached = state.gpu.detach(mapping.base);
    debug_assert_eq!(detached, Ok(()));
}

/// Adds a mapping to the device's address space.
fn give(state: &mut RuntimeState, mapping: &Mapping, access: u32) -> HipResult {
    let name = state.memory.name("hipMemMap");
    let memory = &state.memory.virtual_memory;
    let region = memory.region(mapping, &name, access == READ_WRITE);
    let attached = state.gpu.attach(region.ok_or(HipError::Unknown)?);
    attached.map_err(|_| HipError::Unknown)?;
    let end = mapping.base + mapping.bytes;
    if let Some(heap) = sanitize::heap() {
        heap.declare(&name, mapping.base..end, mapping.base..end, None);
        heap.written(mapping.base..end);
    }
    state.memory.insert(Allocation {
        kind: Kind::Mapped,
        base: mapping.base,
        size: mapping.bytes,
        flags: 0,
        call: 0,
    });
    Ok(())
}

pub fn set_access(base: Address, bytes: usize, wanted: In<Access>, count: usize) -> HipResult {
    if count == 0 || wanted.is_null() {
        return Err(HipError::InvalidValue);
    }
    let mut access = NO_ACCESS;
    for n in 0..count {
        let wanted = wanted.nth(n)?;
        wanted.location.check()?;
        if ![NO_ACCESS, READ, READ_WRITE].contains(&wanted.flags) {
            return Err(HipError::InvalidValue);
        }
        access = wanted.flags;
    }
    stream::wait_to_free()?;
    let mut state = state();
    for mapping in parts(&state, base, bytes)? {
        if mapping.access == access {
            continue;
        }
        withdraw(&mut state, &mapping);
        state
            .memory
            .virtual_memory
            .set_access(mapping.base, NO_ACCESS);
        if access != NO_ACCESS {
            give(&mut state, &mapping, access)?;
        }
        state.memory.virtual_memory.set_access(mapping.base, access);
    }
    Ok(())
}

pub fn get_access(out: Out<u64>, location: In<Location>, address: Address) -> HipResult {
    out.required()?;
    location.get()?.check()?;
    let mapping = state().memory.virtual_memory.mapping_at(address);
    out.put(mapping.ok_or(HipError::InvalidValue)?.access.into())
}

pub fn unmap(base: Address, bytes: usize) -> HipResult {
    stream::wait_to_free()?;
    let mut state = state();
    for mapping in parts(&state, base, bytes)? {
        withdraw(&mut state, &mapping);
        state.memory.virtual_memory.unmap(mapping.base);
    }
    Ok(())
}
