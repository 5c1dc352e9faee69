//! Scalar memory: loads of 1 to 16 dwords, from an address or through a buffer resource.

use super::super::handler::Outcome;
use super::super::wave::{Env, Wave};
use crate::isa::{Code, Flags, Inst};

fn offset(w: &Wave, i: &Inst) -> i64 {
    let immediate = i.offset as i64;
    let m = i.modifiers.flags;
    if m.has(Flags::SOFFSET) || !m.has(Flags::IMM) {
        let register = i
            .operands
            .get(2)
            .map_or(0, |&code| w.scalar32(code, i.literal));
        return register as i64 + if m.has(Flags::IMM) { immediate } else { 0 };
    }
    immediate
}

/// `s_load_dword*`: operands are destination, base and offset.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    let base = w.scalar64(i.operands[1], 0);
    let address = base.wrapping_add(offset(w, i) as u64) & !3;
    let region = e
        .memory
        .access(&mut e.last, None, address, dwords as u64 * 4, false)?;
    let at = address - region.base;
    for n in 0..dwords {
        let value = region.read32(at + 4 * n as u64);
        w.set_scalar32(Code(i.operands[0].0 + n), value);
    }
    Ok(())
}

/// `s_buffer_load_dword*`: as `load`, through a resource; beyond its records the result is 0.
pub fn buffer_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    let resource = super::mubuf::Resource::read(w, i.operands[1]);
    let start = (offset(w, i) as u64) & !3;
    for n in 0..dwords {
        let at = start + 4 * n as u64;
        let value = if at + 4 <= resource.bytes() {
            let address = resource.base.wrapping_add(at);
            let region = e.memory.access(&mut e.last, None, address, 4, false)?;
            region.read32(address - region.base)
        } else {
            0
        };
        w.set_scalar32(Code(i.operands[0].0 + n), value);
    }
    Ok(())
}

/// `s_store_dword*`: data, base, offset.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    let address = w
        .scalar64(i.operands[1], 0)
        .wrapping_add(offset(w, i) as u64)
        & !3;
    let region = e
        .memory
        .access(&mut e.last, None, address, dwords as u64 * 4, true)?;
    for n in 0..dwords {
        let value = w.scalar32(Code(i.operands[0].0 + n), 0);
        region.write(address - region.base + 4 * n as u64, 4, value);
    }
    Ok(())
}
