//! A decoded instruction.

use super::{Encoding, Form, Operand, Properties, Role, Row};

/// An operand as encoded in the 9-bit source space, which scalars, constants and VGPRs share.
///
/// 0..=101 SGPRs, 102/103 FLAT_SCRATCH, 104/105 XNACK_MASK, 106/107 VCC, 108..=123 TTMP, 124 M0, 126/127 EXEC, 128..=208 integers,
/// 235..=239 apertures and POPS, 240..=248 floats, 249 SDWA, 250 DPP, 251 VCCZ, 252 EXECZ, 253 SCC, 254 LDS direct, 255 literal, 256..=511
/// VGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Code(pub u16);

impl Code {
    /// VCC_LO.
    pub const VCC: Code = Code(106);
    /// M0.
    pub const M0: Code = Code(124);
    /// EXEC_LO.
    pub const EXEC: Code = Code(126);
    /// The literal that follows the instruction.
    pub const LITERAL: Code = Code(255);
    /// The null register, which exists on later chips and not on gfx906.
    pub(super) const NULL: Code = Code(125);
    /// A value in LDS at the address in M0, read by a vector instruction.
    pub const LDS_DIRECT: Code = Code(254);
    /// An absent operand ("off" in assembly).
    pub const OFF: Code = Code(u16::MAX);

    /// Returns the code of VGPR `n`.
    pub const fn vgpr(n: u8) -> Code {
        Code(256 + n as u16)
    }

    /// Returns true if the code is an inline constant or the literal.
    pub const fn is_number(self) -> bool {
        matches!(self.0, 128..=208 | 240..=248 | 255)
    }

    /// Returns the VGPR's number if the code is a VGPR.
    pub const fn as_vgpr(self) -> Option<u8> {
        if self.0 >= 256 && self.0 < 512 {
            Some((self.0 - 256) as u8)
        } else {
            None
        }
    }
}

/// A set of one-bit modifiers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u32);

