//! Transfers between memory and LDS without VGPRs. The lanes have consecutive dwords of LDS, from the byte address in `M0[15:0]` plus the
//! instruction's offset on.

use super::super::env::Env;
use super::super::registers::LANES;
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::{Addresses, each};
use super::element::Element;
use super::{flat, mubuf, typed};
use crate::isa::{Code, Encoding, Flags, Inst, Properties, Type};

/// Returns the LDS address of a lane.
pub fn place(w: &Wave, i: &Inst, lane: usize) -> u32 {
    let base = w.scalar32(Code::M0, 0) & 0xffff;
    base.wrapping_add_signed(i.offset)
        .wrapping_add(4 * lane as u32)
}

/// Runs a load with the `lds` modifier. It loads at most a dword, and a narrower value is extended to a dword.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let values = if i.has(Properties::FORMATTED) {
        typed::first_components(w, e, i)?
    } else {
        untyped(w, e, i)?
    };
    for l in each(w.exec()) {
        e.lds
            .write(l as u32, place(w, i, l), values[l].to_le_bytes())?;
    }
    Ok(())
}

fn untyped(w: &Wave, e: &mut Env<'_>, i: &Inst) -> Result<[u32; LANES], super::super::trap::Stop> {
    let element = match i.row.operands[0].ty {
        Type::U8 => Element::U8,
        Type::I8 => Element::I8,
        Type::U16 => Element::U16,
        Type::I16 => Element::I16,
        _ => Element::Dwords(1),
    };
    let (addresses, inside) = addresses(w, i, element);
    let mut values = [0; LANES];
    for l in each(w.exec() & inside) {
        let lane = Some(l as u32);
        let region = e.access(lane, addresses[l], element.bytes(), false)?;
        values[l] = element.load(region.read32(region.offset(addresses[l])), 0);
    }
    Ok(values)
}

/// Returns the addresses that the lanes load from, and the mask of lanes within their resource.
fn addresses(w: &Wave, i: &Inst, element: Element) -> (Addresses, u64) {
    match i.encoding {
        Encoding::Global => (flat::global(w, i), !0),
        Encoding::Scratch => (flat::swizzle(w, &flat::private(w, i), 0), !0),
        _ => mubuf::addresses(w, i, 0, element.bytes()),
    }
}

/// buffer_store_lds_dword stores LDS to memory.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    debug_assert!(i.modifiers.flags.has(Flags::LDS));
    let (addresses, inside) = mubuf::addresses(w, i, 0, 4);
    for l in each(w.exec() & inside) {
        let value = u32::from_le_bytes(e.lds.read(l as u32, place(w, i, l))?);
        let region = e.access(Some(l as u32), addresses[l], 4, true)?;
        region.write(region.offset(addresses[l]), 4, value);
    }
    Ok(())
}
