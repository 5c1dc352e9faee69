//! LDS instructions: one or two addresses a lane, atomics, and the lane exchanges that share the encoding.

use super::super::handler::Outcome;
use super::super::lds::Lds;
use super::super::op::Op;
use super::super::trap::Fault;
use super::super::wave::{Env, LANES, Lanes, Wave};
use super::atomic::Word;
use super::gather::{gather, is_run};
use super::transfer::{Element, each};
use crate::isa::{Code, Inst, Role};

/// The VGPR that an operand names.
pub fn register(code: Code) -> usize {
    code.as_vgpr().unwrap_or(0) as usize
}

/// The byte address of a lane.
#[inline(always)]
fn address(w: &Wave, i: &Inst, lane: usize, offset: u32) -> u32 {
    w.v[register(i.by_role(Role::Addr))][lane].wrapping_add(offset)
}

/// Loads an element for one lane.
#[inline(always)]
pub fn load_lane(
    w: &mut Wave,
    lds: &Lds,
    vdst: Code,
    at: u32,
    l: usize,
    element: Element,
) -> Result<(), Fault> {
    let vdst = register(vdst);
    let lane = l as u32;
    match element.bytes() {
        1 => w.v[vdst][l] = element.load(lds.read::<1>(lane, at)?[0] as u32, w.v[vdst][l]),
        2 => {
            w.v[vdst][l] =
                element.load(u16::from_le_bytes(lds.read(lane, at)?) as u32, w.v[vdst][l])
        }
        bytes => {
            for k in 0..bytes as usize / 4 {
                let value = u32::from_le_bytes(lds.read(lane, at.wrapping_add(4 * k as u32))?);
                w.v[(vdst + k) & 255][l] = value;
            }
        }
    }
    Ok(())
}

/// Stores an element of one lane.
#[inline(always)]
pub fn store_lane(
    w: &Wave,
    lds: &mut Lds,
    data: Code,
    at: u32,
    l: usize,
    element: Element,
) -> Result<(), Fault> {
    let data = register(data);
    let lane = l as u32;
    match element.bytes() {
        1 => lds.write(lane, at, [element.store(w.v[data][l]) as u8]),
        2 => lds.write(lane, at, (element.store(w.v[data][l]) as u16).to_le_bytes()),
        bytes => {
            for k in 0..bytes as usize / 4 {
                lds.write(
                    lane,
                    at.wrapping_add(4 * k as u32),
                    w.v[(data + k) & 255][l].to_le_bytes(),
                )?;
            }
            Ok(())
        }
    }
}

/// The lanes' byte addresses where `bytes` bytes at each are aligned dwords of LDS, those of lanes that are off being some other lane's.
#[inline(always)]
fn span(w: &mut Wave, lds: &Lds, op: &Op, offset: u32, bytes: u32) -> Option<Lanes> {
    let addr = usize::from(op.plan.addr);
    let limit = lds.size().checked_sub(bytes)?;
    let home = w.v[addr][w.exec().trailing_zeros() as usize % LANES].wrapping_add(offset);
    let mask = *w.lane_mask();
    let mut at = [0; LANES];
    let mut outside = 0;
    for l in 0..LANES {
        let address = w.v[addr][l].wrapping_add(offset);
        let beyond = 0u32.wrapping_sub((address > limit).into());
        outside |= (beyond | address & 3) & mask[l];
        at[l] = address & mask[l] | home & !mask[l];
    }
    (outside == 0 && w.exec() != 0).then_some(at)
}

/// Loads `dwords` dwords at each lane's address; false where that takes the general way.
#[inline(always)]
fn load_dwords<const WIDTH: usize>(
    w: &mut Wave,
    lds: &Lds,
    op: &Op,
    vdst: usize,
    offset: u32,
    dwords: u16,
) -> bool {
    let Some(at) = span(w, lds, op, offset, 4 * u32::from(dwords)) else {
        return false;
    };
    load_span::<WIDTH>(w, lds, &at, vdst, dwords);
    true
}

#[inline(always)]
fn load_span<const WIDTH: usize>(w: &mut Wave, lds: &Lds, at: &Lanes, vdst: usize, dwords: u16) {
    for k in 0..usize::from(dwords) {
        gather::<WIDTH, _>(&lds.words()[k..], at, &mut w.results.lo);
        let (lanes, values) = (w.exec(), w.results.lo);
        super::write_lanes(w, vdst + k, lanes, &values);
    }
}

/// Stores `dwords` dwords at each lane's address; false where that takes the general way.
#[inline(always)]
fn store_dwords(
    w: &mut Wave,
    lds: &mut Lds,
    op: &Op,
    data: usize,
    offset: u32,
    dwords: u16,
) -> bool {
    let Some(at) = span(w, lds, op, offset, 4 * u32::from(dwords)) else {
        return false;
    };
    store_span(w, lds, &at, data, dwords);
    true
}

