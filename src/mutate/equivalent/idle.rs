//! Code that does nothing with no lane on.

use gfx906::isa::uses::{RegisterSet, Uses};
use gfx906::isa::{Access, Code, Flags, Inst, Kind};

use super::super::sites::Function;
use super::dead::{Open, is_dead, registers, vectors};
use super::paths::{self, Paths, Step};
use super::{arguments, is_pure};

/// What code with no lane on has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Done {
    /// The registers that it may have written.
    changed: RegisterSet,
    /// Those of them that a load may still be about to write.
    pending: RegisterSet,
    /// The scalar registers that hold 0.
    zeros: RegisterSet,
}

/// Whether what a branch on no lane skips does nothing with no lane on that is seen later: whichever way it takes, it comes to where the branch
/// leads, with EXEC as it was.
pub(super) fn skips_nothing(function: &Function, at: usize) -> bool {
    let (Some(end), Some(begin)) = (paths::target(function, at), paths::behind(function, at))
    else {
        return false;
    };
    let exec = registers(Code::EXEC.0, 2);
    let begun = Done {
        zeros: exec,
        ..Done::default()
    };
    let paths = Paths::through(function);
    paths.all(Some(vec![begin]), begun, |at, done| {
        if at == end {
            let open = Open {
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
        if Kind::of(inst) == Kind::Branch {
            return branch(function, at, end, done);
        }
        let is_load = arguments::loads(function, at, inst);
        if !is_load && !is_idle(inst) {
            return Step::Refused;
        }
        let uses = Uses::of(inst);
        if !done.pending.and(&uses.reads.or(&uses.writes)).is_empty() {
            return Step::Refused;
        }
        let mut done = *done;
        done.zeros = zeros(inst, &uses, &done.zeros);
        if !exec.without(&done.zeros).is_empty() {
            return Step::Refused;
        }
        // Vector registers keep what they hold where no lane is on, and EXEC stays 0.
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

/// Branches on EXEC go one way; others either way, and back only to the end: what may go round and round is not followed.
fn branch(function: &Function, at: usize, end: usize, done: &Done) -> Step<Done> {
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

/// Whether an instruction does nothing with no lane on but write scalar registers.
fn is_idle(inst: &Inst) -> bool {
    let name = inst.row.mnemonic;
    let flags = inst.modifiers.flags;
    match Kind::of(inst) {
        Kind::Valu => is_pure(inst) && !name.starts_with("v_writelane"),
        Kind::Salu => is_pure(inst),
        Kind::Lds => {
            !flags.has(Flags::GDS) && !name.contains("append") && !name.contains("consume")
        }
        Kind::Vmem => !flags.has(Flags::LDS),
        Kind::Control => matches!(name, "s_waitcnt" | "s_nop"),
        Kind::Smem | Kind::Branch => false,
    }
}

/// The scalar registers that hold 0 behind an instruction that runs with no lane on, where these do before it.
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
    // A comparison writes 0 for the lanes that are off.
    if name.starts_with("v_cmp") {
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
        // The mask that was is saved, and no lane comes on that was off.
        "s_and_saveexec_b64" => kept.or(&registers(to.0, 2)).or(&exec),
        _ => kept,
    }
}
