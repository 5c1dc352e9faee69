//! Allocations: of the device, at addresses that no host program has, and of the host, at the same address on both sides.

use std::collections::BTreeMap;

use super::advice::Advised;
use super::array::Arrays;
use super::pool::Pools;
use super::texture::Objects;
use super::virtual_memory::VirtualMemory;
use crate::boundary::Address;
use crate::card::TOTAL;
use crate::host::available;

/// What an allocation is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory of the device.
    Device,
    /// Host memory that kernels reach: `hipHostMalloc` and its kin.
    Host,
    /// Memory of both.
    Managed,
    /// Memory that the program has mapped to addresses that it reserved.
    Mapped,
    /// Memory that the program had before it registered it.
    Registered,
}

/// An allocation.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// What it is made of.
    pub kind: Kind,
    /// First address.
    pub base: Address,
    /// Bytes.
    pub size: u64,
    /// The flags it was asked for with.
    pub flags: u32,
    /// Which allocating call of the process it came from, as reports name it; set when it is entered.
    pub call: u64,
}

/// Every allocation of the process.
#[derive(Default)]
pub struct Memory {
    by_address: BTreeMap<Address, Allocation>,
    /// Bytes of device memory in use.
    used: u64,
    /// Calls so far, which name allocations in reports.
    calls: u64,
    /// Pools that some of them came from.
    pub pools: Pools,
    /// What the program has said of managed ones.
    pub advised: Advised,
    /// What the program maps by itself.
    pub virtual_memory: VirtualMemory,
    /// Arrays, whose memory is among the allocations.
    pub arrays: Arrays,
    /// Textures and surfaces, whose memory is among the allocations.
    pub textures: Objects,
}

impl Memory {
    /// The allocation that an address lies in; its end belongs to none.
    pub fn at(&self, address: Address) -> Option<Allocation> {
        let (_, allocation) = self.by_address.range(..=address).next_back()?;
        let inside = address - allocation.base < allocation.size;
        inside.then_some(*allocation)
    }

    /// The allocation that starts at an address.
    pub fn starting_at(&self, address: Address) -> Option<Allocation> {
        self.by_address.get(&address).copied()
    }

    /// The allocation that an address lies in or right behind: where an empty part of it is.
    pub fn ending_at(&self, address: Address) -> Option<Allocation> {
        let (_, allocation) = self.by_address.range(..=address).next_back()?;
        (address - allocation.base <= allocation.size).then_some(*allocation)
    }

    /// Whether an allocation touches a range.
    pub fn overlaps(&self, address: Address, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let before = self.by_address.range(..end).next_back();
        before.is_some_and(|(_, a)| a.base + a.size > address)
    }

    /// The name of the next allocation, as fault reports call it.
    pub fn name(&mut self, call: &str) -> String {
        self.calls += 1;
        format!("{call} #{}", self.calls)
    }

    /// Enters what was just named.
    pub fn insert(&mut self, allocation: Allocation) {
        let call = self.calls;
        let allocation = Allocation { call, ..allocation };
        if allocation.kind == Kind::Device {
            self.used += allocation.size;
        }
        self.by_address.insert(allocation.base, allocation);
    }

    /// Takes an allocation out.
    pub fn remove(&mut self, base: Address) -> Option<Allocation> {
        let allocation = self.by_address.remove(&base)?;
        if allocation.kind == Kind::Device {
            self.used -= allocation.size;
        }
        self.pools.freed(base);
        self.advised.forget(base);
        Some(allocation)
    }

    /// Every allocation, by address.
    pub fn all(&self) -> impl Iterator<Item = &Allocation> {
        self.by_address.values()
    }

    /// Bytes of device memory that are left: of the card's, and of the host's, which stands in for it.
    pub fn left(&self) -> u64 {
        let mapped = self.virtual_memory.bytes();
        TOTAL.saturating_sub(self.used + mapped).min(available())
    }
}
