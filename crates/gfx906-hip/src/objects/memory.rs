//! Allocations: of the device, at addresses that no host program has, and of the host, at the same address on both sides.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gfx906::machine::FreedAllocation;

use super::advice::AdviceTable;
use super::array::Arrays;
use super::pool::Pools;
use super::texture::TextureObjects;
use super::virtual_memory::VirtualMemory;
use crate::boundary::Address;
use crate::card::TOTAL;
use crate::host::available;

/// Kind of memory of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Device memory.
    Device,
    /// Host memory that kernels reach: `hipHostMalloc` and its kin.
    Host,
    /// Managed memory.
    Managed,
    /// Memory that the program has mapped to reserved addresses.
    Mapped,
    /// Host memory of the program that it has registered.
    Registered,
}

/// Allocation.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// Kind of memory.
    pub kind: Kind,
    /// First address.
    pub base: Address,
    /// Size in bytes.
    pub size: u64,
    /// Flags of the allocating call.
    pub flags: u32,
    /// Number of the allocating call in this process, which reports use as the allocation's name. `insert` sets it.
    pub call: u64,
}

/// Most freed allocations that are remembered.
const REMEMBERED: usize = 1024;

/// Table of all allocations of the process.
#[derive(Default)]
pub struct Memory {
    by_address: BTreeMap<Address, Allocation>,
    /// Names of the allocations in fault reports, by their first addresses.
    names: BTreeMap<Address, String>,
    /// Name of the next allocation.
    next_name: String,
    /// Freed allocations, the oldest first.
    freed: VecDeque<FreedAllocation>,
    /// Bytes of device memory in use.
    used: u64,
    /// Number of allocating calls so far.
    calls: u64,
    /// First addresses of allocations whose copies the program wants synchronous.
    pub synchronous: BTreeSet<Address>,
    /// Memory pools.
    pub pools: Pools,
    /// Advice about managed memory.
    pub advised: AdviceTable,
    /// Reserved addresses, physical memory and mappings.
    pub virtual_memory: VirtualMemory,
    /// Arrays. Their memory is among the allocations.
    pub arrays: Arrays,
    /// Textures and surfaces. Their memory is among the allocations.
    pub textures: TextureObjects,
}

impl Memory {
    /// Returns the allocation that contains an address. The address behind its last byte is outside.
    pub fn allocation_at(&self, address: Address) -> Option<Allocation> {
        let (_, allocation) = self.by_address.range(..=address).next_back()?;
        let inside = address - allocation.base < allocation.size;
        inside.then_some(*allocation)
    }

    /// Returns the allocation that starts at an address.
    pub fn starting_at(&self, address: Address) -> Option<Allocation> {
        self.by_address.get(&address).copied()
    }

    /// Returns the allocation that contains an address or ends there, which an empty range may refer to.
    pub fn ending_at(&self, address: Address) -> Option<Allocation> {
        let (_, allocation) = self.by_address.range(..=address).next_back()?;
        (address - allocation.base <= allocation.size).then_some(*allocation)
    }

    /// Returns true if an allocation overlaps a range.
    pub fn overlaps(&self, address: Address, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let before = self.by_address.range(..end).next_back();
        before.is_some_and(|(_, a)| a.base + a.size > address)
    }

    /// Returns the name of the next allocation for fault reports.
    pub fn name(&mut self, call: &str) -> String {
        self.calls += 1;
        self.next_name = format!("{call} #{}", self.calls);
        self.next_name.clone()
    }

    /// Adds the allocation that was named last.
    pub fn insert(&mut self, allocation: Allocation) {
        let call = self.calls;
        let allocation = Allocation { call, ..allocation };
        if allocation.kind == Kind::Device {
            self.used += allocation.size;
        }
        self.by_address.insert(allocation.base, allocation);
        self.names.insert(allocation.base, self.next_name.clone());
    }

    /// Removes an allocation, which a call frees. Fault reports remember it.
    pub fn remove(&mut self, base: Address, by: &str) -> Option<Allocation> {
        let allocation = self.by_address.remove(&base)?;
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back(FreedAllocation {
            name: self.names.remove(&base).unwrap_or_default(),
            base,
            size: allocation.size,
            by: by.to_owned(),
        });
        if allocation.kind == Kind::Device {
            self.used -= allocation.size;
        }
        self.pools.note_free(base);
        self.advised.forget(base);
        self.synchronous.remove(&base);
        Some(allocation)
    }

    /// Returns the name of the device memory that contains an address. It allocates nothing.
    pub fn device_name_at(&self, address: Address) -> Option<&str> {
        let allocation = self.allocation_at(address)?;
        let is_device = matches!(allocation.kind, Kind::Device | Kind::Mapped);
        let name = self.names.get(&allocation.base)?;
        is_device.then_some(name)
    }

    /// Returns the allocation that was freed last of those that an address was in, unless an allocation is there now.
    pub fn freed_at(&self, address: Address) -> Option<&FreedAllocation> {
        if self.allocation_at(address).is_some() {
            return None;
        }
        let mut freed = self.freed.iter().rev();
        freed.find(|freed| address >= freed.base && address - freed.base < freed.size)
    }

    /// Returns all allocations by address.
    pub fn allocations(&self) -> impl Iterator<Item = &Allocation> {
        self.by_address.values()
    }

    /// Returns the device memory that is left. It is bounded by the card's memory and by the host's, which holds it.
    pub fn left(&self) -> u64 {
        let mapped = self.virtual_memory.bytes();
        TOTAL.saturating_sub(self.used + mapped).min(available())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(memory: &mut Memory, call: &str, base: Address) {
        memory.name(call);
        memory.insert(Allocation {
            kind: Kind::Managed,
            base,
            size: 256,
            flags: 0,
            call: 0,
        });
    }

    #[test]
    fn freed_memory_keeps_its_name_until_it_is_used_again() {
        let mut memory = Memory::default();
        insert(&mut memory, "hipMalloc", 0x1000);
        insert(&mut memory, "hipMallocArray", 0x2000);
        assert_eq!(memory.freed_at(0x2000), None);
        memory.remove(0x2000, "hipFreeArray");
        memory.remove(0x1000, "hipFreeAsync");
        let told = |memory: &Memory, at| {
            let freed = memory.freed_at(at);
            freed.map(|freed| format!("{} {} {}", freed.name, freed.size, freed.by))
        };
        let array = Some("hipMallocArray #2 256 hipFreeArray".to_owned());
        assert_eq!(told(&memory, 0x20ff), array);
        assert_eq!(told(&memory, 0x2100), None, "behind its end");
        insert(&mut memory, "hipMalloc", 0x1000);
        assert_eq!(told(&memory, 0x1000), None, "in use again");
        memory.remove(0x1000, "hipFree");
        assert_eq!(
            told(&memory, 0x1004),
            Some("hipMalloc #3 256 hipFree".to_owned())
        );
        for n in 0..REMEMBERED as u64 {
            insert(&mut memory, "hipMalloc", 0x10_0000 + 0x1000 * n);
            memory.remove(0x10_0000 + 0x1000 * n, "hipFree");
        }
        assert_eq!(told(&memory, 0x1004), None, "long ago");
    }
}
