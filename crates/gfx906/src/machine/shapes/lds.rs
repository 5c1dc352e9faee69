//! LDS instructions: one or two addresses per lane, atomics, and instructions whose address or operand comes from M0, the lane's number or
//! a second place in LDS.

use super::super::env::Env;
use super::super::lds::Lds;
use super::super::op::Op;
use super::super::registers::{CacheAligned, LANES, Lanes, each_lane};
use super::super::trap::Fault;
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::each;
use super::atomic::{Word, staged, update_lds};
use super::element::{Direction, Element};
use super::gather::{Pattern, gather_narrow, gather_wide, is_run};
use super::transfer::{commit, transfer};
use crate::isa::{Code, Inst, Role};

/// Returns the VGPR of an operand.
pub fn register(code: Code) -> usize {
    code.as_vgpr().unwrap_or(0) as usize
}

/// Returns the byte addresses of the lanes.
#[inline(always)]
pub fn addresses(w: &Wave, i: &Inst, offset: u32) -> Lanes {
    let row = &w.v[register(i.by_role(Role::Addr))];
    each_lane(|l| row[l].wrapping_add(offset))
}

/// Moves an element of one lane between rows and an address in LDS.
#[inline(always)]
pub fn lane(
    lds: &mut Lds,
    rows: &mut [Lanes],
    at: u32,
    l: usize,
    element: Element,
    direction: Direction,
) -> Result<(), Fault> {
    let n = l as u32;
    match (element.bytes(), direction) {
        (1, Direction::Load) => rows[0][l] = lds.read::<1>(n, at)?[0].into(),
        (1, Direction::Store) => lds.write(n, at, [rows[0][l] as u8])?,
        (2, Direction::Load) => rows[0][l] = u16::from_le_bytes(lds.read(n, at)?).into(),
        (2, Direction::Store) => lds.write(n, at, (rows[0][l] as u16).to_le_bytes())?,
        (bytes, _) => {
            for (k, row) in rows.iter_mut().enumerate().take(bytes as usize / 4) {
                let at = at.wrapping_add(4 * k as u32);
                match direction {
                    Direction::Load => row[l] = u32::from_le_bytes(lds.read(n, at)?),
                    Direction::Store => lds.write(n, at, row[l].to_le_bytes())?,
                }
            }
        }
    }
    Ok(())
}

/// Moves an element of each enabled lane between the registers from `first` on and the lane's address.
#[inline(never)]
pub fn lanes(
    w: &mut Wave,
    e: &mut Env<'_>,
    register: Code,
    at: &Lanes,
    element: Element,
    direction: Direction,
) -> StepResult {
    let lanes = w.exec();
    transfer(w, e, register, lanes, element, direction, |_, e, rows| {
        for l in each(lanes) {
            lane(&mut e.lds, rows, at[l], l, element, direction)?;
        }
        Ok(())
    })
}

/// Returns the lanes' byte addresses, if an element at each is aligned, or consists of aligned dwords, and lies in LDS. A disabled lane
/// gets the address of some enabled lane.
#[inline(always)]
fn span(
    w: &mut Wave,
    lds: &Lds,
    op: &Op,
    offset: u32,
    bytes: u32,
    align: u32,
) -> Option<CacheAligned<Lanes>> {
    let addr = usize::from(op.plan.addr);
    let limit = lds.reach().checked_sub(bytes)?;
    let home = w.v[addr][w.exec().trailing_zeros() as usize % LANES].wrapping_add(offset);
    w.prepare_mask(w.exec());
    let mask = w.prepared_mask(w.exec());
    let mut at = CacheAligned([0; LANES]);
    let mut outside = 0;
    for l in 0..LANES {
        let address = w.v[addr][l].wrapping_add(offset);
        let beyond = 0u32.wrapping_sub((address > limit).into());
        outside |= (beyond | address & (align - 1)) & mask[l];
        at[l] = address & mask[l] | home & !mask[l];
    }
    (outside == 0 && w.exec() != 0).then_some(at)
}

/// Loads the `N` dwords at each lane's address. A narrower element stands in the low bits.
#[inline(always)]
fn load_span<const WIDTH: usize, const N: usize>(
    lds: &Lds,
    at: &Lanes,
    element: Element,
) -> CacheAligned<[Lanes; N]> {
    let mut rows = CacheAligned([[0; LANES]; N]);
    if let Element::Dwords(_) = element {
        gather_wide::<WIDTH, N, _>(lds.words(), at, &mut rows);
        return rows;
    }
    gather_narrow(lds.words(), at, element.bytes(), &mut rows[0]);
    rows
}

