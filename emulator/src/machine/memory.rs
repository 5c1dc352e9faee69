//! Device memory: allocations at guest addresses, with unmapped gaps between them.
//!
//! Every access is checked against the allocations and goes through relaxed atomics: a guest that races, or that runs wild,
//! is a matter of the guest's.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::trap::{Fault, Nearest, TrapKind};
use super::words::Words;

/// An allocation.
pub struct Region {
    /// Its name, for reports.
    pub name: String,
    /// First guest address, a multiple of 256.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether a kernel may write it.
    pub writable: bool,
    words: Words,
}

impl Region {
    /// An allocation of zeros.
    pub fn new(name: &str, base: u64, size: u64, writable: bool) -> Region {
        Region::over(name, base, size, writable, Words::new(size))
    }

    /// An allocation that is made of these words; `None` where they do not hold `size` bytes.
    pub fn with_words(name: &str, base: u64, size: u64, words: Words) -> Option<Region> {
        (words.len() as u64 >= size.div_ceil(4))
            .then(|| Region::over(name, base, size, true, words))
    }

    fn over(name: &str, base: u64, size: u64, writable: bool, words: Words) -> Region {
        Region {
            name: name.to_owned(),
            base,
            size,
            writable,
            words,
        }
    }

    /// Whether `bytes` bytes at `address` lie within.
    #[inline(always)]
    pub fn covers(&self, address: u64, bytes: u64) -> bool {
        address >= self.base
            && address - self.base <= self.size
            && self.size - (address - self.base) >= bytes
    }

    /// The words from byte `offset` on, which must be a multiple of 4.
    #[inline(always)]
    pub fn words_at(&self, offset: u64) -> &[AtomicU32] {
        self.words.get((offset / 4) as usize..).unwrap_or(&[])
    }

    /// Reads a dword at any byte offset that the caller has checked.
    #[inline(always)]
    pub fn read32(&self, offset: u64) -> u32 {
        let shift = (offset & 3) * 8;
        let low = self.word(offset / 4).load(Relaxed);
        if shift == 0 {
            return low;
        }
        let high = self.word(offset / 4 + 1).load(Relaxed);
        ((low as u64 | (high as u64) << 32) >> shift) as u32
    }

    /// Writes the low `bytes` (1, 2 or 4) of a value at any byte offset that the caller has checked.
    #[inline(always)]
    pub fn write(&self, offset: u64, bytes: u64, value: u32) {
        if bytes == 4 && offset & 3 == 0 {
            return self.word(offset / 4).store(value, Relaxed);
        }
        let shift = (offset & 3) * 8;
        let mask = ((1u64 << (bytes * 8)) - 1) << shift;
        let value = (value as u64) << shift & mask;
        self.merge(offset / 4, mask as u32, value as u32);
        if mask >> 32 != 0 {
            self.merge(offset / 4 + 1, (mask >> 32) as u32, (value >> 32) as u32);
        }
    }

    fn merge(&self, index: u64, mask: u32, value: u32) {
        // Relaxed on both sides: the guest has no order but its own fences, which are the host's (see `fence`).
        let _ = self
            .word(index)
            .fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | value));
    }

    /// The word at an index; beyond the end, a word of the last: callers have checked the range.
    #[inline(always)]
    pub fn word(&self, index: u64) -> &AtomicU32 {
        static NOWHERE: AtomicU32 = AtomicU32::new(0);
        self.words.get(index as usize).unwrap_or(&NOWHERE)
    }

    /// Copies bytes out.
    pub fn copy_out(&self, offset: u64, data: &mut [u8]) {
        let mut at = offset;
        for byte in data.chunks_mut(4) {
            byte.copy_from_slice(&self.read32(at).to_le_bytes()[..byte.len()]);
            at += 4;
        }
    }

    /// Copies bytes in.
    pub fn copy_in(&self, offset: u64, data: &[u8]) {
        let mut at = offset;
        let mut chunks = data.chunks_exact(4);
        for word in &mut chunks {
            self.write(
                at,
                4,
                u32::from_le_bytes(word.try_into().expect("four bytes")),
            );
            at += 4;
        }
        for &byte in chunks.remainder() {
            self.write(at, 1, byte as u32);
            at += 1;
        }
    }
}

