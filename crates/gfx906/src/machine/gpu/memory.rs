//! Memory of a GPU: allocations, and the host's access to their bytes.

use std::sync::Arc;

use super::super::memory::{Region, SHARED_BASE};
use super::super::poison::Poison;
use super::super::program::Module;
use super::super::region::{PAGE, ReadBeyond};
use super::super::words::Words;
use super::{DEVICE_MEMORY, DeviceMemory, Gpu, GpuError};

/// Unmapped bytes between allocations, so that an access past the end of one is a fault.
const GAP: u64 = 1 << 20;

/// Alignment of every allocation's address.
const ALIGNMENT: u64 = 256;

/// End of a GPU's addresses, where the apertures begin.
const END: u64 = SHARED_BASE;

impl Gpu {
    /// Allocates zeroed memory. Its address is a multiple of 256, and unmapped memory surrounds it.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn alloc(&self, name: &str, bytes: u64) -> Result<u64, GpuError> {
        self.allocate(name, bytes, |region| region)
    }

    /// Allocates memory like [`Gpu::alloc`] whose last dword the host reaches as a whole, as kernels do, so that the host can see bytes
    /// that kernels write behind the end.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn alloc_with_last_dword(&self, name: &str, bytes: u64) -> Result<u64, GpuError> {
        self.allocate(name, bytes, Region::with_last_dword)
    }

    /// Allocates memory like [`Gpu::alloc`] that kernels may read up to the end of its last page, whose rest is zeros.
    /// [`Gpu::take_reads_beyond`] reports such reads.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn alloc_with_page(&self, name: &str, bytes: u64) -> Result<u64, GpuError> {
        let mut state = self.state();
        let base = state.reserve(name, bytes)?;
        let words = Words::try_new(bytes.next_multiple_of(PAGE)).map(Words::shared);
        let region = words.and_then(|[own, page]| {
            let region = Region::with_words(name, base, bytes, own)?;
            Some(region.with_page(page))
        });
        let Some(region) = region else {
            state.used -= bytes;
            return Err(GpuError::OutOfMemory {
                name: name.to_owned(),
                bytes,
                left: 0,
            });
        };
        state.space.insert(Arc::new(region));
        Ok(base)
    }

    /// Returns the reads beyond allocations that permit such reads, since the last call.
    pub fn take_reads_beyond(&self) -> Vec<ReadBeyond> {
        self.state().space.take_reads_beyond()
    }

    fn allocate(
        &self,
        name: &str,
        bytes: u64,
        with: impl FnOnce(Region) -> Region,
    ) -> Result<u64, GpuError> {
        let mut state = self.state();
        let none = |left| GpuError::OutOfMemory {
            name: name.to_owned(),
            bytes,
            left,
        };
        let base = state.reserve(name, bytes)?;
        let Some(region) = Region::try_new(name, base, bytes, true) else {
            state.used -= bytes;
            return Err(none(0));
        };
        state.space.insert(Arc::new(with(region)));
        Ok(base)
    }

    /// Adds an allocation with an address and words of the caller's choice: memory that host and kernels share. It does not count against
    /// the device's memory; [`Gpu::detach`] removes it.
    ///
    /// # Errors
    ///
    /// Another allocation overlaps the region.
    pub fn attach(&self, region: Region) -> Result<(), GpuError> {
        let mut state = self.state();
        if state.space.overlaps(region.base, region.size) {
            return Err(GpuError::Occupied {
                address: region.base,
                bytes: region.size,
            });
        }
        state.space.insert(Arc::new(region));
        Ok(())
    }

    /// Removes an attached allocation.
    ///
    /// # Errors
    ///
    /// No allocation starts at the address.
    pub fn detach(&self, address: u64) -> Result<(), GpuError> {
        let region = self.state().space.remove(address);
        region
            .map(drop)
            .ok_or(GpuError::NotAllocated { address, bytes: 0 })
    }

    /// Removes a code object from memory.
    pub fn unload(&self, module: &Module) {
        let mut state = self.state();
        for segment in &module.segments {
            state.space.remove(*segment);
        }
        state.used -= module.size;
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// No allocation starts at the address.
    pub fn free(&self, address: u64) -> Result<(), GpuError> {
        let mut state = self.state();
        let region = state
            .space
            .remove(address)
            .ok_or(GpuError::NotAllocated { address, bytes: 0 })?;
        state.used -= region.size;
        Ok(())
    }

    /// Returns true if an allocation covers a range.
    pub fn covers(&self, address: u64, bytes: u64) -> bool {
        self.state().space.holding(address, bytes).is_some()
    }

    /// Returns the base and size of the allocation that contains an address.
    pub fn allocation_at(&self, address: u64) -> Option<(u64, u64)> {
        let state = self.state();
        let region = state.space.holding(address, 1)?;
        Some((region.base, region.size))
    }

    /// Fills a range with poison, whose words count from the range's start.
    ///
    /// # Errors
    ///
    /// No allocation covers the range.
    pub fn poison(&self, address: u64, bytes: u64) -> Result<(), GpuError> {
        /// Size of a piece of the fill, so that a large range needs no allocation on the host.
        const PIECE: usize = 1 << 16;
        static WORDS: [u32; PIECE / 4] = [Poison::Memory.word().to_le(); PIECE / 4];
        let piece: &[u8] = bytemuck::cast_slice(&WORDS);
        (0..bytes).step_by(PIECE).try_for_each(|at| {
            let length = (bytes - at).min(PIECE as u64) as usize;
            self.write(address + at, &piece[..length])
        })
    }

    /// Copies to the device.
    ///
    /// # Errors
    /// No allocation covers the range.
    pub fn write(&self, address: u64, data: &[u8]) -> Result<(), GpuError> {
        let mut state = self.state();
        let region = state.space.holding_own(address, data.len() as u64);
        let region = region.ok_or_else(|| none(address, data.len()))?;
        region.copy_in(region.offset(address), data);
        Ok(())
    }

    /// Copies from the device.
    ///
    /// # Errors
    /// No allocation covers the range.
    pub fn read(&self, address: u64, data: &mut [u8]) -> Result<(), GpuError> {
        let state = self.state();
        let region = state.space.holding(address, data.len() as u64);
        let region = region.ok_or_else(|| none(address, data.len()))?;
        region.copy_out(region.offset(address), data);
        Ok(())
    }

    /// Replaces the 64-bit value at an address, a multiple of 8, by a function of it, and returns the old value. The update is atomic with
    /// kernels' 64-bit atomics.
    ///
    /// # Errors
    ///
    /// No allocation covers the address.
    pub fn update64(&self, address: u64, f: impl Fn(u64) -> u64) -> Result<u64, GpuError> {
        let mut state = self.state();
        let region = state.space.holding_own(address, 8);
        let region = region.ok_or_else(|| none(address, 8))?;
        Ok(region.update64(region.offset(address), f))
    }
}

