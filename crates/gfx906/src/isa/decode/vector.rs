//! Decoder of VOP1, VOP2 and VOPC in their native, SDWA and DPP forms, and of VINTRP.

use super::operand::{scalar, scalar_register, source, vgprs};
use super::{
    DecodeError, Words, bit, bits, instruction, require, require_field, row, set_operands,
};
use crate::isa::{Code, Encoding, Flags, Form, Inst, Operand, Role, Row, Type};

// Source codes that select the form of the second word.
const SDWA: u16 = 249;
const DPP: u16 = 250;

pub(super) fn decode(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let (encoding, opcode) = match bits(w, 25, 6) {
        0x3e => (Encoding::Vopc, bits(w, 17, 8)),
        0x3f => (Encoding::Vop1, bits(w, 9, 8)),
        opcode => (Encoding::Vop2, opcode),
    };
    let row = row(encoding, opcode)?;
    require(!row.operands.is_empty() || bits(w, 17, 8) == 0)?;
    let bare = Ok(instruction(words, row, encoding, Form::Native, 4));
    match bits(w, 0, 9) {
        // Without operands the source field has no meaning, unless the words are a complete SDWA or DPP instruction.
        SDWA if row.operands.is_empty() => decode_idle_sdwa(words, row, encoding).or(bare),
        DPP if row.operands.is_empty() => decode_dpp(words, row, encoding).or(bare),
        _ if row.operands.is_empty() => bare,
        SDWA => decode_sdwa(words, row, encoding),
        DPP => decode_dpp(words, row, encoding),
        src0 => decode_native(words, row, encoding, src0),
    }
}

fn decode_native(
    words: Words,
    row: &'static Row,
    encoding: Encoding,
    src0: u16,
) -> Result<Inst, DecodeError> {
    let w = words.first;
    let mut literal = false;
    let mut inst = instruction(words, row, encoding, Form::Native, 4);
    set_operands(&mut inst, |operand| {
        let code = match operand.role {
            Role::Src0 => source(src0, operand.ty)?,
            Role::Literal => Code::LITERAL,
            _ => common_operand(w, operand)?,
        };
        literal |= code == Code::LITERAL;
        Ok(code)
    })?;
    if literal {
        inst.literal = words.second()?;
        inst.words[1] = inst.literal;
        inst.size = 8;
    }
    Ok(inst)
}

/// Decodes the operands that are in the first word in every form.
fn common_operand(w: u32, operand: &Operand) -> Result<Code, DecodeError> {
    match operand.role {
        Role::Vdst => vgprs(bits(w, 17, 8), operand.ty),
        Role::Sdst => scalar(bits(w, 17, 8), operand.ty),
        Role::Vcc => Ok(Code::VCC),
        _ => vgprs(bits(w, 9, 8), operand.ty),
    }
}

fn decode_sdwa(words: Words, row: &'static Row, encoding: Encoding) -> Result<Inst, DecodeError> {
    require(row.has_form(encoding, Form::Sdwa))?;
    let (w, s) = (words.first, words.second()?);
    let mut inst = instruction(words, row, encoding, Form::Sdwa, 8);
    let m = &mut inst.modifiers;
    let sources = 1 + usize::from(encoding != Encoding::Vop1);
    for source in 0..2 {
        let base = 16 + 8 * source as u32;
        let (select, sext, neg, abs) = (
            bits(s, base, 3),
            bit(s, base + 3),
            bit(s, base + 4),
            bit(s, base + 5),
        );
        if source >= sources {
            require(bits(s, base, 8) & !0x40 == 0)?;
            continue;
        }
        require_field(select <= 6, ["src0_sel", "src1_sel"][source], select)?;
        m.src_sel[source] = select as u8;
        if is_float(row, source) {
            require_field(!sext, "sext", 1)?;
            m.neg |= u8::from(neg) << source;
            m.abs |= u8::from(abs) << source;
        } else {
            require_field(
                !neg && !abs,
                "neg and abs",
                u16::from(neg) | u16::from(abs) << 1,
            )?;
            m.sext |= u8::from(sext) << source;
        }
    }
    if encoding != Encoding::Vopc {
        require_field(bits(s, 8, 3) <= 6, "dst_sel", bits(s, 8, 3))?;
        require_field(bits(s, 11, 2) <= 2, "dst_unused", bits(s, 11, 2))?;
        m.dst_sel = bits(s, 8, 3) as u8;
        m.dst_unused = bits(s, 11, 2) as u8;
        if bit(s, 13) {
            m.flags = m.flags.with(Flags::CLAMP);
        }
        m.omod = bits(s, 14, 2) as u8;
        let scales = row.modifiers.has(Flags::OMOD) && is_float_type(row.operands[0].ty);
        require_field(m.omod == 0 || scales, "omod", m.omod.into())?;
    }
    set_operands(&mut inst, |operand| match operand.role {
        Role::Src0 => sub_dword_source(bits(s, 0, 8), bit(s, 23), operand.ty),
        Role::Src1 => sub_dword_source(bits(w, 9, 8), bit(s, 31), operand.ty),
        Role::Vcc if encoding == Encoding::Vopc && bit(s, 15) => {
            scalar_register(bits(s, 8, 7), operand.ty)
        }
        _ => common_operand(w, operand),
    })?;
    Ok(inst)
}

