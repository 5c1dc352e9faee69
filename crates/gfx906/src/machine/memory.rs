//! Device memory: allocations at guest addresses, with unmapped gaps between them.
//!
//! # The memory model
//!
//! Kernels may rely on these properties on every host:
//! - A load, store or atomic of 1, 2, 4 or 8 bytes at a multiple of its size is indivisible. This holds for accesses of different sizes to
//!   the same bytes, and between waves of any group, the host's side of shared memory, and copies by the host (in aligned units of 8 bytes).
//!   A larger access is one such access per aligned pair of dwords (per dword if it is aligned to 4 bytes only), in any order. The bytes of
//!   an unaligned access move one by one.
//! - All accesses to the same bytes happen in one order on which all observers agree, and an atomic sees the last value in it.
//! - Lanes of one instruction are separate accesses in any order; atomics of the lanes happen from the lowest lane to the highest.
//! - `s_waitcnt` and `buffer_wbinvl1` order earlier accesses before later ones for all observers, including the host. The sequences that
//!   compilers emit for acquire, release and sequentially consistent order, of any scope, therefore work. Without them, others may see a
//!   wave's accesses to different places in another order, as far as the host's processor reorders them (x86-64 lets loads overtake stores,
//!   aarch64 reorders any accesses).
//! - Waves of a group run on one host thread, and see each other's accesses, including LDS, in the order in which they ran.
//!
//! Caches are not modelled: a kernel that forgets to invalidate a cache reads the newest value here, and may read an old one on a card.
//!
//! Every access is checked against the allocations, so a guest that races or uses wild pointers only harms itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::region::ReadBeyond;
pub use super::region::Region;
use super::trap::{AddressProblem, Fault, Nearest, TrapKind, WrappedIndex};

/// First flat address that reaches LDS.
pub const SHARED_BASE: u64 = 1 << 48;
/// Last flat address that reaches LDS.
pub const SHARED_LIMIT: u64 = SHARED_BASE | 0xffff_ffff;
/// First flat address that reaches the lane's scratch.
pub const PRIVATE_BASE: u64 = 2 << 48;
/// Last flat address that reaches scratch.
pub const PRIVATE_LIMIT: u64 = PRIVATE_BASE | 0xffff_ffff;

/// Index of the allocation that is tried first. Workers share it, and every access checks it.
#[derive(Debug, Default)]
pub struct Hint(AtomicU32);

/// Allocations that a dispatch sees, sorted by address.
#[derive(Clone, Default)]
pub struct AddressSpace {
    regions: Vec<Arc<Region>>,
}

/// Bytes of the allocations that kernels may write, at one moment.
pub struct SavedMemory(Vec<(u64, Vec<u8>)>);

impl SavedMemory {
    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }
}

/// Distance from an allocation in bytes up to which an address is taken for one that ran beyond its bounds.
const NEAR: u128 = 1 << 20;

impl AddressSpace {
    /// Adds an allocation.
    pub fn insert(&mut self, region: Arc<Region>) {
        let at = self.regions.partition_point(|r| r.base < region.base);
        self.regions.insert(at, region);
    }

    /// Removes the allocation that starts at `base`.
    pub fn remove(&mut self, base: u64) -> Option<Arc<Region>> {
        let at = self.regions.iter().position(|r| r.base == base)?;
        Some(self.regions.remove(at))
    }

    /// Finds the allocation that covers a range, and looks at `hint` first.
    #[inline(always)]
    pub fn find(&self, hint: &mut usize, address: u64, bytes: u64) -> Option<&Region> {
        let found = match self.regions.get(*hint) {
            Some(region) if region.covers(address, bytes) => region,
            _ => self.search(hint, address, bytes)?,
        };
        found.touch(found.offset(address), bytes);
        Some(found)
    }

    /// Finds the allocation that covers a range, and looks at a shared hint first.
    #[inline(always)]
    pub fn find_by(&self, hint: &Hint, address: u64, bytes: u64) -> Option<&Region> {
        let mut at = hint.0.load(Relaxed) as usize;
        let found = match self.regions.get(at) {
            Some(region) if region.covers(address, bytes) => region,
            _ => {
                let found = self.search(&mut at, address, bytes)?;
                hint.0.store(at as u32, Relaxed);
                found
            }
        };
        found.touch(found.offset(address), bytes);
        Some(found)
    }

    #[inline(never)]
    fn search(&self, hint: &mut usize, address: u64, bytes: u64) -> Option<&Arc<Region>> {
        let at = self
            .regions
            .partition_point(|r| r.first() <= address)
            .checked_sub(1)?;
        let region = &self.regions[at];
        region.covers(address, bytes).then(|| {
            *hint = at;
            region
        })
    }

    /// Finds the allocation in which the host reaches a range.
    pub fn holding(&self, address: u64, bytes: u64) -> Option<&Region> {
        let after = self.regions.partition_point(|r| r.first() <= address);
        let region = self.regions[..after].last()?;
        region.holds(address, bytes).then(|| {
            region.touch(region.offset(address), bytes);
            &**region
        })
    }

    /// Finds the allocation in which the host is about to write a range. A shared allocation is copied for this GPU first.
    pub fn holding_own(&mut self, address: u64, bytes: u64) -> Option<&Region> {
        let after = self.regions.partition_point(|r| r.first() <= address);
        let region = self.regions[..after].last_mut()?;
        if region.is_shared() && region.holds(address, bytes) {
            *region = Arc::new(region.own()?);
        }
        self.holding(address, bytes)
    }

