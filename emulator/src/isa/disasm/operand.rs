//! Registers and constants.

use super::Printer;
use crate::isa::{Code, Operand, Type};

/// Names of the special registers, by code: alone, and where a pair starts there.
const SPECIAL: &[(u16, &str, &str)] = &[
    (102, "flat_scratch_lo", "flat_scratch"),
    (103, "flat_scratch_hi", ""),
    (104, "xnack_mask_lo", "xnack_mask"),
    (105, "xnack_mask_hi", ""),
    (106, "vcc_lo", "vcc"),
    (107, "vcc_hi", ""),
    (124, "m0", "m0"),
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

/// Inline floats from code 240 on; the last one is 1 / (2 pi).
const FLOATS: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];

/// The value of an inline integer.
fn inline_integer(code: u16) -> i32 {
    let code = i32::from(code);
    if code <= 192 { code - 128 } else { 192 - code }
}

/// Whether the code stands for a number.
pub(super) fn is_number(code: Code) -> bool {
    matches!(code.0, 128..=208 | 240..=248 | 255)
}

impl Printer<'_> {
    /// An operand as its code and type say.
    pub(super) fn plain(&mut self, index: usize, operand: &Operand) {
        self.code(self.inst.operands[index], operand.ty);
    }

    /// The register or constant behind a code.
    pub(super) fn code(&mut self, code: Code, ty: Type) {
        match code.0 {
            128..=208 => self.put(format_args!("{}", inline_integer(code.0))),
            240..=248 => self.inline_float(code.0, ty),
            255 => self.literal(ty),
            _ => self.registers(code, ty.registers()),
        }
    }

    /// A register, or a group of them.
    pub(super) fn registers(&mut self, code: Code, count: usize) {
        let (kind, first) = match code.0 {
            n @ 0..=101 => ("s", n),
            n @ 108..=123 => ("ttmp", n - 108),
            n @ 256..=511 => ("v", n - 256),
            n => {
                let name = SPECIAL.iter().find(|(code, ..)| *code == n);
                let name = name.map_or("", |(_, one, pair)| if count == 1 { one } else { pair });
                self.text.push_str(name);
                return;
            }
        };
        if count == 1 {
            self.put(format_args!("{kind}{first}"));
        } else {
            self.put(format_args!("{kind}[{first}:{}]", usize::from(first) + count - 1));
        }
    }

    fn inline_float(&mut self, code: u16, ty: Type) {
        let name = FLOATS[usize::from(code - 240)];
        match ty {
            Type::F64 | Type::B64 | Type::U64 | Type::I64 if code == 248 => self.text.push_str("0.15915494309189532"),
            _ => self.text.push_str(name),
        }
    }

    fn literal(&mut self, _ty: Type) {
        self.put(format_args!("{:#x}", self.inst.literal));
    }
}
