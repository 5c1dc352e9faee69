//! Vector instructions that cross lanes or touch single ones.

use super::super::handler::Outcome;
use super::super::trap::{Fault, TrapKind};
use super::super::wave::{LANES, Wave};
use crate::isa::{Code, Inst};

/// v_readfirstlane_b32: the first active lane's value, or lane 0's where none is.
pub fn readfirstlane(w: &mut Wave, i: &Inst) -> Outcome {
    let lane = w.exec().trailing_zeros() as usize % LANES;
    let value = lane_value(w, i.operands[1], i.literal, lane);
    w.set_scalar32(i.operands[0], value);
    Ok(())
}

/// v_readlane_b32.
pub fn readlane(w: &mut Wave, i: &Inst) -> Outcome {
    let lane = w.scalar32(i.operands[2], i.literal) as usize % LANES;
    let value = lane_value(w, i.operands[1], i.literal, lane);
    w.set_scalar32(i.operands[0], value);
    Ok(())
}

/// v_writelane_b32: whatever EXEC says.
pub fn writelane(w: &mut Wave, i: &Inst) -> Outcome {
    let value = w.scalar32(i.operands[1], i.literal);
    let lane = w.scalar32(i.operands[2], i.literal) as usize % LANES;
    if let Some(v) = i.operands[0].as_vgpr() {
        w.v[v as usize][lane] = value;
    }
    Ok(())
}

fn lane_value(w: &Wave, code: Code, literal: u32, lane: usize) -> u32 {
    match code.as_vgpr() {
        Some(v) => w.v[v as usize][lane],
        None => w.scalar32(code, literal),
    }
}

/// v_mbcnt_lo_u32_b32 and v_mbcnt_hi_u32_b32: src1 plus the bits of src0 that belong to lower lanes of the half that begins at
/// lane `first`.
#[inline(always)]
pub fn mbcnt(w: &mut Wave, i: &Inst, first: usize) -> Outcome {
    let get = |code: Code, l: usize| lane_value(w, code, i.literal, l);
    let values: [u32; LANES] = std::array::from_fn(|l| {
        let below = match l.saturating_sub(first) {
            0 => 0,
            n if n >= 32 => !0,
            n => (1u32 << n) - 1,
        };
        get(i.operands[2], l).wrapping_add((get(i.operands[1], l) & below).count_ones())
    });
    let exec = w.exec();
    if let Some(v) = i.operands[0].as_vgpr() {
        super::write_lanes(w, v as usize, exec, &values);
    }
    Ok(())
}

/// v_swap_b32: there is no other place than a VGPR to write to.
pub fn swap(w: &mut Wave, i: &Inst) -> Outcome {
    let (Some(a), Some(b)) = (i.operands[0].as_vgpr(), i.operands[1].as_vgpr()) else {
        return Err(Fault::new(TrapKind::IllegalInstruction).into());
    };
    let (x, y, exec) = (w.v[a as usize], w.v[b as usize], w.exec());
    super::write_lanes(w, a as usize, exec, &y);
    super::write_lanes(w, b as usize, exec, &x);
    Ok(())
}

/// v_mqsad_u32_u8: the only instruction with operands of 128 bits; `f(a, b, c)`.
pub fn quad(w: &mut Wave, i: &Inst, f: impl Fn(u64, u32, [u32; 4]) -> [u32; 4]) -> Outcome {
    let [vdst, a, b, c] = [0, 1, 2, 3].map(|n| i.operands[n]);
    let (Some(vdst), Some(c)) = (vdst.as_vgpr(), c.as_vgpr()) else {
        return Ok(());
    };
    let values: [[u32; 4]; LANES] = std::array::from_fn(|l| {
        let a = match a.as_vgpr() {
            Some(n) => {
                u64::from(w.v[n as usize][l]) | u64::from(w.v[(n as usize + 1) & 255][l]) << 32
            }
            None => w.scalar64(a, i.literal),
        };
        let c = std::array::from_fn(|k| w.v[(c as usize + k) & 255][l]);
        f(a, lane_value(w, b, i.literal, l), c)
    });
    let exec = w.exec();
    for k in 0..4 {
        super::write_lanes(
            w,
            (vdst as usize + k) & 255,
            exec,
            &values.map(|value| value[k]),
        );
    }
    Ok(())
}
