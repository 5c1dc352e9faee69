//! Printing of registers and constants.

use std::fmt::Write;

use super::Printer;
use crate::isa::misfit::{Misfit, misfit};
use crate::isa::{Code, Operand, Type};

/// Names of the special registers by code: the name of the single register, and the name of the pair that begins there.
const SPECIAL: &[(u16, &str, &str)] = &[
    (102, "flat_scratch_lo", "flat_scratch"),
    (103, "flat_scratch_hi", ""),
    (104, "xnack_mask_lo", "xnack_mask"),
    (105, "xnack_mask_hi", ""),
    (106, "vcc_lo", "vcc"),
    (107, "vcc_hi", ""),
    (124, "m0", "m0"),
    (125, "null", "null"),
    (126, "exec_lo", "exec"),
    (127, "exec_hi", ""),
    (235, "src_shared_base", "src_shared_base"),
    (236, "src_shared_limit", "src_shared_limit"),
    (237, "src_private_base", "src_private_base"),
    (238, "src_private_limit", "src_private_limit"),
    (239, "src_pops_exiting_wave_id", "src_pops_exiting_wave_id"),
    (251, "src_vccz", "src_vccz"),
    (252, "src_execz", "src_execz"),
    (253, "src_scc", "src_scc"),
    (254, "src_lds_direct", "src_lds_direct"),
];

/// Inline floats from code 240 on: their text, and their bits as f16, f32 and f64. The last one is 1 / (2 pi).
const FLOATS: [(&str, u16, u32, u64); 9] = [
    ("0.5", 0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    ("-0.5", 0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    ("1.0", 0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    ("-1.0", 0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    ("2.0", 0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    ("-2.0", 0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    ("4.0", 0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    ("-4.0", 0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    ("0.15915494", 0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882),
];

/// Appends the name of a register or of a group of registers.
pub(super) fn write_registers(text: &mut String, code: Code, count: usize) {
    let (kind, first) = match code.0 {
        n @ 0..=101 => ("s", n),
        n @ 108..=123 => ("ttmp", n - 108),
        n @ 256..=511 => ("v", n - 256),
        n => {
            let name = SPECIAL.iter().find(|(code, ..)| *code == n);
            let name = name.map_or("", |(_, one, pair)| if count == 1 { one } else { pair });
            text.push_str(name);
            return;
        }
    };
    // Writing to a string cannot fail.
    let _ = if count == 1 {
        write!(text, "{kind}{first}")
    } else {
        write!(text, "{kind}[{first}:{}]", usize::from(first) + count - 1)
    };
}

/// Returns the value of an inline integer's code.
fn inline_integer(code: u16) -> i32 {
    let code = i32::from(code);
    if code <= 192 { code - 128 } else { 192 - code }
}

impl Printer<'_> {
    /// Prints an operand by its code and type, with LLVM's comment if the instruction cannot use it.
    pub(super) fn print_plain_operand(&mut self, index: usize, operand: &Operand) {
        let misfit = misfit(self.inst, index, operand);
        let ty = match misfit {
            Some(Misfit::Constant) => Type::B32,
            // The assembler prints constants in v_ldexp_f16's exponent as f16.
            _ if self.inst.row.mnemonic == "v_ldexp_f16" => Type::F16,
            _ => operand.ty,
        };
        self.print_code(self.inst.operands[index], ty);
        match misfit {
            Some(Misfit::Register(class)) => {
                self.put(format_args!(
                    "/*Invalid register, operand has '{class}' register class*/"
                ));
            }
            Some(Misfit::Constant) => self.text.push_str("/*Invalid immediate*/"),
            None => {}
        }
    }

    /// Prints the register or constant of a code.
    pub(super) fn print_code(&mut self, code: Code, ty: Type) {
        match code.0 {
            128..=208 => self.put(format_args!("{}", inline_integer(code.0))),
            240..=248 => self.print_inline_float(code.0, ty),
            255 => self.print_literal(ty),
            _ => self.print_registers(code, ty.registers()),
        }
    }

    /// Prints a register or a group of registers.
    pub(super) fn print_registers(&mut self, code: Code, count: usize) {
        write_registers(&mut self.text, code, count);
    }

    /// Prints an inline float: the bits that it has in the operand's width, as a number of the operand's type.
    fn print_inline_float(&mut self, code: u16, ty: Type) {
        let (_, half, single, double) = FLOATS[usize::from(code - 240)];
        self.print_number(
            match width(ty) {
                16 => u64::from(half),
                64 => double,
                _ => u64::from(single),
            },
            ty,
        );
    }

    fn print_literal(&mut self, ty: Type) {
        let literal = u64::from(self.inst.literal);
        match ty {
            // A 32-bit literal is the high half of a double.
            Type::F64
                if FLOATS.iter().all(|(.., double)| literal << 32 != *double) && literal != 0 =>
            {
                self.put(format_args!("{literal:#x}"))
            }
            Type::F64 => self.print_number(literal << 32, ty),
            _ => self.print_number(literal, ty),
        }
    }

    /// Prints a constant as the assembler does: as an inline constant where one exists, else in hexadecimal.
    pub(super) fn print_number(&mut self, bits: u64, ty: Type) {
        let signed = match (width(ty), ty) {
            (64, _) => bits as i64,
            (_, Type::F16) => i64::from(bits as i16),
            _ => i64::from(bits as i32),
        };
        let name = FLOATS.iter().find(|(_, half, single, double)| match ty {
            Type::F16 => *half == bits as u16,
            Type::F16x2 => u64::from(*half) == bits,
            _ if width(ty) == 64 => *double == bits,
            _ => *single == bits as u32,
        });
        match name {
            _ if (-16..=64).contains(&signed) => self.put(format_args!("{signed}")),
            Some(("0.15915494", ..)) if width(ty) == 64 => {
                self.text.push_str("0.15915494309189532")
            }
            Some((name, ..)) => self.text.push_str(name),
            None if matches!(ty, Type::F16 | Type::B16 | Type::U16 | Type::I16) => {
                self.put(format_args!("{:#x}", bits as u16))
            }
            None => self.put(format_args!("{bits:#x}")),
        }
    }
}

/// Returns the width in bits of an operand's inline floats.
fn width(ty: Type) -> u32 {
    match ty {
        Type::B16 | Type::U16 | Type::I16 | Type::F16 | Type::F16x2 => 16,
        _ if ty.registers() >= 2 => 64,
        _ => 32,
    }
}
