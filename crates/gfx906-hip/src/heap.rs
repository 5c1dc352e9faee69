//! Heap of kernels: memory for `malloc`, `free`, `new`, `delete`.
//!
//! Source of the layout: the device library that compilers link into kernels. It allocates small blocks itself, from slabs of 2 MiB that it
//! requests from the host, and requests each large block. Its state is in its code object (code object version 4), or behind the hidden
//! argument `heap_v1`. A kernel sees the memory that existed when it began, so the whole heap exists from the start; the host backs the
//! pages that are touched.

use std::collections::BTreeMap;

use gfx906::machine::{Gpu, GpuError, Region};

/// First address, far behind the addresses of `hipMalloc` and a multiple of a slab.
const BASE: u64 = 0xfe00_0000_0000;
/// Size of the heap.
pub const BYTES: u64 = 1 << 30;
/// Bytes for the device library's own state: its 128 KiB, rounded up to a slab.
const OWN: u64 = SLAB;
/// Size and alignment of a slab.
const SLAB: u64 = 2 << 20;
/// Alignment of other blocks, by which the device library tells large blocks from its own.
const PAGE: u64 = 4096;

/// Blocks of the heap that are in use.
pub struct Heap {
    /// Size of each block in use, by its address.
    blocks: BTreeMap<u64, u64>,
    /// First address that was never allocated. All bytes from here on are zero.
    fresh: u64,
}

impl Heap {
    /// Maps the heap into a GPU. Returns none if the host has no room for it.
    pub fn new(gpu: &Gpu) -> Option<Heap> {
        let region = Region::try_new("heap of kernels", BASE, BYTES, true)?;
        gpu.attach(region).ok()?;
        Some(Heap {
            blocks: BTreeMap::new(),
            fresh: BASE + OWN,
        })
    }

    /// Returns the address of the device library's state.
    pub fn address(&self) -> u64 {
        BASE
    }

    /// Allocates a block of zeros. Returns 0 if there is no room.
    pub fn allocate(&mut self, gpu: &Gpu, bytes: u64) -> Result<u64, GpuError> {
        let Some(base) = self.find_gap(bytes) else {
            return Ok(0);
        };
        let used = base.min(self.fresh)..(base + bytes).min(self.fresh);
        let zeros = [0; PAGE as usize];
        for at in (used.start.max(base)..used.end).step_by(zeros.len()) {
            let length = (used.end - at).min(PAGE) as usize;
            gpu.write(at, &zeros[..length])?;
        }
        self.fresh = self.fresh.max(base + bytes);
        self.blocks.insert(base, bytes);
        Ok(base)
    }

    /// Returns the first gap that is large enough.
    fn find_gap(&self, bytes: u64) -> Option<u64> {
        let align = if bytes >= SLAB { SLAB } else { PAGE };
        let mut at = BASE + OWN;
        let end = (BASE + BYTES, 0);
        let taken = self.blocks.iter().map(|(&base, &bytes)| (base, bytes));
        for (base, size) in taken.chain([end]) {
            let start = at.next_multiple_of(align);
            if start.checked_add(bytes.max(1))? <= base {
                return Some(start);
            }
            at = base + size;
        }
        None
    }

    /// Frees a block. Returns false if there is no such block.
    pub fn free(&mut self, address: u64) -> bool {
        self.blocks.remove(&address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_apart_aligned_and_are_zeros_again() {
        let gpu = Gpu::at(1 << 47);
        let mut heap = Heap::new(&gpu).expect("room for a heap");
        let take = |heap: &mut Heap, bytes| heap.allocate(&gpu, bytes).expect("a write");
        let small = take(&mut heap, 6144);
        let slab = take(&mut heap, SLAB);
        let next = take(&mut heap, 5000);
        assert!(small.is_multiple_of(PAGE) && slab.is_multiple_of(SLAB));
        assert!(small >= BASE + OWN && small + 6144 <= next && next + 5000 <= slab);
        gpu.write(small, &[7; 6144]).expect("its own bytes");
        assert!(heap.free(small) && !heap.free(small));
        assert_eq!(take(&mut heap, 100), small, "the first place");
        let mut bytes = [1; 100];
        gpu.read(small, &mut bytes).expect("its own bytes");
        assert_eq!(bytes, [0; 100]);
        assert_eq!(take(&mut heap, BYTES), 0, "no room");
        assert_eq!(take(&mut heap, u64::MAX), 0, "no room");
    }
}