    /// Finds the allocation that starts at an address.
    pub fn starting_at(&self, base: u64) -> Option<&Region> {
        let at = self.regions.binary_search_by_key(&base, |r| r.base).ok()?;
        Some(&self.regions[at])
    }

    /// Builds the fault of a lane that reads or writes at an invalid address.
    #[cold]
    pub fn fault(&self, lane: Option<u32>, address: u64, bytes: u64, write: bool) -> Fault {
        let place = if self.find(&mut 0, address, bytes).is_some() {
            AddressProblem::ReadOnly
        } else if self.overlaps(address, bytes) {
            AddressProblem::Partly
        } else {
            AddressProblem::Outside
        };
        let bytes = bytes as u32;
        let kind = TrapKind::MemoryFault {
            write,
            bytes,
            place,
        };
        Fault::at(kind, lane, address)
    }

    /// Decides about an access that no allocation covers. A read within the last page of an allocation that permits such reads gets that
    /// page.
    #[cold]
    #[inline(never)]
    pub fn refuse(
        &self,
        lane: Option<u32>,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<&Region, Fault> {
        let after = self.regions.partition_point(|r| r.first() <= address);
        let before = self.regions[..after].last();
        let beyond = before.and_then(|region| region.beyond.as_ref());
        let allowed = beyond.filter(|_| !write);
        match allowed.and_then(|beyond| beyond.read(address, bytes)) {
            Some(page) => Ok(page),
            None => Err(self.fault(lane, address, bytes, write)),
        }
    }

    /// Returns the reads beyond allocations since the last call.
    pub fn take_reads_beyond(&self) -> Vec<ReadBeyond> {
        let regions = self.regions.iter();
        let told = regions.filter_map(|r| r.beyond.as_ref()?.take(&r.name, r.size));
        told.collect()
    }

    /// Copies the bytes of all allocations that kernels may write.
    pub fn save(&self) -> SavedMemory {
        let writable = self.regions.iter().filter(|region| region.writable);
        let copy = |region: &Arc<Region>| {
            let (from, bytes) = region.host_range();
            region.touch(from, bytes);
            let mut copy = vec![0; bytes as usize];
            region.copy_out(from, &mut copy);
            (region.base, copy)
        };
        SavedMemory(writable.map(copy).collect())
    }

    /// Writes saved bytes back.
    pub fn restore(&self, saved: &SavedMemory) {
        for (base, bytes) in &saved.0 {
            if let Some(region) = self.starting_at(*base) {
                let (from, size) = region.host_range();
                region.touch(from, size);
                region.copy_in(from, bytes);
            }
        }
    }

    /// Returns the end of each allocation, in the order of their addresses.
    pub fn ends(&self) -> impl Iterator<Item = u64> {
        self.regions.iter().map(|r| r.base + r.size)
    }

    /// Returns true if an allocation overlaps a range.
    pub fn overlaps(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let after = self.regions.partition_point(|r| r.base < end);
        let before = self.regions[..after].last();
        before.is_some_and(|r| r.base.saturating_add(r.size) > address)
    }

    /// Returns the place 2^32 elements behind an address, if an element of more than 31 bits' index is there. Elements have 1 to 16 bytes.
    /// An address near an allocation has a simpler explanation.
    pub fn wrapped(&self, address: u64) -> Option<WrappedIndex> {
        let near = self.nearest(address)?.distance.unsigned_abs() < NEAR;
        if near {
            return None;
        }
        [2, 4, 1, 8, 16].into_iter().find_map(|element: u64| {
            let right = address.wrapping_add(element << 32);
            let mut regions = self.regions.iter().filter(|r| !r.name.is_empty());
            let region = regions.find(|r| (r.base..r.base + r.size).contains(&right))?;
            let byte = right - region.base;
            (byte >= element << 31).then(|| WrappedIndex {
                name: region.name.clone(),
                byte,
                element,
            })
        })
    }

    /// Returns the allocation nearest to an address, and its distance.
    pub fn nearest(&self, address: u64) -> Option<Nearest> {
        let region = self
            .regions
            .iter()
            .filter(|r| !r.name.is_empty())
            .min_by_key(|r| distance(r, address).unsigned_abs())?;
        Some(seen_from(region, address))
    }

    /// Returns the allocation that starts at `base` as seen from an address.
    pub fn allocation_from(&self, base: u64, address: u64) -> Option<Nearest> {
        Some(seen_from(self.starting_at(base)?, address))
    }

    /// Returns a copy whose memory nobody else sees, unless the writable allocations have more than `most` bytes or the host lacks the
    /// memory.
    pub fn apart(&self, most: u64) -> Option<AddressSpace> {
        let writable = || self.regions.iter().filter(|region| region.writable);
        if writable().map(|region| region.size).sum::<u64>() > most {
            return None;
        }
        let copy = |region: &Arc<Region>| match region.writable {
            true => region.own().map(Arc::new),
            false => Some(Arc::clone(region)),
        };
        let regions = self.regions.iter().map(copy).collect::<Option<_>>()?;
        Some(AddressSpace { regions })
    }
}

/// Returns the distance in bytes from an allocation to an address.
fn distance(region: &Region, address: u64) -> i128 {
    let (a, base) = (i128::from(address), i128::from(region.base));
    let end = base + i128::from(region.size);
    if a < base {
        a - base
    } else if a >= end {
        a - end
    } else {
        0
    }
}

fn seen_from(region: &Region, address: u64) -> Nearest {
    Nearest {
        name: region.name.clone(),
        base: region.base,
        size: region.size,
        distance: distance(region, address),
    }
}

#[cfg(test)]
mod tests;
