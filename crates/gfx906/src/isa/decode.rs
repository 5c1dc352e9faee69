//! Decoder from bytes to instructions. It accepts any bytes: an invalid instruction is an error, never a panic.

mod buffer;
mod image;
mod memory;
mod operand;
mod scalar;
mod vector;
mod vop3;

use super::misfit::is_malformed;
use super::{Code, Encoding, Flags, Form, Inst, Modifiers, Operand, Row};

/// Reason why bytes are not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No instruction of gfx906 has these words.
    #[error("these words encode no gfx906 instruction")]
    Invalid,
    /// A field has a value that is not valid on gfx906.
    #[error("{field} {value:#x} is reserved")]
    Reserved {
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        value: u16,
    },
    /// The bytes end before the instruction does.
    #[error("the instruction is cut short")]
    Truncated,
}

/// Decodes the instruction at the start of `bytes` and ignores the bytes after it.
///
/// # Errors
///
/// [`DecodeError::Invalid`] if gfx906 has no such instruction, [`DecodeError::Truncated`] if the second word is missing.
pub fn decode(bytes: &[u8]) -> Result<Inst, DecodeError> {
    let (first, rest) = bytes.split_first_chunk().ok_or(DecodeError::Truncated)?;
    let words = Words {
        first: u32::from_le_bytes(*first),
        second: rest.first_chunk().map(|word| u32::from_le_bytes(*word)),
    };
    let mut inst = decode_words(words)?;
    if is_malformed(&inst) {
        inst.modifiers.flags = inst.modifiers.flags.with(Flags::MALFORMED);
    }
    Ok(inst)
}

fn decode_words(words: Words) -> Result<Inst, DecodeError> {
    let w = words.first;
    match w >> 26 {
        0x00..=0x1f => vector::decode(words),
        0x20..=0x2f => match w >> 23 {
            0x17d => scalar::sop1(words),
            0x17e => scalar::sopc(words),
            0x17f => scalar::sopp(words),
            0x160..=0x17f => scalar::sopk(words),
            _ => scalar::sop2(words),
        },
        0x30 => memory::smem(words),
        0x31 => image::export(words),
        0x34 if w >> 23 & 7 == 7 => vop3::vop3p(words),
        0x34 => vop3::vop3(words),
        0x35 => vector::vintrp(words),
        0x36 => memory::ds(words),
        0x37 => memory::flat(words),
        0x38 => buffer::mubuf(words),
        0x3a => buffer::mtbuf(words),
        0x3c => image::mimg(words),
        _ => Err(DecodeError::Invalid),
    }
}

/// First word of an instruction, and the second one if there are enough bytes.
#[derive(Clone, Copy)]
struct Words {
    first: u32,
    second: Option<u32>,
}

impl Words {
    /// Returns the second word.
    fn second(self) -> Result<u32, DecodeError> {
        self.second.ok_or(DecodeError::Truncated)
    }

    /// Returns both words of a 64-bit encoding, with the first one in the low half.
    fn both(self) -> Result<u64, DecodeError> {
        Ok(u64::from(self.first) | u64::from(self.second()?) << 32)
    }
}

/// Returns bits `low..low + count` of a word.
fn bits(word: impl Into<u64>, low: u32, count: u32) -> u16 {
    (word.into() >> low & ((1 << count) - 1)) as u16
}

/// Returns true if the bit is set.
fn bit(word: impl Into<u64>, index: u32) -> bool {
    word.into() >> index & 1 != 0
}

/// Rejects the instruction's words unless the condition holds.
fn require(condition: bool) -> Result<(), DecodeError> {
    if condition {
        Ok(())
    } else {
        Err(DecodeError::Invalid)
    }
}

/// Rejects a mode-selecting field's value unless the condition holds.
fn require_field(condition: bool, field: &'static str, value: u16) -> Result<(), DecodeError> {
    if condition {
        Ok(())
    } else {
        Err(DecodeError::Reserved { field, value })
    }
}

/// Finds the row of an opcode.
fn row(encoding: Encoding, opcode: u16) -> Result<&'static Row, DecodeError> {
    super::lookup(encoding, opcode).ok_or(DecodeError::Invalid)
}

/// Builds an instruction whose operands, modifiers and literal are still empty.
fn instruction(words: Words, row: &'static Row, encoding: Encoding, form: Form, size: u8) -> Inst {
    Inst {
        row,
        encoding,
        form,
        size,
        operands: [Code::OFF; 6],
        literal: 0,
        offset: 0,
        modifiers: Modifiers::default(),
        words: [
            words.first,
            if size == 8 {
                words.second.unwrap_or(0)
            } else {
                0
            },
        ],
    }
}

/// Sets each operand to the code that `read_code` reads from the words.
fn set_operands(
    inst: &mut Inst,
    mut read_code: impl FnMut(&Operand) -> Result<Code, DecodeError>,
) -> Result<(), DecodeError> {
    for (code, operand) in inst.operands.iter_mut().zip(inst.row.operands) {
        *code = read_code(operand)?;
    }
    Ok(())
}
