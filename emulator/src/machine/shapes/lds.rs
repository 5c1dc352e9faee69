//! LDS instructions: one or two addresses a lane, atomics, and the lane exchanges that share the encoding.

use super::super::handler::Outcome;
use super::super::lds::Lds;
use super::super::trap::Fault;
use super::super::wave::{Env, LANES, Wave};
use super::atomic::Word;
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

/// `ds_read_*` of one address.
#[inline(always)]
pub fn read(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
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
pub fn write(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
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
pub fn read2(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16, unit: u32) -> Outcome {
    let (first, second) = offsets(i, unit);
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

/// `ds_bpermute_b32`: each lane reads the lane that its address (in bytes) names; lanes that are off read as 0.
pub fn bpermute(w: &mut Wave, i: &Inst) -> Outcome {
    let exec = w.exec();
    let data = w.v[register(i.by_role(Role::Data))];
    let values: [u32; LANES] = std::array::from_fn(|l| {
        let from = (address(w, i, l, i.offset as u32) / 4) as usize % LANES;
        if exec >> from & 1 != 0 { data[from] } else { 0 }
    });
    super::write_lanes(w, register(i.by_role(Role::Vdst)), exec, &values);
    Ok(())
}

/// `ds_permute_b32`: each lane writes to the lane that its address names; the highest writer wins, lanes not written get 0.
pub fn permute(w: &mut Wave, i: &Inst) -> Outcome {
    let exec = w.exec();
    let mut values = [0; LANES];
    for l in each(exec) {
        let to = (address(w, i, l, i.offset as u32) / 4) as usize % LANES;
        values[to] = w.v[register(i.by_role(Role::Data))][l];
    }
    super::write_lanes(w, register(i.by_role(Role::Vdst)), exec, &values);
    Ok(())
}

/// `ds_swizzle_b32`: the pattern in the offset says which lane of its group each lane reads; lanes that are off read as 0.
pub fn swizzle(w: &mut Wave, i: &Inst) -> Outcome {
    let exec = w.exec();
    let pattern = i.offset as u32 as usize;
    let data = w.v[register(i.by_role(Role::Addr))];
    let values: [u32; LANES] = std::array::from_fn(|l| {
        let from = if pattern & 0x8000 != 0 {
            l & !3 | pattern >> (2 * (l & 3)) & 3
        } else {
            let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
            l & 32 | ((l & 31 & and) | or) ^ xor
        };
        if exec >> from & 1 != 0 { data[from] } else { 0 }
    });
    super::write_lanes(w, register(i.by_role(Role::Vdst)), exec, &values);
    Ok(())
}
