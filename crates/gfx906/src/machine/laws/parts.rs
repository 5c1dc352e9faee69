//! Instructions that stand for modifiers: before an instruction for its sources, behind it for its result.

use super::asm::{clamped, number, op, with_literal};
use super::encode::Draft;
use super::modifier;
use super::state::MachineState;
use crate::isa::{Access, Code, Encoding, Flags, Form, Modifiers, Operand, Type};

/// VGPRs for the modified sources (pairs of registers), for the result, and for parts of it.
pub const SOURCES: [u16; 3] = [256 + 200, 256 + 202, 256 + 204];
pub const RESULT: Code = Code(256 + 210);
const PART: [Code; 2] = [Code(256 + 206), Code(256 + 207)];
/// An SGPR with the mask of v_bfi.
const MASK: Code = Code(60);

/// Removes the modifiers that separate instructions have applied.
pub fn strip(bare: &mut Draft) {
    let i = &mut bare.inst;
    let m = &mut i.modifiers;
    (m.neg, m.abs, m.neg_hi, m.sext) = (0, 0, 0, 0);
    match (i.encoding, i.form) {
        (Encoding::Vop3p, _) => {
            m.op_sel = 0;
            m.op_sel_hi = if i.row.modifiers.has(Flags::MIX) {
                0
            } else {
                modifier::sources(i.row)
            };
        }
        (_, Form::Sdwa) => {
            let select = |n: usize| {
                if m.src_sel[n] == 0 && n == 1 && i.encoding == Encoding::Vop1 {
                    0
                } else {
                    6
                }
            };
            m.src_sel = [select(0), select(1)];
        }
        _ => m.op_sel &= 8,
    }
}

/// Returns the instructions that apply the modifiers of a source.
pub fn before(
    from: Code,
    to: Code,
    m: &Modifiers,
    draft: &Draft,
    operand: &Operand,
    source: usize,
) -> Vec<u32> {
    let i = &draft.inst;
    let bit = |mask: u8| mask >> source & 1 != 0;
    let mut words = op("v_mov_b32", &[to, from]);
    let last = Code(to.0 + operand.ty.registers() as u16 - 1);
    if operand.ty.registers() == 2 {
        words.extend(op("v_mov_b32", &[last, Code(from.0 + 1)]));
    }
    if i.encoding == Encoding::Vop3p {
        if i.row.modifiers.has(Flags::MIX) {
            if bit(m.op_sel_hi) {
                words.extend(half(to, to, bit(m.op_sel)));
                words.extend(op("v_cvt_f32_f16", &[to, to]));
            }
            words.extend(signs(to, 0x8000_0000, bit(m.neg_hi), bit(m.neg)));
        } else if is_pair(operand.ty) {
            words.extend(half(PART[0], to, bit(m.op_sel)));
            words.extend(half(PART[1], to, bit(m.op_sel_hi)));
            words.extend(op("v_lshl_or_b32", &[to, PART[1], number(16), PART[0]]));
            let flip = u32::from(bit(m.neg)) << 15 | u32::from(bit(m.neg_hi)) << 31;
            words.extend(with_literal("v_xor_b32", to, flip, to));
        } else {
            words.extend(signs(to, 0x8000_0000, false, bit(m.neg)));
        }
        return words;
    }
    if i.form == Form::Sdwa && source < 2 {
        let name = if bit(m.sext) {
            "v_bfe_i32"
        } else {
            "v_bfe_u32"
        };
        let (shift, width) = part(m.src_sel[source]);
        if width < 32 {
            words.extend(op(name, &[to, to, number(shift), number(width)]));
        }
    } else if is_half(operand.ty) && i.form != Form::Dpp && bit(m.op_sel) {
        words.extend(op("v_lshrrev_b32", &[to, number(16), to]));
    }
    let sign = if is_half(operand.ty) {
        0x8000
    } else {
        0x8000_0000
    };
    words.extend(signs(last, sign, bit(m.abs), bit(m.neg)));
    words
}

/// Returns the first bit and the width of an SDWA select.
fn part(select: u8) -> (u32, u32) {
    match select {
        0..=3 => (8 * u32::from(select), 8),
        4 | 5 => (16 * (u32::from(select) - 4), 16),
        _ => (0, 32),
    }
}

fn half(to: Code, from: Code, high: bool) -> Vec<u32> {
    op(
        "v_bfe_u32",
        &[to, from, number(if high { 16 } else { 0 }), number(16)],
    )
}

fn signs(register: Code, sign: u32, abs: bool, neg: bool) -> Vec<u32> {
    let mut words = Vec::new();
    if abs {
        words.extend(with_literal("v_and_b32", register, !sign, register));
    }
    if neg {
        words.extend(with_literal("v_xor_b32", register, sign, register));
    }
    words
}

