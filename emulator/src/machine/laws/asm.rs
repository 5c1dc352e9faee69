//! A few instructions by name, for laws that say that one instruction does what others do.

use super::encode::Draft;
use super::modifier;
use super::subject::{Subject, subjects};
use crate::isa::{Code, Flags, Form, Inst};

/// The plain instruction of a mnemonic on operands, in the order in which assembly lists them; VCC where the form implies it.
pub fn draft(mnemonic: &str, form: Form, operands: &[Code]) -> Draft {
    let wanted = |s: &Subject| s.row.mnemonic == mnemonic && s.form == form;
    let Some(subject) = subjects().find(wanted) else {
        panic!("no {mnemonic} in form {form:?}");
    };
    let mut draft = Draft::new(&subject);
    // Without a choice to make, no number is drawn.
    if form == Form::Dpp {
        set_control(&mut draft.inst, modifier::IDENTITY);
    }
    draft.inst.operands[..operands.len()].copy_from_slice(operands);
    draft
}

/// A DPP control for all rows and banks.
pub fn set_control(i: &mut Inst, control: u16) {
    let m = &mut i.modifiers;
    (m.dpp_ctrl, m.row_mask, m.bank_mask) = (control, 15, 15);
}

/// The words of an instruction that surely has some.
pub fn words(draft: &Draft) -> Vec<u32> {
    let words = draft.encode();
    words.unwrap_or_else(|| panic!("{}: does not come back from the decoder", draft.text()))
}

/// The words of a plain instruction.
pub fn op(mnemonic: &str, operands: &[Code]) -> Vec<u32> {
    words(&draft(mnemonic, Form::Native, operands))
}

/// `mnemonic vdst, literal, vsrc`.
pub fn with_literal(mnemonic: &str, vdst: Code, literal: u32, source: Code) -> Vec<u32> {
    let mut draft = draft(mnemonic, Form::Native, &[vdst, Code::LITERAL, source]);
    draft.inst.literal = literal;
    words(&draft)
}

/// `v_max vdst, source, source clamp` of a float type: how compilers write the clamp alone.
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

/// The inline constant of a small number.
pub fn number(n: u32) -> Code {
    assert!(n <= 64, "{n} has no inline constant");
    Code(128 + n as u16)
}
