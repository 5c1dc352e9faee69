//! Printing of operands and modifiers of memory, image and export instructions.

use super::Printer;
use crate::isa::{Code, Encoding, Flags, Operand, Role, Type};

const EXPORT_DEPTH: u16 = 8;
const EXPORT_NULL: u16 = 9;

impl Printer<'_> {
    pub(super) fn print_memory_operand(&mut self, index: usize, operand: &Operand) {
        let inst = self.inst;
        let code = inst.operands[index];
        let flags = inst.modifiers.flags;
        match (inst.encoding, operand.role) {
            (Encoding::Smem, Role::Soffset) => self.print_scalar_offset(code),
            (Encoding::Smem, _) if operand.ty == Type::Number => {
                self.print_number(u64::from(code.0), Type::I32)
            }
            (Encoding::Global | Encoding::Scratch, Role::Addr | Role::Sbase)
                if code == Code::OFF =>
            {
                self.text.push_str("off")
            }
            (Encoding::Global, Role::Addr)
                if inst.operands.get(base_index(inst)) != Some(&Code::OFF) =>
            {
                self.print_registers(code, 1);
            }
            (Encoding::Mubuf | Encoding::Mtbuf, Role::Addr) => {
                match (flags.has(Flags::OFFEN), flags.has(Flags::IDXEN)) {
                    (false, false) => self.text.push_str("off"),
                    (true, true) => self.print_registers(code, 2),
                    _ => self.print_registers(code, 1),
                }
            }
            (Encoding::Mubuf, Role::Vdst | Role::Data) if code != Code::OFF => self
                .print_registers(
                    code,
                    operand.ty.registers() + usize::from(flags.has(Flags::TFE)),
                ),
            (Encoding::Mimg, Role::Vdst | Role::Data) => {
                self.print_registers(code, inst.image_data_registers(code.as_vgpr().unwrap_or(0)))
            }
            (Encoding::Exp, Role::Target) => self.print_export_target(code.0),
            (Encoding::Exp, _) if code == Code::OFF => self.text.push_str("off"),
            _ if code == Code::OFF => {}
            _ => self.print_plain_operand(index, operand),
        }
    }

    fn print_scalar_offset(&mut self, code: Code) {
        let inst = self.inst;
        if code != Code::OFF {
            self.print_registers(code, 1);
            if inst.modifiers.flags.has(Flags::IMM) {
                self.text.push_str(" offset:");
                self.print_signed_hexadecimal(inst.offset);
            }
        } else {
            self.print_signed_hexadecimal(inst.offset);
        }
    }

    fn print_signed_hexadecimal(&mut self, value: i32) {
        self.put(format_args!(
            "{}{:#x}",
            if value < 0 { "-" } else { "" },
            value.unsigned_abs()
        ));
    }

    pub(super) fn print_smem_modifiers(&mut self) {
        let legal = self.inst.row.modifiers.has(Flags::GLC);
        self.word_if(legal && self.inst.modifiers.flags.has(Flags::GLC), "glc");
    }

    pub(super) fn print_ds_modifiers(&mut self) {
        let (row, offset) = (self.inst.row.modifiers, self.inst.offset as u16);
        if row.has(Flags::TWO_OFFSETS) {
            for (name, byte) in [("offset0", offset & 0xff), ("offset1", offset >> 8)] {
                if byte != 0 {
                    self.put(format_args!(" {name}:{byte}"));
                }
            }
        } else if row.has(Flags::SWIZZLE) {
            self.print_swizzle(offset);
        } else {
            self.print_offset();
        }
        self.print_flag(Flags::GDS, "gds");
    }

    fn print_offset(&mut self) {
        if self.inst.offset != 0 {
            self.put(format_args!(" offset:{}", self.inst.offset));
        }
    }

    fn print_swizzle(&mut self, offset: u16) {
        if offset == 0 {
            return;
        }
        self.text.push_str(" offset:");
        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
        let group = 32 - and;
        if offset & 0xff00 == 0x8000 {
            self.put(format_args!(
                "swizzle(QUAD_PERM,{},{},{},{})",
                offset & 3,
                offset >> 2 & 3,
                offset >> 4 & 3,
                offset >> 6 & 3
            ));
        } else if offset & 0x8000 != 0 {
            self.put(format_args!("{offset}"));
        } else if and == 31 && or == 0 && xor.count_ones() == 1 {
            self.put(format_args!("swizzle(SWAP,{xor})"));
        } else if and == 31 && or == 0 && xor != 0 && (xor + 1).is_power_of_two() {
            self.put(format_args!("swizzle(REVERSE,{})", xor + 1));
        } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
            self.put(format_args!("swizzle(BROADCAST,{group},{or})"));
        } else {
            self.text.push_str("swizzle(BITMASK_PERM,\"");
            for bit in (0..5).rev() {
                let (zero, one) = ((or ^ xor) >> bit & 1, ((and | or) ^ xor) >> bit & 1);
                self.text.push(match (zero, one) {
                    (0, 0) => '0',
                    (1, 1) => '1',
                    (0, _) => 'p',
                    _ => 'i',
                });
            }
            self.text.push_str("\")");
        }
    }

    pub(super) fn print_flat_modifiers(&mut self) {
        self.print_offset();
        self.print_flag(Flags::GLC, "glc");
        self.print_flag(Flags::SLC, "slc");
        self.print_flag(Flags::LDS, "lds");
    }

    pub(super) fn print_buffer_modifiers(&mut self) {
        if self.inst.row.operands.is_empty() {
            return;
        }
        if self.inst.encoding == Encoding::Mtbuf {
            self.print_format();
        }
        self.print_flag(Flags::IDXEN, "idxen");
        self.print_flag(Flags::OFFEN, "offen");
        self.print_offset();
        let lds_first = self.inst.row.modifiers.has(Flags::ALWAYS_LDS);
        let lds = self.inst.modifiers.flags.has(Flags::LDS);
        self.word_if(lds && lds_first, "lds");
        self.print_flag(Flags::GLC, "glc");
        self.print_flag(Flags::SLC, "slc");
        self.print_flag(Flags::TFE, "tfe");
        self.word_if(lds && !lds_first, "lds");
    }

    fn print_format(&mut self) {
        const DATA: [&str; 16] = [
            "INVALID",
            "8",
            "16",
            "8_8",
            "32",
            "16_16",
            "10_11_11",
            "11_11_10",
            "10_10_10_2",
            "2_10_10_10",
            "8_8_8_8",
            "32_32",
            "16_16_16_16",
            "32_32_32",
            "32_32_32_32",
            "RESERVED_15",
        ];
        const NUMBER: [&str; 8] = [
            "UNORM",
            "SNORM",
            "USCALED",
            "SSCALED",
            "UINT",
            "SINT",
            "RESERVED_6",
            "FLOAT",
        ];
        let (data, number) = (
            usize::from(self.inst.modifiers.format & 15),
            usize::from(self.inst.modifiers.format >> 4 & 7),
        );
        if (data, number) == (1, 0) {
            return;
        }
        self.text.push_str(" format:[");
        if data != 1 {
            self.put(format_args!("BUF_DATA_FORMAT_{}", DATA[data]));
        }
        if number != 0 {
            self.put(format_args!(
                "{}BUF_NUM_FORMAT_{}",
                if data == 1 { "" } else { "," },
                NUMBER[number]
            ));
        }
        self.text.push(']');
    }

    pub(super) fn print_image_modifiers(&mut self) {
        let dmask = self.inst.modifiers.dmask;
        if dmask != 0 {
            self.put(format_args!(" dmask:{dmask:#x}"));
        }
        self.print_flag(Flags::UNORM, "unorm");
        self.print_flag(Flags::GLC, "glc");
        self.print_flag(Flags::SLC, "slc");
        self.print_flag(Flags::A16, "a16");
        self.print_flag(Flags::TFE, "tfe");
        self.print_flag(Flags::LWE, "lwe");
        self.print_flag(Flags::DA, "da");
        self.print_flag(Flags::D16, "d16");
    }

    fn print_export_target(&mut self, target: u16) {
        match target {
            0..=7 => self.put(format_args!("mrt{target}")),
            EXPORT_DEPTH => self.text.push_str("mrtz"),
            EXPORT_NULL => self.text.push_str("null"),
            12..=15 => self.put(format_args!("pos{}", target - 12)),
            32..=63 => self.put(format_args!("param{}", target - 32)),
            _ => self.put(format_args!("invalid_target_{target}")),
        }
    }

    pub(super) fn print_export_modifiers(&mut self) {
        self.print_flag(Flags::DONE, "done");
        self.print_flag(Flags::COMPRESSED, "compr");
        self.print_flag(Flags::VALID_MASK, "vm");
    }
}

/// Returns the position of the row's scalar base operand.
fn base_index(inst: &crate::isa::Inst) -> usize {
    inst.row
        .operands
        .iter()
        .position(|operand| operand.role == Role::Sbase)
        .unwrap_or(usize::MAX)
}
