//! Decoder of MIMG and EXP.

use super::memory::with_if;
use super::operand::{scalar_register, vgpr_group, vgprs};
use super::{DecodeError, Words, bit, bits, instruction, require, row, set_operands};
use crate::isa::{Code, Encoding, Flags, Form, Inst, Role};

pub(super) fn mimg(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Mimg, bits(words.first, 18, 7))?;
    let q = words.both()?;
    require(!bit(q, 0))?;
    require(row.has_role(Role::Ssamp) || bits(q, 53, 5) == 0)?;
    require(!bit(q, 63) || row.modifiers.has(Flags::D16))?;
    let mut inst = instruction(words, row, Encoding::Mimg, Form::Native, 8);
    let m = &mut inst.modifiers;
    m.dmask = bits(q, 8, 4) as u8;
    m.flags = with_if(m.flags, Flags::UNORM, bit(q, 12));
    m.flags = with_if(m.flags, Flags::GLC, bit(q, 13));
    m.flags = with_if(m.flags, Flags::DA, bit(q, 14));
    m.flags = with_if(m.flags, Flags::A16, bit(q, 15));
    m.flags = with_if(m.flags, Flags::TFE, bit(q, 16));
    m.flags = with_if(m.flags, Flags::LWE, bit(q, 17));
    m.flags = with_if(m.flags, Flags::SLC, bit(q, 25));
    m.flags = with_if(m.flags, Flags::D16, bit(q, 63));
    let data = inst.image_data_registers(bits(q, 40, 8) as u8);
    set_operands(&mut inst, |operand| match operand.role {
        Role::Vdst | Role::Data => {
            vgprs(bits(q, 40, 8), operand.ty)?;
            vgpr_group(bits(q, 40, 8), data)
        }
        Role::Addr => vgprs(bits(q, 32, 8), operand.ty),
        Role::Sbase => scalar_register(bits(q, 48, 5) << 2, operand.ty),
        _ => scalar_register(bits(q, 53, 5) << 2, operand.ty),
    })?;
    Ok(inst)
}

pub(super) fn export(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Exp, 0)?;
    let q = words.both()?;
    let mut inst = instruction(words, row, Encoding::Exp, Form::Native, 8);
    let m = &mut inst.modifiers;
    m.flags = with_if(m.flags, Flags::COMPRESSED, bit(q, 10));
    m.flags = with_if(m.flags, Flags::DONE, bit(q, 11));
    m.flags = with_if(m.flags, Flags::VALID_MASK, bit(q, 12));
    set_operands(&mut inst, |operand| match operand.role {
        Role::Export(i) if !bit(q, u32::from(i)) => Ok(Code::OFF),
        // A compressed export has two source registers with two halves each.
        Role::Export(i) => {
            let source = u32::from(if bit(q, 10) { i / 2 } else { i });
            vgprs(bits(q, 32 + 8 * source, 8), operand.ty)
        }
        _ => Ok(Code(bits(q, 4, 6))),
    })?;
    Ok(inst)
}
