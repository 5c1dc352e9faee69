//! The halves of its sources that a half of an instruction's result depends on.
//!
//! Elements of two bytes travel in pairs. Shifts by 16, masks and packed instructions take them apart, so a register is followed by halves.

use crate::isa::{Form, Inst, Operand, Properties, Type, inline_constant};
use crate::machine::sources::number;

/// A set of halves of a register: bit 0 is the low one, bit 1 the high one.
pub(super) type Halves = u8;

/// Both halves.
pub(super) const BOTH: Halves = 3;

/// Returns the halves of an operand's registers on which a half of the result depends: half 0 or 1. `selector` is that of a byte
/// permutation, if all lanes have the same.
pub(super) fn halves(inst: &Inst, operand: &Operand, half: u16, selector: Option<u32>) -> Halves {
    if inst.has(Properties::LDS_LANE_EXCHANGE) {
        return 1 << half;
    }
    let Some(number) = number(operand.role) else {
        return BOTH;
    };
    let m = &inst.modifiers;
    let bit = |bits: u8| bits >> number & 1;
    if inst.form == Form::Sdwa && number < 2 {
        return match m.src_sel[number] {
            0 | 1 | 4 => 1,
            2 | 3 | 5 => 2,
            _ => BOTH,
        };
    }
    let own = match inst.row.mnemonic {
        "v_pack_b32_f16" => Some(1 << bit(m.op_sel)),
        "v_cvt_pkrtz_f16_f32" | "v_cvt_pk_u16_u32" | "v_cvt_pk_i16_i32" => Some(BOTH),
        "v_cvt_pknorm_i16_f32" | "v_cvt_pknorm_u16_f32" => Some(BOTH),
        _ => None,
    };
    if let Some(halves) = own {
        return if number == usize::from(half) {
            halves
        } else {
            0
        };
    }
    let result = inst.row.operands.first();
    let packed = result.is_some_and(|result| is_pair(result.ty));
    match operand.ty {
        ty if is_pair(ty) && packed => 1 << bit(if half == 0 { m.op_sel } else { m.op_sel_hi }),
        Type::Mix if bit(m.op_sel_hi) == 0 => BOTH,
        Type::Mix | Type::F16 | Type::B16 | Type::U16 | Type::I16 => 1 << bit(m.op_sel),
        _ => match (inst.row.mnemonic, selector) {
            ("v_perm_b32", Some(selector)) => permuted(selector, number, half),
            _ => by_bits(inst, number, half),
        },
    }
}

/// Returns the halves that a permutation of bytes takes from a source. Its selector names bytes 0 to 3 of source 1, then those of source 0.
fn permuted(selector: u32, number: usize, half: u16) -> Halves {
    let bytes = (selector >> (16 * half)).to_le_bytes();
    let taken = bytes[..2].iter().filter_map(|&byte| match byte {
        0..8 if usize::from(byte / 4) != number => Some(1 << (byte % 4 / 2)),
        // Signs of words, from the low one of source 1 on.
        8..12 if usize::from((byte - 8) / 2) != number => Some(1 << (byte & 1)),
        _ => None,
    });
    if number == 2 {
        0
    } else {
        taken.fold(0, |all, half: Halves| all | half)
    }
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::B16x2 | Type::U16x2 | Type::I16x2)
}

/// Returns the halves for an instruction on bits.
fn by_bits(inst: &Inst, number: usize, half: u16) -> Halves {
    let constant = |number: usize| constant(inst, number);
    let same = 1 << half;
    let name = inst.row.mnemonic;
    match (name, number) {
        ("v_lshlrev_b32", 1) => match constant(0) {
            Some(16..) => half as Halves,
            Some(_) if half == 0 => 1,
            _ => BOTH,
        },
        ("v_lshrrev_b32" | "v_ashrrev_i32", 1) => match constant(0) {
            Some(16..) => {
                if half == 0 || name == "v_ashrrev_i32" {
                    2
                } else {
                    0
                }
            }
            Some(_) if half == 1 => 2,
            _ => BOTH,
        },
        ("v_bfe_u32" | "v_bfe_i32", 0) => match (constant(1), constant(2)) {
            (Some(16..), _) => 2,
            (Some(first), Some(width)) if first + width <= 16 => 1,
            _ => BOTH,
        },
        ("v_and_b32", _) => match constant(1 - number) {
            Some(mask) if mask >> (16 * half) & 0xffff == 0 => 0,
            _ => same,
        },
        ("v_lshl_or_b32", 0) => match constant(1) {
            Some(16..) => half as Halves,
            _ => BOTH,
        },
        ("v_and_or_b32", 0 | 1) => match constant(1 - number) {
            Some(mask) if mask >> (16 * half) & 0xffff == 0 => 0,
            _ => same,
        },
        ("v_lshl_or_b32" | "v_and_or_b32", 2)
        | ("v_mov_b32" | "v_not_b32" | "v_or_b32" | "v_xor_b32" | "v_or3_b32" | "v_bfi_b32", _)
        | ("v_cndmask_b32" | "v_readlane_b32" | "v_readfirstlane_b32" | "v_writelane_b32", _) => {
            same
        }
        ("v_alignbit_b32", 0 | 1) if constant(2) == Some(16) => match (number, half) {
            (0, 1) => 1,
            (1, 0) => 2,
            _ => 0,
        },
        _ => BOTH,
    }
}

/// Returns the value of a source, if it is a constant.
fn constant(inst: &Inst, number: usize) -> Option<u32> {
    let mut operands = inst.row.operands.iter().zip(&inst.operands);
    let (_, code) = operands
        .find(|(operand, _)| crate::machine::sources::number(operand.role) == Some(number))?;
    inline_constant(code.0, inst.literal)
}

/// Returns true if a result changes a half, and true if it also keeps bits of it. `stay` has the bits that keep their value.
pub(super) fn changes(stay: Option<u32>, half: u16) -> (bool, bool) {
    let stay = stay.unwrap_or(0) >> (16 * half) & 0xffff;
    (stay != 0xffff, stay != 0)
}
