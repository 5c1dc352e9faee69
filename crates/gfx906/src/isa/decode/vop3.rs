//! Decoder of VOP3, which also carries the 64-bit forms of VOP1, VOP2, VOPC and VINTRP, and of VOP3P.

use super::operand::{scalar, scalar_register, source, vgprs};
use super::{
    DecodeError, Words, bit, bits, instruction, require, require_field, row, set_operands,
};
use crate::isa::{Access, Code, Encoding, Flags, Form, Inst, Operand, Role, Row, Type};

// First VOP3 opcodes of the rows of VOP2, VOP1, VOP3 itself and VINTRP. The rows of VOPC begin at 0.
const VOP2: u16 = 0x100;
const VOP1: u16 = 0x140;
const OWN: u16 = 0x1c0;
const VINTRP: u16 = 0x270;

/// Finds the row of a VOP3 opcode, and the encoding and form under which the table lists it.
fn find_row(opcode: u16) -> Result<(&'static Row, Encoding, Form), DecodeError> {
    let (encoding, opcode, form) = match opcode {
        0..VOP2 => (Encoding::Vopc, opcode, Form::E64),
        VOP2..VOP1 => (Encoding::Vop2, opcode - VOP2, Form::E64),
        VOP1..OWN => (Encoding::Vop1, opcode - VOP1, Form::E64),
        VINTRP..0x274 => (Encoding::Vintrp, opcode - VINTRP, Form::E64),
        _ => (Encoding::Vop3, opcode, Form::Native),
    };
    let row = row(encoding, opcode)?;
    require(row.has_form(encoding, form))?;
    Ok((row, encoding, form))
}

pub(super) fn vop3(words: Words) -> Result<Inst, DecodeError> {
    let (row, encoding, form) = find_row(bits(words.first, 16, 10))?;
    let q = words.both()?;
    let mut inst = instruction(words, row, encoding, form, 8);
    // A second destination replaces the abs bits.
    let has_sdst = has_second_destination(row, encoding);
    let used = used_fields(row, encoding);
    require_unused(q, used)?;
    require(encoding != Encoding::Vintrp || !bit(q, 40))?;
    decode_modifiers(&mut inst, q, has_sdst, used)?;
    let dst = bits(q, 0, 8);
    require(dst == 0 || !row.operands.is_empty())?;
    set_operands(&mut inst, |operand| match (operand.role, operand.ty) {
        (Role::Vdst, ty) => vgprs(dst, ty),
        (Role::Sdst, ty) if has_sdst => scalar_register(bits(q, 8, 7), ty),
        (Role::Sdst, ty) => reject_literal(scalar(dst, ty)?),
        (Role::Vcc, ty) if encoding == Encoding::Vopc => reject_literal(scalar(dst, ty)?),
        (Role::Vcc, ty) if operand.access == Access::Write => scalar_register(bits(q, 8, 7), ty),
        (Role::Attr, _) => Ok(Code(bits(q, 32, 6) << 2 | bits(q, 38, 2))),
        (_, Type::Param) => Ok(Code(bits(q, 41, 9))),
        (role, ty) => reject_literal(source(
            bits(q, 32 + 9 * source_field(role, encoding), 9),
            ty,
        )?),
    })?;
    Ok(inst)
}

/// Returns the number of the source field that holds an operand.
fn source_field(role: Role, encoding: Encoding) -> u32 {
    match role {
        // The attribute of an interpolation is in the first source field.
        Role::Src0 if encoding == Encoding::Vintrp => 1,
        Role::Src0 | Role::Attr => 0,
        Role::Src1 => 1,
        _ => 2,
    }
}

/// Returns the source fields that the row's operands use, as a mask.
fn used_fields(row: &Row, encoding: Encoding) -> u8 {
    let is_source = |operand: &&Operand| match operand.role {
        Role::Src0 | Role::Src1 | Role::Src2 | Role::Attr => true,
        Role::Vcc => operand.access == Access::Read,
        _ => false,
    };
    row.operands
        .iter()
        .filter(is_source)
        .fold(0, |mask, operand| {
            mask | 1 << source_field(operand.role, encoding)
        })
}

/// Requires zeros in the source fields that no operand uses.
fn require_unused(q: u64, used: u8) -> Result<(), DecodeError> {
    require((0..3).all(|field| used >> field & 1 != 0 || bits(q, 32 + 9 * field, 9) == 0))
}

