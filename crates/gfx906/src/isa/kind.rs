//! Kinds of instructions.

use super::{Encoding, Inst, Properties};

/// Kind of an instruction in the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Scalar ALU.
    Salu,
    /// Vector ALU.
    Valu,
    /// Scalar memory.
    Smem,
    /// Vector memory: FLAT, GLOBAL, SCRATCH, buffers, images.
    Vmem,
    /// LDS accesses and lane exchanges.
    Lds,
    /// Branches and calls.
    Branch,
    /// Waits, barriers, messages and the end of the program.
    Control,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 7] = [
        Kind::Salu,
        Kind::Valu,
        Kind::Smem,
        Kind::Vmem,
        Kind::Lds,
        Kind::Branch,
        Kind::Control,
    ];

    /// Returns the kind's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Salu => "salu",
            Kind::Valu => "valu",
            Kind::Smem => "smem",
            Kind::Vmem => "vmem",
            Kind::Lds => "lds",
            Kind::Branch => "branch",
            Kind::Control => "control",
        }
    }
}

impl Inst {
    /// Returns the kind of the instruction.
    pub fn kind(&self) -> Kind {
        match self.encoding {
            _ if self.has(Properties::BRANCH) => Kind::Branch,
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc => Kind::Salu,
            Encoding::Sopp => Kind::Control,
            Encoding::Smem => Kind::Smem,
            Encoding::Ds => Kind::Lds,
            Encoding::Flat
            | Encoding::Global
            | Encoding::Scratch
            | Encoding::Mubuf
            | Encoding::Mtbuf
            | Encoding::Mimg
            | Encoding::Exp => Kind::Vmem,
            _ => Kind::Valu,
        }
    }

    /// Returns true if the vector ALU executes the instruction.
    pub fn is_valu(&self) -> bool {
        self.kind() == Kind::Valu
    }

    /// Returns true if the instruction accesses memory per lane: buffers, flat addresses, images.
    pub fn is_vmem(&self) -> bool {
        self.kind() == Kind::Vmem && self.encoding != Encoding::Exp
    }
}