/// Returns the instructions that make the destination from the bare result, and removes their effects from the bare instruction.
pub fn behind(draft: &Draft, bare: &mut Draft, ready: &mut MachineState) -> Vec<u32> {
    let i = &draft.inst;
    let ty = i.row.operands[0].ty;
    let vdst = i.operands[0];
    let keeps = i.row.operands[0].access == Access::ReadWrite;
    let mut words = Vec::new();
    let mixed = i.row.modifiers.has(Flags::MIX) && ty == Type::F16;
    if let Some(float) = float(ty).filter(|_| !mixed) {
        let m = &mut bare.inst.modifiers;
        // Pairs have no multiplier.
        let multiplied = m.omod != 0 && ty != Type::F16x2;
        if multiplied && !keeps_subnormals(ty, ready.mode) {
            // The constants 2.0, 4.0 and 0.5.
            let factor = Code([244, 246, 240][usize::from(m.omod) - 1]);
            words.extend(op(&format!("v_mul_{float}"), &[RESULT, factor, RESULT]));
        }
        if ty != Type::F16x2 {
            m.omod = 0;
        }
        if i.modifiers.flags.has(Flags::CLAMP) {
            m.flags = Flags(m.flags.0 & !Flags::CLAMP.0);
            let max = if ty == Type::F16x2 {
                "v_pk_max_f16".to_owned()
            } else {
                format!("v_max_{float}")
            };
            words.extend(clamped(&max, RESULT));
        }
    }
    let high = keeps && is_half(ty) && i.modifiers.op_sel & 8 != 0;
    if i.form == Form::Sdwa {
        let (shift, width) = part(i.modifiers.dst_sel);
        let unused = i.modifiers.dst_unused;
        let name = if unused == 1 {
            "v_bfe_i32"
        } else {
            "v_bfe_u32"
        };
        if width < 32 {
            words.extend(op(name, &[RESULT, RESULT, number(0), number(width)]));
            words.extend(op("v_lshlrev_b32", &[RESULT, number(shift), RESULT]));
        }
        let m = &mut bare.inst.modifiers;
        (m.dst_sel, m.dst_unused) = (6, 0);
        if unused == 2 && width < 32 {
            ready.s[60] = ((1 << width) - 1) << shift;
            words.extend(op("v_bfi_b32", &[vdst, MASK, RESULT, vdst]));
            return words;
        }
    } else if high {
        bare.inst.modifiers.op_sel &= 7;
        ready.s[60] = 0xffff_0000;
        words.extend(op("v_lshlrev_b32", &[RESULT, number(16), RESULT]));
        words.extend(op("v_bfi_b32", &[vdst, MASK, RESULT, vdst]));
        return words;
    } else if keeps && is_half(ty) && i.encoding != Encoding::Vop3p {
        // The instructions for the result clear its other half.
        ready.s[60] = 0xffff;
        words.extend(op("v_bfi_b32", &[vdst, MASK, RESULT, vdst]));
        return words;
    }
    for k in 0..ty.registers() as u16 {
        words.extend(op("v_mov_b32", &[Code(vdst.0 + k), Code(RESULT.0 + k)]));
    }
    words
}

/// Returns the suffix of a float type's arithmetic.
pub fn float(ty: Type) -> Option<&'static str> {
    match ty {
        Type::F16 | Type::F16x2 => Some("f16"),
        Type::F32 => Some("f32"),
        Type::F64 => Some("f64"),
        _ => None,
    }
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::I16 | Type::U16 | Type::B16)
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::I16x2 | Type::U16x2 | Type::B16x2)
}

/// Returns true if MODE keeps subnormal results of a type. The output multiplier is then ignored.
pub fn keeps_subnormals(ty: Type, mode: u32) -> bool {
    mode >> (if ty == Type::F32 { 5 } else { 7 }) & 1 != 0
}

/// Makes zeros positive, as the multiplier does.
pub fn positive_zeros(state: &mut MachineState, draft: &Draft, exec: u64) {
    let i = &draft.inst;
    let ty = i.row.operands[0].ty;
    let first = usize::from(i.operands[0].as_vgpr().expect("a vector destination"));
    let last = first + ty.registers() - 1;
    let shift = match i.modifiers.dst_sel {
        select if i.form == Form::Sdwa => part(select).0,
        _ if i.modifiers.op_sel & 8 != 0 => 16,
        _ => 0,
    };
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let value = &mut state.v[last][l];
        if ty == Type::F16 {
            if *value >> shift & 0xffff == 0x8000 {
                *value &= !(0x8000 << shift);
            }
        } else if *value == 0x8000_0000 && (last == first || state.v[first][l] == 0) {
            state.v[last][l] = 0;
        }
    }
}