#[expect(missing_docs, reason = "the names are the assembler's own")]
impl Flags {
    pub const NONE: Flags = Flags(0);
    pub const CLAMP: Flags = Flags(1);
    pub const GLC: Flags = Flags(1 << 1);
    pub const SLC: Flags = Flags(1 << 2);
    pub const TFE: Flags = Flags(1 << 3);
    pub const LDS: Flags = Flags(1 << 4);
    pub const OFFEN: Flags = Flags(1 << 5);
    pub const IDXEN: Flags = Flags(1 << 6);
    pub const GDS: Flags = Flags(1 << 7);
    pub const BOUND_CTRL: Flags = Flags(1 << 8);
    /// SMEM: the offset is an immediate.
    pub const IMM: Flags = Flags(1 << 9);
    /// SMEM: an SGPR offset is added to the immediate one.
    pub const SOFFSET: Flags = Flags(1 << 10);
    pub const NV: Flags = Flags(1 << 11);
    // Only rows have the following bits, which say which modifiers and forms are legal.
    /// The first source may be negated or taken absolute.
    pub const NEG0: Flags = Flags(1 << 12);
    /// The second source may be negated or taken absolute.
    pub const NEG1: Flags = Flags(1 << 13);
    /// The third source may be negated or taken absolute.
    pub const NEG2: Flags = Flags(1 << 14);
    pub const OMOD: Flags = Flags(1 << 15);
    pub const OP_SEL: Flags = Flags(1 << 16);
    /// The row has no SDWA form although its encoding has one.
    pub const NO_SDWA: Flags = Flags(1 << 17);
    /// The row has no DPP form although its encoding has one.
    pub const NO_DPP: Flags = Flags(1 << 18);
    /// The row has no VOP3 form although its encoding has one.
    pub const NO_E64: Flags = Flags(1 << 19);
    /// The modifiers neg, neg_hi, op_sel and op_sel_hi apply to halves.
    pub const PACKED: Flags = Flags(1 << 20);
    /// The modifier op_sel_hi selects the f16 sources, and neg_hi the sources whose magnitude is taken.
    pub const MIX: Flags = Flags(1 << 21);
    /// DS: the instruction has two 8-bit offsets instead of one 16-bit offset.
    pub const TWO_OFFSETS: Flags = Flags(1 << 22);
    /// DS: the offset is a swizzle pattern.
    pub const SWIZZLE: Flags = Flags(1 << 23);
    pub const NO_GDS: Flags = Flags(1 << 24);
    pub const ALWAYS_GDS: Flags = Flags(1 << 25);
    /// Buffers: the data only moves between memory and LDS.
    pub const ALWAYS_LDS: Flags = Flags(1 << 26);
    /// Atomics: GLC returns the value before the operation.
    pub const RETURNS: Flags = Flags(1 << 27);
    /// Typed buffers: the instruction has a format field.
    pub const FORMAT: Flags = Flags(1 << 28);
    /// Images: the instruction returns four texels of one component.
    pub const GATHER: Flags = Flags(1 << 29);
    /// The instruction cannot use one of its operands, for example an SGPR where it needs VGPRs or a constant as a jump target. Such an
    /// instruction disassembles, and traps when executed.
    pub const MALFORMED: Flags = Flags(1 << 30);
    /// The result is an f16 in the high half of its register. VOP3P has no op_sel bit for the destination, because that bit is op_sel_hi's
    /// third one.
    pub const HIGH: Flags = Flags(1 << 31);
    // Images and exports reuse bits of modifiers that they lack.
    pub const UNORM: Flags = Flags(1 << 4);
    pub const DA: Flags = Flags(1 << 5);
    pub const A16: Flags = Flags(1 << 6);
    pub const LWE: Flags = Flags(1 << 7);
    pub const D16: Flags = Flags(1 << 8);
    pub const COMPRESSED: Flags = Flags(1 << 9);
    pub const DONE: Flags = Flags(1 << 10);
    pub const VALID_MASK: Flags = Flags(1 << 11);

    /// Returns true if all bits of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// Modifiers of an instruction. In a mask of sources, bit 0 is src0, bit 1 is src1 and bit 2 is src2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// One-bit modifiers.
    pub flags: Flags,
    /// Negated sources. Packed instructions: sources whose low half is negated.
    pub neg: u8,
    /// Packed: sources whose high half is negated. Mix instructions: sources whose magnitude is taken.
    pub neg_hi: u8,
    /// Sources whose magnitude is taken.
    pub abs: u8,
    /// Half of each 16-bit source (bits 0..=2) and of the destination (bit 3).
    pub op_sel: u8,
    /// Packed: half of each source that the high result reads.
    pub op_sel_hi: u8,
    /// Output multiplier: 0 none, 1 *2, 2 *4, 3 /2.
    pub omod: u8,
    /// SDWA: destination select (0..=3 byte, 4..=5 word, 6 dword).
    pub dst_sel: u8,
    /// SDWA: treatment of the destination's other bits (0 pad, 1 sign-extend, 2 preserve).
    pub dst_unused: u8,
    /// SDWA: source selects.
    pub src_sel: [u8; 2],
    /// SDWA: sign-extended sources.
    pub sext: u8,
    /// DPP: 9-bit control.
    pub dpp_ctrl: u16,
    /// DPP: row mask.
    pub row_mask: u8,
    /// DPP: bank mask.
    pub bank_mask: u8,
    /// Typed buffers: data format in bits 0..=3, number format in bits 4..=6.
    pub format: u8,
    /// Images: enabled components.
    pub dmask: u8,
}

