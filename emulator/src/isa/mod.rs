//! The instruction set: encodings, operands, one table of rows, decoding and disassembly.

mod decode;
mod disasm;
mod encoding;
mod inst;
mod row;
mod table;

pub use decode::{DecodeError, decode};
pub use disasm::disassemble;
pub use encoding::{Encoding, Form};
pub use inst::{Code, Flags, Inst, Modifiers};
pub use row::{Access, Operand, Role, Row, Type};
pub use table::{lookup, rows};
/// Why bytes do not decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// No gfx906 instruction.
    Invalid,
    /// The bytes end within an instruction.
    Truncated,
}

/// Decodes the instruction that the bytes begin with.
///
/// # Errors
/// When they begin with none.
pub fn decode(_: &[u8]) -> Result<Inst, DecodeError> {
    Err(DecodeError::Invalid)
}

/// The instruction in assembly.
pub fn disassemble(inst: &Inst) -> String {
    inst.row.mnemonic.to_owned()
}
