//! Program control: branches, calls, barriers, waits, traps, hardware registers.

use super::super::env::Env;
use super::super::gws::Gws;
use super::super::trap::Outcome;
use super::super::trap::{Fault, Stop, TrapKind};
use super::super::wave::Wave;
use crate::isa::fields::{self, Reserved};
use crate::isa::{Code, Inst, Role};

/// The number of TRAPSTS.
const TRAPSTS: u32 = 3;

/// Branches by the signed distance in dwords where the condition holds.
#[inline(always)]
pub fn branch(w: &mut Wave, i: &Inst, taken: bool) -> Outcome {
    if taken {
        w.pc = w.pc.wrapping_add(((i.literal as i16 as i64) * 4) as u64);
    }
    Ok(())
}

/// s_getpc_b64: the address of the next instruction.
pub fn getpc(w: &mut Wave, i: &Inst) -> Outcome {
    w.set_scalar64(i.operands[0], w.pc);
    Ok(())
}

/// s_setpc_b64.
pub fn setpc(w: &mut Wave, i: &Inst) -> Outcome {
    w.pc = w.scalar64(i.operands[0], i.literal);
    Ok(())
}

/// s_swappc_b64: a call.
pub fn swappc(w: &mut Wave, i: &Inst) -> Outcome {
    let target = w.scalar64(i.operands[1], i.literal);
    w.set_scalar64(i.operands[0], w.pc);
    w.pc = target;
    Ok(())
}

/// s_call_b64: a call by distance.
pub fn call(w: &mut Wave, i: &Inst) -> Outcome {
    w.set_scalar64(i.operands[0], w.pc);
    branch(w, i, true)
}

/// s_endpgm.
pub fn end(_: &mut Wave) -> Outcome {
    Err(Stop::End)
}

/// s_barrier.
pub fn barrier(_: &mut Wave) -> Outcome {
    Err(Stop::Barrier)
}

/// s_waitcnt, buffer_wbinvl1: what stands before is done, for everyone, before anything behind begins.
pub fn wait(e: &mut Env<'_>) -> Outcome {
    e.fence();
    Ok(())
}

/// s_sleep: other waves of the group may run.
pub fn sleep(_: &mut Wave) -> Outcome {
    Err(Stop::Yield)
}

/// s_sethalt, s_sendmsghalt: a wave that halts waits for a debugger.
pub fn halt(_: &mut Wave, halted: bool) -> Outcome {
    if halted {
        Err(Fault::new(TrapKind::Halted).into())
    } else {
        Ok(())
    }
}

/// s_setkill: a wave that is killed ends.
pub fn kill(_: &mut Wave, killed: bool) -> Outcome {
    if killed { Err(Stop::End) } else { Ok(()) }
}

/// Traps on instructions that only a trap handler may execute.
pub fn privileged() -> Outcome {
    Err(Fault::new(TrapKind::Privileged).into())
}

/// s_trap: 3 is llvm.debugtrap, which goes on where no debugger is attached; the others end the kernel.
pub fn trap(i: &Inst) -> Outcome {
    match i.literal as u16 {
        3 => Ok(()),
        id => Err(Fault::new(TrapKind::Trap { id }).into()),
    }
}

/// s_memtime: a clock that only goes forward.
pub fn time(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    w.set_scalar64(i.operands[0], e.time.cycles(e.clock));
    Ok(())
}

/// s_memrealtime: another, which a card counts at a rate of its own.
pub fn real_time(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    w.set_scalar64(i.operands[0], e.time.steady(e.clock));
    Ok(())
}

/// ds_gws_init: how many waves arrive at the grid's barrier before the one that releases, from the first lane that is on.
pub fn grid_init(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    let grid = grid(e)?;
    grid.init(grid_count(w, i)?);
    Ok(())
}

/// ds_gws_barrier: waits for the waves of the other groups.
pub fn grid_barrier(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    let grid = grid(e)?;
    let count = grid_count(w, i)?;
    // What the group stored before is there for those who are released.
    e.fence();
    match grid.arrive(count) {
        None => Ok(()),
        Some(released) => Err(Stop::Grid(released)),
    }
}

/// The barrier of the grid.
fn grid<'a>(e: &Env<'a>) -> Result<&'a Gws, Stop> {
    e.grid
        .ok_or_else(|| Fault::new(TrapKind::NotCooperative).into())
}

/// The operand of an instruction of the grid's barrier, which has one resource: M0 and offset say 0.
fn grid_count(w: &Wave, i: &Inst) -> Result<u32, Stop> {
    let resource = u32::from(i.offset as u16) + (w.scalar32(Code::M0, 0) >> 16);
    if resource & 63 != 0 {
        return Err(Reserved {
            field: "resource of global wave sync",
            value: resource & 63,
            why: "a cooperative launch has resource 0 alone",
        }
        .into());
    }
    let register = i.by_role(Role::Addr).as_vgpr().map_or(0, usize::from);
    let lane = w.exec().trailing_zeros() as usize;
    Ok(w.v[register].get(lane).copied().unwrap_or_default())
}

/// The field that a hardware register operand names: id, shift, mask.
fn hardware_field(simm16: u32) -> (u32, u32, u32) {
    let (id, offset, width) = (simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1);
    (id, offset, if width == 32 { !0 } else { (1 << width) - 1 })
}

/// s_getreg_b32. Registers that only describe placement read as a wave alone on the first slot.
pub fn getreg(w: &mut Wave, e: &mut Env<'_>, i: &Inst) -> Outcome {
    let (id, shift, mask) = hardware_field(i.words[0] & 0xffff);
    if id == TRAPSTS && mask << shift & 0x1ff != 0 {
        return Err(Reserved {
            field: "excp of TRAPSTS",
            value: mask << shift & 0x1ff,
            why: "not kept: the emulator records no floating-point exceptions",
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
        // Waves of a group go to the compute unit's four SIMDs in turn; the micro engine of compute queues is the second.
        4 => (w.index / 4) | ((w.index & 3) << 4) | 1 << 30,
        // VGPRs in fours, SGPRs in sixteens (every wave has 112), LDS in 64 dwords; the two former less one.
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

/// Writes a field of a hardware register; only MODE takes effect.
pub fn setreg(w: &mut Wave, i: &Inst, value: u32) -> Outcome {
    let (id, shift, mask) = hardware_field(i.words[0] & 0xffff);
    if id == 1 {
        let bits = w.mode_bits() & !(mask << shift) | (value & mask) << shift;
        fields::DEBUG.check(bits >> 11 & 1)?;
        fields::EXCEPTIONS.check(bits >> 12 & 0x1ff)?;
        fields::FP16_OVERFLOW.check(bits >> 23 & 1)?;
        w.set_mode_bits(bits);
    }
    Ok(())
}
