//! Decoder of SOP1, SOP2, SOPK, SOPC and SOPP.

use super::operand::{scalar, scalar_register};
use super::{DecodeError, Words, bits, instruction, require, row, set_operands};
use crate::isa::{Code, Encoding, Form, Inst, Role, Type};

pub(super) fn sop2(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let fields = Fields {
        sdst: bits(w, 16, 7),
        src0: bits(w, 0, 8),
        src1: bits(w, 8, 8),
    };
    fields.decode(words, Encoding::Sop2, bits(w, 23, 7))
}

pub(super) fn sop1(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let fields = Fields {
        sdst: bits(w, 16, 7),
        src0: bits(w, 0, 8),
        src1: 0,
    };
    fields.decode(words, Encoding::Sop1, bits(w, 8, 8))
}

pub(super) fn sopc(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let fields = Fields {
        sdst: 0,
        src0: bits(w, 0, 8),
        src1: bits(w, 8, 8),
    };
    fields.decode(words, Encoding::Sopc, bits(w, 16, 7))
}

/// Operand fields of SOP1, SOP2 and SOPC.
struct Fields {
    sdst: u16,
    src0: u16,
    src1: u16,
}

impl Fields {
    fn decode(self, words: Words, encoding: Encoding, opcode: u16) -> Result<Inst, DecodeError> {
        let row = row(encoding, opcode)?;
        let mut inst = instruction(words, row, encoding, Form::Native, 4);
        let mut literal = false;
        set_operands(&mut inst, |operand| match (operand.role, operand.ty) {
            (_, Type::GprIndex) => Ok(Code(self.src1)),
            (Role::Sdst, ty) => scalar_register(self.sdst, ty),
            (role, ty) => {
                let code = scalar(
                    if role == Role::Src0 {
                        self.src0
                    } else {
                        self.src1
                    },
                    ty,
                )?;
                literal |= code == Code::LITERAL;
                Ok(code)
            }
        })?;
        if literal {
            inst.literal = words.second()?;
            inst.words[1] = inst.literal;
            inst.size = 8;
        }
        Ok(inst)
    }
}

pub(super) fn sopk(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let row = row(Encoding::Sopk, bits(w, 23, 5))?;
    let long = row
        .operands
        .iter()
        .any(|operand| operand.role == Role::Literal);
    let mut inst = instruction(
        words,
        row,
        Encoding::Sopk,
        Form::Native,
        if long { 8 } else { 4 },
    );
    // An instruction with a literal in its second word keeps its immediate in the first word only.
    inst.literal = if long {
        words.second()?
    } else {
        sign_extended(w)
    };
    set_operands(&mut inst, |operand| match operand.role {
        Role::Sdst => scalar_register(bits(w, 16, 7), operand.ty),
        Role::Literal => Ok(Code::LITERAL),
        _ => Ok(Code::OFF),
    })?;
    Ok(inst)
}

pub(super) fn sopp(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    let row = row(Encoding::Sopp, bits(w, 16, 7))?;
    require(!row.operands.is_empty() || bits(w, 0, 16) == 0)?;
    let mut inst = instruction(words, row, Encoding::Sopp, Form::Native, 4);
    inst.literal = sign_extended(w);
    Ok(inst)
}

/// Sign-extends the low half of a word.
fn sign_extended(word: u32) -> u32 {
    i32::from(word as i16) as u32
}
