//! Decoder of the codes in operand fields.

use super::DecodeError::{self, Invalid};
use crate::isa::{Code, Type};

/// Decodes a register or constant of the 8-bit scalar space, as wide as `ty`. Register groups are aligned down, because the hardware
/// ignores the low bits.
pub(super) fn scalar(code: u16, ty: Type) -> Result<Code, DecodeError> {
    let registers = ty.registers() as u16;
    let aligned = |first: u16, count: u16| {
        let index = (code - first) & !(registers.min(4) - 1);
        if index + registers <= count {
            Ok(Code(first + index))
        } else {
            Err(Invalid)
        }
    };
    match code {
        // The last group of four begins at s100 and includes the two registers after s101.
        0..=101 => aligned(0, if registers > 2 { 104 } else { 102 }),
        102..=107 | 126..=127 if registers == 1 || code.is_multiple_of(2) => Ok(Code(code)),
        108..=123 => aligned(108, 16),
        124 | 254 if registers == 1 => Ok(Code(code)),
        125 | 128..=208 | 235..=248 | 251..=253 | 255 => Ok(Code(code)),
        _ => Err(Invalid),
    }
}

/// Decodes a writable scalar register: the 7-bit space has no constants.
pub(super) fn scalar_register(code: u16, ty: Type) -> Result<Code, DecodeError> {
    scalar(code & 0x7f, ty)
}

/// Returns the group of VGPRs that begins at `n` and is as wide as `ty`.
pub(super) fn vgprs(n: u16, ty: Type) -> Result<Code, DecodeError> {
    vgpr_group(n, ty.registers())
}

/// Returns the group of `count` VGPRs that begins at `n`.
pub(super) fn vgpr_group(n: u16, count: usize) -> Result<Code, DecodeError> {
    let n = n & 0xff;
    if usize::from(n) + count <= 256 {
        Ok(Code(256 + n))
    } else {
        Err(Invalid)
    }
}

/// Decodes a source of the 9-bit space, which has VGPRs, scalar registers and constants.
pub(super) fn source(code: u16, ty: Type) -> Result<Code, DecodeError> {
    if code >= 256 {
        vgprs(code - 256, ty)
    } else {
        scalar(code, ty)
    }
}
