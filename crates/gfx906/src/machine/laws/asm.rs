//! Instructions by name, for laws that compare an instruction with others.

use super::encode::Draft;
use super::modifier;
use super::subject::{Subject, subjects};
use crate::isa::{Code, Flags, Form, Inst};

/// Builds the plain instruction of a mnemonic on operands, in assembly order, with VCC where the form implies it.
pub fn draft(mnemonic: &str, form: Form, operands: &[Code]) -> Draft {
    let wanted = |s: &Subject| s.row.mnemonic == mnemonic && s.form == form;
    let Some(subject) = subjects().find(wanted) else {
        panic!("no {mnemonic} in form {form:?}");
    };
    let mut draft = Draft::new(&subject);
    // A plain instruction has no choices, so nothing random is drawn.
    if form == Form::Dpp {
        set_control(&mut draft.inst, modifier::IDENTITY);
    }
    draft.inst.operands[..operands.len()].copy_from_slice(operands);
    draft
}

/// Sets a DPP control for all rows and banks.
pub fn set_control(i: &mut Inst, control: u16) {
    let m = &mut i.modifiers;
    (m.dpp_ctrl, m.row_mask, m.bank_mask) = (control, 15, 15);
}

/// Returns the words of an instruction that must be encodable.
pub fn words(draft: &Draft) -> Vec<u32> {
    let words = draft.encode();
    words.unwrap_or_else(|| panic!("{}: does not come back from the decoder", draft.text()))
}

/// Returns the words of a plain instruction.
pub fn op(mnemonic: &str, operands: &[Code]) -> Vec<u32> {
    words(&draft(mnemonic, Form::Native, operands))
}

/// Returns the words of `mnemonic vdst, literal, vsrc`.
pub fn with_literal(mnemonic: &str, vdst: Code, literal: u32, source: Code) -> Vec<u32> {
    let mut draft = draft(mnemonic, Form::Native, &[vdst, Code::LITERAL, source]);
    draft.inst.literal = literal;
    words(&draft)
}

/// Returns the words of `v_max vdst, source, source clamp` for a float type, the instruction that compilers use for a clamp alone.
pub fn clamped(mnemonic: &str, vdst: Code) -> Vec<u32> {
    let form = if mnemonic.starts_with("v_pk") || mnemonic.ends_with("f64") {
        Form::Native
    } else {
        Form::E64
    };
    let mut draft = draft(mnemonic, form, &[vdst, vdst, vdst]);
    let m = &mut draft.inst.modifiers;
    m.flags = m.flags.with(Flags::CLAMP);
    if mnemonic.starts_with("v_pk") {
        m.op_sel_hi = 3;
    }
    words(&draft)
}

/// Returns the inline constant of a small number.
pub fn number(n: u32) -> Code {
    assert!(n <= 64, "{n} has no inline constant");
    Code(128 + n as u16)
}
