//! Virtual memory: reserved addresses, physical memory, and mappings between them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use gfx906::machine::{Region, Words};
use memmap2::MmapMut;

use crate::boundary::Address;
use crate::card::FIRST_ADDRESS;
use crate::handles::{Handles, Tag};

/// Granularity of reservations and memory.
pub const GRANULARITY: u64 = 4096;

/// First address of reservations, well above the allocations.
const FIRST: Address = FIRST_ADDRESS + (1 << 46);
/// End of all reservations, which is the end of guest addresses.
const END: Address = 1 << 48;

/// Host pages that hold physical memory of the device.
struct Pages {
    start: Address,
    _map: MmapMut,
}

/// Physical memory.
pub struct PhysicalMemory {
    /// Size in bytes.
    pub bytes: u64,
    /// Number of references to its handle that the program holds.
    held: u64,
    /// Number of its mappings.
    mapped: u64,
    pages: Arc<Pages>,
}

/// Mapping of physical memory to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub base: Address,
    /// Size in bytes.
    pub bytes: u64,
    /// Handle of the physical memory.
    pub handle: Address,
    /// Access of kernels and copies: `hipMemAccessFlags`.
    pub access: u32,
}

/// Virtual memory of the process.
pub struct VirtualMemory {
    reserved: BTreeMap<Address, u64>,
    next: Address,
    physical: Handles<PhysicalMemory>,
    mappings: BTreeMap<Address, Mapping>,
}

impl Default for VirtualMemory {
    fn default() -> VirtualMemory {
        VirtualMemory {
            reserved: BTreeMap::new(),
            next: FIRST,
            physical: Handles::new(Tag::Physical),
            mappings: BTreeMap::new(),
        }
    }
}

impl VirtualMemory {
    /// Reserves addresses. The first is a multiple of `alignment`. Returns none if no addresses are left.
    pub fn reserve(&mut self, bytes: u64, alignment: u64) -> Option<Address> {
        let base = self.next.checked_next_multiple_of(alignment)?;
        let end = base.checked_add(bytes).filter(|end| *end <= END)?;
        // An unmapped page follows, so that an access beyond the end is a fault.
        self.next = end + GRANULARITY;
        self.reserved.insert(base, bytes);
        Some(base)
    }

    /// Gives a reservation back. Returns false if there is no such reservation, or if it has mappings.
    pub fn give_back(&mut self, base: Address, bytes: u64) -> bool {
        let is_reserved = self.reserved.get(&base) == Some(&bytes);
        if !is_reserved || self.mapped(base..base + bytes).next().is_some() {
            return false;
        }
        self.reserved.remove(&base);
        true
    }

    /// Creates physical memory of zeros. Returns its handle, or none if the host has no room.
    pub fn create(&mut self, bytes: u64) -> Option<Address> {
        let mut map = MmapMut::map_anon(usize::try_from(bytes).ok()?).ok()?;
        let start = map.as_mut_ptr().expose_provenance() as Address;
        Some(self.physical.insert(PhysicalMemory {
            bytes,
            held: 1,
            mapped: 0,
            pages: Arc::new(Pages { start, _map: map }),
        }))
    }

    /// Returns memory whose handle the program holds.
    pub fn find_referenced(&self, handle: Address) -> Option<&PhysicalMemory> {
        self.physical.get(handle).filter(|memory| memory.held > 0)
    }

    /// Releases a handle once. Returns false if the program did not hold it.
    pub fn release(&mut self, handle: Address) -> bool {
        let memory = self.physical.get_mut(handle);
        let Some(memory) = memory.filter(|memory| memory.held > 0) else {
            return false;
        };
        memory.held -= 1;
        self.drop_unused(handle);
        true
    }

    /// Adds a reference to the handle of the memory that is mapped at an address.
    pub fn retain(&mut self, address: Address) -> Option<Address> {
        let handle = self.mapping_at(address)?.handle;
        self.physical.get_mut(handle)?.held += 1;
        Some(handle)
    }

    fn drop_unused(&mut self, handle: Address) {
        let unused = |memory: &PhysicalMemory| memory.held == 0 && memory.mapped == 0;
        if self.physical.get(handle).is_some_and(unused) {
            self.physical.remove(handle);
        }
    }

    /// Maps memory to reserved addresses. Returns false if they are not reserved or not free, or if the memory is too small.
    pub fn map(&mut self, base: Address, bytes: u64, handle: Address) -> bool {
        let range = base..base.saturating_add(bytes);
        let within = self.reserved.range(..=base).next_back();
        let within = within.is_some_and(|(at, size)| range.end <= at + size);
        if !within || self.mapped(range).next().is_some() {
            return false;
        }
        let memory = self.physical.get_mut(handle);
        let Some(memory) = memory.filter(|m| m.held > 0 && m.bytes >= bytes) else {
            return false;
        };
        memory.mapped += 1;
        self.mappings.insert(
            base,
            Mapping {
                base,
                bytes,
                handle,
                access: 0,
            },
        );
        true
    }