/// Where to look for an allocation first. Workers share it, and whatever it says is checked.
#[derive(Debug, Default)]
pub struct Hint(AtomicU32);

/// The allocations that a dispatch sees, by address.
#[derive(Clone, Default)]
pub struct AddressSpace {
    regions: Vec<Arc<Region>>,
}

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

    /// The allocation that covers a range, looked up at `hint` first.
    #[inline(always)]
    pub fn find(&self, hint: &mut usize, address: u64, bytes: u64) -> Option<&Region> {
        if let Some(region) = self.regions.get(*hint)
            && region.covers(address, bytes)
        {
            return Some(region);
        }
        self.search(hint, address, bytes)
    }

    /// The allocation that covers a range, looked up at a shared hint first.
    #[inline(always)]
    pub fn find_by(&self, hint: &Hint, address: u64, bytes: u64) -> Option<&Region> {
        let mut at = hint.0.load(Relaxed) as usize;
        if let Some(region) = self.regions.get(at)
            && region.covers(address, bytes)
        {
            return Some(region);
        }
        let found = self.search(&mut at, address, bytes);
        hint.0.store(at as u32, Relaxed);
        found
    }

    #[inline(never)]
    fn search(&self, hint: &mut usize, address: u64, bytes: u64) -> Option<&Region> {
        let at = self
            .regions
            .partition_point(|r| r.base <= address)
            .checked_sub(1)?;
        let region = &self.regions[at];
        region.covers(address, bytes).then(|| {
            *hint = at;
            &**region
        })
    }

    /// As `find`, or the fault of a lane that reads or writes there.
    #[inline(always)]
    pub fn access(
        &self,
        hint: &mut usize,
        lane: Option<u32>,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<&Region, Fault> {
        match self.find(hint, address, bytes) {
            Some(region) if region.writable || !write => Ok(region),
            other => Err(Fault::at(
                TrapKind::MemoryFault {
                    write,
                    bytes: bytes as u32,
                    protected: other.is_some(),
                },
                lane,
                address,
            )),
        }
    }

    /// Where the allocations end, in the order of their addresses.
    pub fn ends(&self) -> impl Iterator<Item = u64> {
        self.regions.iter().map(|r| r.base + r.size)
    }

    /// Whether an allocation touches a range.
    pub fn overlaps(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let after = self.regions.partition_point(|r| r.base < end);
        let before = self.regions[..after].last();
        before.is_some_and(|r| r.base.saturating_add(r.size) > address)
    }

    /// The allocation nearest to an address, and how far it is.
    pub fn nearest(&self, address: u64) -> Option<Nearest> {
        let distance = |r: &Region| -> i128 {
            let (a, base, end) = (
                address as i128,
                r.base as i128,
                r.base as i128 + r.size as i128,
            );
            if a < base {
                a - base
            } else if a >= end {
                a - end
            } else {
                0
            }
        };
        let region = self
            .regions
            .iter()
            .filter(|r| !r.name.is_empty())
            .min_by_key(|r| distance(r).unsigned_abs())?;
        Some(Nearest {
            name: region.name.clone(),
            base: region.base,
            size: region.size,
            distance: distance(region),
        })
    }
}

impl Region {
    /// Replaces the 64-bit value at an 8-byte aligned offset; returns the old one. Atomic among 64-bit updates.
    pub fn update64(&self, offset: u64, f: impl Fn(u64) -> u64) -> u64 {
        static STRIPES: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
        let stripe = &STRIPES[(self.base.wrapping_add(offset) / 8 % 64) as usize];
        let _held = stripe.lock().unwrap_or_else(PoisonError::into_inner);
        let (low, high) = (self.word(offset / 4), self.word(offset / 4 + 1));
        let old = low.load(Relaxed) as u64 | (high.load(Relaxed) as u64) << 32;
        let new = f(old);
        low.store(new as u32, Relaxed);
        high.store((new >> 32) as u32, Relaxed);
        old
    }
}
