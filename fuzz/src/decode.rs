//! Checks of the decoder: any bytes give an instruction that disassembles, or an error.

use gfx906::isa::{self, DecodeError, Encoding};

/// Bytes of the longest instruction of gfx906: one with 64-bit words or with a literal.
const LONGEST: usize = 8;

/// Decodes the instruction at the beginning of `bytes`, and checks the result. Returns true if there is an instruction.
pub fn run(bytes: &[u8]) -> bool {
    let inst = match isa::decode(bytes) {
        Ok(inst) => inst,
        Err(DecodeError::Truncated) => {
            assert!(
                bytes.len() < LONGEST,
                "{LONGEST} bytes are enough for any instruction"
            );
            return false;
        }
        Err(_) => return false,
    };
    let size = inst.size();
    assert!(
        size.is_multiple_of(4) && (4..=LONGEST).contains(&size) && size <= bytes.len(),
        "{size} bytes"
    );
    let text = isa::disassemble(&inst);
    assert!(!text.is_empty() && text.trim() == text, "{text:?}");
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(
        text.starts_with(|c: char| c.is_ascii_lowercase()) || inst.encoding == Encoding::Exp,
        "{text:?}"
    );
    // The bytes after an instruction do not change it.
    let alone = isa::decode(&bytes[..size]).map(|inst| isa::disassemble(&inst));
    assert_eq!(alone.as_ref(), Ok(&text));
    // Without operands, the first word is an instruction of its own, unless it and the second one are its SDWA or DPP form.
    let shorter = isa::decode(&bytes[..size - 1]);
    assert!(
        shorter.is_err() || inst.row.operands.is_empty(),
        "{text:?} decodes from fewer bytes than it has"
    );
    true
}
