//! Mutants that cannot differ, by rules that are proofs.
//!
//! Both rules follow every path through the function from the changed instruction on. What they cannot follow (calls, jumps to computed
//! addresses, registers that are named by an index) proves nothing.

use std::collections::{BTreeSet, HashSet};

use gfx906::isa::uses::{RegisterSet, Uses};
use gfx906::isa::{Access, Code, Encoding, Flags, Inst, Kind, decode};

use super::operators::Operator;
use super::sample::Mutant;
use super::sites::Function;

/// What the mutant changes in registers, nothing reads.
const DEAD: &str = "dead: no path reads a register in which the two instructions may differ before it is written again";
/// A jump over what does nothing.
const IDLE: &str =
    "idle: with no lane on, what the branch would have skipped does nothing that is seen later";

/// A wider load of arguments.
const ARGUMENTS: &str = "arguments: a load of the kernel's own arguments, and no path reads the registers that it fills more or fewer of";

/// The rule by which a mutant does what the function does; none where no rule proves it.
pub(super) fn rule(function: &Function, mutant: &Mutant) -> Option<&'static str> {
    let at = function.at(mutant.address)?;
    let was = &function.instructions[at].1;
    if mutant.change.operator == Operator::Delete && was.row.mnemonic == "s_cbranch_execz" {
        return skips_nothing(function, at).then_some(IDLE);
    }
    let is = decode(&mutant.change.bytes).ok()?;
    if loads_arguments(function, at, was) && loads_arguments(function, at, &is) {
        return loads_the_same(function, at, was, &is).then_some(ARGUMENTS);
    }
    let deleted = is.row.mnemonic == "s_nop";
    if !is_pure(was) || !(deleted || is_pure(&is)) {
        return None;
    }
    let differing = differing(was, &is);
    is_dead(function, at, differing).then_some(DEAD)
}

/// Whether an instruction does nothing but to write registers, and cannot fault.
fn is_pure(inst: &Inst) -> bool {
    let name = inst.row.mnemonic;
    let jumps = [
        "s_getpc",
        "s_setpc",
        "s_swappc",
        "s_call",
        "s_rfe",
        "s_setreg",
        "s_getreg",
        "s_setvskip",
        "s_memtime",
    ];
    let kind = match Kind::of(inst) {
        Kind::Valu => inst.encoding.is_vector_alu(),
        Kind::Salu => true,
        _ => false,
    };
    kind && !inst.modifiers.flags.has(Flags::LDS)
        && !inst.operands.contains(&Code::LDS_DIRECT)
        && !jumps.iter().any(|begin| name.starts_with(begin))
}

/// Whether an instruction loads some of the kernel's arguments, by the pointer that it was handed.
fn loads_arguments(function: &Function, at: usize, inst: &Inst) -> bool {
    let Some((pointer, bytes)) = function.kernarg else {
        return false;
    };
    let flags = inst.modifiers.flags;
    let plain = inst.row.mnemonic.starts_with("s_load_dword")
        && inst.operands[1] == Code(pointer)
        && flags.has(Flags::IMM)
        && !flags.has(Flags::SOFFSET);
    let end = i64::from(inst.offset) + 4 * inst.row.operands[0].ty.registers() as i64;
    let within = inst.offset >= 0 && end <= bytes as i64;
    // Up to here nothing has written the pointer, and nothing behind comes back.
    let before = &function.instructions[..at];
    let kept = before.iter().all(|(_, inst)| {
        let uses = Uses::of(inst);
        !uses.writes.has(pointer) && !uses.writes.has(pointer + 1)
    });
    let here = function.instructions[at].0;
    let back = |(address, inst): &(u64, Inst)| {
        Kind::of(inst) == Kind::Branch
            && (inst.encoding != Encoding::Sopp
                || (address + 4).saturating_add_signed(i64::from(inst.literal as i32) * 4) <= here)
    };
    plain && within && kept && !function.instructions[at..].iter().any(back)
}

/// Whether two loads from one place to one place differ in dead registers only.
fn loads_the_same(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    let alike = was.operands[..2] == is.operands[..2] && was.offset == is.offset;
    let (a, b) = (Uses::of(was).writes, Uses::of(is).writes);
    alike && is_dead(function, at, a.without(&b).or(&b.without(&a)))
}

/// The registers that may differ after the one instruction and after the other.
fn differing(was: &Inst, is: &Inst) -> RegisterSet {
    let (a, b) = (Uses::of(was), Uses::of(is));
    let all = a.writes.or(&b.writes);
    // The same operation on the same sources: all that it writes to the same place is the same, as is what no operand names.
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
    // A destination that moved onto another one is not what it was.
    let implied = all.without(&named);
    let overlapping = was.operands != is.operands && overlap(is);
    if overlapping {
        return all;
    }
    all.without(&common).without(&implied)
}

/// Whether an instruction writes a register that a code names.
fn writes(inst: &Inst, code: Code) -> bool {
    code.0 < 512 && Uses::of(inst).writes.has(code.0)
}

