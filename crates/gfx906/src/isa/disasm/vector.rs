//! Printing of operands and modifiers of vector instructions.

use super::Printer;
use crate::isa::{Encoding, Flags, Form, Operand, Role, Type};

impl Printer<'_> {
    pub(super) fn print_vector_operand(&mut self, index: usize, operand: &Operand) {
        let code = self.inst.operands[index];
        match (operand.role, operand.ty) {
            (Role::Attr, _) => self.put(format_args!(
                "attr{}.{}",
                code.0 >> 2 & 63,
                ["x", "y", "z", "w"][usize::from(code.0 & 3)]
            )),
            (_, Type::Param) => match code.0 {
                0 => self.text.push_str("p10"),
                1 => self.text.push_str("p20"),
                2 => self.text.push_str("p0"),
                n => self.put(format_args!("invalid_param_{n}")),
            },
            (Role::Src0, _) => self.print_source(index, operand, 0),
            (Role::Src1, _) => self.print_source(index, operand, 1),
            (Role::Src2, _) => self.print_source(index, operand, 2),
            (Role::Literal, _) => self.put(format_args!("{:#x}", self.inst.literal)),
            _ => self.print_plain_operand(index, operand),
        }
    }

    /// Prints a source with its neg, abs and sext modifiers.
    fn print_source(&mut self, index: usize, operand: &Operand, source: u8) {
        let m = &self.inst.modifiers;
        let has = |mask: u8| mask >> source & 1 != 0;
        let (neg, abs, sext) = match self.inst.encoding {
            Encoding::Vop3p if self.inst.row.modifiers.has(Flags::MIX) => {
                (has(m.neg), has(m.neg_hi), false)
            }
            Encoding::Vop3p => (false, false, false),
            _ => (has(m.neg), has(m.abs), has(m.sext)),
        };
        // The assembler reads `-1` as the inline constant -1, so a negated 1 is printed as `neg(1)`.
        let number = self.inst.operands[index].is_number() && !abs;
        self.text.push_str(match (neg, number) {
            (true, true) => "neg(",
            (true, false) => "-",
            _ => "",
        });
        self.text.push_str(if sext { "sext(" } else { "" });
        self.text.push_str(if abs { "|" } else { "" });
        self.print_plain_operand(index, operand);
        self.text.push_str(if abs { "|" } else { "" });
        self.text.push_str(if sext { ")" } else { "" });
        self.text.push_str(if neg && number { ")" } else { "" });
    }

    pub(super) fn print_vector_modifiers(&mut self) {
        let interpolation = self
            .inst
            .row
            .operands
            .iter()
            .any(|operand| operand.role == Role::Attr);
        match self.inst.form {
            Form::Dpp => self.print_dpp(),
            Form::Sdwa if self.inst.row.operands.is_empty() => {}
            Form::Sdwa => {
                self.print_output_modifiers();
                self.print_sdwa();
            }
            _ => {
                if interpolation && self.inst.encoding == Encoding::Vop3 {
                    self.word_if(self.inst.words[1] >> 8 & 1 != 0, "high");
                } else {
                    self.print_op_sel();
                }
                self.print_output_modifiers();
            }
        }
    }

    fn print_output_modifiers(&mut self) {
        self.print_flag(Flags::CLAMP, "clamp");
        let omod = self.inst.modifiers.omod;
        if let Some(text) = ["mul:2", "mul:4", "div:2"].get(usize::from(omod).wrapping_sub(1)) {
            self.word_if(true, text);
        }
    }

    fn print_op_sel(&mut self) {
        let op_sel = self.inst.modifiers.op_sel;
        if op_sel == 0 {
            return;
        }
        let sources = self.sources();
        self.text.push_str(" op_sel:[");
        for source in 0..sources {
            self.put(format_args!("{},", op_sel >> source & 1));
        }
        self.put(format_args!("{}]", op_sel >> 3 & 1));
    }

    fn sources(&self) -> u8 {
        let is_source =
            |operand: &&Operand| matches!(operand.role, Role::Src0 | Role::Src1 | Role::Src2);
        self.inst.row.operands.iter().filter(is_source).count() as u8
    }

    fn print_sdwa(&mut self) {
        const SELECTS: [&str; 7] = [
            "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
        ];
        const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
        let name = |names: &[&'static str], index: u8| {
            names.get(usize::from(index)).copied().unwrap_or_default()
        };
        let m = self.inst.modifiers;
        if self.inst.encoding != Encoding::Vopc {
            self.put(format_args!(
                " dst_sel:{} dst_unused:{}",
                name(&SELECTS, m.dst_sel),
                name(&UNUSED, m.dst_unused)
            ));
        }
        self.put(format_args!(" src0_sel:{}", name(&SELECTS, m.src_sel[0])));
        if self.inst.encoding != Encoding::Vop1 {
            self.put(format_args!(" src1_sel:{}", name(&SELECTS, m.src_sel[1])));
        }
    }

    fn print_dpp(&mut self) {
        let m = self.inst.modifiers;
        let shift = m.dpp_ctrl & 15;
        self.text.push(' ');
        match m.dpp_ctrl {
            c @ 0..=0xff => self.put(format_args!(
                "quad_perm:[{},{},{},{}]",
                c & 3,
                c >> 2 & 3,
                c >> 4 & 3,
                c >> 6 & 3
            )),
            0x101..=0x10f => self.put(format_args!("row_shl:{shift}")),
            0x111..=0x11f => self.put(format_args!("row_shr:{shift}")),
            0x121..=0x12f => self.put(format_args!("row_ror:{shift}")),
            0x130 => self.text.push_str("wave_shl:1"),
            0x134 => self.text.push_str("wave_rol:1"),
            0x138 => self.text.push_str("wave_shr:1"),
            0x13c => self.text.push_str("wave_ror:1"),
            0x140 => self.text.push_str("row_mirror"),
            0x141 => self.text.push_str("row_half_mirror"),
            0x142 => self.text.push_str("row_bcast:15"),
            0x143 => self.text.push_str("row_bcast:31"),
            0x150..=0x15f => {
                self.text.push_str(" /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */");
            }
            0x160..=0x16f => self
                .text
                .push_str("/* row_xmask is not supported on ASICs earlier than GFX10 */"),
            _ => self.text.push_str("/* Invalid dpp_ctrl value */"),
        }
        self.put(format_args!(
            " row_mask:{:#x} bank_mask:{:#x}",
            m.row_mask, m.bank_mask
        ));
        self.print_flag(Flags::BOUND_CTRL, "bound_ctrl:1");
    }

    pub(super) fn print_packed_modifiers(&mut self) {
        let m = self.inst.modifiers;
        let sources = self.sources();
        let all = (1 << sources) - 1;
        let default_hi = if self.inst.row.modifiers.has(Flags::MIX) {
            0
        } else {
            all
        };
        self.print_bits("op_sel", m.op_sel, 0, sources);
        self.print_bits("op_sel_hi", m.op_sel_hi & all, default_hi, sources);
        if !self.inst.row.modifiers.has(Flags::MIX) {
            self.print_bits("neg_lo", m.neg, 0, sources);
            self.print_bits("neg_hi", m.neg_hi, 0, sources);
        }
        self.print_flag(Flags::CLAMP, "clamp");
    }

    /// Prints ` name:[0,1,...]` with one bit per source, unless the bits are the default.
    fn print_bits(&mut self, name: &str, bits: u8, default: u8, sources: u8) {
        if bits == default {
            return;
        }
        self.put(format_args!(" {name}:["));
        for source in 0..sources {
            self.put(format_args!(
                "{}{}",
                if source == 0 { "" } else { "," },
                bits >> source & 1
            ));
        }
        self.text.push(']');
    }
}
