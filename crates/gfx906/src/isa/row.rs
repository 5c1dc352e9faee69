//! A row of the instruction table.

use super::{Encoding, Form, Properties};
use crate::machine::Handlers;

/// An instruction of the table.
#[derive(Debug)]
pub struct Row {
    /// Opcode within the row's encoding.
    pub opcode: u16,
    /// Mnemonic without the suffix of a form.
    pub mnemonic: &'static str,
    /// Operands in the order of the assembly text.
    pub operands: &'static [Operand],
    /// Modifiers that are legal, and properties of the instruction.
    pub modifiers: Flags,
    /// Properties that neither the encoding nor the operands show.
    pub properties: Properties,
    /// Handlers that execute the instruction. An instruction without handlers disassembles, and traps by name when executed.
    pub semantics: Option<Handlers>,
}

impl Row {
    /// Returns true if the row, which the table lists under `encoding`, can be encoded in `form`. The rules are that 64-bit operands fit
    /// neither SDWA nor DPP, and that comparisons have no DPP form; flags of the row exclude further forms.
    pub fn has_form(&self, encoding: Encoding, form: Form) -> bool {
        let narrow = |operand: &Operand| operand.ty.registers() == 1 || operand.role == Role::Vcc;
        let sub_dword = self.operands.iter().all(narrow);
        match (form, encoding) {
            (Form::Native, _) => true,
            (Form::E64, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vintrp) => {
                !self.modifiers.has(Flags::NO_E64)
            }
            (Form::Sdwa, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc) => {
                sub_dword && !self.modifiers.has(Flags::NO_SDWA)
            }
            (Form::Dpp, Encoding::Vop1 | Encoding::Vop2) => {
                sub_dword && !self.modifiers.has(Flags::NO_DPP)
            }
            _ => false,
        }
    }

    /// Returns true if an operand has the role.
    pub fn has_role(&self, role: Role) -> bool {
        self.operands.iter().any(|operand| operand.role == role)
    }
}

pub use super::inst::Flags;

/// Role of an operand, which determines the position of its code in the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Vector destination.
    Vdst,
    /// Scalar destination.
    Sdst,
    /// First source (9-bit code, or 8-bit scalar code).
    Src0,
    /// Second source.
    Src1,
    /// Third source.
    Src2,
    /// VCC, which the encoding implies and the assembler prints.
    Vcc,
    /// Memory address VGPRs.
    Addr,
    /// Memory data VGPRs.
    Data,
    /// Second data of two-address LDS instructions.
    Data1,
    /// Scalar base address or resource of a memory instruction.
    Sbase,
    /// Scalar offset of a memory instruction.
    Soffset,
    /// Sampler of an image instruction.
    Ssamp,
    /// A 16-bit immediate (branch distance, wait counts, hardware register ...).
    Simm16,
    /// A 32-bit literal that always follows the first word.
    Literal,
    /// Attribute and channel of an interpolation: channel in bits 0..=1, attribute above.
    Attr,
    /// Target of an export.
    Target,
    /// One of the four values of an export.
    Export(u8),
}

/// Direction of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The operand is a source.
    Read,
    /// The operand is a destination.
    Write,
    /// The operand is a destination whose old value is a source too.
    ReadWrite,
}

/// Type of an operand, which determines its width and the meaning of inline constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it: kind and bits")]
pub enum Type {
    B8,
    U8,
    I8,
    B16,
    U16,
    I16,
    F16,
    B32,
    U32,
    I32,
    F32,
    B64,
    U64,
    I64,
    F64,
    /// Two 16-bit halves.
    B16x2,
    U16x2,
    I16x2,
    F16x2,
    B96,
    B128,
    B256,
    B512,
    /// One bit per lane, in an SGPR pair.
    Mask,
    /// An f32, or an f16 half of a register where op_sel_hi selects it.
    Mix,
    /// Immediate: a distance in dwords from the next instruction.
    Branch,
    /// Immediate: a hardware register, or a bit range of one.
    Hwreg,
    /// Immediate: the counters that s_waitcnt waits for, and their limits.
    WaitCounts,
    /// Immediate: a message of s_sendmsg.
    Message,
    /// Immediate: the operand kinds that VGPR indexing applies to.
    GprIndex,
    /// Immediate: an interpolation parameter.
    Param,
    /// Immediate: a plain number.
    Number,
}

impl Type {
    /// Returns the number of 32-bit registers of a value.
    pub const fn registers(self) -> usize {
        match self {
            Type::B64 | Type::U64 | Type::I64 | Type::F64 | Type::Mask => 2,
            Type::B96 => 3,
            Type::B128 => 4,
            Type::B256 => 8,
            Type::B512 => 16,
            _ => 1,
        }
    }

    /// Returns the number of bytes that a value takes in memory.
    pub const fn bytes(self) -> usize {
        match self {
            Type::B8 | Type::U8 | Type::I8 => 1,
            Type::B16 | Type::U16 | Type::I16 | Type::F16 => 2,
            _ => 4 * self.registers(),
        }
    }

    /// Returns true if the type is an integer.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            Type::U8
                | Type::I8
                | Type::U16
                | Type::I16
                | Type::U32
                | Type::I32
                | Type::U64
                | Type::I64
        )
    }
}

/// An operand of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Role, which determines the position of the operand's code.
    pub role: Role,
    /// Type of the operand's value.
    pub ty: Type,
    /// Direction.
    pub access: Access,
}
