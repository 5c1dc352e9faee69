//! Registers selected by an index in M0, and the switch that skips vector instructions.
//!
//! `M0[7:0]` is the index. While `MODE[27]` is set, `M0[15:12]` selects the VGPR operands to which it is added: src0, src1, src2,
//! destination.

use super::super::trap::StepResult;
use super::super::trap::{Fault, TrapKind};
use super::super::wave::Wave;
use crate::isa::{Code, Inst, Role};
use crate::semantics::Mode;

/// Number of SGPRs of a wave.
const SGPRS: usize = 102;

fn set_m0(w: &mut Wave, mask: u32, value: u32) {
    let old = w.scalar32(Code::M0, 0);
    w.set_scalar32(Code::M0, old & !mask | value & mask);
}

/// s_set_gpr_idx_on sets index and operands, and starts indexing.
pub fn on(w: &mut Wave, i: &Inst) -> StepResult {
    let index = w.scalar32(i.operands[0], i.literal);
    set_m0(
        w,
        0xf0ff,
        index & 0xff | u32::from(i.operands[1].0 & 15) << 12,
    );
    w.set_mode_bits(w.mode_bits() | Mode::INDEXED);
    Ok(())
}

/// s_set_gpr_idx_off ends indexing.
pub fn off(w: &mut Wave) -> StepResult {
    w.set_mode_bits(w.mode_bits() & !Mode::INDEXED);
    Ok(())
}

/// s_set_gpr_idx_idx sets another index.
pub fn index(w: &mut Wave, i: &Inst) -> StepResult {
    let index = w.scalar32(i.operands[0], i.literal);
    set_m0(w, 0xff, index);
    Ok(())
}

/// s_set_gpr_idx_mode selects other operands.
pub fn mode(w: &mut Wave, operands: u32) -> StepResult {
    set_m0(w, 0xf000, operands << 12);
    Ok(())
}

/// s_setvskip copies the bit of the first source with the number in the second source to the mode.
pub fn set_vskip(w: &mut Wave, i: &Inst) -> StepResult {
    let [bits, number] = [0, 1].map(|n| w.scalar32(i.operands[n], i.literal));
    let skipped = if bits >> (number & 31) & 1 != 0 {
        Mode::SKIPPED
    } else {
        0
    };
    w.set_mode_bits(w.mode_bits() & !Mode::SKIPPED | skipped);
    Ok(())
}

/// Returns a vector instruction with M0's index added to the VGPRs that M0 selects, or `None` if the instruction has no effect.
///
/// An index may lead out of the kernel's registers: a destination there is not written, and a source there reads as VGPR 0. Compilers rely
/// on this: they write at an index first, and drop the result if a bounds check fails.
pub fn indexed(w: &Wave, i: &Inst) -> Option<Inst> {
    let m0 = w.scalar32(Code::M0, 0);
    let mut indexed = *i;
    for (code, operand) in indexed.operands.iter_mut().zip(i.row.operands) {
        let bit = match operand.role {
            Role::Src0 => 12,
            Role::Src1 => 13,
            Role::Src2 => 14,
            Role::Vdst => 15,
            _ => continue,
        };
        let Some(register) = code.as_vgpr().filter(|_| m0 >> bit & 1 != 0) else {
            continue;
        };
        let first = usize::from(register) + (m0 & 0xff) as usize;
        let inside = first + operand.ty.registers() <= usize::from(w.vgprs());
        *code = match operand.role {
            _ if inside => Code::vgpr(first as u8),
            Role::Vdst => return None,
            _ => Code::vgpr(0),
        };
    }
    Some(indexed)
}

/// Returns the SGPR that lies M0 registers behind an operand's register.
fn relative(w: &Wave, code: Code, count: usize) -> Result<Code, Fault> {
    let register = u64::from(code.0) + u64::from(w.scalar32(Code::M0, 0));
    if register + count as u64 > SGPRS as u64 {
        let register = format!(
            "s{} (a wave has {SGPRS} SGPRs)",
            register + count as u64 - 1
        );
        return Err(Fault::new(TrapKind::RegisterOutOfRange { register }));
    }
    Ok(Code(register as u16))
}

/// s_movrels copies from an indexed source.
pub fn movrels(w: &mut Wave, i: &Inst, registers: usize) -> StepResult {
    let from = relative(w, i.operands[1], registers)?;
    copy(w, i, i.operands[0], from, registers)
}

/// s_movreld copies to an indexed destination.
pub fn movreld(w: &mut Wave, i: &Inst, registers: usize) -> StepResult {
    let to = relative(w, i.operands[0], registers)?;
    copy(w, i, to, i.operands[1], registers)
}

fn copy(w: &mut Wave, i: &Inst, to: Code, from: Code, registers: usize) -> StepResult {
    if registers == 2 {
        w.set_scalar64(to, w.scalar64(from, i.literal));
    } else {
        w.set_scalar32(to, w.scalar32(from, i.literal));
    }
    Ok(())
}