/// Stores `N` dwords of each lane, or a narrower element, from the registers from `data` on.
#[inline(always)]
fn store_span<const N: usize>(w: &Wave, lds: &mut Lds, at: &Lanes, data: usize, element: Element) {
    if element.bytes() < 4 {
        let bytes = lds.bytes_mut();
        for l in each(w.exec()) {
            let value = element.store(w.v[data][l]).to_le_bytes();
            let (at, count) = (at[l] as usize, element.bytes() as usize);
            if let Some(place) = bytes.get_mut(at..at + count) {
                place.copy_from_slice(&value[..count]);
            }
        }
        return;
    }
    let words = lds.words_mut();
    let first = (at[0] / 4) as usize;
    if w.exec() == !0
        && is_run(at, 4 * N as u32)
        && let Some(run) = words.get_mut(first..first + N * LANES)
    {
        for k in 0..N {
            for l in 0..LANES {
                run[N * l + k] = w.v[data + k][l];
            }
        }
        return;
    }
    for l in each(w.exec()) {
        if let Some(words) = words
            .get_mut(at[l] as usize / 4..)
            .and_then(|w| w.first_chunk_mut())
        {
            let words: &mut [u32; N] = words;
            for (k, word) in words.iter_mut().enumerate() {
                *word = w.v[data + k][l];
            }
        }
    }
}

/// Reads an element of `N` registers.
#[inline(always)]
fn read_rows<const WIDTH: usize, const N: usize>(
    w: &mut Wave,
    e: &Env<'_>,
    op: &Op,
    element: Element,
) -> bool {
    let bytes = element.bytes() as u32;
    let Some(at) = span(w, &e.lds, op, op.offset as u32, bytes, bytes.min(4)) else {
        return false;
    };
    let rows = load_span::<WIDTH, N>(&e.lds, &at, element);
    commit(w, op.plan.vdst.into(), w.exec(), element, &*rows);
    true
}

/// Writes an element of `N` registers.
#[inline(always)]
fn write_rows<const N: usize>(w: &mut Wave, e: &mut Env<'_>, op: &Op, element: Element) -> bool {
    let bytes = element.bytes() as u32;
    let Some(at) = span(w, &e.lds, op, op.offset as u32, bytes, bytes.min(4)) else {
        return false;
    };
    store_span::<N>(w, &mut e.lds, &at, op.plan.data.into(), element);
    true
}

/// `ds_read_*` with one address.
#[inline(always)]
pub fn read<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    let done = match element {
        Element::Dwords(2) => read_rows::<WIDTH, 2>(w, e, op, element),
        Element::Dwords(3) => read_rows::<WIDTH, 3>(w, e, op, element),
        Element::Dwords(4) => read_rows::<WIDTH, 4>(w, e, op, element),
        _ => read_rows::<WIDTH, 1>(w, e, op, element),
    };
    if done {
        return Ok(());
    }
    let at = addresses(w, op, op.offset as u32);
    lanes(w, e, op.by_role(Role::Vdst), &at, element, Direction::Load)
}

/// `ds_write_*` with one address.
#[inline(always)]
pub fn write<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    element: Element,
) -> StepResult {
    let done = match element {
        Element::Dwords(2) => write_rows::<2>(w, e, op, element),
        Element::Dwords(3) => write_rows::<3>(w, e, op, element),
        Element::Dwords(4) => write_rows::<4>(w, e, op, element),
        _ => write_rows::<1>(w, e, op, element),
    };
    if done {
        return Ok(());
    }
    let at = addresses(w, op, op.offset as u32);
    lanes(w, e, op.by_role(Role::Data), &at, element, Direction::Store)
}

/// Returns the two byte offsets of a two-address instruction, whose fields count units of `unit` bytes.
pub fn offsets(i: &Inst, unit: u32) -> (u32, u32) {
    let field = i.offset as u32;
    ((field & 255) * unit, (field >> 8 & 255) * unit)
}

/// `ds_read2*` reads two elements of `dwords` dwords, with offsets in units of `unit` bytes.
#[inline(always)]
pub fn read2<const WIDTH: usize>(
    w: &mut Wave,
    e: &mut Env<'_>,
    op: &Op,
    dwords: u16,
    unit: u32,
) -> StepResult {
    let (first, second) = offsets(op, unit);
    let done = match dwords {
        1 => read2_rows::<WIDTH, 1>(w, e, op, first, second),
        _ => read2_rows::<WIDTH, 2>(w, e, op, first, second),
    };
    if done {
        return Ok(());
    }
    read2_lanes(w, e, op, dwords, first, second)
}

