//! Stores, branches and addresses that a loaded value reaches through registers, by the code that has run.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Facts;
use super::super::facts::{Code, successors};
use crate::isa::uses::RegisterSet;
use crate::isa::{Kind, Properties};

const EXEC: u16 = crate::isa::Code::EXEC.0;

/// Rule by which a register stops having the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// A register that was written again, in whichever lanes, no longer has the value.
    Likely,
    /// A vector register may keep the value in other lanes, unless EXEC is as it was at the load.
    Possible,
}

/// Instructions that use a loaded value.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Link addresses of the stores and atomics that take the value, or a value made of it.
    pub stores: BTreeSet<u64>,
    /// True if the value decides a branch or which lanes are active.
    pub decides: bool,
    /// True if the value is part of an address, or goes where its registers are not followed: a call, a setting of the wave, LDS.
    pub elsewhere: bool,
}

/// Registers with the value before an instruction.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ValueRegisters {
    registers: RegisterSet,
    /// True if EXEC may have changed since the load.
    other_lanes: bool,
}

/// Follows the value of a load from its link address.
pub fn reach(code: &Code, load: u64, certainty: Certainty) -> Reach {
    let mut reach = Reach::default();
    let Some(facts) = code.facts(load) else {
        return reach;
    };
    // A load to LDS fills no register.
    if facts.uses.writes.is_empty() || !facts.exact {
        reach.elsewhere = true;
        return reach;
    }
    let mut states: BTreeMap<u64, ValueRegisters> = BTreeMap::new();
    let begin = ValueRegisters {
        registers: facts.uses.writes,
        other_lanes: false,
    };
    let mut open: Vec<(u64, ValueRegisters)> = successors(load, &facts.inst)
        .map(|to| (to, begin))
        .collect();
    while let Some((pc, held)) = open.pop() {
        let Some(facts) = code.facts(pc) else {
            continue;
        };
        let known = states.get(&pc).copied().unwrap_or_default();
        let joined = ValueRegisters {
            registers: known.registers.or(&held.registers),
            other_lanes: known.other_lanes || held.other_lanes,
        };
        if joined == known {
            continue;
        }
        states.insert(pc, joined);
        let behind = step(facts, pc, joined, certainty, &mut reach);
        if !behind.registers.is_empty() {
            open.extend(successors(pc, &facts.inst).map(|to| (to, behind)));
        }
    }
    reach
}

/// Returns true if a path leads from a load back to it without another access and without a barrier.
pub fn repeats(code: &Code, load: u64) -> bool {
    let Some(facts) = code.facts(load) else {
        return false;
    };
    let mut open: Vec<u64> = successors(load, &facts.inst).collect();
    let mut known: BTreeSet<u64> = BTreeSet::new();
    while let Some(pc) = open.pop() {
        if pc == load {
            return true;
        }
        let Some(facts) = code.facts(pc).filter(|_| known.insert(pc)) else {
            continue;
        };
        let accesses = matches!(facts.inst.kind(), Kind::Smem | Kind::Vmem | Kind::Lds);
        if !accesses && !facts.wait.barrier {
            open.extend(successors(pc, &facts.inst));
        }
    }
    false
}

/// Records the uses of an instruction, and returns the registers with the value after it.
fn step(
    facts: &Facts,
    pc: u64,
    held: ValueRegisters,
    certainty: Certainty,
    reach: &mut Reach,
) -> ValueRegisters {
    let (inst, uses) = (&facts.inst, &facts.uses);
    let calls = inst.kind() == Kind::Branch
        && !inst.has(Properties::JUMP)
        && !inst.has(Properties::CONDITIONAL_BRANCH);
    if !facts.exact || calls {
        reach.elsewhere = true;
        return ValueRegisters::default();
    }
    let used = held.registers.meets(&uses.reads);
    let mut registers = held.registers;
    let sure = certainty == Certainty::Likely || !held.other_lanes;
    for register in uses.kills.iter().filter(|&register| sure || register < 256) {
        registers.remove(register, 1);
    }
    let mut other_lanes = held.other_lanes;
    if uses.writes.has(EXEC) {
        other_lanes = true;
        reach.decides |= used;
    }
    let moves = match inst.kind() {
        Kind::Smem | Kind::Vmem => true,
        Kind::Lds => !inst.has(Properties::LDS_LANE_EXCHANGE),
        _ => false,
    };
    if moves {
        reach.elsewhere |= held.registers.meets(&facts.init.address);
        if held
            .registers
            .meets(&inst.stored_registers().and(&uses.reads))
        {
            reach.stores.insert(pc);
        }
    } else if used {
        reach.decides |= inst.kind() == Kind::Branch;
        reach.elsewhere |= facts.init.needs.is_some() && inst.kind() != Kind::Branch;
        registers = registers.or(&uses.writes);
        registers.remove(EXEC, 2);
    }
    ValueRegisters {
        registers,
        other_lanes,
    }
}
