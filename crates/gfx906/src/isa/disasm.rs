//! Disassembler, which prints instructions in LLVM's syntax.

mod immediate;
mod memory;
mod operand;
mod vector;

use std::fmt::Write;

use super::{Code, Encoding, Flags, Form, Inst, Operand, Role};

/// Prints the instruction as `llvm-mc --disassemble` does for gfx906.
pub fn disassemble(inst: &Inst) -> String {
    let mut text = String::with_capacity(64);
    text.push_str(inst.row.mnemonic);
    text.push_str(suffix(inst));
    let mut printer = Printer { inst, text };
    printer.print_operands();
    match inst.encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc | Encoding::Sopp => {}
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 | Encoding::Vintrp => {
            printer.print_vector_modifiers()
        }
        Encoding::Vop3p => printer.print_packed_modifiers(),
        Encoding::Smem => printer.print_smem_modifiers(),
        Encoding::Ds => printer.print_ds_modifiers(),
        Encoding::Flat | Encoding::Global | Encoding::Scratch => printer.print_flat_modifiers(),
        Encoding::Mubuf | Encoding::Mtbuf => printer.print_buffer_modifiers(),
        Encoding::Mimg => printer.print_image_modifiers(),
        Encoding::Exp => printer.print_export_modifiers(),
    }
    printer.text
}

/// Returns the assembler's name of a register or a group of registers: `v3`, `s[4:7]`, `vcc`.
pub fn register_name(code: Code, count: usize) -> String {
    let mut text = String::new();
    operand::write_registers(&mut text, code, count);
    text
}

/// Returns the mnemonic's suffix, which names the form of an instruction that has several forms.
fn suffix(inst: &Inst) -> &'static str {
    let several = !inst.row.operands.is_empty() && inst.row.has_form(inst.encoding, Form::E64);
    match inst.form {
        _ if !several => "",
        Form::Native => "_e32",
        Form::E64 => "_e64",
        Form::Sdwa => "_sdwa",
        Form::Dpp => "_dpp",
    }
}

/// Text of an instruction while it is printed.
struct Printer<'a> {
    inst: &'a Inst,
    text: String,
}

impl Printer<'_> {
    /// Appends formatted text.
    fn put(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(arguments);
    }

    /// Appends ` word` if `on` is true.
    fn word_if(&mut self, on: bool, word: &str) {
        if on {
            self.text.push(' ');
            self.text.push_str(word);
        }
    }

    fn print_flag(&mut self, flag: Flags, word: &str) {
        self.word_if(self.inst.modifiers.flags.has(flag), word);
    }

    fn print_operands(&mut self) {
        let inst = self.inst;
        let mut separator = " ";
        for (index, operand) in inst.row.operands.iter().enumerate() {
            let start = self.text.len();
            self.text.push_str(separator);
            let before = self.text.len();
            self.print_operand(index, operand);
            if self.text.len() == before {
                self.text.truncate(start);
            } else {
                // No comma follows an export's target.
                separator = if operand.role == Role::Target {
                    " "
                } else {
                    ", "
                };
            }
        }
    }

    /// Prints one operand; prints nothing for an absent operand.
    fn print_operand(&mut self, index: usize, operand: &Operand) {
        match self.inst.encoding {
            Encoding::Vop1
            | Encoding::Vop2
            | Encoding::Vopc
            | Encoding::Vop3
            | Encoding::Vintrp => self.print_vector_operand(index, operand),
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc | Encoding::Sopp => {
                self.print_scalar_operand(index, operand)
            }
            Encoding::Vop3p => self.print_vector_operand(index, operand),
            _ => self.print_memory_operand(index, operand),
        }
    }
}
