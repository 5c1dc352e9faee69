//! Decoder of SMEM, DS, FLAT, GLOBAL and SCRATCH.

use super::operand::{scalar_register, vgprs};
use super::{
    DecodeError, Words, bit, bits, instruction, require, require_field, row, set_operands,
};
use crate::isa::{Code, Encoding, Flags, Form, Inst, Role, Type};

/// Adds `flag` to `flags` if `on` is true.
pub(super) fn with_if(flags: Flags, flag: Flags, on: bool) -> Flags {
    if on { flags.with(flag) } else { flags }
}

/// Sign-extends the low `count` bits of `value`.
fn signed(value: u64, count: u32) -> i32 {
    ((value << (64 - count)) as i64 >> (64 - count)) as i32
}

pub(super) fn smem(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Smem, bits(words.first, 18, 8))?;
    let q = words.both()?;
    let (soffset_enabled, immediate) = (bit(q, 14), bit(q, 17));
    require(!immediate || row.modifiers.has(Flags::IMM))?;
    let mut inst = instruction(words, row, Encoding::Smem, Form::Native, 8);
    let m = &mut inst.modifiers;
    m.flags = with_if(m.flags, Flags::GLC, bit(q, 16));
    m.flags = with_if(m.flags, Flags::NV, bit(q, 15));
    m.flags = with_if(m.flags, Flags::IMM, immediate);
    m.flags = with_if(m.flags, Flags::SOFFSET, soffset_enabled);
    if immediate {
        inst.offset = signed(q >> 32, 21);
    }
    set_operands(&mut inst, |operand| match (operand.role, operand.ty) {
        (_, Type::Number) => Ok(Code(bits(q, 6, 7))),
        (Role::Sdst, ty) => scalar_register(bits(q, 6, 7), ty),
        (Role::Sbase, ty) => scalar_register(bits(q, 0, 6) << 1, ty),
        // The offset register is in the top bits of the second word if SOFFSET_EN is set. Otherwise an instruction without an immediate has it
        // in the low bits.
        (_, ty) if immediate && soffset_enabled => scalar_register(bits(q, 57, 7), ty),
        (_, _) if immediate => Ok(Code::OFF),
        (_, ty) if soffset_enabled => scalar_register(bits(q, 57, 7), ty),
        (_, ty) => scalar_register(bits(q, 32, 7), ty),
    })?;
    Ok(inst)
}

pub(super) fn ds(words: Words) -> Result<Inst, DecodeError> {
    let row = row(Encoding::Ds, bits(words.first, 17, 8))?;
    let q = words.both()?;
    let mut inst = instruction(words, row, Encoding::Ds, Form::Native, 8);
    let gds = bit(q, 16);
    let legal = match gds {
        true => !row.modifiers.has(Flags::NO_GDS),
        false => !row.modifiers.has(Flags::ALWAYS_GDS),
    };
    require_field(legal, "gds", gds.into())?;
    inst.modifiers.flags = with_if(inst.modifiers.flags, Flags::GDS, gds);
    inst.offset = i32::from(bits(q, 0, 16));
    // The fields of absent operands must be zero.
    for (role, low) in [
        (Role::Addr, 32),
        (Role::Data, 40),
        (Role::Data1, 48),
        (Role::Vdst, 56),
    ] {
        require(row.has_role(role) || bits(q, low, 8) == 0)?;
    }
    require(bits(q, 0, 16) == 0 || !row.operands.is_empty() || gds)?;
    set_operands(&mut inst, |operand| match operand.role {
        Role::Addr => vgprs(bits(q, 32, 8), operand.ty),
        Role::Data => vgprs(bits(q, 40, 8), operand.ty),
        Role::Data1 => vgprs(bits(q, 48, 8), operand.ty),
        _ => vgprs(bits(q, 56, 8), operand.ty),
    })?;
    Ok(inst)
}

/// SADDR code of an instruction without a scalar address.
const NO_SADDR: u16 = 0x7f;

pub(super) fn flat(words: Words) -> Result<Inst, DecodeError> {
    let encoding = match bits(words.first, 14, 2) {
        0 => Encoding::Flat,
        1 => Encoding::Scratch,
        2 => Encoding::Global,
        value => {
            return Err(DecodeError::Reserved {
                field: "seg",
                value,
            });
        }
    };
    let row = row(encoding, bits(words.first, 18, 7))?;
    let q = words.both()?;
    let mut inst = instruction(words, row, encoding, Form::Native, 8);
    let (glc, saddr) = (bit(q, 16), bits(q, 48, 7));
    let lds = bit(q, 13);
    if encoding == Encoding::Flat {
        require_field(!lds, "lds", 1)?;
        require_field(saddr == 0, "saddr", saddr)?;
    } else if lds {
        require_field(row.modifiers.has(Flags::LDS) && !bit(q, 55), "lds", 1)?;
    }
    let m = &mut inst.modifiers;
    m.flags = with_if(m.flags, Flags::LDS, lds);
    m.flags = with_if(m.flags, Flags::GLC, glc);
    m.flags = with_if(m.flags, Flags::SLC, bit(q, 17));
    m.flags = with_if(m.flags, Flags::NV, bit(q, 55));
    inst.offset = if encoding == Encoding::Flat {
        i32::from(bits(q, 0, 13))
    } else {
        signed(q, 13)
    };
    let scalar_address = encoding != Encoding::Flat && saddr != NO_SADDR;
    set_operands(&mut inst, |operand| match operand.role {
        Role::Vdst if lds || row.modifiers.has(Flags::RETURNS) && !glc => Ok(Code::OFF),
        Role::Vdst => vgprs(bits(q, 56, 8), operand.ty),
        Role::Data => vgprs(bits(q, 40, 8), operand.ty),
        Role::Addr if encoding == Encoding::Scratch && scalar_address => Ok(Code::OFF),
        Role::Addr if scalar_address => vgprs(bits(q, 32, 8), Type::U32),
        Role::Addr => vgprs(bits(q, 32, 8), operand.ty),
        _ if scalar_address => scalar_register(saddr, operand.ty),
        _ => Ok(Code::OFF),
    })?;
    Ok(inst)
}
