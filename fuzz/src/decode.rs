//! The decoder: any bytes are an instruction with a text, or an error.

use gfx906::isa::{self, DecodeError, Encoding};

/// Decodes the instruction at the beginning of `bytes`, and checks the result. Returns true if there is an instruction.
pub fn run(bytes: &[u8]) -> bool {
    let inst = match isa::decode(bytes) {
        Ok(inst) => inst,
        Err(DecodeError::Truncated) => {
            // the longest instruction is a DPP, SDWA or literal form of 8 bytes, or a MIMG of 16
            assert!(bytes.len() < 16, "16 bytes are enough for any instruction");
            return false;
        }
        Err(_) => return false,
    };
    let size = inst.size();
    assert!(
        size.is_multiple_of(4) && (4..=16).contains(&size) && size <= bytes.len(),
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
    assert!(
        isa::decode(&bytes[..size - 1]).is_err(),
        "{text:?} decodes from fewer bytes than it has"
    );
    true
}