/// A decoded instruction: its row, and the fields of its words.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// The row of the table.
    pub row: &'static Row,
    /// The encoding of the row.
    pub encoding: Encoding,
    /// Form of the encoding.
    pub form: Form,
    /// Size in bytes with the literal: 4 or 8.
    pub size: u8,
    /// Operands as encoded, in the order of the row's list. An absent operand is `Code::OFF`.
    pub operands: [Code; 6],
    /// The literal, or the sign-extended 16-bit immediate of SOPP and SOPK, or 0. The instruction s_setreg_imm32_b32 has both: its
    /// immediate is in the low half of `words[0]`.
    pub literal: u32,
    /// Memory: byte offset, sign-extended where the field is signed. DS: two-address instructions have offset0 in bits 0..=7 and offset1 in
    /// bits 8..=15; one-address instructions use all 16 bits.
    pub offset: i32,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// Words of the instruction. The second one is 0 for a 32-bit instruction.
    pub words: [u32; 2],
}

impl Inst {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Returns true if the row has a property.
    pub fn has(&self, property: Properties) -> bool {
        self.row.properties.has(property)
    }

    /// Returns the number of registers of an operand. It is the row's number, except for addresses whose width depends on other fields, for
    /// the data of images, and for the dword that TFE adds.
    pub fn registers(&self, operand: &Operand) -> u16 {
        let flags = self.modifiers.flags;
        let buffer = matches!(self.encoding, Encoding::Mubuf | Encoding::Mtbuf);
        match (self.encoding, operand.role) {
            (Encoding::Global, Role::Addr) if self.by_role(Role::Sbase) != Code::OFF => 1,
            (_, Role::Addr) if buffer => match flags.has(Flags::OFFEN.with(Flags::IDXEN)) {
                true => 2,
                false => 1,
            },
            (_, Role::Vdst | Role::Data) if buffer => {
                operand.ty.registers() as u16 + u16::from(flags.has(Flags::TFE))
            }
            (Encoding::Mimg, Role::Vdst | Role::Data) => {
                let first = self.by_role(operand.role).as_vgpr().unwrap_or(0);
                self.image_data_registers(first) as u16
            }
            _ => operand.ty.registers() as u16,
        }
    }

    /// Images: returns the largest number of address VGPRs that the instruction can read.
    pub fn most_coordinates(&self) -> u16 {
        let samples = self.has(Properties::SAMPLE) || self.row.modifiers.has(Flags::GATHER);
        match (samples, self.has(Properties::GRADIENTS)) {
            // An offset, a bias or a reference, two gradients with three components each, three coordinates and a level.
            (true, true) => 12,
            (true, false) => 6,
            _ => 4,
        }
    }

    /// Images: returns the number of data VGPRs from VGPR `first` on. The number follows from dmask, D16 and TFE if the assembler has an
    /// instruction of that width and the registers exist; otherwise it is the row's own number.
    pub(super) fn image_data_registers(&self, first: u8) -> usize {
        let flags = self.modifiers.flags;
        let gather = self.row.modifiers.has(Flags::GATHER);
        let components = if gather {
            4
        } else {
            (self.modifiers.dmask.count_ones() as usize).max(1)
        };
        let packed = if flags.has(Flags::D16) {
            components.div_ceil(2)
        } else {
            components
        };
        let by_fields = packed + usize::from(flags.has(Flags::TFE));
        let by_row = self
            .row
            .operands
            .first()
            .map_or(1, |data| data.ty.registers());
        let registers = match (self.row.modifiers.has(Flags::RETURNS), by_row, by_fields) {
            (true, 1, 4) => 5,
            (true, _, 1 | 3 | 5) | (false, 4, 3) => by_row,
            _ => by_fields,
        };
        if usize::from(first) + registers <= 256 {
            registers
        } else {
            by_row
        }
    }

    /// Returns the operand with a role, or `Code::OFF` if the row has none.
    #[inline(always)]
    pub fn by_role(&self, role: Role) -> Code {
        for (operand, &code) in self.row.operands.iter().zip(&self.operands) {
            if operand.role == role {
                return code;
            }
        }
        Code::OFF
    }
}