#[inline(always)]
fn store_span(w: &mut Wave, lds: &mut Lds, at: &Lanes, data: usize, dwords: u16) {
    let words = lds.words_mut();
    let first = (at[0] / 4) as usize;
    if dwords == 1
        && w.exec() == !0
        && is_run(at)
        && let Some(run) = words.get_mut(first..first + LANES)
    {
        run.copy_from_slice(&w.v[data]);
        return;
    }
    for l in each(w.exec()) {
        for k in 0..usize::from(dwords) {
            if let Some(word) = words.get_mut(at[l] as usize / 4 + k) {
                *word = w.v[data + k][l];
            }
        }
    }
}

/// `ds_read_*` of one address.
#[inline(always)]
pub fn read<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> Outcome {
    if let Element::Dwords(n) = element
        && load_dwords::<WIDTH>(w, &e.lds, op, op.plan.vdst.into(), op.offset as u32, n)
    {
        return Ok(());
    }
    read_lanes(w, e, op, element)
}

#[inline(never)]
fn read_lanes(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    let at = w.v[register(i.by_role(Role::Addr))];
    for l in each(w.exec()) {
        load_lane(
            w,
            &e.lds,
            i.by_role(Role::Vdst),
            at[l].wrapping_add(i.offset as u32),
            l,
            element,
        )?;
    }
    Ok(())
}

/// `ds_write_*` of one address.
#[inline(always)]
pub fn write(w: &mut Wave, e: &mut Env<'_>, op: &Op, element: Element) -> Outcome {
    if let Element::Dwords(n) = element
        && store_dwords(w, &mut e.lds, op, op.plan.data.into(), op.offset as u32, n)
    {
        return Ok(());
    }
    write_all(w, e, op, element)
}

#[inline(never)]
fn write_all(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    for l in each(w.exec()) {
        store_lane(
            w,
            &mut e.lds,
            i.by_role(Role::Data),
            address(w, i, l, i.offset as u32),
            l,
            element,
        )?;
    }
    Ok(())
}

/// The two byte offsets of a two-address instruction, whose fields count `unit` bytes.
pub fn offsets(i: &Inst, unit: u32) -> (u32, u32) {
    let field = i.offset as u32;
    ((field & 255) * unit, (field >> 8 & 255) * unit)
}

/// `ds_read2*`: two elements of `dwords` dwords, their offsets in units of `unit` bytes.
#[inline(always)]
pub fn read2<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    dwords: u16,
    unit: u32,
) -> Outcome {
    let (first, second) = offsets(op, unit);
    let bytes = 4 * u32::from(dwords);
    let spans = (
        span(w, &e.lds, op, first, bytes),
        span(w, &e.lds, op, second, bytes),
    );
    if let (Some(first), Some(second)) = spans {
        let vdst = usize::from(op.plan.vdst);
        load_span::<WIDTH>(w, &e.lds, &first, vdst, dwords);
        load_span::<WIDTH>(w, &e.lds, &second, vdst + usize::from(dwords), dwords);
        return Ok(());
    }
    read2_lanes(w, e, op, dwords, first, second)
}

#[inline(never)]
fn read2_lanes(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    dwords: u16,
    first: u32,
    second: u32,
) -> Outcome {
    let vdst = i.by_role(Role::Vdst);
    let at = w.v[register(i.by_role(Role::Addr))];
    for l in each(w.exec()) {
        load_lane(
            w,
            &e.lds,
            vdst,
            at[l].wrapping_add(first),
            l,
            Element::Dwords(dwords),
        )?;
        load_lane(
            w,
            &e.lds,
            Code(vdst.0 + dwords),
            at[l].wrapping_add(second),
            l,
            Element::Dwords(dwords),
        )?;
    }
    Ok(())
}

/// `ds_write2*`.
#[inline(always)]
pub fn write2(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16, unit: u32) -> Outcome {
    let (first, second) = offsets(i, unit);
    for l in each(w.exec()) {
        let element = Element::Dwords(dwords);
        store_lane(
            w,
            &mut e.lds,
            i.by_role(Role::Data),
            address(w, i, l, first),
            l,
            element,
        )?;
        store_lane(
            w,
            &mut e.lds,
            i.by_role(Role::Data1),
            address(w, i, l, second),
            l,
            element,
        )?;
    }
    Ok(())
}

/// `ds_*` atomics: `f(memory, data0, data1)`; the old value goes to the destination where there is one.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W + Copy,
) -> Outcome {
    let data = [Role::Data, Role::Data1].map(|role| register(i.by_role(role)));
    let vdst = i.by_role(Role::Vdst).as_vgpr();
    for l in each(w.exec()) {
        let at = address(w, i, l, i.offset as u32);
        super::atomic::lds(w, &mut e.lds, vdst, data, at, l, f)?;
    }
    Ok(())
}
