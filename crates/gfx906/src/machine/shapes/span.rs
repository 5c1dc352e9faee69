//! Accesses of a wave that one allocation covers. They are checked once, and then move data at 32-bit offsets.

use super::super::env::Env;
use super::super::memory::{Hint, Region};
use super::super::registers::{CacheAligned, LANES, Lanes, expand};
use super::super::single::{store32, store64};
use super::super::wave::Wave;
use super::addresses::{Addresses, each};
use super::element::{Direction, Element};
use super::gather::{gather_narrow, gather_wide, is_run, store_run};

/// Accesses of the enabled lanes within one region that covers them all, as byte offsets into it. A disabled lane has the offset of some
/// enabled lane.
pub struct Span<'a> {
    /// The region.
    pub region: &'a Region,
    /// Byte offsets into it.
    pub offsets: CacheAligned<Lanes>,
}

/// Requirements of an access.
#[derive(Clone, Copy)]
pub struct AccessRequirements {
    /// Bytes per lane.
    pub bytes: u64,
    /// Required alignment of each offset, a power of two.
    pub align: u32,
    /// True if the access writes.
    pub write: bool,
}

impl AccessRequirements {
    /// Returns the requirements of elements that are aligned to their own size, or to dwords.
    #[inline(always)]
    pub fn of(element: Element, direction: Direction) -> AccessRequirements {
        let bytes = element.bytes();
        AccessRequirements {
            bytes,
            align: bytes.min(4) as u32,
            write: direction == Direction::Store,
        }
    }
}

/// Finds the span of 64-bit addresses.
#[inline(always)]
pub fn span<'a>(
    e: &mut Env<'a>,
    addresses: &Addresses,
    lanes: u64,
    need: AccessRequirements,
) -> Option<Span<'a>> {
    let first = addresses[lanes.trailing_zeros() as usize % LANES];
    let region = e.memory.find(&mut e.last, first, need.bytes)?;
    let (low, high) = limits(region, need)?;
    let mask = expand(lanes);
    let home = region.offset(first) as u32;
    let mut offsets = CacheAligned([0; LANES]);
    let mut outside = 0;
    for l in 0..LANES {
        let offset = region.offset(addresses[l]);
        let beyond = 0u32.wrapping_sub((offset.wrapping_sub(low) > high - low).into());
        let crooked = offset as u32 & (need.align - 1);
        outside |= (beyond | crooked) & mask[l];
        offsets[l] = offset as u32 & mask[l] | home & !mask[l];
    }
    found(e, region, offsets, outside, need)
}

/// Returns the first and the last offset of an access, if they fit in 32 bits and the region permits the access.
#[inline(always)]
fn limits(region: &Region, need: AccessRequirements) -> Option<(u64, u64)> {
    let (low, high) = region.offsets(need.bytes);
    let fits = high <= u32::MAX.into() && (region.writable || !need.write);
    fits.then_some((low, high))
}

#[inline(always)]
fn found<'a>(
    e: &mut Env<'a>,
    region: &'a Region,
    offsets: CacheAligned<Lanes>,
    outside: u32,
    need: AccessRequirements,
) -> Option<Span<'a>> {
    if outside != 0 {
        return None;
    }
    region.touch_all(&*offsets, need.bytes);
    e.stored |= need.write;
    Some(Span { region, offsets })
}

/// Finds the span of addresses at 32-bit distances from a common address, without carry.
#[inline(always)]
pub fn span_from<'a>(
    e: &mut Env<'a>,
    start: u64,
    beyond: &Lanes,
    lanes: u64,
    need: AccessRequirements,
) -> Option<Span<'a>> {
    let first = start.wrapping_add(beyond[lanes.trailing_zeros() as usize % LANES].into());
    let region = e.memory.find(&mut e.last, first, need.bytes)?;
    let (low, high) = limits(region, need)?;
    let distance = u32::try_from(region.offset(start)).ok()?;
    let mask = expand(lanes);
    let home = region.offset(first) as u32;
    let (low, room) = (low as u32, (high - low) as u32);
    let mut offsets = CacheAligned([0; LANES]);
    let mut outside = 0;
    for l in 0..LANES {
        let offset = beyond[l].wrapping_add(distance);
        let carry = 0u32.wrapping_sub((offset < distance).into());
        let beyond = 0u32.wrapping_sub((offset.wrapping_sub(low) > room).into());
        outside |= (carry | beyond | offset & (need.align - 1)) & mask[l];
        offsets[l] = offset & mask[l] | home & !mask[l];
    }
    found(e, region, offsets, outside, need)
}

/// Addresses of 64 bits, whose upper part all lanes usually have in common: `low + (high << 32) + add`.
#[derive(Clone, Copy)]
pub struct Sum {
    /// Register of the low halves; `None` means 0.
    pub low: Option<usize>,
    /// Register of the high halves; `None` means 0.
    pub high: Option<usize>,
    /// Offset that is added for all lanes.
    pub add: u64,
}

