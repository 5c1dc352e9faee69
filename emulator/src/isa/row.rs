//! A row of the instruction table.

use super::{Encoding, Form};
use crate::machine::Handlers;

/// One instruction: a line of the table.
#[derive(Debug)]
pub struct Row {
    /// Opcode within the row's encoding.
    pub opcode: u16,
    /// The mnemonic, without form suffix.
    pub mnemonic: &'static str,
    /// Operands in the order in which assembly lists them.
    pub operands: &'static [Operand],
    /// What the row's modifiers may be (a mask of what is legal).
    pub modifiers: Flags,
    /// How it runs; `None`: it disassembles, and running it traps by name.
    pub semantics: Option<Handlers>,
}

impl Row {
    /// Whether the row, which the table lists under `encoding`, can be encoded in `form`. Most of it is a rule: what has
    /// 64-bit operands fits neither SDWA nor DPP, and comparisons have no DPP form.
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

    /// Whether an operand has the role.
    pub fn has_role(&self, role: Role) -> bool {
        self.operands.iter().any(|operand| operand.role == role)
    }
}

pub use super::inst::Flags;

/// What an operand is for, hence where its code sits in the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Vector destination.
    Vdst,
    /// Scalar destination.
    Sdst,
    /// First source (9-bit or 8-bit scalar code).
    Src0,
    /// Second source.
    Src1,
    /// Third source.
    Src2,
    /// VCC, implied by the encoding and printed.
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
    /// A 32-bit literal that always follows.
    Literal,
    /// Attribute and channel of an interpolation: channel in bits 0..=1, attribute above.
    Attr,
    /// Target of an export.
    Target,
    /// One of the four values of an export.
    Export(u8),
}

/// Whether an instruction reads or writes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Source.
    Read,
    /// Destination.
    Write,
    /// Destination whose old value is a source too.
    ReadWrite,
}

/// Type of an operand: its width, and how an inline constant reads.
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
    /// One bit a lane, in an SGPR pair.
    Mask,
    /// An f32, or the f16 half of a register where op_sel_hi says so.
    Mix,
    /// Immediate: a distance in dwords from the next instruction.
    Branch,
    /// Immediate: a hardware register, or some bits of it.
    Hwreg,
    /// Immediate: which counters s_waitcnt waits for, and until what.
    WaitCounts,
    /// Immediate: a message of s_sendmsg.
    Message,
    /// Immediate: which operands VGPR indexing applies to.
    GprIndex,
    /// Immediate: an interpolation parameter.
    Param,
    /// Immediate: a plain number.
    Number,
}

impl Type {
    /// Number of 32-bit registers it takes.
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

    /// Bytes of memory that a value takes.
    pub const fn bytes(self) -> usize {
        match self {
            Type::B8 | Type::U8 | Type::I8 => 1,
            Type::B16 | Type::U16 | Type::I16 | Type::F16 => 2,
            _ => 4 * self.registers(),
        }
    }

    /// Whether it is a number without a fraction.
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
    /// Where its code sits.
    pub role: Role,
    /// Its type.
    pub ty: Type,
    /// Read or written.
    pub access: Access,
}