    /// Returns the mappings that overlap a range.
    fn mapped(&self, range: Range<Address>) -> impl Iterator<Item = &Mapping> {
        let before = self.mappings.range(..range.start).next_back();
        let before = before.filter(|(_, m)| m.base + m.bytes > range.start);
        let inside = self.mappings.range(range.start..range.end.max(range.start));
        before.into_iter().chain(inside).map(|(_, mapping)| mapping)
    }

    /// Returns the mapping that contains an address.
    pub fn mapping_at(&self, address: Address) -> Option<Mapping> {
        self.mapped(address..address + 1).next().copied()
    }

    /// Returns the mappings that make up a range, or none unless whole mappings fill it without a gap.
    pub fn whole_mappings(&self, base: Address, bytes: u64) -> Option<Vec<Mapping>> {
        let mut reached = base;
        let mappings: Vec<Mapping> = self
            .mapped(base..base.checked_add(bytes)?)
            .copied()
            .collect();
        for mapping in &mappings {
            if mapping.base != reached {
                return None;
            }
            reached += mapping.bytes;
        }
        (reached == base + bytes && !mappings.is_empty()).then_some(mappings)
    }

    /// Sets the access to a mapping.
    pub fn set_access(&mut self, base: Address, access: u32) {
        if let Some(mapping) = self.mappings.get_mut(&base) {
            mapping.access = access;
        }
    }

    /// Removes a mapping.
    pub fn unmap(&mut self, base: Address) {
        let Some(mapping) = self.mappings.remove(&base) else {
            return;
        };
        if let Some(memory) = self.physical.get_mut(mapping.handle) {
            memory.mapped -= 1;
        }
        self.drop_unused(mapping.handle);
    }

    /// Returns a mapping as a region of the device's address space.
    pub fn region(&self, mapping: &Mapping, name: &str, writable: bool) -> Option<Region> {
        let pages = self.physical.get(mapping.handle)?.pages.clone();
        let first = NonNull::new(std::ptr::with_exposed_provenance_mut(pages.start as usize))?;
        let count = usize::try_from(mapping.bytes / 4).ok()?;
        // SAFETY: a mapping has no more bytes than its pages. The pages stay until their last owner is dropped, and no other code accesses
        // them.
        let words = unsafe { Words::of_host(first, count, Box::new(pages)) };
        let mut region = Region::with_words(name, mapping.base, mapping.bytes, words)?;
        region.writable = writable;
        Some(region)
    }

    /// Returns the bytes of all physical memory.
    pub fn bytes(&self) -> u64 {
        self.physical.values().map(|memory| memory.bytes).sum()
    }

    /// Forgets all reservations, memory and mappings.
    pub fn reset(&mut self) {
        self.reserved.clear();
        self.mappings.clear();
        self.physical.clear().for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_lives_while_it_is_held_or_mapped() {
        let mut memory = VirtualMemory::default();
        let base = memory.reserve(4 * GRANULARITY, 1 << 21).expect("room");
        assert!(base.is_multiple_of(1 << 21));
        let handle = memory.create(GRANULARITY).expect("memory");
        assert!(!memory.map(base, 2 * GRANULARITY, handle), "too small");
        assert!(!memory.map(base + 4 * GRANULARITY, GRANULARITY, handle));
        assert!(memory.map(base, GRANULARITY, handle));
        assert!(!memory.map(base, GRANULARITY, handle), "occupied");
        assert!(memory.map(base + GRANULARITY, GRANULARITY, handle));
        assert_eq!(
            memory
                .whole_mappings(base, 2 * GRANULARITY)
                .map(|m| m.len()),
            Some(2)
        );
        assert_eq!(memory.whole_mappings(base, 3 * GRANULARITY), None);
        assert_eq!(memory.whole_mappings(base + 8, 8), None);
        assert!(memory.release(handle) && !memory.release(handle));
        assert!(memory.find_referenced(handle).is_none() && memory.bytes() == GRANULARITY);
        assert_eq!(memory.retain(base + 5), Some(handle));
        assert!(memory.release(handle));
        assert!(!memory.give_back(base, 4 * GRANULARITY), "mapped");
        memory.unmap(base);
        assert_eq!(memory.bytes(), GRANULARITY);
        memory.unmap(base + GRANULARITY);
        assert_eq!(memory.bytes(), 0);
        assert!(memory.give_back(base, 4 * GRANULARITY));
        assert!(!memory.give_back(base, 4 * GRANULARITY));
    }
}
