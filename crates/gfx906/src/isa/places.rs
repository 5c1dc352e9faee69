//! Positions of an instruction's fields in its words, for code that changes an instruction in place.

use super::{Access, Encoding, Flags, Form, Inst, Role, Row, Type};

/// A bit field of an instruction's 64 bits, with the first word in the low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldBits {
    /// Lowest bit.
    pub low: u32,
    /// Number of bits.
    pub bits: u32,
    /// Number of registers per step of the field's value. Groups of scalar registers are counted in pairs or fours.
    pub unit: u16,
}

impl FieldBits {
    const fn new(low: u32, bits: u32) -> FieldBits {
        FieldBits { low, bits, unit: 1 }
    }

    const fn with_unit(low: u32, bits: u32, unit: u16) -> FieldBits {
        FieldBits { low, bits, unit }
    }

    const fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.low
    }

    /// Reads the field's value.
    pub const fn get(self, words: u64) -> u64 {
        (words & self.mask()) >> self.low
    }

    /// Returns the words with the field set to the low bits of a value.
    pub const fn set(self, words: u64, value: u64) -> u64 {
        words & !self.mask() | value << self.low & self.mask()
    }
}

/// Returns an instruction's words as one number, with the first word in the low half.
pub fn words(inst: &Inst) -> u64 {
    u64::from(inst.words[0]) | u64::from(inst.words[1]) << 32
}

/// Returns the position of the opcode.
pub fn opcode(inst: &Inst) -> Option<FieldBits> {
    Some(match (inst.encoding, inst.form) {
        (Encoding::Vintrp | Encoding::Mimg | Encoding::Exp, _) => return None,
        (_, Form::E64) | (Encoding::Vop3, _) => FieldBits::new(16, 10),
        (Encoding::Sop1, _) => FieldBits::new(8, 8),
        (Encoding::Sop2, _) => FieldBits::new(23, 7),
        (Encoding::Sopk, _) => FieldBits::new(23, 5),
        (Encoding::Sopc | Encoding::Sopp | Encoding::Vop3p, _) => FieldBits::new(16, 7),
        (Encoding::Smem, _) => FieldBits::new(18, 8),
        (Encoding::Vop1, _) => FieldBits::new(9, 8),
        (Encoding::Vop2, _) => FieldBits::new(25, 6),
        (Encoding::Vopc | Encoding::Ds, _) => FieldBits::new(17, 8),
        (Encoding::Flat | Encoding::Global | Encoding::Scratch | Encoding::Mubuf, _) => {
            FieldBits::new(18, 7)
        }
        (Encoding::Mtbuf, _) => FieldBits::new(15, 4),
    })
}

/// Returns the opcode field's value that turns `like` into an instruction of another row, which the table lists under `encoding`. Returns
/// `None` if the row has no encoding with the fields of `like`. A VOP3 instruction may become any row that has the VOP3 form.
pub fn opcode_of(like: &Inst, encoding: Encoding, row: &Row) -> Option<u64> {
    let long = |encoding, form| form == Form::E64 || encoding == Encoding::Vop3;
    let row_opcode = u64::from(row.opcode);
    if long(like.encoding, like.form) {
        return match encoding {
            Encoding::Vop3 => Some(row_opcode),
            _ if !row.has_form(encoding, Form::E64) => None,
            Encoding::Vopc => Some(row_opcode),
            Encoding::Vop2 => Some(0x100 + row_opcode),
            Encoding::Vop1 => Some(0x140 + row_opcode),
            _ => None,
        };
    }
    (encoding == like.encoding && row.has_form(encoding, like.form)).then_some(row_opcode)
}

