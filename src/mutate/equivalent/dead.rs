//! Registers that nothing reads.

use std::collections::BTreeSet;

use gfx906::isa::uses::RegisterSet;
use gfx906::isa::{Access, Code, Inst};

use super::super::sites::Function;
use super::paths::{Paths, Step};

/// Registers that differ between the function and its mutant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct DifferingRegisters {
    /// Registers that differ.
    pub left: RegisterSet,
    /// Registers that a load may still write. A card does so at any time before `s_waitcnt lgkmcnt(0)`.
    pub pending: RegisterSet,
    /// True if the EXEC mask may have lost lanes since the changed instruction.
    pub narrowed: bool,
}

/// Returns true if two instructions differ only in registers that are dead after them.
pub(super) fn same(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    let paths = Paths::through(function);
    let open = DifferingRegisters {
        left: differing(was, is),
        ..DifferingRegisters::default()
    };
    is_dead(paths, paths.next(at), open)
}

/// Returns true if no path from these instructions on reads a differing register before it writes the register, or touches a register that
/// a load may still write.
pub(super) fn is_dead(
    paths: Paths<'_>,
    from: Option<Vec<usize>>,
    open: DifferingRegisters,
) -> bool {
    let exec = registers(Code::EXEC.0, 2);
    if !open.left.or(&open.pending).and(&exec).is_empty() {
        return false;
    }
    paths.all(from, open, |at, open| {
        let DifferingRegisters {
            left,
            mut pending,
            narrowed,
        } = *open;
        if left.is_empty() && pending.is_empty() {
            return Step::Done;
        }
        let inst = paths.at(at);
        let uses = inst.register_uses();
        if !left.and(&uses.reads).is_empty()
            || !pending.and(&uses.reads.or(&uses.writes)).is_empty()
        {
            return Step::Refused;
        }
        if waits_for_loads(inst) {
            pending = RegisterSet::default();
        }
        // A write of an SGPR replaces it. A write of a VGPR replaces the active lanes, which are all lanes that the changed instruction
        // wrote unless EXEC has lost lanes since.
        let kills = if narrowed {
            uses.kills.without(&vectors())
        } else {
            uses.kills
        };
        Step::On(DifferingRegisters {
            left: left.without(&kills),
            pending,
            narrowed: narrowed || !uses.writes.and(&exec).is_empty() && !widens(inst),
        })
    })
}

/// Returns true if every scalar load has arrived after an instruction.
fn waits_for_loads(inst: &Inst) -> bool {
    inst.row.mnemonic == "s_waitcnt" && inst.literal & 0x0f00 == 0
}

/// Returns true if an instruction that writes EXEC can only add lanes to it.
fn widens(inst: &Inst) -> bool {
    let to_exec = inst.operands[0] == Code::EXEC;
    let or = inst.row.mnemonic == "s_or_b64" && inst.operands[1..3].contains(&Code::EXEC);
    let all = inst.row.mnemonic == "s_mov_b64" && inst.operands[1] == Code(193);
    to_exec && (or || all) || inst.row.mnemonic == "s_or_saveexec_b64"
}

/// The vector registers.
pub(super) fn vectors() -> RegisterSet {
    registers(256, 256)
}

/// Returns `count` registers from `first` on.
pub(super) fn registers(first: u16, count: u16) -> RegisterSet {
    let mut set = RegisterSet::default();
    set.add(first, count);
    set
}

/// Returns the registers that may differ after two instructions.
fn differing(was: &Inst, is: &Inst) -> RegisterSet {
    let (a, b) = (was.register_uses(), is.register_uses());
    let all = a.writes.or(&b.writes);
    // The same operation on the same sources writes the same value to a common destination, and to a register that no operand names.
    let sources = |inst: &Inst| -> Vec<Code> {
        let operands = inst.row.operands.iter().zip(&inst.operands);
        let sources = operands.filter(|(operand, _)| operand.access != Access::Write);
        sources.map(|(_, code)| *code).collect()
    };
    let same = std::ptr::eq(was.row, is.row)
        && was.form == is.form
        && was.modifiers == is.modifiers
        && was.literal == is.literal
        && was.offset == is.offset
        && sources(was) == sources(is)
        && !sources(was)
            .iter()
            .any(|code| writes(was, *code) || writes(is, *code));
    if !same {
        return all;
    }
    let mut common = RegisterSet::default();
    let pairs = was
        .row
        .operands
        .iter()
        .zip(was.operands.iter().zip(&is.operands));
    let mut named = RegisterSet::default();
    for (operand, (a, b)) in pairs.filter(|(operand, _)| operand.access != Access::Read) {
        let count = operand.ty.registers() as u16;
        for code in [a, b].into_iter().filter(|code| code.0 < 512) {
            named.add(code.0, count);
        }
        if a == b && a.0 < 512 {
            common.add(a.0, count);
        }
    }
    // A destination that overlaps another one may hold another value.
    let implied = all.without(&named);
    let overlapping = was.operands != is.operands && overlap(is);
    if overlapping {
        return all;
    }
    all.without(&common).without(&implied)
}

/// Returns true if an instruction writes the register that a code names.
fn writes(inst: &Inst, code: Code) -> bool {
    code.0 < 512 && inst.register_uses().writes.has(code.0)
}

/// Returns true if two destinations of an instruction share a register.
fn overlap(inst: &Inst) -> bool {
    let mut seen = BTreeSet::new();
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let written = operands.filter(|(operand, code)| operand.access != Access::Read && code.0 < 512);
    written
        .flat_map(|(operand, code)| (0..operand.ty.registers() as u16).map(move |k| code.0 + k))
        .any(|number| !seen.insert(number))
}