/// Whether two destinations of an instruction share a register.
fn overlap(inst: &Inst) -> bool {
    let mut seen = BTreeSet::new();
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let written = operands.filter(|(operand, code)| operand.access != Access::Read && code.0 < 512);
    written
        .flat_map(|(operand, code)| (0..operand.ty.registers() as u16).map(move |k| code.0 + k))
        .any(|number| !seen.insert(number))
}

/// Where a path goes on behind an instruction; none where that is not known.
fn next(function: &Function, at: usize) -> Option<Vec<usize>> {
    let (address, inst) = &function.instructions[at];
    let name = inst.row.mnemonic;
    let behind = address + inst.size() as u64;
    if name.starts_with("s_endpgm") {
        return Some(Vec::new());
    }
    let target = || {
        let to = behind.checked_add_signed(i64::from(inst.literal as i32) * 4)?;
        function.at(to)
    };
    let follows = || function.at(behind);
    match Kind::of(inst) {
        Kind::Branch if name == "s_branch" => Some(vec![target()?]),
        Kind::Branch if name.starts_with("s_cbranch") && inst.encoding == Encoding::Sopp => {
            Some(vec![follows()?, target()?])
        }
        Kind::Branch => None,
        _ => Some(vec![follows()?]),
    }
}

/// Whether a mask in EXEC can only have grown by an instruction that writes it.
fn widens(inst: &Inst) -> bool {
    let to_exec = inst.operands[0] == Code::EXEC;
    let or = inst.row.mnemonic == "s_or_b64" && inst.operands[1..3].contains(&Code::EXEC);
    let all = inst.row.mnemonic == "s_mov_b64" && inst.operands[1] == Code(193);
    to_exec && (or || all) || inst.row.mnemonic == "s_or_saveexec_b64"
}

/// Whether no path behind an instruction reads any of these registers before it writes it.
fn is_dead(function: &Function, at: usize, registers: RegisterSet) -> bool {
    let mut exec = RegisterSet::default();
    exec.add(Code::EXEC.0, 2);
    if !registers.and(&exec).is_empty() {
        return false;
    }
    let mut vectors = RegisterSet::default();
    vectors.add(256, 256);
    let mut seen: HashSet<(usize, RegisterSet, bool)> = HashSet::new();
    // An instruction, what is still open there, and whether lanes may have gone off since.
    let mut open: Vec<(usize, RegisterSet, bool)> = Vec::new();
    let Some(begin) = next(function, at) else {
        return false;
    };
    open.extend(begin.into_iter().map(|to| (to, registers, false)));
    while let Some((at, left, narrowed)) = open.pop() {
        if left.is_empty() || !seen.insert((at, left, narrowed)) {
            continue;
        }
        if seen.len() > 100_000 {
            return false;
        }
        let inst = &function.instructions[at].1;
        let uses = Uses::of(inst);
        if !left.and(&uses.reads).is_empty() {
            return false;
        }
        let kills = if narrowed {
            uses.kills.without(&vectors)
        } else {
            uses.kills
        };
        // Scalars are written whole, vector registers in the lanes that are on: all that the changed instruction wrote, unless lanes have
        // gone off since.
        let left = left.without(&kills);
        let narrowed = narrowed || !uses.writes.and(&exec).is_empty() && !widens(inst);
        let Some(to) = next(function, at) else {
            return false;
        };
        open.extend(to.into_iter().map(|to| (to, left, narrowed)));
    }
    true
}

/// Whether all that a branch on no lane skips, in one straight line up to where it leads, does nothing with no lane on.
fn skips_nothing(function: &Function, at: usize) -> bool {
    let (address, branch) = &function.instructions[at];
    let behind = address + branch.size() as u64;
    let Some(target) = behind.checked_add_signed(i64::from(branch.literal as i32) * 4) else {
        return false;
    };
    let Some(end) = function.at(target).filter(|end| *end > at) else {
        return false;
    };
    let mut changed = RegisterSet::default();
    let mut vectors = RegisterSet::default();
    vectors.add(256, 256);
    for (at, (_, inst)) in function
        .instructions
        .iter()
        .enumerate()
        .take(end)
        .skip(at + 1)
    {
        let name = inst.row.mnemonic;
        let idle = match Kind::of(inst) {
            Kind::Valu => is_pure(inst) && !name.starts_with("v_writelane"),
            Kind::Salu => is_pure(inst) && !name.contains("exec"),
            Kind::Lds => {
                !inst.modifiers.flags.has(Flags::GDS)
                    && !name.contains("append")
                    && !name.contains("consume")
            }
            Kind::Vmem => !inst.modifiers.flags.has(Flags::LDS),
            Kind::Control => matches!(name, "s_waitcnt" | "s_nop"),
            Kind::Smem => loads_arguments(function, at, inst),
            Kind::Branch => false,
        };
        let uses = Uses::of(inst);
        let writes_exec = uses.writes.has(Code::EXEC.0);
        if !idle || writes_exec {
            return false;
        }
        // Vector registers keep what they hold where no lane is on.
        changed = changed.or(&uses.writes.without(&vectors));
    }
    is_dead(function, end - 1, changed)
}

#[cfg(test)]
mod tests;
