//! Private memory that all lanes access at one offset, as with registers that a compiler spills. The 64 dwords are then adjacent.

use super::super::env::Env;
use super::super::memory::PRIVATE_BASE;
use super::super::registers::LANES;
use super::super::wave::Wave;
use super::addresses::place;
use super::element::{Direction, Element};
use super::resource::Resource;
use super::transfer;
use crate::isa::{Code, Encoding, Flags, Inst, Role};

/// Returns the value of a register, if all enabled lanes have the same.
#[inline(always)]
fn uniform(w: &mut Wave, register: usize) -> Option<u32> {
    let lane = w.exec().trailing_zeros() as usize % LANES;
    w.prepare_mask(w.exec());
    let first = w.v[register][lane];
    let values = w.v[register].iter().zip(w.prepared_mask(w.exec()));
    let differs = values.fold(0, |differs, (value, on)| differs | (value ^ first) & on);
    (differs == 0).then_some(first)
}

/// Moves an element that all lanes have at one offset of their private memory, which begins at `start` for lane 0. Returns false if only
/// the general method applies.
#[inline(always)]
pub fn transfer(
    w: &mut Wave,
    e: &mut Env<'_>,
    register: usize,
    (start, offset): (u64, u32),
    element: Element,
    direction: Direction,
) -> bool {
    let (lanes, (parts, part)) = (w.exec(), element.parts());
    if u64::from(offset & 3) + part.bytes() > 4 {
        return false;
    }
    let address = |k: usize| place(start, u64::from(offset).wrapping_add(4 * k as u64), 0);
    if direction == Direction::Store {
        return (0..usize::from(parts)).all(|k| {
            let mut row = part.stored(&w.v[(register + k) & 255]);
            transfer::side_by_side(e, &mut row, address(k), lanes, part, direction)
        });
    }
    if element == Element::Dwords(1) && lanes == !0 {
        let row = &mut w.v[register & 255];
        return transfer::side_by_side(e, row, address(0), lanes, part, direction);
    }
    if parts == 1 {
        let mut row = [[0; LANES]];
        return transfer::side_by_side(e, &mut row[0], address(0), lanes, part, direction) && {
            transfer::commit(w, register, lanes, element, &row);
            true
        };
    }
    let mut rows = [[0; LANES]; 4];
    let mut found = rows.iter_mut().take(parts.into()).enumerate();
    found.all(|(k, row)| transfer::side_by_side(e, row, address(k), lanes, part, direction)) && {
        transfer::commit(w, register, lanes, element, &rows);
        true
    }
}

/// Returns, for an instruction on scratch whose lanes share one offset, the start of lane 0's private memory and that offset.
#[inline(always)]
pub fn of_buffer(w: &mut Wave, i: &Inst, bytes: u64) -> Option<(u64, u32)> {
    let resource = Resource::read(w, i.by_role(Role::Sbase));
    let flags = i.modifiers.flags;
    if !resource.is_scratch() || flags.has(Flags::IDXEN) || resource.records < bytes {
        return None;
    }
    let register = if flags.has(Flags::OFFEN) {
        uniform(w, i.by_role(Role::Addr).as_vgpr()?.into())?
    } else {
        0
    };
    let soffset = w.scalar32(i.by_role(Role::Soffset), i.literal);
    let start = resource.base.wrapping_add(soffset.into());
    Some((start, (i.offset as u32).wrapping_add(register)))
}

/// Returns the offset of a flat or scratch instruction in private memory, if all lanes have the same.
#[inline(always)]
pub fn of_flat(w: &mut Wave, i: &Inst) -> Option<u32> {
    let offset = i.offset as u32;
    let addr = i.by_role(Role::Addr).as_vgpr().map(usize::from);
    let register = match (i.encoding, i.by_role(Role::Sbase), addr) {
        (Encoding::Scratch, Code::OFF, Some(v)) => uniform(w, v)?,
        (Encoding::Scratch, Code::OFF, None) => 0,
        (Encoding::Scratch, base, _) => w.scalar32(base, 0),
        (Encoding::Flat, _, Some(v)) => {
            let high = (PRIVATE_BASE >> 32) as u32;
            let low = (uniform(w, (v + 1) & 255)? == high)
                .then(|| uniform(w, v))
                .flatten()?;
            // The sum stays in the aperture.
            low.checked_add_signed(i.offset)?;
            low
        }
        _ => return None,
    };
    Some(register.wrapping_add(offset))
}
