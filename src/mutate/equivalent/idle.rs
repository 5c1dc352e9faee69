//! Code that has no effect while no lane is active.

use gfx906::isa::uses::{RegisterSet, Uses};
use gfx906::isa::{Access, Code, Flags, Inst, Kind, Properties};

use super::super::sites::Function;
use super::dead::{DifferingRegisters, is_dead, registers, vectors};
use super::paths::{self, Paths, Step};
use super::{arguments, is_pure};

/// The effects so far of code that runs while no lane is active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct IdleEffects {
    /// The registers that it may have written.
    changed: RegisterSet,
    /// The registers among these that a load may still write.
    pending: RegisterSet,
    /// The scalar registers that hold 0.
    zeros: RegisterSet,
}

/// Returns true if the code that `s_cbranch_execz` skips has no visible effect while no lane is active: every path through it arrives at
/// the branch's target, with EXEC unchanged.
pub(super) fn skips_nothing(function: &Function, at: usize) -> bool {
    let (Some(end), Some(begin)) = (paths::target(function, at), paths::behind(function, at))
    else {
        return false;
    };
    let exec = registers(Code::EXEC.0, 2);
    let begun = IdleEffects {
        zeros: exec,
        ..IdleEffects::default()
    };
    let paths = Paths::through(function);
    paths.all(Some(vec![begin]), begun, |at, done| {
        if at == end {
            let open = DifferingRegisters {
                left: done.changed,
                pending: done.pending,
                narrowed: false,
            };
            return if is_dead(paths, Some(vec![end]), open) {
                Step::Done
            } else {
                Step::Refused
            };
        }
        let inst = &function.instructions[at].1;
        if inst.kind() == Kind::Branch {
            return branch(function, at, end, done);
        }
        let is_load = arguments::loads(function, at, inst);
        if !is_load && !is_idle(inst) {
            return Step::Refused;
        }
        let uses = inst.register_uses();
        if !done.pending.and(&uses.reads.or(&uses.writes)).is_empty() {
            return Step::Refused;
        }
        let mut done = *done;
        done.zeros = zeros(inst, &uses, &done.zeros);
        if !exec.without(&done.zeros).is_empty() {
            return Step::Refused;
        }
        // VGPRs keep their values while no lane is active, and EXEC stays 0.
        done.changed = done
            .changed
            .or(&uses.writes.without(&vectors()).without(&exec));
        if is_load {
            done.pending = done.pending.or(&uses.writes);
        } else if inst.row.mnemonic == "s_waitcnt" && inst.literal & 0x0f00 == 0 {
            done.pending = RegisterSet::default();
        }
        Step::On(done)
    })
}

/// Follows a branch: a branch on EXEC in one direction, any other in both. A backward branch is followed only to the end, so that no loop
/// is followed.
fn branch(function: &Function, at: usize, end: usize, done: &IdleEffects) -> Step<IdleEffects> {
    let (Some(target), Some(behind)) = (paths::target(function, at), paths::behind(function, at))
    else {
        return Step::Refused;
    };
    let to = match function.instructions[at].1.row.mnemonic {
        "s_branch" | "s_cbranch_execz" => vec![target],
        "s_cbranch_execnz" => vec![behind],
        _ => vec![target, behind],
    };
    if to.iter().any(|to| *to <= at && *to != end) {
        return Step::Refused;
    }
    Step::To(to, *done)
}

/// Returns true if an instruction has no effect while no lane is active, except that it writes SGPRs.
fn is_idle(inst: &Inst) -> bool {
    let name = inst.row.mnemonic;
    let flags = inst.modifiers.flags;
    match inst.kind() {
        Kind::Valu => is_pure(inst) && !inst.has(Properties::WRITES_LANE),
        Kind::Salu => is_pure(inst),
        Kind::Lds => !flags.has(Flags::GDS) && !inst.has(Properties::LDS_COUNTER),
        Kind::Vmem => !flags.has(Flags::LDS),
        Kind::Control => matches!(name, "s_waitcnt" | "s_nop"),
        Kind::Smem | Kind::Branch => false,
    }
}

/// Returns the SGPRs that hold 0 after an instruction that runs while no lane is active, from the SGPRs that hold 0 before it.
fn zeros(inst: &Inst, uses: &Uses, before: &RegisterSet) -> RegisterSet {
    let name = inst.row.mnemonic;
    let kept = before.without(&uses.writes);
    let is_zero = |code: Code| match code.0 {
        0..=127 => before.has(code.0) && before.has(code.0 + 1),
        128 => true,
        _ => false,
    };
    let [to, a, b] = [inst.operands[0], inst.operands[1], inst.operands[2]];
    let exec = registers(Code::EXEC.0, 2);
    // A comparison writes 0 for inactive lanes.
    if inst.has(Properties::VECTOR_COMPARISON) {
        let named = inst.row.operands.iter().zip(&inst.operands);
        let named = named.filter(|(operand, code)| operand.access == Access::Write && code.0 < 128);
        return named
            .fold(kept, |set, (_, code)| set.or(&registers(code.0, 2)))
            .or(&exec.and(&uses.writes));
    }
    match name {
        "s_mov_b64" if is_zero(a) => kept.or(&registers(to.0, 2)),
        "s_and_b64" if is_zero(a) || is_zero(b) => kept.or(&registers(to.0, 2)),
        "s_andn2_b64" if is_zero(a) => kept.or(&registers(to.0, 2)),
        "s_or_b64" | "s_xor_b64" if is_zero(a) && is_zero(b) => kept.or(&registers(to.0, 2)),
        // It saves the earlier mask, and activates no lane.
        "s_and_saveexec_b64" => kept.or(&registers(to.0, 2)).or(&exec),
        _ => kept,
    }
}
