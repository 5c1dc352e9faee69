//! Flat, global and scratch memory instructions: where each lane's access goes, then the transfer.

use super::super::handler::Outcome;
use super::super::op::Op;
use super::super::wave::{Env, LANES, Wave};
use super::super::{PRIVATE_BASE, SHARED_BASE};
use super::atomic::Word;
use super::scratch;
use super::span;
use super::transfer::{self, Addresses, Element, each};
use crate::isa::{Code, Encoding, Flags, Inst, Role};

/// A load of whole dwords from global memory or through flat addresses.
#[inline(always)]
pub fn load_dwords<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    dwords: u16,
) -> Outcome {
    let (pair, add) = pair(w, op);
    if span::load_pair::<WIDTH>(w, e, op, pair, add, dwords) {
        return Ok(());
    }
    load(w, e, op, Element::Dwords(dwords))
}

/// A store of whole dwords to global memory or through flat addresses.
#[inline(always)]
pub fn store_dwords<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    dwords: u16,
) -> Outcome {
    let (pair, add) = pair(w, op);
    if span::store_pair::<WIDTH>(w, e, op, pair, add, dwords) {
        return Ok(());
    }
    store(w, e, op, Element::Dwords(dwords))
}

/// The registers of an address, its high half where it has one, and what all lanes add to it.
#[inline(always)]
fn pair(w: &Wave, op: &Op) -> ((usize, Option<usize>), u64) {
    let (addr, offset) = (usize::from(op.plan.addr), op.offset as i64 as u64);
    match op.plan.base {
        Code::OFF => ((addr, Some(addr + 1)), offset),
        base => ((addr, None), w.scalar64(base, 0).wrapping_add(offset)),
    }
}

/// A load of any element through any of the three kinds of address.
#[inline(never)]
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    let vdst = i.by_role(Role::Vdst);
    let lanes = w.exec();
    match i.encoding {
        Encoding::Global => transfer::load(w, e, vdst, &global(w, i), lanes, element),
        Encoding::Scratch => scratch_load(w, e, vdst, &private(w, i), lanes, element),
        _ => flat_load(w, e, i, vdst, element),
    }
}

/// A store of any element through any of the three kinds of address.
#[inline(never)]
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    let data = i.by_role(Role::Data);
    let lanes = w.exec();
    match i.encoding {
        Encoding::Global => transfer::store(w, e, data, &global(w, i), lanes, element),
        Encoding::Scratch => scratch_store(w, e, data, &private(w, i), lanes, element),
        _ => flat_store(w, e, i, data, element),
    }
}

/// The addresses of a global instruction: a register pair, or a scalar base and a 32-bit register; and the offset.
#[inline(always)]
pub fn global(w: &Wave, i: &Inst) -> Addresses {
    let offset = i.offset as i64 as u64;
    let mut out = [0; LANES];
    let (lo, hi) = transfer::wide(w, i.by_role(Role::Addr));
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

/// The addresses of a flat instruction.
#[inline(always)]
fn flat(w: &Wave, i: &Inst) -> Addresses {
    let (lo, hi) = transfer::wide(w, i.by_role(Role::Addr));
    std::array::from_fn(|l| {
        (lo[l] as u64 | (hi[l] as u64) << 32).wrapping_add(i.offset as i64 as u64)
    })
}

/// The lane-private offsets of a scratch instruction.
pub fn private(w: &Wave, i: &Inst) -> Addresses {
    let offset = i.offset as u32;
    match (i.by_role(Role::Sbase), i.by_role(Role::Addr).as_vgpr()) {
        (Code::OFF, Some(v)) => w.v[v as usize].map(|x| x.wrapping_add(offset) as u64),
        (Code::OFF, None) => [offset as u64; LANES],
        (base, _) => [w.scalar32(base, 0).wrapping_add(offset) as u64; LANES],
    }
}

/// Lanes whose flat address lies in an aperture.
#[inline(always)]
fn within(addresses: &Addresses, lanes: u64, aperture: u64) -> u64 {
    let mut hits = [0u8; LANES];
    for l in 0..LANES {
        hits[l] = (addresses[l] >> 32 == aperture >> 32) as u8;
    }
    super::super::wave::collect(&hits) & lanes
}

#[inline(always)]
fn flat_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, vdst: Code, element: Element) -> Outcome {
    let addresses = flat(w, i);
    let lanes = w.exec();
    let (shared, private) = (
        within(&addresses, lanes, SHARED_BASE),
        within(&addresses, lanes, PRIVATE_BASE),
    );
    if private != 0 {
        scratch_load(w, e, vdst, &addresses, private, element)?;
    }
    if shared != 0 {
        lds_load(w, e, vdst, &addresses, shared, element)?;
    }
    let rest = lanes & !shared & !private;
    if rest != 0 {
        transfer::load(w, e, vdst, &addresses, rest, element)?;
    }
    Ok(())
}