impl Sum {
    /// Finds the span of the lanes in a mask. If all high halves are equal, 32 bits per lane suffice.
    #[inline(always)]
    pub fn span<'a>(
        self,
        w: &Wave,
        e: &mut Env<'a>,
        hint: &Hint,
        mask: &Lanes,
        (lanes, need): (u64, AccessRequirements),
    ) -> Option<Span<'a>> {
        let lane = lanes.trailing_zeros() as usize % LANES;
        let register = |n: Option<usize>| n.map_or(&[0; LANES], |n| &w.v[n]);
        let (low, high) = (register(self.low), register(self.high));
        let common = self.add.wrapping_add(u64::from(high[lane]) << 32);
        let first = common.wrapping_add(low[lane].into());
        let region = e.memory.find_by(hint, first, need.bytes)?;
        let (lowest, highest) = limits(region, need)?;
        // An offset is `low + distance` in 64 bits. In 32 bits the sum must carry exactly if the distance is negative.
        let distance = region.offset(common);
        let carries = match distance >> 32 {
            0 => 0,
            0xffff_ffff => !0u32,
            _ => return None,
        };
        let (lowest, room) = (lowest as u32, (highest - lowest) as u32);
        let (distance, home) = (distance as u32, region.offset(first) as u32);
        let common_high = high[lane];
        let mut offsets = CacheAligned([0; LANES]);
        let mut outside = 0;
        for l in 0..LANES {
            let offset = low[l].wrapping_add(distance);
            let carry = 0u32.wrapping_sub((offset < low[l]).into());
            let beyond = 0u32.wrapping_sub((offset.wrapping_sub(lowest) > room).into());
            let crooked = offset & (need.align - 1);
            outside |= (carry ^ carries | beyond | crooked | high[l] ^ common_high) & mask[l];
            offsets[l] = offset & mask[l] | home & !mask[l];
        }
        found(e, region, offsets, outside, need)
    }
}

impl Span<'_> {
    /// Loads `N` dwords of an element that is aligned to its size or to dwords. A narrower element stands in the low bits.
    #[inline(always)]
    pub fn load<const WIDTH: usize, const N: usize>(
        &self,
        element: Element,
    ) -> CacheAligned<[Lanes; N]> {
        let words = self.region.words_at(0);
        let mut rows = CacheAligned([[0; LANES]; N]);
        if let Element::Dwords(_) = element {
            gather_wide::<WIDTH, N, _>(words, &self.offsets, &mut rows);
        } else {
            gather_narrow(words, &self.offsets, element.bytes(), &mut rows[0]);
        }
        rows
    }

    /// Stores `N` dwords of each lane, or a narrower element from the low bits.
    #[inline(always)]
    pub fn store<const WIDTH: usize, const N: usize>(
        &self,
        rows: [&Lanes; N],
        lanes: u64,
        element: Element,
    ) {
        if element.bytes() < 4 {
            for l in each(lanes) {
                let at = self.offsets[l].into();
                self.region
                    .write(at, element.bytes(), element.store(rows[0][l]));
            }
            return;
        }
        let words = self.region.words_at(self.offsets[0].into());
        if lanes == !0
            && is_run(&self.offsets, 4 * N as u32)
            && let Some(words) = words.get(..N * LANES)
        {
            return store_run::<WIDTH, N>(words, rows);
        }
        let words = self.region.words_at(0);
        for l in each(lanes) {
            let index = (self.offsets[l] / 4) as usize;
            let Some(words) = words.get(index..).and_then(|w| w.first_chunk::<N>()) else {
                continue;
            };
            let mut k = 0;
            while k < N {
                match words[k..].first_chunk() {
                    Some(pair) if (index + k).is_multiple_of(2) => {
                        let value = u64::from(rows[k][l]) | u64::from(rows[k + 1][l]) << 32;
                        store64(pair, value);
                        k += 2;
                    }
                    _ => {
                        store32(&words[k], rows[k][l]);
                        k += 1;
                    }
                }
            }
        }
    }

    /// Moves an element of each lane of `lanes`, one lane after the other.
    #[inline(always)]
    pub fn each_lane(
        &self,
        rows: &mut [Lanes],
        lanes: u64,
        element: Element,
        direction: Direction,
    ) {
        for l in each(lanes) {
            let at = self.offsets[l].into();
            move_lane(self.region, at, rows, l, element, direction);
        }
    }
}

/// Moves a lane's element, with aligned pairs of dwords in one access.
#[inline(always)]
pub fn move_lane(
    region: &Region,
    at: u64,
    rows: &mut [Lanes],
    l: usize,
    element: Element,
    direction: Direction,
) {
    let dwords = match element {
        Element::Dwords(n) => usize::from(n),
        _ => {
            return match direction {
                Direction::Load => rows[0][l] = region.read_narrow(at, element.bytes()),
                Direction::Store => region.write(at, element.bytes(), rows[0][l]),
            };
        }
    };
    let mut values = [0; 4];
    match direction {
        Direction::Load => {
            region.read_dwords(at, &mut values[..dwords]);
            rows.iter_mut()
                .zip(values)
                .for_each(|(row, value)| row[l] = value);
        }
        Direction::Store => {
            values
                .iter_mut()
                .zip(&*rows)
                .for_each(|(value, row)| *value = row[l]);
            region.write_dwords(at, &values[..dwords]);
        }
    }
}
