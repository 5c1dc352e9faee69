//! The memory from which kernels allocate: `malloc`, `free`, `new`, `delete`.
//!
//! Source of the layout: the device library that compilers link into kernels. It deals out small blocks itself, from slabs of 2 MiB that it asks of the
//! host, and asks for large ones each. What it knows is in its code object (code object version 4), or in what the hidden argument `heap_v1` points to.
//! A kernel sees the memory that was there when it began, so all of it is there from the start; the host backs what is touched.

use std::collections::BTreeMap;

use gfx906::machine::{Gpu, GpuError, Region};

/// Where it starts: far behind what `hipMalloc` hands out, at a multiple of a slab.
const BASE: u64 = 0xfe00_0000_0000;
/// Its bytes, all together.
pub const BYTES: u64 = 1 << 30;
/// Bytes that the device library keeps for itself (128 KiB), and some.
const OWN: u64 = SLAB;
/// Bytes of a slab, which is aligned to them.
const SLAB: u64 = 2 << 20;
/// What else is aligned to: the device library tells large blocks from its own by that.
const PAGE: u64 = 4096;

/// What of it is in use.
pub struct Heap {
    /// Bytes of each block that was handed out, by its address.
    blocks: BTreeMap<u64, u64>,
    /// Nothing from here on was ever handed out: zeros.
    fresh: u64,
}

impl Heap {
    /// The memory, as an allocation of a GPU's; none where the host has no room for it.
    pub fn new(gpu: &Gpu) -> Option<Heap> {
        let region = Region::try_new("heap of kernels", BASE, BYTES, true)?;
        gpu.attach(region).ok()?;
        Some(Heap {
            blocks: BTreeMap::new(),
            fresh: BASE + OWN,
        })
    }

    /// The address of what the device library keeps for itself.
    pub fn address(&self) -> u64 {
        BASE
    }

    /// Hands out a block of zeros; 0 where there is no room for it.
    pub fn allocate(&mut self, gpu: &Gpu, bytes: u64) -> Result<u64, GpuError> {
        let Some(base) = self.place(bytes) else {
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

    /// The first place that is large enough.
    fn place(&self, bytes: u64) -> Option<u64> {
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

    /// Takes a block back; whether it was one.
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
