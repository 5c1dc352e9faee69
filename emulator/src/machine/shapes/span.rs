//! Accesses of a wave that one allocation covers: checked once, then moved at 32-bit offsets.

use std::sync::atomic::Ordering::Relaxed;

use super::super::memory::Region;
use super::super::op::Op;
use super::super::wave::{Env, LANES, Lanes, Wave, expand};
use super::gather::{gather, is_run, store_run};
use super::transfer::{Addresses, each};

/// Where the accesses of the lanes that are on lie, if one region covers them all: byte offsets into it, those of lanes that are off
/// being some other lane's.
pub struct Span<'a> {
    /// The region.
    pub region: &'a Region,
    /// Byte offsets into it.
    pub offsets: Lanes,
}

/// The span of 64-bit addresses.
#[inline(always)]
pub fn span<'a>(
    e: &mut Env<'a>,
    addresses: &Addresses,
    lanes: u64,
    bytes: u64,
    write: bool,
) -> Option<Span<'a>> {
    let first = addresses[lanes.trailing_zeros() as usize % LANES];
    let region = e.memory.find(&mut e.last, first, bytes)?;
    let limit = region.size - bytes;
    if write && !region.writable || limit > u32::MAX.into() {
        return None;
    }
    let mask = expand(lanes);
    let home = first - region.base;
    let mut offsets = [0; LANES];
    let mut outside = 0;
    for l in 0..LANES {
        let offset = addresses[l].wrapping_sub(region.base);
        outside |= u32::from(offset > limit) & mask[l];
        offsets[l] = offset as u32 & mask[l] | home as u32 & !mask[l];
    }
    (outside == 0).then_some(Span { region, offsets })
}

/// The span of aligned dwords at a register pair's addresses, or at a register's and a common base: `lo + (hi << 32) + add`. Where the
/// high halves of the lanes that are on are one, 32 bits a lane say everything.
#[inline(always)]
fn span_of_pair<'a>(
    w: &mut Wave,
    e: &mut Env<'a>,
    op: &Op,
    (lo, hi): (usize, Option<usize>),
    add: u64,
    bytes: u64,
    write: bool,
) -> Option<Span<'a>> {
    let lane = w.exec().trailing_zeros() as usize % LANES;
    let mask = *w.lane_mask();
    let (low, high) = (&w.v[lo], hi.map_or(&[0; LANES], |hi| &w.v[hi]));
    let common = add.wrapping_add(u64::from(high[lane]) << 32);
    let first = common.wrapping_add(low[lane].into());
    let region = e.memory.find_by(&op.region, first, bytes)?;
    let limit = region.size - bytes;
    if write && !region.writable || limit > u32::MAX.into() {
        return None;
    }
    // An offset is `lo + distance` in 64 bits: in 32 bits it must carry exactly where the distance is negative.
    let distance = common.wrapping_sub(region.base);
    let carries = match distance >> 32 {
        0 => 0,
        0xffff_ffff => !0u32,
        _ => return None,
    };
    let (distance, limit, home) = (distance as u32, limit as u32, (first - region.base) as u32);
    let common_high = high[lane];
    let mut offsets = [0; LANES];
    let mut outside = 0;
    for l in 0..LANES {
        let offset = low[l].wrapping_add(distance);
        let carry = 0u32.wrapping_sub((offset < low[l]).into());
        let beyond = 0u32.wrapping_sub((offset > limit).into());
        outside |= (carry ^ carries | beyond | offset & 3 | high[l] ^ common_high) & mask[l];
        offsets[l] = offset & mask[l] | home & !mask[l];
    }
    (outside == 0).then_some(Span { region, offsets })
}

/// Loads whole dwords through a register pair, or a register and a common base; false where that takes the general way.
#[inline(always)]
pub fn load_pair<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    pair: (usize, Option<usize>),
    add: u64,
    dwords: u16,
) -> bool {
    let Some(span) = span_of_pair(w, e, op, pair, add, 4 * u64::from(dwords), false) else {
        return false;
    };
    load_span::<WIDTH>(w, &span, op.plan.vdst.into(), w.exec(), dwords.into());
    true
}

/// Stores whole dwords through a register pair, or a register and a common base; false where that takes the general way.
#[inline(always)]
pub fn store_pair<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    pair: (usize, Option<usize>),
    add: u64,
    dwords: u16,
) -> bool {
    let Some(span) = span_of_pair(w, e, op, pair, add, 4 * u64::from(dwords), true) else {
        return false;
    };
    store_span::<WIDTH>(w, &span, op.plan.data.into(), w.exec(), dwords.into());
    true
}

/// Loads whole dwords into the registers from `vdst` on.
#[inline(always)]
pub fn load_span<const WIDTH: usize>(
    w: &mut Wave,
    span: &Span<'_>,
    vdst: usize,
    lanes: u64,
    dwords: usize,
) {
    for k in 0..dwords {
        let words = span.region.words_at(4 * k as u64);
        gather::<WIDTH, _>(words, &span.offsets, &mut w.results.lo);
        let values = w.results.lo;
        super::write_lanes(w, vdst + k, lanes, &values);
    }
}

/// Stores whole dwords from the registers from `data` on.
#[inline(always)]
pub fn store_span<const WIDTH: usize>(
    w: &Wave,
    span: &Span<'_>,
    data: usize,
    lanes: u64,
    dwords: usize,
) {
    if dwords == 1 && lanes == !0 && is_run(&span.offsets) {
        let words = span.region.words_at(span.offsets[0].into());
        if let Some(words) = words.first_chunk() {
            return store_run::<WIDTH>(words, &w.v[data]);
        }
    }
    for l in each(lanes) {
        let at = u64::from(span.offsets[l] / 4);
        for k in 0..dwords {
            span.region
                .word(at + k as u64)
                .store(w.v[data + k][l], Relaxed);
        }
    }
}
