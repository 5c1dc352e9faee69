//! Atomics of 32 and 64 bits, on memory and on LDS. The lanes run in ascending order.

use std::cell::Cell;

use super::super::env::Env;
use super::super::lds::Lds;
use super::super::memory::Region;
use super::super::registers::LANES;
use super::super::trap::StepResult;
use super::super::trap::{Fault, TrapKind};
use super::super::wave::Wave;
use super::addresses::{Addresses, each};
use super::span::{AccessRequirements, Span, span};
use crate::isa::Code;

/// Type of an atomic's operands: the value of one register or of a pair.
pub trait Word: Copy {
    /// Number of registers of a value.
    const REGISTERS: usize;
    /// The value zero.
    const ZERO: Self;
    /// Returns a lane's value.
    fn get(w: &Wave, register: usize, lane: usize) -> Self;
    /// Sets a lane's value.
    fn set(self, w: &mut Wave, register: usize, lane: usize);
    /// Replaces the value at an aligned offset of an allocation, and returns the old value.
    fn update_memory(region: &Region, offset: u64, f: impl Fn(Self) -> Self) -> Self;
    /// Replaces the value at an aligned address of LDS, and returns the old value.
    fn update_lds(
        lds: &mut Lds,
        lane: u32,
        at: u32,
        f: impl Fn(Self) -> Self,
    ) -> Result<Self, Fault>;
}

impl Word for u32 {
    const REGISTERS: usize = 1;
    const ZERO: u32 = 0;
    fn get(w: &Wave, register: usize, lane: usize) -> u32 {
        w.v[register & 255][lane]
    }
    fn set(self, w: &mut Wave, register: usize, lane: usize) {
        w.v[register & 255][lane] = self;
    }
    fn update_memory(region: &Region, offset: u64, f: impl Fn(u32) -> u32) -> u32 {
        region.update32(offset, f)
    }
    fn update_lds(lds: &mut Lds, lane: u32, at: u32, f: impl Fn(u32) -> u32) -> Result<u32, Fault> {
        let old = u32::from_le_bytes(lds.read(lane, at)?);
        lds.write(lane, at, f(old).to_le_bytes())?;
        Ok(old)
    }
}

impl Word for u64 {
    const REGISTERS: usize = 2;
    const ZERO: u64 = 0;
    fn get(w: &Wave, register: usize, lane: usize) -> u64 {
        u64::from(u32::get(w, register, lane)) | u64::from(u32::get(w, register + 1, lane)) << 32
    }
    fn set(self, w: &mut Wave, register: usize, lane: usize) {
        (self as u32).set(w, register, lane);
        ((self >> 32) as u32).set(w, register + 1, lane);
    }
    fn update_memory(region: &Region, offset: u64, f: impl Fn(u64) -> u64) -> u64 {
        region.update64(offset, f)
    }
    fn update_lds(lds: &mut Lds, lane: u32, at: u32, f: impl Fn(u64) -> u64) -> Result<u64, Fault> {
        let old = u64::from_le_bytes(lds.read(lane, at)?);
        lds.write(lane, at, f(old).to_le_bytes())?;
        Ok(old)
    }
}

/// Returns the size of an atomic in bytes, if its address is a multiple of the size.
pub fn check_aligned<W: Word>(address: u64, lane: Option<u32>) -> Result<u64, Fault> {
    let align = 4 * W::REGISTERS as u32;
    if address.is_multiple_of(align.into()) {
        return Ok(align.into());
    }
    Err(Fault::at(TrapKind::Misaligned { align }, lane, address))
}

/// Runs an atomic for the lanes of a mask. `by` returns the old values, which are written to the registers from `vdst` on, if the
/// instruction has a destination, after all lanes have run.
#[inline(always)]
pub fn staged<W: Word>(
    w: &mut Wave,
    vdst: Option<u8>,
    lanes: u64,
    by: impl FnOnce(&Wave, &mut [W; LANES]) -> StepResult,
) -> StepResult {
    let mut old = [W::ZERO; LANES];
    by(w, &mut old)?;
    if let Some(vdst) = vdst {
        for l in each(lanes) {
            old[l].set(w, vdst.into(), l);
        }
    }
    Ok(())
}

/// Runs an atomic on memory: `f(memory, data, compare)`, with the compare value behind the data in registers.
pub fn memory<W: Word>(
    w: &Wave,
    e: &mut Env<'_>,
    old: &mut [W; LANES],
    data: Code,
    addresses: &Addresses,
    lanes: u64,
    f: impl Fn(W, W, W) -> W,
) -> StepResult {
    let Some(data) = data.as_vgpr().map(usize::from) else {
        return Ok(());
    };
    if let Some(span) = at_once::<W>(e, addresses, lanes) {
        let operands = |l: usize| (W::get(w, data, l), W::get(w, data + W::REGISTERS, l));
        update_span(&span, old, lanes, |memory, l| {
            let (value, compare) = operands(l);
            f(memory, value, compare)
        });
        return Ok(());
    }
    for l in each(lanes) {
        let bytes = check_aligned::<W>(addresses[l], Some(l as u32))?;
        let region = e.access(Some(l as u32), addresses[l], bytes, true)?;
        let (value, compare) = (W::get(w, data, l), W::get(w, data + W::REGISTERS, l));
        old[l] = W::update_memory(region, region.offset(addresses[l]), |old| {
            f(old, value, compare)
        });
    }
    Ok(())
}

/// Returns the span of aligned values, if one allocation holds them all.
fn at_once<'a, W: Word>(e: &mut Env<'a>, addresses: &Addresses, lanes: u64) -> Option<Span<'a>> {
    let bytes = 4 * W::REGISTERS as u32;
    let need = AccessRequirements {
        bytes: bytes.into(),
        align: bytes,
        write: true,
    };
    span(e, addresses, lanes, need).filter(|_| lanes != 0)
}

/// Updates lanes one after the other. Lanes with one address, as of a counter, share one exchange.
#[inline(always)]
fn update_span<W: Word>(
    span: &Span<'_>,
    old: &mut [W; LANES],
    lanes: u64,
    f: impl Fn(W, usize) -> W,
) {
    let first = span.offsets[0];
    if span.offsets.iter().all(|&offset| offset == first) {
        let seen = Cell::from_mut(&mut old[..]).as_slice_of_cells();
        W::update_memory(span.region, first.into(), |memory| {
            each(lanes).fold(memory, |memory, l| {
                seen[l].set(memory);
                f(memory, l)
            })
        });
        return;
    }
    for l in each(lanes) {
        old[l] = W::update_memory(span.region, span.offsets[l].into(), |memory| f(memory, l));
    }
}

/// Replaces the value at an address of LDS for a lane, and returns the old value.
pub fn update_lds<W: Word>(
    lds: &mut Lds,
    at: u32,
    l: usize,
    f: impl Fn(W) -> W,
) -> Result<W, Fault> {
    let align = 4 * W::REGISTERS as u32;
    if !at.is_multiple_of(align) {
        let kind = TrapKind::LdsMisaligned { align };
        return Err(Fault::at(kind, Some(l as u32), at.into()));
    }
    W::update_lds(lds, l as u32, at, f)
}

/// Runs one lane's atomic on LDS: `f(memory, data0, data1)`. Returns the old value.
pub fn lds<W: Word>(
    w: &Wave,
    lds: &mut Lds,
    data: [usize; 2],
    at: u32,
    l: usize,
    f: impl Fn(W, W, W) -> W,
) -> Result<W, Fault> {
    let [a, b] = data.map(|register| W::get(w, register, l));
    update_lds(lds, at, l, |old| f(old, a, b))
}
