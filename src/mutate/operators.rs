//! Mutation operators. An operator takes an instruction and returns instructions of the same length that a slip of the pen might have made
//! of it.

mod made;
mod opcodes;

use std::fmt;

use gfx906::isa::Inst;
use serde::{Deserialize, Serialize};

use made::MutantMaker;

/// A mutation operator.
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
    /// An instruction that removes no lanes from EXEC in place of one that does.
    Exec,
    /// A barrier deleted.
    Barrier,
    /// A wait that lets more be outstanding. Values do not show it on the emulator, so only the sanitizer's check of waits can judge it.
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

    /// Returns the operator's name in reports and arguments.
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
    /// The operator that made the change.
    pub operator: Operator,
    /// The new instruction's bytes, as many as the old instruction has.
    pub bytes: Vec<u8>,
    /// The new instruction as text; `nothing` if the instruction is deleted.
    pub text: String,
}

/// The number of registers of an instruction's kernel. A neighbour beyond them would be another kind of mistake.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// VGPRs.
    pub vector: u16,
    /// SGPRs, of those that programs name.
    pub scalar: u16,
}

/// Returns everything that the operators make of an instruction. Each change decodes, has the instruction's length, and differs in its text
/// from the instruction and from the other changes.
pub fn changes(inst: &Inst, registers: Registers) -> Vec<Change> {
    let mut made = MutantMaker::new(inst);
    let name = inst.row.mnemonic;
    match name {
        "s_barrier" => made.nothing(Operator::Barrier),
        "s_waitcnt" => made.weaker_waits(),
        _ if has_no_mutants(name) => {}
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

/// Returns true if an instruction has no mutants: it has no effect on values, or ends the program.
fn has_no_mutants(mnemonic: &str) -> bool {
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
