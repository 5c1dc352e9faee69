//! Moving data between a wave's registers and memory, given one address a lane.

use std::sync::atomic::Ordering::Relaxed;

use super::super::handler::Outcome;
use super::super::memory::Region;
use super::super::wave::{Env, LANES, Lanes, Wave};
use super::gather::{load_run, store_run};
use super::span::span;
use crate::isa::Code;

/// One guest address a lane.
pub type Addresses = [u64; LANES];

/// A sub-dword or whole-dword element of memory, and how it stands in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A byte, zero-extended.
    U8,
    /// A byte, sign-extended.
    I8,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    I16,
    /// `n` dwords in as many registers.
    Dwords(u16),
    /// A byte (zero-extended) to or from the low half; the high half stays.
    U8Low,
    /// A byte to or from the high half; the low half stays.
    U8High,
    /// A sign-extended byte to the low half.
    I8Low,
    /// A sign-extended byte to the high half.
    I8High,
    /// Two bytes to or from the low half.
    B16Low,
    /// Two bytes to or from the high half.
    B16High,
}

impl Element {
    /// Bytes in memory.
    #[inline(always)]
    pub const fn bytes(self) -> u64 {
        match self {
            Element::U8
            | Element::I8
            | Element::U8Low
            | Element::U8High
            | Element::I8Low
            | Element::I8High => 1,
            Element::U16 | Element::I16 | Element::B16Low | Element::B16High => 2,
            Element::Dwords(n) => 4 * n as u64,
        }
    }

    /// The element as dwords: how many, and of what each is.
    #[inline(always)]
    pub const fn parts(self) -> (u16, Element) {
        match self {
            Element::Dwords(n) => (n, Element::Dwords(1)),
            other => (1, other),
        }
    }

    /// The register's new value for the bytes `raw` that were loaded.
    #[inline(always)]
    pub fn load(self, raw: u32, old: u32) -> u32 {
        match self {
            Element::U8 => raw & 0xff,
            Element::I8 => raw as i8 as i32 as u32,
            Element::U16 => raw & 0xffff,
            Element::I16 => raw as i16 as i32 as u32,
            Element::Dwords(_) => raw,
            Element::U8Low => old & 0xffff_0000 | raw & 0xff,
            Element::I8Low => old & 0xffff_0000 | (raw as i8 as i16 as u16) as u32,
            Element::B16Low => old & 0xffff_0000 | raw & 0xffff,
            Element::U8High => old & 0xffff | (raw & 0xff) << 16,
            Element::I8High => old & 0xffff | (raw as i8 as i16 as u16 as u32) << 16,
            Element::B16High => old & 0xffff | raw << 16,
        }
    }

    /// The bytes to store from a register.
    #[inline(always)]
    pub fn store(self, register: u32) -> u32 {
        match self {
            Element::U8High | Element::I8High | Element::B16High => register >> 16,
            _ => register,
        }
    }
}

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

/// Which way data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From memory to registers.
    Load,
    /// From registers to memory.
    Store,
}

/// Data on their way, a row of lanes for each dword of an element.
pub type Rows = [Lanes; 4];

/// Moves an element of each lane of `lanes` between the registers from `register` on and wherever `by` finds it.
///
/// `by` sees the wave and cannot write it: all addresses of an access are of before its first write, and a load that faults has
/// changed no register.
#[inline(always)]
pub fn transfer(
    w: &mut Wave,
    e: &mut Env<'_>,
    register: Code,
    lanes: u64,
    element: Element,
    direction: Direction,
    by: impl FnOnce(&Wave, &mut Env<'_>, &mut Rows) -> Outcome,
) -> Outcome {
    let Some(first) = register.as_vgpr().map(usize::from) else {
        return Ok(());
    };
    let mut rows = [[0; LANES]; 4];
    if direction == Direction::Store {
        let (dwords, _) = element.parts();
        for (row, register) in rows.iter_mut().zip(&w.v[first..][..dwords.into()]) {
            *row = register.map(|register| element.store(register));
        }
    }
    by(w, e, &mut rows)?;
    if direction == Direction::Load {
        commit(w, first, lanes, element, &rows);
    }
    Ok(())
}

/// Writes what has been loaded to the registers from `first` on.
#[inline(always)]
pub fn commit(w: &mut Wave, first: usize, lanes: u64, element: Element, rows: &Rows) {
    let (dwords, part) = element.parts();
    for (k, row) in rows.iter().enumerate().take(dwords.into()) {
        let old = &w.v[first + k];
        let values = std::array::from_fn(|l| part.load(row[l], old[l]));
        super::write_lanes(w, first + k, lanes, &values);
    }
}

/// Moves an element of each lane of `lanes` between rows and the memory at its address.
#[inline(always)]
pub fn memory(
    e: &mut Env<'_>,
    rows: &mut [Lanes],
    addresses: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> Outcome {
    if lanes == 0 {
        return Ok(());
    }
    let write = direction == Direction::Store;
    let Some(span) = span(e, addresses, lanes, element.bytes(), write) else {
        return scattered(e, rows, addresses, lanes, element, direction);
    };
    for l in each(lanes) {
        let at = span.offsets[l].into();
        move_lane(span.region, at, rows, l, element, direction);
    }
    Ok(())
}

#[inline(always)]
fn move_lane(
    region: &Region,
    at: u64,
    rows: &mut [Lanes],
    l: usize,
    element: Element,
    direction: Direction,
) {
    let (_, part) = element.parts();
    let dwords = rows.iter_mut().take(element.parts().0.into());
    for (row, at) in dwords.zip((at..).step_by(4)) {
        match direction {
            Direction::Load => row[l] = region.read32(at),
            Direction::Store => region.write(at, part.bytes(), row[l]),
        }
    }
}

/// Lanes of which no one allocation covers all.
#[cold]
#[inline(never)]
fn scattered(
    e: &mut Env<'_>,
    rows: &mut [Lanes],
    addresses: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> Outcome {
    let write = direction == Direction::Store;
    for l in each(lanes) {
        let (lane, bytes) = (Some(l as u32), element.bytes());
        let region = e
            .memory
            .access(&mut e.last, lane, addresses[l], bytes, write)?;
        let at = addresses[l] - region.base;
        move_lane(region, at, rows, l, element, direction);
    }
    Ok(())
}

/// Moves 64 dwords that stand side by side from an address on, those of lanes that are on; false where they are not all there.
#[inline(always)]
pub fn side_by_side(
    e: &mut Env<'_>,
    row: &mut Lanes,
    address: u64,
    lanes: u64,
    direction: Direction,
) -> bool {
    let Some(region) = e.memory.find(&mut e.last, address, 4 * LANES as u64) else {
        return false;
    };
    let words = region.words_at(address - region.base).first_chunk();
    let Some(words) = words.filter(|_| address.is_multiple_of(4)) else {
        return false;
    };
    match direction {
        Direction::Load => load_run::<16>(words, row),
        Direction::Store if !region.writable => return false,
        Direction::Store if lanes == !0 => store_run::<16>(words, row),
        Direction::Store => each(lanes).for_each(|l| words[l].store(row[l], Relaxed)),
    }
    true
}

/// A register's lanes as 64-bit addresses: the pair from `code` on.
#[inline(always)]
pub fn wide(w: &Wave, code: Code) -> (&Lanes, &Lanes) {
    let n = code.as_vgpr().unwrap_or(0) as usize;
    (&w.v[n], &w.v[(n + 1) & 255])
}
