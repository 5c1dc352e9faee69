//! Flat, global and scratch memory instructions: address computation, then the transfer.

use super::super::env::Env;
use super::super::memory::{PRIVATE_BASE, SHARED_BASE};
use super::super::op::Op;
use super::super::registers::{LANES, each_lane};
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::{Addresses, each, place, places, wide};
use super::atomic::Word;
use super::element::{Direction, Element};
use super::span::Sum;
use super::transfer::{self, Rows};
use super::{one_offset, scratch};
use crate::isa::{Code, Encoding, Flags, Inst, Role};

/// Loads from global memory or through flat addresses.
#[inline(always)]
pub fn load_global<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    if !starts_private(w, op) && at_once::<WIDTH>(w, e, op, op.plan.vdst, element, Direction::Load)
    {
        return Ok(());
    }
    load(w, e, op, element)
}

/// Stores to global memory or through flat addresses.
#[inline(always)]
pub fn store_global<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    if !starts_private(w, op) && at_once::<WIDTH>(w, e, op, op.plan.data, element, Direction::Store)
    {
        return Ok(());
    }
    store(w, e, op, element)
}

/// Returns true if the first enabled lane has a flat address in private memory, where no allocation lies.
#[inline(always)]
fn starts_private(w: &Wave, op: &Op) -> bool {
    let lane = w.exec().trailing_zeros() as usize % LANES;
    op.encoding == Encoding::Flat
        && w.v[usize::from(op.plan.addr) + 1][lane] == (PRIVATE_BASE >> 32) as u32
}

#[inline(always)]
fn at_once<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    register: u16,
    element: Element,
    direction: Direction,
) -> bool {
    let access = transfer::Access {
        hint: &op.region,
        register: register.into(),
        lanes: w.exec(),
        element,
        direction,
        at: sum(w, op),
    };
    access.at_once::<WIDTH>(w, e)
}

/// Returns the addresses of a global or flat instruction: a register pair, or a scalar base and a register, plus the offset.
#[inline(always)]
fn sum(w: &Wave, op: &Op) -> Sum {
    let (addr, offset) = (usize::from(op.plan.addr), op.offset as i64 as u64);
    let low = Some(addr);
    match op.plan.base {
        Code::OFF => Sum {
            low,
            high: Some(addr + 1),
            add: offset,
        },
        base => Sum {
            low,
            high: None,
            add: w.scalar64(base, 0).wrapping_add(offset),
        },
    }
}

/// Loads any element through any of the three kinds of address.
#[inline(never)]
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> StepResult {
    transfer(w, e, i, Role::Vdst, element, Direction::Load)
}

/// Stores any element through any of the three kinds of address.
#[inline(never)]
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> StepResult {
    transfer(w, e, i, Role::Data, element, Direction::Store)
}

#[inline(always)]
fn transfer(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    register: Role,
    element: Element,
    direction: Direction,
) -> StepResult {
    let (register, lanes) = (i.by_role(register), w.exec());
    if let (Some(first), Some(offset)) = (register.as_vgpr(), one_offset::of_flat(w, i)) {
        let place = (scratch_start(w), offset);
        if one_offset::transfer(w, e, first.into(), place, element, direction) {
            return Ok(());
        }
    }
    transfer::transfer(
        w,
        e,
        register,
        lanes,
        element,
        direction,
        |w, e, rows| match i.encoding {
            Encoding::Global => transfer::memory(e, rows, &global(w, i), lanes, element, direction),
            Encoding::Scratch => {
                let offsets = offsets(&private(w, i));
                scratch::memory(
                    e,
                    rows,
                    scratch_start(w),
                    &offsets,
                    lanes,
                    element,
                    direction,
                )
            }
            _ => apertures(w, e, rows, &flat(w, i), element, direction),
        },
    )
}

/// Returns the addresses of a global instruction: a register pair, or a scalar base and a 32-bit register, plus the offset.
#[inline(always)]
pub fn global(w: &Wave, i: &Inst) -> Addresses {
    let offset = i.offset as i64 as u64;
    let mut out = [0; LANES];
    let (lo, hi) = wide(w, i.by_role(Role::Addr));
    match i.by_role(Role::Sbase) {
        Code::OFF => {
            for l in 0..LANES {
                out[l] = (lo[l] as u64 | (hi[l] as u64) << 32).wrapping_add(offset);
            }
        }
        base => {
            let base = w.scalar64(base, 0).wrapping_add(offset);
            for l in 0..LANES {
                out[l] = base.wrapping_add(lo[l] as u64);
            }
        }
    }
    out
}

