//! Moving data between a wave's registers and memory, given one address a lane.

use std::sync::atomic::Ordering::Relaxed;

use super::super::handler::Outcome;
use super::super::memory::Region;
use super::super::wave::{Env, LANES, Lanes, Wave};
use super::gather::{Words, store_run};
use super::span::{aligned, load_span, span, store_span};
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

/// Loads an element for each lane of `lanes` into the registers from `vdst` on.
#[inline(always)]
pub fn load(
    w: &mut Wave,
    e: &mut Env<'_>,
    vdst: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    let Some(vdst) = vdst.as_vgpr() else {
        return Ok(());
    };
    let vdst = vdst as usize;
    let Some(span) = span(w, e, addresses, lanes, element.bytes(), false) else {
        return load_scattered(w, e, vdst, addresses, lanes, element);
    };
    if let Element::Dwords(n) = element {
        if aligned(&span.offsets) {
            load_span::<16>(w, &span, vdst, lanes, n.into());
            return Ok(());
        }
        for l in each(lanes) {
            for k in 0..n as usize {
                let at = u64::from(span.offsets[l]) + 4 * k as u64;
                w.v[vdst + k][l] = span.region.read32(at);
            }
        }
        return Ok(());
    }
    for l in each(lanes) {
        let register = &mut w.v[vdst][l];
        *register = element.load(span.region.read32(span.offsets[l].into()), *register);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn load_scattered(
    w: &mut Wave,
    e: &mut Env<'_>,
    vdst: usize,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    for l in each(lanes) {
        let region = e.memory.access(
            &mut e.last,
            Some(l as u32),
            addresses[l],
            element.bytes(),
            false,
        )?;
        let at = addresses[l] - region.base;
        if let Element::Dwords(n) = element {
            for k in 0..n as usize {
                w.v[vdst + k][l] = region.read32(at + 4 * k as u64);
            }
        } else {
            let register = &mut w.v[vdst][l];
            *register = element.load(region.read32(at), *register);
        }
    }
    Ok(())
}

/// Stores an element for each lane of `lanes` from the registers from `data` on.
#[inline(always)]
pub fn store(
    w: &mut Wave,
    e: &mut Env<'_>,
    data: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    let Some(data) = data.as_vgpr() else {
        return Ok(());
    };
    let data = data as usize;
    let Some(span) = span(w, e, addresses, lanes, element.bytes(), true) else {
        return store_scattered(w, e, data, addresses, lanes, element);
    };
    if let Element::Dwords(n) = element
        && aligned(&span.offsets)
    {
        store_span::<16>(w, &span, data, lanes, n.into());
        return Ok(());
    }
    for l in each(lanes) {
        store_lane(w, span.region, data, span.offsets[l].into(), l, element);
    }
    Ok(())
}

#[inline(always)]
fn store_lane(w: &Wave, region: &Region, data: usize, at: u64, l: usize, element: Element) {
    if let Element::Dwords(n) = element {
        for k in 0..n as usize {
            region.write(at + 4 * k as u64, 4, w.v[data + k][l]);
        }
    } else {
        region.write(at, element.bytes(), element.store(w.v[data][l]));
    }
}

#[cold]
#[inline(never)]
fn store_scattered(
    w: &Wave,
    e: &mut Env<'_>,
    data: usize,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    for l in each(lanes) {
        let region = e.memory.access(
            &mut e.last,
            Some(l as u32),
            addresses[l],
            element.bytes(),
            true,
        )?;
        store_lane(w, region, data, addresses[l] - region.base, l, element);
    }
    Ok(())
}

/// Loads 64 dwords side by side from an address on; false where they are not all there.
#[inline(always)]
pub fn load_row(w: &mut Wave, e: &mut Env<'_>, vdst: Code, address: u64, lanes: u64) -> bool {
    let Some(vdst) = vdst.as_vgpr() else {
        return true;
    };
    let Some(region) = e.memory.find(&mut e.last, address, 4 * LANES as u64) else {
        return false;
    };
    let index = ((address - region.base) / 4) as usize;
    if !address.is_multiple_of(4) || !region.words_at(0).copy::<16>(index, &mut w.results.lo) {
        return false;
    }
    let values = w.results.lo;
    super::write_lanes(w, vdst.into(), lanes, &values);
    true
}

/// Stores 64 dwords side by side, those of lanes that are on; false where there is no room for all.
#[inline(always)]
pub fn store_row(w: &mut Wave, e: &mut Env<'_>, data: Code, address: u64, lanes: u64) -> bool {
    let Some(data) = data.as_vgpr() else {
        return true;
    };
    let Some(region) = e.memory.find(&mut e.last, address, 4 * LANES as u64) else {
        return false;
    };
    let words = region.words_at(address - region.base).first_chunk();
    let Some(words) = words.filter(|_| address.is_multiple_of(4) && region.writable) else {
        return false;
    };
    if lanes == !0 {
        store_run::<16>(words, &w.v[usize::from(data)]);
    } else {
        each(lanes).for_each(|l| words[l].store(w.v[usize::from(data)][l], Relaxed));
    }
    true
}

/// A register's lanes as 64-bit addresses: the pair from `code` on.
#[inline(always)]
pub fn wide(w: &Wave, code: Code) -> (&Lanes, &Lanes) {
    let n = code.as_vgpr().unwrap_or(0) as usize;
    (&w.v[n], &w.v[(n + 1) & 255])
}
