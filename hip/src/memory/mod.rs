//! Allocations: of the device, at addresses that no host program has, and of the host, at the same address on both sides.

pub mod copy;
pub mod host;
pub mod pitched;
pub mod query;
pub mod set;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::boundary::{Address, Out};
use crate::error::{HipError, Outcome};
use crate::runtime::{queue, state};
use crate::stream;

/// Device memory of an MI50 with 16 GB, as its driver tells it.
pub const TOTAL: u64 = 16368 << 20;

/// Where device addresses start: above everything that a host program can have, which ends at 2^47.
pub const FIRST_ADDRESS: u64 = 1 << 47;

/// Whether fresh memory of the device holds poison (`GFX906_POISON=1`); zeros otherwise.
static POISONED: LazyLock<bool> =
    LazyLock::new(|| std::env::var("GFX906_POISON").is_ok_and(|value| value.trim() == "1"));

/// What an allocation is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory of the device.
    Device,
    /// Host memory that kernels reach: `hipHostMalloc` and its kin.
    Host,
    /// Memory of both.
    Managed,
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

    fn remove(&mut self, base: Address) -> Option<Allocation> {
        let allocation = self.by_address.remove(&base)?;
        if allocation.kind == Kind::Device {
            self.used -= allocation.size;
        }
        Some(allocation)
    }

    /// Bytes of device memory that are left: of the card's, and of the host's, which stands in for it.
    pub fn left(&self) -> u64 {
        (TOTAL - self.used).min(host::available())
    }
}

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

/// Frees an allocation of any kind but registered memory, once the device has done with it.
pub fn free(address: Address) -> Outcome {
    if address == 0 {
        return Ok(());
    }
    let _device = queue();
    let mut state = state();
    match state.memory.starting_at(address) {
        Some(Allocation {
            kind: Kind::Registered,
            ..
        })
        | None => Err(HipError::InvalidValue),
        Some(allocation) => {
            state.memory.remove(address);
            let freed = match allocation.kind {
                Kind::Device => state.gpu.free(address),
                _ => state.gpu.detach(address),
            };
            freed.map_err(|_| HipError::Unknown)
        }
    }
}

pub fn free_async(address: Address, stream: Address) -> Outcome {
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    stream::check(stream)?;
    free(address)
}

/// Frees everything: `hipDeviceReset`.
pub fn free_all() {
    let mut state = state();
    let all: Vec<Allocation> = state.memory.by_address.values().copied().collect();
    for allocation in all {
        if host::belongs_to_program(&state, allocation.base) {
            continue;
        }
        state.memory.remove(allocation.base);
        let freed = match allocation.kind {
            Kind::Device => state.gpu.free(allocation.base),
            _ => state.gpu.detach(allocation.base),
        };
        // Whatever the table lists is there.
        debug_assert_eq!(freed, Ok(()));
    }
}
