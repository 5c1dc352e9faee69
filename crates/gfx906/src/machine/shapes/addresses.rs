//! Lanes and their addresses. In private memory the dwords of the 64 lanes are adjacent.

use super::super::registers::{LANES, Lanes};
use super::super::wave::Wave;
use crate::isa::Code;

/// One guest address per lane.
pub type Addresses = [u64; LANES];

/// Iterates over the lanes of a mask, lowest first.
pub fn each(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}

/// Returns a register pair from `code` on, which holds a 64-bit address per lane.
#[inline(always)]
pub fn wide(w: &Wave, code: Code) -> (&Lanes, &Lanes) {
    let n = code.as_vgpr().unwrap_or(0) as usize;
    (&w.v[n], &w.v[(n + 1) & 255])
}

/// Returns the address of byte `offset` of a lane's private memory when the first byte of lane 0 lies at `start`.
#[inline(always)]
pub fn place(start: u64, offset: u64, lane: usize) -> u64 {
    start.wrapping_add((offset >> 2) * 256 + 4 * lane as u64 + (offset & 3))
}

/// Returns the address of each lane's offset plus `extra` bytes.
#[inline(always)]
pub fn places(start: u64, offsets: &Addresses, extra: u64) -> Addresses {
    let mut out = [0; LANES];
    for l in 0..LANES {
        out[l] = place(start, offsets[l].wrapping_add(extra), l);
    }
    out
}