/// Returns the position of an operand's code. An operand that is implied, a number or absent has no position.
pub fn operand(inst: &Inst, index: usize) -> Option<FieldBits> {
    let operand = inst.row.operands.get(index)?;
    let source = |at: u32| FieldBits::new(32 + 9 * at, 9);
    let registers = operand.ty.registers() as u16;
    Some(match (inst.encoding, inst.form, operand.role) {
        (Encoding::Vintrp | Encoding::Mimg | Encoding::Exp, ..) => return None,
        (_, Form::E64, _) | (Encoding::Vop3 | Encoding::Vop3p, ..) => match operand.role {
            Role::Vdst => FieldBits::new(0, 8),
            Role::Sdst if inst.row.has_role(Role::Vdst) => FieldBits::new(8, 7),
            Role::Sdst => FieldBits::new(0, 8),
            Role::Vcc if inst.encoding == Encoding::Vopc => FieldBits::new(0, 8),
            Role::Vcc if operand.access == Access::Write => FieldBits::new(8, 7),
            Role::Vcc => source(2),
            Role::Src0 => source(0),
            Role::Src1 => source(1),
            Role::Src2 => source(2),
            _ => return None,
        },
        (Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk, _, role) => {
            match role {
                Role::Sdst => FieldBits::new(16, 7),
                Role::Src0 if operand.ty != Type::GprIndex => FieldBits::new(0, 8),
                Role::Src1 if operand.ty != Type::GprIndex => FieldBits::new(8, 8),
                _ => return None,
            }
        }
        (Encoding::Smem, _, Role::Sdst) if operand.ty != Type::Number => FieldBits::new(6, 7),
        (Encoding::Smem, _, Role::Sbase) => FieldBits::with_unit(0, 6, 2),
        (Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc, form, role) => match (role, form) {
            (Role::Vdst | Role::Sdst, _) => FieldBits::new(17, 8),
            (Role::Src0, Form::Native) => FieldBits::new(0, 9),
            (Role::Src0, _) => FieldBits::new(32, 8),
            (Role::Src1 | Role::Src2, _) => FieldBits::new(9, 8),
            _ => return None,
        },
        (Encoding::Ds, _, role) => FieldBits::new(ds(role)?, 8),
        (Encoding::Flat | Encoding::Global | Encoding::Scratch, _, role) => match role {
            Role::Sbase => FieldBits::new(48, 7),
            role => FieldBits::new(ds(role)?, 8),
        },
        (Encoding::Mubuf | Encoding::Mtbuf, _, role) => match role {
            Role::Addr => FieldBits::new(32, 8),
            Role::Vdst | Role::Data => FieldBits::new(40, 8),
            Role::Sbase => FieldBits::with_unit(48, 5, registers.min(4)),
            Role::Soffset => FieldBits::new(56, 8),
            _ => return None,
        },
        _ => return None,
    })
}

/// Returns the lowest bit of a VGPR field in LDS and flat instructions.
fn ds(role: Role) -> Option<u32> {
    Some(match role {
        Role::Addr => 32,
        Role::Data => 40,
        Role::Data1 => 48,
        Role::Vdst => 56,
        _ => return None,
    })
}

/// Returns the positions of a memory instruction's offsets: two for an instruction with two addresses.
pub fn offsets(inst: &Inst) -> Vec<FieldBits> {
    match inst.encoding {
        Encoding::Ds if inst.row.modifiers.has(Flags::SWIZZLE) => Vec::new(),
        Encoding::Ds if inst.row.modifiers.has(Flags::TWO_OFFSETS) => {
            vec![FieldBits::new(0, 8), FieldBits::new(8, 8)]
        }
        Encoding::Ds if inst.row.has_role(Role::Addr) => vec![FieldBits::new(0, 16)],
        Encoding::Flat | Encoding::Global | Encoding::Scratch => vec![FieldBits::new(0, 13)],
        Encoding::Mubuf | Encoding::Mtbuf => vec![FieldBits::new(0, 12)],
        Encoding::Smem if inst.modifiers.flags.has(Flags::IMM) => vec![FieldBits::new(32, 21)],
        _ => Vec::new(),
    }
}

