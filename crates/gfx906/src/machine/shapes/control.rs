//! Program control: branches, calls, barriers, waits, traps, hardware registers.

use super::super::env::Env;
use super::super::gws::Gws;
use super::super::trap::StepResult;
use super::super::trap::{Fault, Stop, TrapKind};
use super::super::wave::Wave;
use crate::isa::fields::{self, ReservedValue};
use crate::isa::{Code, Inst, Role};

/// Number of the hardware register TRAPSTS.
const TRAPSTS: u32 = 3;

/// Branches by the signed distance in dwords if the condition holds.
#[inline(always)]
pub fn branch(w: &mut Wave, i: &Inst, taken: bool) -> StepResult {
    if taken {
        w.pc = w.pc.wrapping_add(((i.literal as i16 as i64) * 4) as u64);
    }
    Ok(())
}

/// s_getpc_b64 returns the address of the next instruction.
pub fn getpc(w: &mut Wave, i: &Inst) -> StepResult {
    w.set_scalar64(i.operands[0], w.pc);
    Ok(())
}

/// s_setpc_b64 jumps to an address.
pub fn setpc(w: &mut Wave, i: &Inst) -> StepResult {
    w.pc = w.scalar64(i.operands[0], i.literal);
    Ok(())
}

/// s_swappc_b64 calls a function at an address.
pub fn swappc(w: &mut Wave, i: &Inst) -> StepResult {
    let target = w.scalar64(i.operands[1], i.literal);
    w.set_scalar64(i.operands[0], w.pc);
    w.pc = target;
    Ok(())
}

/// s_call_b64 calls a function at a distance.
pub fn call(w: &mut Wave, i: &Inst) -> StepResult {
    w.set_scalar64(i.operands[0], w.pc);
    branch(w, i, true)
}

/// s_endpgm ends the wave.
pub fn end(_: &mut Wave) -> StepResult {
    Err(Stop::End)
}

/// s_barrier waits for the other waves of the group.
pub fn barrier(_: &mut Wave) -> StepResult {
    Err(Stop::Barrier)
}

/// s_waitcnt and buffer_wbinvl1 complete all earlier accesses, for all observers, before any later one begins.
pub fn wait(e: &mut Env<'_>) -> StepResult {
    e.fence();
    Ok(())
}

/// s_sleep gives other waves of the group a turn.
pub fn sleep(_: &mut Wave) -> StepResult {
    Err(Stop::Yield)
}

/// s_sethalt and s_sendmsghalt stop a wave until a debugger resumes it.
pub fn halt(_: &mut Wave, halted: bool) -> StepResult {
    if halted {
        Err(Fault::new(TrapKind::Halted).into())
    } else {
        Ok(())
    }
}

/// s_setkill ends the wave.
pub fn kill(_: &mut Wave, killed: bool) -> StepResult {
    if killed { Err(Stop::End) } else { Ok(()) }
}

/// Traps on instructions that only a trap handler may execute.
pub fn privileged() -> StepResult {
    Err(Fault::new(TrapKind::Privileged).into())
}

/// s_trap: trap 3 is llvm.debugtrap, which continues if no debugger is attached; all others end the kernel.
pub fn trap(i: &Inst) -> StepResult {
    match i.literal as u16 {
        3 => Ok(()),
        id => Err(Fault::new(TrapKind::Trap { id }).into()),
    }
}

/// s_memtime reads a monotonic clock.
pub fn time(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    w.set_scalar64(i.operands[0], e.time.cycles(e.clock));
    Ok(())
}

/// s_memrealtime reads a second clock, which counts at its own rate on a card.
pub fn real_time(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    w.set_scalar64(i.operands[0], e.time.steady(e.clock));
    Ok(())
}

/// ds_gws_init sets the number of waves that arrive at the grid's barrier before the releasing wave, from the first enabled lane.
pub fn grid_init(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let grid = grid(e)?;
    grid.init(grid_count(w, i)?);
    Ok(())
}

/// ds_gws_barrier waits for the waves of the other groups.
pub fn grid_barrier(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let grid = grid(e)?;
    let count = grid_count(w, i)?;
    // Stores of the group become visible to the released waves.
    e.fence();
    match grid.arrive(count) {
        None => Ok(()),
        Some(released) => Err(Stop::Grid(released)),
    }
}

/// Returns the barrier of the grid.
fn grid<'a>(e: &Env<'a>) -> Result<&'a Gws, Stop> {
    e.grid
        .ok_or_else(|| Fault::new(TrapKind::NotCooperative).into())
}

/// Returns the operand of an instruction of the grid's barrier. There is only one resource, so M0 and the offset must select resource 0.
fn grid_count(w: &Wave, i: &Inst) -> Result<u32, Stop> {
    let resource = u32::from(i.offset as u16) + (w.scalar32(Code::M0, 0) >> 16);
    if resource & 63 != 0 {
        return Err(ReservedValue {
            field: "resource of global wave sync",
            value: resource & 63,
            reason: "a cooperative launch has resource 0 alone",
        }
        .into());
    }
    let register = i.by_role(Role::Addr).as_vgpr().map_or(0, usize::from);
    let lane = w.exec().trailing_zeros() as usize;
    Ok(w.v[register].get(lane).copied().unwrap_or_default())
}

/// Decodes a hardware register operand into id, shift and mask.
fn hardware_field(simm16: u32) -> (u32, u32, u32) {
    let (id, offset, width) = (simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1);
    (id, offset, if width == 32 { !0 } else { (1 << width) - 1 })
}

/// s_getreg_b32. Registers that only describe the wave's placement read as for a single wave in the first slot.
pub fn getreg(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> StepResult {
    let (id, shift, mask) = hardware_field(i.words[0] & 0xffff);
    if id == TRAPSTS && mask << shift & 0x1ff != 0 {
        return Err(ReservedValue {
            field: "excp of TRAPSTS",
            value: mask << shift & 0x1ff,
            reason: "not kept: the emulator records no floating-point exceptions",
        }
        .into());
    }
    let value = match id {
        1 => w.mode_bits(),
        2 => {
            u32::from(w.scc)
                | u32::from(w.exec() == 0) << 9
                | u32::from(w.vcc() == 0) << 10
                | 1 << 16
        }
        // The waves of a group go to the compute unit's four SIMDs in turn. The micro engine of compute queues is the second one.
        4 => (w.index / 4) | ((w.index & 3) << 4) | 1 << 30,
        // VGPRs are counted in fours and SGPRs in sixteens (every wave has 112), both less one, and LDS in 64 dwords.
        5 => u32::from(w.vgprs()).div_ceil(4).saturating_sub(1) << 8 | 6 << 24,
        6 => e.lds.size().div_ceil(256) << 12,
        15 => {
            ((super::super::memory::PRIVATE_BASE >> 48) as u32)
                | ((super::super::memory::SHARED_BASE >> 48) as u32) << 16
        }
        _ => 0,
    };
    w.set_scalar32(i.operands[0], value >> shift & mask);
    Ok(())
}

/// Writes a field of a hardware register. Only MODE has an effect.
pub fn setreg(w: &mut Wave, i: &Inst, value: u32) -> StepResult {
    let (id, shift, mask) = hardware_field(i.words[0] & 0xffff);
    if id == 1 {
        let bits = w.mode_bits() & !(mask << shift) | (value & mask) << shift;
        fields::DEBUG.check(bits >> 11 & 1)?;
        fields::EXCEPTIONS.check(bits >> 12 & 0x1ff)?;
        w.set_mode_bits(bits);
    }
    Ok(())
}
