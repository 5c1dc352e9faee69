//! Untyped buffer instructions: addresses through a buffer resource, including swizzled scratch.

use super::super::env::Env;
use super::super::op::Op;
use super::super::registers::{LANES, collect};
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::{Addresses, place};
use super::atomic::Word;
use super::element::{Direction, Element};
use super::resource::Resource;
use super::span::Sum;
use super::transfer;
use super::{one_offset, scratch};
use crate::isa::{Code, Flags, Inst, Role};

/// Returns the addresses of dword `k` of an instruction's element, and the lanes within the resource.
#[inline(always)]
pub fn addresses(w: &Wave, i: &Inst, k: u64, bytes: u64) -> (Addresses, u64) {
    let resource = Resource::read(w, i.by_role(Role::Sbase));
    let soffset = w.scalar32(i.by_role(Role::Soffset), i.literal) as u64;
    let start = resource.base.wrapping_add(soffset);
    let flags = i.modifiers.flags;
    let vaddr = i.by_role(Role::Addr).as_vgpr().unwrap_or(0) as usize;
    let (offen, idxen) = (flags.has(Flags::OFFEN), flags.has(Flags::IDXEN));
    let immediate = i.offset as u32 as u64 + 4 * k;
    let offsets = &w.v[(vaddr + idxen as usize) & 255];
    if resource.is_scratch() && !idxen {
        let mut out = [0; LANES];
        for l in 0..LANES {
            let offset = private_offset(immediate, if offen { offsets[l] } else { 0 });
            out[l] = place(start, offset, l);
        }
        return (out, if resource.records >= bytes { !0 } else { 0 });
    }
    let indices = if idxen { Some(&w.v[vaddr]) } else { None };
    resource.addresses(soffset, immediate, offen.then_some(offsets), indices, bytes)
}

/// Adds an offset within scratch in 32 bits, so that a negative register and a larger immediate make a small offset.
#[inline(always)]
fn private_offset(immediate: u64, register: u32) -> u64 {
    (immediate as u32).wrapping_add(register).into()
}

/// Returns, for an instruction on scratch, the start of lane 0's private memory, the offset of each lane, and true if the resource is large
/// enough.
#[inline(always)]
pub fn private(w: &Wave, i: &Inst, bytes: u64) -> Option<(u64, Addresses, bool)> {
    let resource = Resource::read(w, i.by_role(Role::Sbase));
    let flags = i.modifiers.flags;
    if !resource.is_scratch() || flags.has(Flags::IDXEN) {
        return None;
    }
    let soffset = w.scalar32(i.by_role(Role::Soffset), i.literal) as u64;
    let mut offsets = [i.offset as u32 as u64; LANES];
    if flags.has(Flags::OFFEN) {
        let vaddr = i.by_role(Role::Addr).as_vgpr().unwrap_or(0) as usize;
        for (offset, &v) in offsets.iter_mut().zip(&w.v[vaddr]) {
            *offset = private_offset(*offset, v);
        }
    }
    let start = resource.base.wrapping_add(soffset);
    Some((start, offsets, resource.records >= bytes))
}

/// `buffer_load_*`. A load beyond the resource returns 0.
#[inline(always)]
pub fn load<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    if at_once::<WIDTH>(w, e, op, element, Direction::Load) {
        return Ok(());
    }
    transfer(w, e, op, element, Direction::Load)
}

/// `buffer_store_*`. A store beyond the resource is dropped.
#[inline(always)]
pub fn store<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    if at_once::<WIDTH>(w, e, op, element, Direction::Store) {
        return Ok(());
    }
    transfer(w, e, op, element, Direction::Store)
}

/// Transfers through a raw buffer without indices, if each lane's element is either within it or beyond it as a whole. The transfer is then
/// a plain memory access.
#[inline(always)]
fn at_once<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
    direction: Direction,
) -> bool {
    let resource = Resource::read(w, op.plan.base);
    let flags = op.modifiers.flags;
    if !resource.is_raw() || flags.has(Flags::IDXEN) {
        return false;
    }
    let soffset = w.scalar32(op.by_role(Role::Soffset), op.literal);
    let fixed = u64::from(soffset) + u64::from(op.offset as u32);
    let (offen, exec) = (flags.has(Flags::OFFEN), w.exec());
    let low = offen.then_some(usize::from(op.plan.addr));
    let offsets = low.map_or(&[0; LANES], |n| &w.v[n]);
    // The lanes that are within by their first dword must be within by their last, or the general method separates them.
    let within = |bytes: u64| match resource.records.checked_sub(fixed + bytes) {
        Some(room) => {
            let mut hits = [0u8; LANES];
            for (hit, &offset) in hits.iter_mut().zip(offsets) {
                *hit = (u64::from(offset) <= room).into();
            }
            collect(&hits) & exec
        }
        None => 0,
    };
    let lanes = within(element.bytes());
    if lanes == 0 || element.bytes() > 4 && within(4) != lanes {
        return false;
    }
    let access = transfer::Access {
        hint: &op.region,
        register: data(op),
        lanes,
        element,
        direction,
        at: Sum {
            low,
            high: None,
            add: resource.base.wrapping_add(fixed),
        },
    };
    access.at_once::<WIDTH>(w, e)
}

/// Transfers dword by dword, because swizzling may separate neighbours.
#[inline(never)]
fn transfer(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    element: Element,
    direction: Direction,
) -> StepResult {
    let (data, lanes, (parts, part)) = (vdata(i), w.exec(), element.parts());
    if let Some(place) = one_offset::of_buffer(w, i, part.bytes())
        && one_offset::transfer(w, e, self::data(i), place, element, direction)
    {
        return Ok(());
    }
    transfer::transfer(w, e, data, lanes, element, direction, |w, e, rows| {
        if let Some((start, offsets, true)) = private(w, i, part.bytes()) {
            return scratch::memory(e, rows, start, &offsets, lanes, element, direction);
        }
        for k in 0..parts {
            let (addresses, inside) = addresses(w, i, k.into(), part.bytes());
            let row = &mut rows[usize::from(k)..][..1];
            transfer::memory(e, row, &addresses, lanes & inside, part, direction)?;
        }
        Ok(())
    })
}

/// Runs an atomic: `f(memory, data, compare)`.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W,
) -> StepResult {
    let (addresses, inside) = addresses(w, i, 0, 4 * W::REGISTERS as u64);
    let lanes = w.exec() & inside;
    super::atomic::staged(w, returned(i), lanes, |w, old| {
        super::atomic::memory(w, e, old, vdata(i), &addresses, lanes, f)
    })
}

fn vdata(i: &Inst) -> Code {
    Code::vgpr((i.words[1] >> 8) as u8)
}

/// Returns the number of the first data VGPR.
pub fn data(i: &Inst) -> usize {
    (i.words[1] >> 8 & 255) as usize
}

fn returned(i: &Inst) -> Option<u8> {
    i.modifiers
        .flags
        .has(Flags::GLC)
        .then(|| (i.words[1] >> 8) as u8)
}