#[inline(always)]
fn flat_store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, data: Code, element: Element) -> Outcome {
    let addresses = flat(w, i);
    let lanes = w.exec();
    let (shared, private) = (
        within(&addresses, lanes, SHARED_BASE),
        within(&addresses, lanes, PRIVATE_BASE),
    );
    if private != 0 {
        scratch_store(w, e, data, &addresses, private, element)?;
    }
    if shared != 0 {
        lds_store(w, e, data, &addresses, shared, element)?;
    }
    let rest = lanes & !shared & !private;
    if rest != 0 {
        transfer::store(w, e, data, &addresses, rest, element)?;
    }
    Ok(())
}

/// Where the wave's private memory starts, for flat and scratch instructions: FLAT_SCRATCH.
#[inline(always)]
fn scratch_start(w: &Wave) -> u64 {
    w.scalar64(Code(102), 0)
}

/// Private offsets, from addresses in the aperture or from a scratch instruction: 32 bits.
#[inline(always)]
fn offsets(addresses: &Addresses) -> Addresses {
    let mut out = [0; LANES];
    for l in 0..LANES {
        out[l] = addresses[l] as u32 as u64;
    }
    out
}

/// Where lane-private offsets lie in device memory, `extra` bytes further.
pub fn swizzle(w: &Wave, addresses: &Addresses, extra: u64) -> Addresses {
    scratch::places(scratch_start(w), &offsets(addresses), extra)
}

#[inline(always)]
fn scratch_load(
    w: &mut Wave,
    e: &mut Env<'_>,
    vdst: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    let start = scratch_start(w);
    scratch::load(w, e, vdst, start, &offsets(addresses), lanes, element)
}

#[inline(always)]
fn scratch_store(
    w: &mut Wave,
    e: &mut Env<'_>,
    data: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    let start = scratch_start(w);
    scratch::store(w, e, data, start, &offsets(addresses), lanes, element)
}

fn lds_load(
    w: &mut Wave,
    e: &mut Env<'_>,
    vdst: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    for l in each(lanes) {
        super::lds::load_lane(w, &e.lds, vdst, addresses[l] as u32, l, element)?;
    }
    Ok(())
}

fn lds_store(
    w: &mut Wave,
    e: &mut Env<'_>,
    data: Code,
    addresses: &Addresses,
    lanes: u64,
    element: Element,
) -> Outcome {
    for l in each(lanes) {
        super::lds::store_lane(w, &mut e.lds, data, addresses[l] as u32, l, element)?;
    }
    Ok(())
}

/// An atomic: `f(memory, data, compare)`.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W + Copy,
) -> Outcome {
    let (vdst, data, lanes) = (returned(i), i.by_role(Role::Data), w.exec());
    if i.encoding == Encoding::Global {
        return super::atomic::memory(w, e, vdst, data, &global(w, i), lanes, f);
    }
    let addresses = flat(w, i);
    let shared = within(&addresses, lanes, SHARED_BASE);
    let first = data.as_vgpr().unwrap_or(0) as usize;
    for l in each(shared) {
        let registers = [first, first + W::REGISTERS];
        super::atomic::lds(w, &mut e.lds, vdst, registers, addresses[l] as u32, l, f)?;
    }
    super::atomic::memory(w, e, vdst, data, &addresses, lanes & !shared, f)
}

/// The register that an atomic returns the old value to: only where GLC asks for it.
fn returned(i: &Inst) -> Option<u8> {
    i.modifiers
        .flags
        .has(Flags::GLC)
        .then(|| (i.words[1] >> 24) as u8)
}
