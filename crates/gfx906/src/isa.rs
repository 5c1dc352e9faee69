//! The instruction set: encodings, operands, one table of rows, decoding and disassembly.

mod constants;
mod coverage;
mod decode;
mod disasm;
mod encoding;
pub mod fields;
mod inst;
mod kind;
mod misfit;
pub mod places;
mod properties;
mod row;
mod table;
pub mod uses;

pub use constants::{F16_CONSTANTS, F32_CONSTANTS, F64_CONSTANTS, inline_constant};
pub use coverage::{Coverage, coverage};
pub use decode::{DecodeError, decode};
pub use disasm::{disassemble, register_name};
pub use encoding::{Encoding, Form};
pub use inst::{Code, Flags, Inst, Modifiers};
pub use kind::Kind;
pub use properties::Properties;
pub use row::{Access, Operand, Role, Row, Type};
pub use table::{lookup, rows};
