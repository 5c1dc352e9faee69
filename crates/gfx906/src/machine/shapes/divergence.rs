//! Branches that split a wave: if its lanes disagree, the smaller part runs first, and the larger one waits on a stack of SGPRs until
//! s_cbranch_join.
//!
//! `MODE[31:29]` is the depth of the stack. Entry `n` is `s[4n .. 4n+3]`: the waiting lanes, and the address at which they continue.

use super::super::trap::StepResult;
use super::super::wave::Wave;
use crate::isa::{Code, Inst};

const DEPTH_SHIFT: u32 = 29;

fn depth(w: &Wave) -> u32 {
    w.mode_bits() >> DEPTH_SHIFT
}

fn set_depth(w: &mut Wave, depth: u32) {
    let rest = w.mode_bits() & ((1 << DEPTH_SHIFT) - 1);
    w.set_mode_bits(rest | depth << DEPTH_SHIFT);
}

/// Returns the registers of entry `n`.
fn entry(n: u32) -> Code {
    Code(4 * n as u16)
}

/// Sends the lanes of `mask` to `target`; the other lanes continue.
fn fork(w: &mut Wave, mask: u64, target: u64) -> StepResult {
    let (jump, stay) = (mask & w.exec(), !mask & w.exec());
    let next = w.pc;
    if stay == 0 {
        w.pc = target;
    } else if jump != 0 {
        let jump_first = stay.count_ones() >= jump.count_ones();
        let (now, pc, waiting, waiting_pc) = if jump_first {
            (jump, target, stay, next)
        } else {
            (stay, next, jump, target)
        };
        let n = depth(w);
        w.set_scalar64(entry(n), waiting);
        w.set_scalar64(Code(entry(n).0 + 2), waiting_pc);
        set_depth(w, n.wrapping_add(1));
        w.set_scalar64(Code::EXEC, now);
        w.pc = pc;
    }
    Ok(())
}

/// s_cbranch_g_fork, whose mask and target are register pairs.
pub fn g_fork(w: &mut Wave, i: &Inst) -> StepResult {
    let [mask, target] = [0, 1].map(|n| w.scalar64(i.operands[n], i.literal));
    fork(w, mask, target)
}

/// s_cbranch_i_fork, whose target is a distance.
pub fn i_fork(w: &mut Wave, i: &Inst) -> StepResult {
    let mask = w.scalar64(i.operands[0], 0);
    let target = w.pc.wrapping_add_signed(i64::from(i.literal as i16) * 4);
    fork(w, mask, target)
}

/// s_cbranch_join continues if the stack has the depth that the source recorded before the fork; else it switches to the waiting part.
pub fn join(w: &mut Wave, i: &Inst) -> StepResult {
    let n = depth(w);
    if n == w.scalar32(i.operands[0], i.literal) {
        return Ok(());
    }
    set_depth(w, n.wrapping_sub(1));
    let n = depth(w);
    let (waiting, pc) = (w.scalar64(entry(n), 0), w.scalar64(Code(entry(n).0 + 2), 0));
    w.set_scalar64(Code::EXEC, waiting);
    w.pc = pc;
    Ok(())
}