/// Returns the addresses of a flat instruction.
#[inline(always)]
pub fn flat(w: &Wave, i: &Inst) -> Addresses {
    let (lo, hi) = wide(w, i.by_role(Role::Addr));
    each_lane(|l| (lo[l] as u64 | (hi[l] as u64) << 32).wrapping_add(i.offset as i64 as u64))
}

/// Returns the lane-private offsets of a scratch instruction.
pub fn private(w: &Wave, i: &Inst) -> Addresses {
    let offset = i.offset as u32;
    match (i.by_role(Role::Sbase), i.by_role(Role::Addr).as_vgpr()) {
        (Code::OFF, Some(v)) => each_lane(|l| w.v[v as usize][l].wrapping_add(offset) as u64),
        (Code::OFF, None) => [offset as u64; LANES],
        (base, _) => [w.scalar32(base, 0).wrapping_add(offset) as u64; LANES],
    }
}

/// Returns the lanes whose flat address lies in an aperture.
#[inline(always)]
pub fn within(addresses: &Addresses, lanes: u64, aperture: u64) -> u64 {
    let mut hits = [0u8; LANES];
    for l in 0..LANES {
        hits[l] = (addresses[l] >> 32 == aperture >> 32) as u8;
    }
    super::super::registers::collect(&hits) & lanes
}

/// Transfers through flat addresses, each of which lies in scratch, in LDS or in memory.
#[inline(always)]
fn apertures(
    w: &Wave,
    e: &mut Env<'_>,
    rows: &mut Rows,
    addresses: &Addresses,
    element: Element,
    direction: Direction,
) -> StepResult {
    let lanes = w.exec();
    let shared = within(addresses, lanes, SHARED_BASE);
    let private = within(addresses, lanes, PRIVATE_BASE);
    if private != 0 {
        let offsets = offsets(addresses);
        let start = scratch_start(w);
        scratch::memory(e, rows, start, &offsets, private, element, direction)?;
    }
    for l in each(shared) {
        super::lds::lane(&mut e.lds, rows, addresses[l] as u32, l, element, direction)?;
    }
    transfer::memory(
        e,
        rows,
        addresses,
        lanes & !shared & !private,
        element,
        direction,
    )
}

/// Returns the start of the wave's private memory for flat and scratch instructions: FLAT_SCRATCH.
#[inline(always)]
pub fn scratch_start(w: &Wave) -> u64 {
    w.scalar64(Code(102), 0)
}

/// Returns private offsets of 32 bits, from addresses in the aperture or from a scratch instruction.
#[inline(always)]
fn offsets(addresses: &Addresses) -> Addresses {
    let mut out = [0; LANES];
    for l in 0..LANES {
        out[l] = addresses[l] as u32 as u64;
    }
    out
}

/// Converts lane-private offsets, plus `extra` bytes, to addresses in device memory.
pub fn swizzle(w: &Wave, addresses: &Addresses, extra: u64) -> Addresses {
    places(scratch_start(w), &offsets(addresses), extra)
}

/// Runs an atomic: `f(memory, data, compare)`.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W + Copy,
) -> StepResult {
    let (vdst, data, lanes) = (returned(i), i.by_role(Role::Data), w.exec());
    if i.encoding == Encoding::Global {
        let addresses = global(w, i);
        return super::atomic::staged(w, vdst, lanes, |w, old| {
            super::atomic::memory(w, e, old, data, &addresses, lanes, f)
        });
    }
    let mut addresses = flat(w, i);
    let shared = within(&addresses, lanes, SHARED_BASE);
    // The two dwords of a lane's pair are not adjacent in private memory, so there is no 64-bit atomic on it.
    if W::REGISTERS == 1 {
        for l in each(within(&addresses, lanes, PRIVATE_BASE)) {
            addresses[l] = place(scratch_start(w), addresses[l] & 0xffff_ffff, l);
        }
    }
    super::atomic::staged(w, vdst, lanes, |w, old| {
        let first = data.as_vgpr().unwrap_or(0) as usize;
        for l in each(shared) {
            let registers = [first, first + W::REGISTERS];
            old[l] = super::atomic::lds(w, &mut e.lds, registers, addresses[l] as u32, l, f)?;
        }
        super::atomic::memory(w, e, old, data, &addresses, lanes & !shared, f)
    })
}

/// Returns the register that receives an atomic's old value, if GLC requests it.
fn returned(i: &Inst) -> Option<u8> {
    i.modifiers
        .flags
        .has(Flags::GLC)
        .then(|| (i.words[1] >> 24) as u8)
}