/// Returns true if bits 8..=14 name a scalar destination.
fn has_second_destination(row: &Row, encoding: Encoding) -> bool {
    let carry_out = encoding == Encoding::Vop2
        && row
            .operands
            .get(1)
            .is_some_and(|operand| operand.role == Role::Vcc);
    let pair = encoding == Encoding::Vop3
        && row.operands.iter().any(|o| o.role == Role::Vdst)
        && row.operands.iter().any(|o| o.role == Role::Sdst);
    carry_out || pair
}

/// Rejects a literal, which VOP3 cannot have.
fn reject_literal(code: Code) -> Result<Code, DecodeError> {
    require(code != Code::LITERAL)?;
    Ok(code)
}

fn decode_modifiers(inst: &mut Inst, q: u64, has_sdst: bool, used: u8) -> Result<(), DecodeError> {
    let legal = inst.row.modifiers;
    let sources = if inst.encoding == Encoding::Vop2 {
        used & 3
    } else {
        used
    };
    let negatable = sources
        & (u8::from(legal.has(Flags::NEG0))
            | u8::from(legal.has(Flags::NEG1)) << 1
            | u8::from(legal.has(Flags::NEG2)) << 2);
    let integers = integer_sources(inst.row);
    let m = &mut inst.modifiers;
    let neg = bits(q, 61, 3) as u8;
    let abs = if has_sdst { 0 } else { bits(q, 8, 3) as u8 };
    let illegal = (neg | abs) & !negatable;
    require_field(illegal == 0, "neg and abs", illegal.into())?;
    // The bits have no effect on integers. The disassembler prints neg of an integer as sext, unless op_sel is legal.
    m.neg = neg & !integers;
    m.abs = abs & !integers;
    m.sext = if legal.has(Flags::OP_SEL) {
        0
    } else {
        neg & integers
    };
    if inst.encoding == Encoding::Vintrp {
        // The only source of an interpolation is in the second field.
        (m.neg, m.abs) = (m.neg >> 1, m.abs >> 1);
    }
    if bit(q, 15) {
        require_field(legal.has(Flags::CLAMP), "clamp", 1)?;
        m.flags = m.flags.with(Flags::CLAMP);
    }
    m.omod = bits(q, 59, 2) as u8;
    require_field(m.omod == 0 || legal.has(Flags::OMOD), "omod", m.omod.into())?;
    if legal.has(Flags::OP_SEL) {
        m.op_sel = bits(q, 11, 4) as u8;
        require_field(m.op_sel & !used & 4 == 0, "op_sel", m.op_sel.into())?;
    }
    Ok(())
}

/// Returns the integer sources of a row, as a mask.
fn integer_sources(row: &Row) -> u8 {
    row.operands
        .iter()
        .filter(|operand| operand.ty.is_integer())
        .fold(0, |mask, operand| {
            mask | match operand.role {
                Role::Src0 => 1,
                Role::Src1 => 2,
                Role::Src2 => 4,
                _ => 0,
            }
        })
}

pub(super) fn vop3p(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Vop3p, bits(words.first, 16, 7))?;
    let q = words.both()?;
    let mut inst = instruction(words, row, Encoding::Vop3p, Form::Native, 8);
    let used = used_fields(row, Encoding::Vop3p);
    require_unused(q, used)?;
    let m = &mut inst.modifiers;
    m.neg_hi = bits(q, 8, 3) as u8;
    m.op_sel = bits(q, 11, 3) as u8;
    m.op_sel_hi = (bits(q, 59, 2) | bits(q, 14, 1) << 2) as u8;
    m.neg = bits(q, 61, 3) as u8;
    for (field, value) in [
        ("neg_lo", m.neg),
        ("neg_hi", m.neg_hi),
        ("op_sel", m.op_sel),
    ] {
        require_field(value & !used == 0, field, value.into())?;
    }
    m.op_sel_hi &= used;
    if bit(q, 15) {
        m.flags = m.flags.with(Flags::CLAMP);
    }
    set_operands(&mut inst, |operand| match operand.role {
        Role::Vdst => vgprs(bits(q, 0, 8), operand.ty),
        role => reject_literal(source(
            bits(q, 32 + 9 * source_field(role, Encoding::Vop3p), 9),
            operand.ty,
        )?),
    })?;
    Ok(inst)
}
