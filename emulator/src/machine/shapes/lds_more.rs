//! LDS instructions whose address or operand comes from M0, the lane's number or a second place in LDS.

use super::super::env::Env;
use super::super::registers::{LANES, Lanes};
use super::super::trap::Outcome;
use super::super::wave::Wave;
use super::addresses::each;
use super::atomic::{Word, update_lds};
use super::element::{Direction, Element};
use super::lds::{lanes, register};
use crate::isa::{Code, Inst, Role};

/// Returns the base in M0.
pub fn m0_base(w: &Wave) -> u32 {
    w.scalar32(Code::M0, 0) & 0xffff
}

/// Returns the addresses of the lanes by their numbers: M0 plus the offset plus one dword per lane.
pub fn by_lane(w: &Wave, i: &Inst) -> Lanes {
    let base = m0_base(w) + i.offset as u32;
    std::array::from_fn(|lane| base + 4 * lane as u32)
}

/// `ds_read_addtid_b32` reads at addresses by lane.
pub fn read_addtid(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    let (vdst, at) = (i.by_role(Role::Vdst), by_lane(w, i));
    lanes(w, e, vdst, &at, Element::Dwords(1), Direction::Load)
}

/// `ds_write_addtid_b32` writes at addresses by lane.
pub fn write_addtid(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    let (data, at) = (i.by_role(Role::Data), by_lane(w, i));
    lanes(w, e, data, &at, Element::Dwords(1), Direction::Store)
}

/// `ds_append` and `ds_consume` change the counter at M0's base to `f(counter, number of enabled lanes)`, and every enabled lane gets the
/// old value.
pub fn count(w: &mut Wave, e: &mut Env<'_>, i: &Inst, f: impl Fn(u32, u32) -> u32) -> Outcome {
    let exec = w.exec();
    let (Some(lane), Some(vdst)) = (each(exec).next(), i.by_role(Role::Vdst).as_vgpr()) else {
        return Ok(());
    };
    let at = m0_base(w) + i.offset as u32;
    let old = update_lds(&mut e.lds, at, lane, |n| f(n, exec.count_ones()))?;
    for l in each(exec) {
        w.v[usize::from(vdst)][l] = old;
    }
    Ok(())
}

/// `ds_wrxchg2*` runs two exchanges, with offsets in units of `unit` bytes.
pub fn exchange2<W: Word>(w: &mut Wave, e: &mut Env<'_>, i: &Inst, unit: u32) -> Outcome {
    let [addr, data, data1, vdst] =
        [Role::Addr, Role::Data, Role::Data1, Role::Vdst].map(|role| register(i.by_role(role)));
    let offsets = super::lds::offsets(i, unit);
    let mut old = [[W::ZERO; 2]; LANES];
    for l in each(w.exec()) {
        let base = w.v[addr][l];
        let (first, second) = (W::get(w, data, l), W::get(w, data1, l));
        old[l] = [
            update_lds(&mut e.lds, base.wrapping_add(offsets.0), l, |_| first)?,
            update_lds(&mut e.lds, base.wrapping_add(offsets.1), l, |_| second)?,
        ];
    }
    for l in each(w.exec()) {
        let [first, second] = old[l];
        first.set(w, vdst, l);
        second.set(w, vdst + W::REGISTERS, l);
    }
    Ok(())
}

/// Returns the LDS addresses of the memory value and the operand of a lane of `ds_*_src2_*`.
pub fn both_places(i: &Inst, address: u32) -> (u32, u32) {
    let offset = i.offset as u16;
    let (to, distance) = if offset & 0x8000 != 0 {
        (address & 0x1_ffff, address as i32 >> 17)
    } else {
        (address, i32::from((offset << 1) as i16 >> 1))
    };
    (to, to.wrapping_add_signed(distance.wrapping_mul(4)))
}

/// `ds_*_src2_*` compute `f(memory, operand)` with both values in LDS. The operand's distance in dwords is the signed low 15 bits of the
/// offset, or, if the offset's highest bit is set, the signed upper 15 bits of the address.
pub fn from_lds<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W) -> W,
) -> Outcome {
    let addr = register(i.by_role(Role::Addr));
    for l in each(w.exec()) {
        let (to, from) = both_places(i, w.v[addr][l]);
        let operand = update_lds(&mut e.lds, from, l, |x: W| x)?;
        update_lds(&mut e.lds, to, l, |memory| f(memory, operand))?;
    }
    Ok(())
}
