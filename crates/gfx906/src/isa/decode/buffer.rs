//! Decoder of MUBUF and MTBUF.

use super::memory::with_if;
use super::operand::{scalar, scalar_register, vgpr_group, vgprs};
use super::{
    DecodeError, Words, bit, bits, instruction, require, require_field, row, set_operands,
};
use crate::isa::{Code, Encoding, Flags, Form, Inst, Role, Type};

pub(super) fn mubuf(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Mubuf, bits(words.first, 18, 7))?;
    let q = words.both()?;
    let mut inst = instruction(words, row, Encoding::Mubuf, Form::Native, 8);
    let lds = bit(q, 16);
    require_field(!lds || row.modifiers.has(Flags::LDS), "lds", 1)?;
    require(!row.operands.is_empty() || bits(q, 12, 4) == 0)?;
    let status = row.modifiers.has(Flags::TFE) && !lds;
    require_field(!bit(q, 55) || status, "tfe", 1)?;
    require(bits(q, 12, 2) == 0 || row.modifiers.has(Flags::OFFEN) || row.operands.is_empty())?;
    require_field(lds || !row.modifiers.has(Flags::ALWAYS_LDS), "lds", 0)?;
    inst.modifiers.flags = with_if(inst.modifiers.flags, Flags::LDS, lds);
    inst.modifiers.flags = with_if(inst.modifiers.flags, Flags::SLC, bit(q, 17));
    decode_common(&mut inst, q, lds)?;
    Ok(inst)
}

pub(super) fn mtbuf(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Mtbuf, bits(words.first, 15, 4))?;
    let q = words.both()?;
    require_field(!bit(q, 55), "tfe", 1)?;
    let mut inst = instruction(words, row, Encoding::Mtbuf, Form::Native, 8);
    inst.modifiers.flags = with_if(inst.modifiers.flags, Flags::SLC, bit(q, 54));
    inst.modifiers.format = bits(q, 19, 7) as u8;
    decode_common(&mut inst, q, false)?;
    Ok(inst)
}

/// Decodes the fields that untyped and typed buffer instructions have in common.
fn decode_common(inst: &mut Inst, q: u64, lds: bool) -> Result<(), DecodeError> {
    let (offen, idxen) = (bit(q, 12), bit(q, 13));
    let flags = inst.modifiers.flags;
    let flags = with_if(flags, Flags::OFFEN, offen);
    let flags = with_if(flags, Flags::IDXEN, idxen);
    let flags = with_if(flags, Flags::GLC, bit(q, 14));
    inst.modifiers.flags = with_if(flags, Flags::TFE, bit(q, 55));
    inst.offset = i32::from(bits(q, 0, 12));
    // TFE adds a data register for the status of the access.
    let status = usize::from(bit(q, 55));
    set_operands(inst, |operand| match operand.role {
        Role::Vdst if lds => Ok(Code::OFF),
        Role::Vdst | Role::Data => vgpr_group(bits(q, 40, 8), operand.ty.registers() + status),
        Role::Addr if offen && idxen => vgprs(bits(q, 32, 8), Type::B64),
        Role::Addr if offen || idxen => vgprs(bits(q, 32, 8), operand.ty),
        Role::Addr => Ok(Code::OFF),
        Role::Sbase => scalar_register(bits(q, 48, 5) << 2, operand.ty),
        _ => {
            let soffset = scalar(bits(q, 56, 8), operand.ty)?;
            require(soffset != Code::LITERAL)?;
            Ok(soffset)
        }
    })
}
