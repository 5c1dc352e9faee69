//! Mutation operators: an instruction in, instructions out that a slip of the pen might have made of it, as long as it was.

mod made;
mod opcodes;

use std::fmt;

use gfx906::isa::Inst;
use serde::{Deserialize, Serialize};

use made::Made;

/// What is done to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Another operation of its kind: less for less or equal, a shift the other way, another width.
    Opcode,
    /// Two sources exchanged, where their order matters.
    Sources,
    /// A register's neighbour.
    Register,
    /// A source negated, or its magnitude taken; or not any more.
    Sign,
    /// An inline constant or a 16-bit immediate, one more or less.
    Constant,
    /// One bit of a literal.
    Literal,
    /// The offset of an access, 4 bytes more or less.
    Offset,
    /// Nothing in its place.
    Delete,
    /// A branch on the opposite condition.
    Branch,
    /// EXEC stays as wide as it was.
    Exec,
    /// A barrier that nobody waits at.
    Barrier,
    /// A wait that lets more be outstanding. Values do not show it here: it is counted, and not judged.
    Waitcnt,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Operator; 12] = [
        Operator::Opcode,
        Operator::Sources,
        Operator::Register,
        Operator::Sign,
        Operator::Constant,
        Operator::Literal,
        Operator::Offset,
        Operator::Delete,
        Operator::Branch,
        Operator::Exec,
        Operator::Barrier,
        Operator::Waitcnt,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Opcode => "opcode",
            Operator::Sources => "sources",
            Operator::Register => "register",
            Operator::Sign => "sign",
            Operator::Constant => "constant",
            Operator::Literal => "literal",
            Operator::Offset => "offset",
            Operator::Delete => "delete",
            Operator::Branch => "branch",
            Operator::Exec => "exec",
            Operator::Barrier => "barrier",
            Operator::Waitcnt => "waitcnt",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An instruction in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What made it.
    pub operator: Operator,
    /// Its bytes, as many as the instruction had.
    pub bytes: Vec<u8>,
    /// It as text; of nothing, `nothing`.
    pub text: String,
}

/// The registers of the kernel that an instruction is in: a neighbour beyond them would be another kind of mistake.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// VGPRs.
    pub vector: u16,
    /// SGPRs, of those that programs name.
    pub scalar: u16,
}

/// Everything that the operators make of an instruction: each decodes, is as long as it was, reads otherwise and is different from the others.
pub fn changes(inst: &Inst, registers: Registers) -> Vec<Change> {
    let mut made = Made::new(inst);
    let name = inst.row.mnemonic;
    match name {
        "s_barrier" => made.nothing(Operator::Barrier),
        "s_waitcnt" => made.weaker_waits(),
        _ if leaves_nothing(name) => {}
        _ => {
            made.opcodes();
            made.sources();
            made.registers(registers);
            made.signs();
            made.constants();
            made.literals();
            made.offsets();
            made.branches();
            made.exec();
            made.nothing(Operator::Delete);
        }
    }
    made.changes
}

/// Instructions without an effect on values, and the end.
fn leaves_nothing(mnemonic: &str) -> bool {
    const HINTS: [&str; 12] = [
        "s_nop",
        "v_nop",
        "s_endpgm",
        "s_sleep",
        "s_setprio",
        "s_code_end",
        "s_icache_inv",
        "s_dcache_wb",
        "s_dcache_inv",
        "buffer_wbinvl1",
        "buffer_wbinvl1_vol",
        "s_set_gpr_idx_off",
    ];
    HINTS.contains(&mnemonic)
}

#[cfg(test)]
mod tests;
