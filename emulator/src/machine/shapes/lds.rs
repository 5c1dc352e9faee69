//! LDS instructions: one or two addresses a lane, atomics, and the lane exchanges that share the encoding.

use super::super::handler::Outcome;
use super::super::lds::Lds;
use super::super::op::Op;
use super::super::trap::Fault;
use super::super::wave::{Env, LANES, Lanes, Wave};
use super::atomic::{Word, staged};
use super::gather::{gather, is_run};
use super::transfer::{Direction, Element, each, transfer};
use crate::isa::{Code, Inst, Role};

/// The VGPR that an operand names.
pub fn register(code: Code) -> usize {
    code.as_vgpr().unwrap_or(0) as usize
}

/// The byte addresses of the lanes.
#[inline(always)]
fn addresses(w: &Wave, i: &Inst, offset: u32) -> Lanes {
    w.v[register(i.by_role(Role::Addr))].map(|at| at.wrapping_add(offset))
}

/// The byte address of a lane.
#[inline(always)]
fn address(w: &Wave, i: &Inst, lane: usize, offset: u32) -> u32 {
    w.v[register(i.by_role(Role::Addr))][lane].wrapping_add(offset)
}

/// Moves an element of one lane between rows and an address of LDS.
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

/// Moves an element of each lane that is on between the registers from `first` on and its address.
#[inline(never)]
pub fn lanes(
    w: &mut Wave,
    e: &mut Env<'_>,
    register: Code,
    at: &Lanes,
    element: Element,
    direction: Direction,
) -> Outcome {
    let lanes = w.exec();
    transfer(w, e, register, lanes, element, direction, |_, e, rows| {
        for l in each(lanes) {
            lane(&mut e.lds, rows, at[l], l, element, direction)?;
        }
        Ok(())
    })
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
    let at = addresses(w, op, op.offset as u32);
    lanes(w, e, op.by_role(Role::Vdst), &at, element, Direction::Load)
}

/// `ds_write_*` of one address.
#[inline(always)]
pub fn write(w: &mut Wave, e: &mut Env<'_>, op: &Op, element: Element) -> Outcome {
    if let Element::Dwords(n) = element
        && store_dwords(w, &mut e.lds, op, op.plan.data.into(), op.offset as u32, n)
    {
        return Ok(());
    }
    let at = addresses(w, op, op.offset as u32);
    lanes(w, e, op.by_role(Role::Data), &at, element, Direction::Store)
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

/// Both elements are read before the first is written.
#[inline(never)]
fn read2_lanes(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    dwords: u16,
    first: u32,
    second: u32,
) -> Outcome {
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

/// `ds_write2*`: each lane's second element is written behind its first.
pub fn write2(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16, unit: u32) -> Outcome {
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

/// `ds_*` atomics: `f(memory, data0, data1)`; the old value goes to the destination where there is one.
pub fn atomic<W: Word>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W + Copy,
) -> Outcome {
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

/// The lane that lane `l` reads by a swizzle pattern.
fn swizzled(pattern: usize, l: usize) -> usize {
    let (low, middle, high) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
    let within = l & 31;
    l & 32
        | match pattern {
            0xe000.. => {
                ((within as u8).reverse_bits() >> 3) as usize >> low.count_ones() | within & low
            }
            0xc000.. => {
                let turn = if high & 1 != 0 { 32 - middle } else { middle };
                within & low | (within + turn) & 31 & !low
            }
            0x8000.. => within & !3 | pattern >> (2 * (within & 3)) & 3,
            _ => ((within & low) | middle) ^ high,
        }
}

/// `ds_swizzle_b32`: the pattern in the offset says which lane of its group each lane reads; lanes that are off read as 0.
pub fn swizzle(w: &mut Wave, i: &Inst) -> Outcome {
    let exec = w.exec();
    let pattern = i.offset as u32 as usize;
    let data = w.v[register(i.by_role(Role::Addr))];
    let values: [u32; LANES] = std::array::from_fn(|l| {
        let from = swizzled(pattern, l);
        if exec >> from & 1 != 0 { data[from] } else { 0 }
    });
    super::write_lanes(w, register(i.by_role(Role::Vdst)), exec, &values);
    Ok(())
}
