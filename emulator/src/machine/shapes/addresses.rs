//! Lanes and the addresses that they access; in private memory, dwords of the 64 lanes stand next to each other.

use super::super::registers::{LANES, Lanes};
use super::super::wave::Wave;
use crate::isa::Code;

/// One guest address a lane.
pub type Addresses = [u64; LANES];

/// The lanes of a mask, lowest first.
pub fn each(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}

/// A register's lanes as 64-bit addresses: the pair from `code` on.
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

/// The address of each lane's offset, and `extra` bytes further.
#[inline(always)]
pub fn places(start: u64, offsets: &Addresses, extra: u64) -> Addresses {
    let mut out = [0; LANES];
    for l in 0..LANES {
        out[l] = place(start, offsets[l].wrapping_add(extra), l);
    }
    out
}