/// Reads two elements of `N` registers.
#[inline(always)]
fn read2_rows<const WIDTH: usize, const N: usize>(
    w: &mut Wave,
    e: &Env<'_>,
    op: &Op,
    first: u32,
    second: u32,
) -> bool {
    // Both elements have the same pattern, so one check up to the farther one and one search for the pattern suffice.
    let (low, high) = (first.min(second), first.max(second));
    let apart = high - low;
    let Some(at) = span(w, &e.lds, op, low, apart + 4 * N as u32, 4) else {
        return false;
    };
    let pattern = Pattern::of::<N>(&at);
    let element = Element::Dwords(N as u16);
    let (vdst, lanes) = (usize::from(op.plan.vdst), w.exec());
    for (k, offset) in [first, second].into_iter().enumerate() {
        let words = e.lds.words().get((offset - low) as usize / 4..);
        let mut rows = CacheAligned([[0; LANES]; N]);
        pattern.gather::<WIDTH, N, _>(words.unwrap_or(&[]), &at, &mut rows);
        commit(w, vdst + N * k, lanes, element, &*rows);
    }
    true
}

/// Reads both elements of all lanes before it writes the first.
#[inline(never)]
fn read2_lanes(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    dwords: u16,
    first: u32,
    second: u32,
) -> StepResult {
    let (lanes, half) = (w.exec(), Element::Dwords(dwords));
    let (first, second) = (addresses(w, i, first), addresses(w, i, second));
    let (vdst, both) = (i.by_role(Role::Vdst), Element::Dwords(2 * dwords));
    transfer(w, e, vdst, lanes, both, Direction::Load, |_, e, rows| {
        let (low, high) = rows.split_at_mut(dwords.into());
        for l in each(lanes) {
            lane(&mut e.lds, low, first[l], l, half, Direction::Load)?;
            lane(&mut e.lds, high, second[l], l, half, Direction::Load)?;
        }
        Ok(())
    })
}

/// `ds_write2*` writes each lane's second element after its first.
pub fn write2(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16, unit: u32) -> StepResult {
    let (first, second) = offsets(i, unit);
    let (first, second) = (addresses(w, i, first), addresses(w, i, second));
    let element = Element::Dwords(dwords);
    let rows = |role| {
        let data = register(i.by_role(role));
        let row = |k: usize| w.v[(data + k) & 255];
        [row(0), row(1)]
    };
    let (mut low, mut high) = (rows(Role::Data), rows(Role::Data1));
    for l in each(w.exec()) {
        let write = Direction::Store;
        lane(&mut e.lds, &mut low, first[l], l, element, write)?;
        lane(&mut e.lds, &mut high, second[l], l, element, write)?;
    }
    Ok(())
}

/// `ds_*` atomics compute `f(memory, data0, data1)`. The old value goes to the destination, if there is one.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W + Copy,
) -> StepResult {
    let data = [Role::Data, Role::Data1].map(|role| register(i.by_role(role)));
    let (vdst, lanes) = (i.by_role(Role::Vdst).as_vgpr(), w.exec());
    staged(w, vdst, lanes, |w, old| {
        let at = addresses(w, i, i.offset as u32);
        for l in each(lanes) {
            old[l] = super::atomic::lds(w, &mut e.lds, data, at[l], l, f)?;
        }
        Ok(())
    })
}

/// Returns the base in M0.
pub fn m0_base(w: &Wave) -> u32 {
    w.scalar32(Code::M0, 0) & 0xffff
}

/// Returns the addresses of the lanes by their numbers: M0 plus the offset plus one dword per lane.
pub fn by_lane(w: &Wave, i: &Inst) -> Lanes {
    let base = m0_base(w) + i.offset as u32;
    each_lane(|lane| base + 4 * lane as u32)
}

/// `ds_read_addtid_b32` reads at addresses by lane.
pub fn read_addtid(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let (vdst, at) = (i.by_role(Role::Vdst), by_lane(w, i));
    lanes(w, e, vdst, &at, Element::Dwords(1), Direction::Load)
}

/// `ds_write_addtid_b32` writes at addresses by lane.
pub fn write_addtid(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let (data, at) = (i.by_role(Role::Data), by_lane(w, i));
    lanes(w, e, data, &at, Element::Dwords(1), Direction::Store)
}

/// `ds_append` and `ds_consume` change the counter at M0's base to `f(counter, number of enabled lanes)`, and every enabled lane gets the
/// old value.
pub fn count(w: &mut Wave, e: &mut Env<'_>, i: &Inst, f: impl Fn(u32, u32) -> u32) -> StepResult {
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
pub fn exchange2<W: Word>(w: &mut Wave, e: &mut Env<'_>, i: &Inst, unit: u32) -> StepResult {
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
) -> StepResult {
    let addr = register(i.by_role(Role::Addr));
    for l in each(w.exec()) {
        let (to, from) = both_places(i, w.v[addr][l]);
        let operand = update_lds(&mut e.lds, from, l, |x: W| x)?;
        update_lds(&mut e.lds, to, l, |memory| f(memory, operand))?;
    }
    Ok(())
}