/// Decodes the SDWA form of an instruction without operands. Only the destination's selects may be nonzero.
fn decode_idle_sdwa(
    words: Words,
    row: &'static Row,
    encoding: Encoding,
) -> Result<Inst, DecodeError> {
    const IGNORED: u32 = 1 << 30 | 1 << 22 | 0x1f << 8;
    require(row.has_form(encoding, Form::Sdwa) && words.second()? & !IGNORED == 0)?;
    Ok(instruction(words, row, encoding, Form::Sdwa, 8))
}

/// Decodes an SDWA source. One bit per source makes the 8-bit field scalar; a literal does not fit.
fn sub_dword_source(field: u16, is_scalar: bool, ty: Type) -> Result<Code, DecodeError> {
    let code = if is_scalar {
        scalar(field, ty)?
    } else {
        vgprs(field, ty)?
    };
    require(code != Code::LITERAL)?;
    Ok(code)
}

fn decode_dpp(words: Words, row: &'static Row, encoding: Encoding) -> Result<Inst, DecodeError> {
    require(row.has_form(encoding, Form::Dpp))?;
    let (w, s) = (words.first, words.second()?);
    let mut inst = instruction(words, row, encoding, Form::Dpp, 8);
    let m = &mut inst.modifiers;
    m.dpp_ctrl = bits(s, 8, 9);
    if bit(s, 19) {
        m.flags = m.flags.with(Flags::BOUND_CTRL);
    }
    for (source, flag) in [Flags::NEG0, Flags::NEG1].into_iter().enumerate() {
        let field = bits(s, 20 + 2 * source as u32, 2) as u8;
        let legal = row.modifiers.has(flag) && (source == 0 || encoding != Encoding::Vop1);
        require_field(field == 0 || legal, "neg and abs", field.into())?;
        if is_float(row, source) {
            m.neg |= (field & 1) << source;
            m.abs |= (field >> 1) << source;
        } else {
            m.sext |= (field & 1) << source;
        }
    }
    require(!row.operands.is_empty() || bits(s, 0, 8) == 0)?;
    m.bank_mask = bits(s, 24, 4) as u8;
    m.row_mask = bits(s, 28, 4) as u8;
    set_operands(&mut inst, |operand| match operand.role {
        Role::Src0 => vgprs(bits(s, 0, 8), operand.ty),
        _ => common_operand(w, operand),
    })?;
    Ok(inst)
}

/// Returns true if the source takes neg and abs modifiers instead of sign extension.
fn is_float(row: &Row, source: usize) -> bool {
    let (role, flag) = if source == 0 {
        (Role::Src0, Flags::NEG0)
    } else {
        (Role::Src1, Flags::NEG1)
    };
    row.modifiers.has(flag)
        && row
            .operands
            .iter()
            .any(|operand| operand.role == role && !operand.ty.is_integer())
}

fn is_float_type(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::F32)
}

pub(super) fn vintrp(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let row = row(Encoding::Vintrp, bits(w, 16, 2))?;
    let mut inst = instruction(words, row, Encoding::Vintrp, Form::Native, 4);
    set_operands(&mut inst, |operand| match (operand.role, operand.ty) {
        (Role::Vdst, ty) => vgprs(bits(w, 18, 8), ty),
        (Role::Attr, _) => Ok(Code(bits(w, 8, 8))),
        (_, Type::Param) => Ok(Code(bits(w, 0, 8))),
        (_, ty) => vgprs(bits(w, 0, 8), ty),
    })?;
    Ok(inst)
}