/// Builds the error for a range that no allocation covers.
fn none(address: u64, bytes: usize) -> GpuError {
    GpuError::NotAllocated {
        address,
        bytes: bytes as u64,
    }
}

impl DeviceMemory {
    pub(super) fn reserve(&mut self, name: &str, bytes: u64) -> Result<u64, GpuError> {
        let left = DEVICE_MEMORY - self.used;
        let none = || GpuError::OutOfMemory {
            name: name.to_owned(),
            bytes,
            left,
        };
        if bytes > left {
            return Err(none());
        }
        let base = if self.across {
            self.place_across(bytes)
        } else {
            self.place(bytes)
        };
        let base = base.ok_or_else(none)?;
        self.used += bytes;
        self.next = (base + bytes).next_multiple_of(4096) + GAP;
        Ok(base)
    }

    /// Returns an address such that a multiple of 4 GiB lies among the bytes, as far as the alignment permits. The position of the boundary
    /// varies from allocation to allocation, so that every part of a kernel's addressing meets it for some tensor.
    fn place_across(&mut self, bytes: u64) -> Option<u64> {
        const LINE: u64 = 1 << 32;
        /// 2^64 divided by the golden ratio. Consecutive multiples of it are far from each other.
        const FAR: u64 = 0x9e37_79b9_7f4a_7c15;
        let places = bytes.saturating_sub(1) / ALIGNMENT;
        let turn = (self.next / LINE).wrapping_add(bytes).wrapping_mul(FAR) >> 32;
        let before = match places {
            0 => 0,
            _ => ALIGNMENT * (1 + turn % places),
        };
        // No stretch of 4 GiB has parts of two allocations.
        let fresh = self.next.next_multiple_of(LINE);
        let line = (fresh + before).next_multiple_of(LINE);
        let base = line - before;
        let free = base + bytes + GAP <= END && !self.space.overlaps(base, bytes + GAP);
        if free { Some(base) } else { self.place(bytes) }
    }

    /// Returns an address for a number of bytes. An address is used again only after all others, so that a stale pointer is a fault.
    fn place(&self, bytes: u64) -> Option<u64> {
        let fits = |base: u64| base + bytes + GAP <= END;
        if fits(self.next) && !self.space.overlaps(self.next, bytes + GAP) {
            return Some(self.next);
        }
        let after = |end: u64| end.next_multiple_of(4096) + GAP;
        let ends = self.space.ends().map(after).filter(|&at| at >= self.first);
        std::iter::once(self.first)
            .chain(ends)
            .find(|&base| fits(base) && !self.space.overlaps(base, bytes + GAP))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A kernel that forgets the carry into the upper half of an address once passed whenever its buffers lay within one stretch of 4 GiB.
    #[test]
    fn allocations_lie_across_lines_of_4_gib_and_apart() {
        let gpu = Gpu::new().with_allocations_across_lines();
        let sizes = [4, 256, 300, 4096, 5000, 1 << 20, 3 << 30];
        let mut tops = Vec::new();
        let mut before = BTreeSet::new();
        for bytes in sizes.into_iter().cycle().take(40) {
            let base = {
                let mut state = gpu.state();
                state.reserve("x", bytes).expect("room")
            };
            assert!(base.is_multiple_of(ALIGNMENT), "{base:#x}");
            let (first, last) = (base >> 32, (base + bytes - 1) >> 32);
            assert_eq!(
                last - first,
                u64::from(bytes > ALIGNMENT),
                "{bytes} bytes at {base:#x}"
            );
            assert!(
                tops.iter().all(|&top| top < first),
                "{bytes} bytes at {base:#x}"
            );
            tops.push(last);
            if bytes == 4096 {
                before.insert((last << 32) - base);
            }
            // Memory that does not count against the device's memory can be allocated without end.
            gpu.state().used = 0;
        }
        // The boundary lies at several different positions.
        assert!(before.len() >= 4, "{before:?}");
    }
}
