//! Transfers between a wave's registers and memory, with one address per lane.

use super::super::env::Env;
use super::super::memory::Hint;
use super::super::registers::{LANES, Lanes};
use super::super::single::{store8, store16, store32};
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::{Addresses, each};
use super::element::{Direction, Element};
use super::gather::{load_run, store_run};
use super::span::{AccessRequirements, Sum, move_lane, span};
use crate::isa::Code;

/// Data in transit: a row of lanes for each dword of an element.
pub type Rows = [Lanes; 4];

/// Moves an element of each lane of `lanes` between the registers from `register` on and the memory that `by` accesses.
///
/// `by` reads the wave and cannot write it. All addresses of an access are therefore computed before its first write, and a load that
/// faults changes no register.
#[inline(always)]
pub fn transfer(
    w: &mut Wave,
    e: &mut Env<'_>,
    register: Code,
    lanes: u64,
    element: Element,
    direction: Direction,
    by: impl FnOnce(&Wave, &mut Env<'_>, &mut Rows) -> StepResult,
) -> StepResult {
    let Some(first) = register.as_vgpr().map(usize::from) else {
        return Ok(());
    };
    let mut rows = [[0; LANES]; 4];
    if direction == Direction::Store {
        let (dwords, _) = element.parts();
        for (row, register) in rows.iter_mut().zip(&w.v[first..][..dwords.into()]) {
            *row = element.stored(register);
        }
    }
    by(w, e, &mut rows)?;
    if direction == Direction::Load {
        commit(w, first, lanes, element, &rows);
    }
    Ok(())
}

/// A memory access with its address.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    /// Allocation that the last execution used.
    pub hint: &'a Hint,
    /// First register of the data.
    pub register: usize,
    /// Lanes that access memory. Other enabled lanes load 0.
    pub lanes: u64,
    /// Element that each lane moves.
    pub element: Element,
    /// Direction of the data.
    pub direction: Direction,
    /// Addresses of the lanes.
    pub at: Sum,
}

impl Access<'_> {
    /// Runs the access, if one allocation holds all of it, aligned. Returns false if only the general method applies.
    #[inline(always)]
    pub fn at_once<const WIDTH: usize>(self, w: &mut Wave, e: &mut Env<'_>) -> bool {
        match self.element {
            Element::Dwords(2) => self.rows::<WIDTH, 2>(w, e),
            Element::Dwords(3) => self.rows::<WIDTH, 3>(w, e),
            Element::Dwords(4) => self.rows::<WIDTH, 4>(w, e),
            _ => self.rows::<WIDTH, 1>(w, e),
        }
    }

    /// Runs the access for an element in `N` registers.
    #[inline(always)]
    fn rows<const WIDTH: usize, const N: usize>(self, w: &mut Wave, e: &mut Env<'_>) -> bool {
        let Access {
            register,
            lanes,
            element,
            direction,
            ..
        } = self;
        w.prepare_mask(lanes);
        let mask = w.prepared_mask(lanes);
        let need = AccessRequirements::of(element, direction);
        let Some(span) = self.at.span(w, e, self.hint, mask, (lanes, need)) else {
            return false;
        };
        match direction {
            Direction::Load => {
                let mut rows = span.load::<WIDTH, N>(element);
                if lanes != w.exec() {
                    for row in rows.iter_mut() {
                        row.iter_mut()
                            .zip(mask)
                            .for_each(|(value, on)| *value &= on);
                    }
                }
                commit(w, register, w.exec(), element, &*rows);
            }
            Direction::Store => {
                let rows = std::array::from_fn(|k| &w.v[register + k]);
                span.store::<WIDTH, N>(rows, lanes, element);
            }
        }
        true
    }
}

/// Writes loaded data to the registers from `first` on.
#[inline(always)]
pub fn commit(w: &mut Wave, first: usize, lanes: u64, element: Element, rows: &[Lanes]) {
    let (dwords, part) = element.parts();
    for (k, row) in rows.iter().enumerate().take(dwords.into()) {
        if part == Element::Dwords(1) {
            w.write_lanes(first + k, lanes, row);
        } else {
            let values = part.loaded(row, &w.v[first + k]);
            w.write_lanes(first + k, lanes, &values);
        }
    }
}

/// Moves an element of each lane of `lanes` between rows and the memory at its address.
#[inline(always)]
pub fn memory(
    e: &mut Env<'_>,
    rows: &mut [Lanes],
    addresses: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> StepResult {
    if lanes == 0 {
        return Ok(());
    }
    let need = AccessRequirements {
        align: 1,
        ..AccessRequirements::of(element, direction)
    };
    match span(e, addresses, lanes, need) {
        Some(span) => {
            span.each_lane(rows, lanes, element, direction);
            Ok(())
        }
        None => scattered(e, rows, addresses, lanes, element, direction),
    }
}

/// Moves lanes that no single allocation covers.
#[cold]
#[inline(never)]
fn scattered(
    e: &mut Env<'_>,
    rows: &mut [Lanes],
    addresses: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> StepResult {
    let write = direction == Direction::Store;
    for l in each(lanes) {
        let region = e.access(Some(l as u32), addresses[l], element.bytes(), write)?;
        let at = region.offset(addresses[l]);
        move_lane(region, at, rows, l, element, direction);
    }
    Ok(())
}

/// Moves 64 adjacent dwords from an address on, or a narrower part of each at the same bytes, for the enabled lanes. Returns false if the
/// dwords do not all exist.
#[inline(always)]
pub fn side_by_side(
    e: &mut Env<'_>,
    row: &mut Lanes,
    address: u64,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> bool {
    let first = address & !3;
    let Some(region) = e.memory.find(&mut e.last, first, 4 * LANES as u64) else {
        return false;
    };
    let Some(words) = region.words_at(region.offset(first)).get(..LANES) else {
        return false;
    };
    let at = (address & 3) as usize;
    if direction == Direction::Load {
        load_run::<16, 1>(words, std::array::from_mut(row));
        row.iter_mut().for_each(|value| *value >>= 8 * at);
        return true;
    }
    if !region.writable {
        return false;
    }
    e.stored = true;
    match element.bytes() {
        1 => each(lanes).for_each(|l| store8(&words[l], at, row[l] as u8)),
        2 if at == 1 => return false,
        2 => each(lanes).for_each(|l| store16(&words[l], at, row[l] as u16)),
        _ if lanes == !0 => store_run::<16, 1>(words, [row]),
        _ => each(lanes).for_each(|l| store32(&words[l], row[l])),
    }
    true
}