/// Returns the positions of the bits that negate sources or take their magnitude, one bit per source.
pub fn signs(inst: &Inst) -> Vec<FieldBits> {
    let has_second_destination = (0..inst.row.operands.len())
        .filter_map(|index| operand(inst, index))
        .any(|field| field.low == 8 && field.bits == 7);
    let single_bit = |low| FieldBits::new(low, 1);
    match (inst.encoding, inst.form) {
        // A second destination replaces the abs bits.
        (_, Form::E64) | (Encoding::Vop3, _) if has_second_destination => {
            [61, 62, 63].map(single_bit).into()
        }
        (_, Form::E64) | (Encoding::Vop3 | Encoding::Vop3p, _) => {
            [61, 62, 63, 8, 9, 10].map(single_bit).into()
        }
        (_, Form::Sdwa) => [52, 53, 60, 61].map(single_bit).into(),
        (_, Form::Dpp) => [52, 53, 54, 55].map(single_bit).into(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::isa::{Code, decode, rows};

    fn bytes(words: u64) -> [u8; 8] {
        words.to_le_bytes()
    }

    /// Checks with random words of every row in every form that the decoder reads an operand from its position, and that a change at the
    /// position changes that operand alone.
    #[test]
    fn a_place_holds_its_operand_and_nothing_else() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut checked = BTreeSet::new();
        let mut forms_seen = BTreeSet::new();
        for drawn in (0..400_000).flat_map(|_| with_marker_codes(random())) {
            let Ok(inst) = decode(&bytes(drawn)) else {
                continue;
            };
            let encoded = words(&inst);
            if let Some(field) = opcode(&inst) {
                let expected = opcode_of(&inst, inst.encoding, inst.row);
                assert_eq!(expected, Some(field.get(encoded)), "{}", inst.row.mnemonic);
            }
            for index in 0..inst.row.operands.len() {
                if check_operand(&inst, index) {
                    checked.insert((inst.row.mnemonic, inst.form as u8, index));
                    forms_seen.insert(format!("{:?} {:?}", inst.encoding, inst.form));
                }
            }
            for field in offsets(&inst) {
                let changed = decode(&bytes(field.set(encoded, field.get(encoded) ^ 1)));
                let changed = changed.expect("an offset may be anything");
                assert_eq!(changed.offset ^ inst.offset, 1 << field.low.rem_euclid(32));
                checked.insert((inst.row.mnemonic, 9, 0));
            }
        }
        assert!(checked.len() > 1_000, "only {} places", checked.len());
        // Every form of each encoding with VGPRs was among the random words.
        assert_eq!(forms_seen, forms_with_vgprs());
    }

    /// Returns random words, and the same words with the marker codes of SDWA, DPP and VOP3 with fewer than three operands, which random
    /// words almost never have.
    fn with_marker_codes(drawn: u64) -> [u64; 5] {
        let marked = |mark| drawn & !0x1ff | mark;
        let long = drawn & !(0x3f << 26) | 0x34 << 26;
        [
            drawn,
            marked(0xf9),
            marked(0xfa),
            long & !(!0 << 50),
            long & !(!0 << 41),
        ]
    }

    /// Checks that a change at an operand's position changes that operand alone. Returns false if the operand cannot be checked, because it
    /// has no position, is no VGPR, or the changed words are no instruction.
    fn check_operand(inst: &Inst, index: usize) -> bool {
        let encoded = words(inst);
        let Some(field) = operand(inst, index) else {
            return false;
        };
        let Some(vgpr) = inst.operands[index].as_vgpr().filter(|&n| n > 0) else {
            return false;
        };
        let Ok(changed) = decode(&bytes(field.set(encoded, field.get(encoded) - 1))) else {
            return false;
        };
        assert_eq!(changed.row.mnemonic, inst.row.mnemonic);
        assert_eq!(changed.operands[index], Code::vgpr(vgpr - 1));
        for (at, (a, b)) in inst.operands.iter().zip(&changed.operands).enumerate() {
            let tied = at == index || operand(inst, at) == Some(field);
            assert!(tied || a == b, "{} operand {at}", inst.row.mnemonic);
        }
        true
    }

    /// Returns the forms of the encodings that have VGPRs.
    fn forms_with_vgprs() -> BTreeSet<String> {
        let without_positions = |encoding| {
            use Encoding::{Exp, Mimg, Smem, Sop1, Sop2, Sopc, Sopk, Sopp, Vintrp};
            let scalar = matches!(encoding, Sop1 | Sop2 | Sopk | Sopc | Sopp | Smem);
            scalar || matches!(encoding, Vintrp | Mimg | Exp)
        };
        let with_positions = rows().filter(|(encoding, _)| !without_positions(*encoding));
        let forms = with_positions.flat_map(|(encoding, row)| {
            let forms = Form::ALL
                .into_iter()
                .filter(move |form| row.has_form(encoding, *form));
            forms.map(move |form| format!("{encoding:?} {form:?}"))
        });
        forms.collect()
    }
}
