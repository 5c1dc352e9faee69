//! Vector instructions that cross lanes or touch single ones.

use super::super::registers::{LANES, Lanes};
use super::super::trap::StepResult;
use super::super::trap::{Fault, TrapKind};
use super::super::wave::Wave;
use crate::isa::{Code, Inst};

/// The inline constant -1.
const MINUS_ONE: u16 = 193;

/// v_readfirstlane_b32 reads the first enabled lane's value, or lane 0's if no lane is enabled.
pub fn readfirstlane(w: &mut Wave, i: &Inst) -> StepResult {
    let lane = w.exec().trailing_zeros() as usize % LANES;
    let value = lane_value(w, i.operands[1], i.literal, lane);
    w.set_scalar32(i.operands[0], value);
    Ok(())
}

/// v_readlane_b32 reads the value of a lane.
pub fn readlane(w: &mut Wave, i: &Inst) -> StepResult {
    let lane = w.scalar32(i.operands[2], i.literal) as usize % LANES;
    let value = lane_value(w, i.operands[1], i.literal, lane);
    w.set_scalar32(i.operands[0], value);
    Ok(())
}

/// v_writelane_b32 writes a lane, independent of EXEC.
pub fn writelane(w: &mut Wave, i: &Inst) -> StepResult {
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

/// Computes for each lane the bits of half a mask that belong to lower lanes. The half begins at lane `first`.
const fn lower_lanes(first: usize) -> Lanes {
    let mut lower = [0; LANES];
    let mut l = first + 1;
    while l < LANES {
        lower[l] = if l - first >= 32 {
            !0
        } else {
            (1 << (l - first)) - 1
        };
        l += 1;
    }
    lower
}

/// v_mbcnt_lo_u32_b32 and v_mbcnt_hi_u32_b32 add to src1 the number of src0's bits that belong to lower lanes of the half that begins at
/// lane `FIRST`.
#[inline(always)]
pub fn mbcnt<const FIRST: usize>(w: &mut Wave, i: &Inst) -> StepResult {
    const LOWER: [Lanes; 2] = [lower_lanes(0), lower_lanes(32)];
    let operand = |w: &Wave, code: Code| match code.as_vgpr() {
        Some(v) => w.v[v as usize],
        None => [w.scalar32(code, i.literal); LANES],
    };
    let lower = &LOWER[FIRST / 32];
    let mut values = operand(w, i.operands[2]);
    if i.operands[1].0 == MINUS_ONE {
        for (l, value) in values.iter_mut().enumerate() {
            *value = value.wrapping_add((l.saturating_sub(FIRST) as u32).min(32));
        }
    } else {
        let bits = operand(w, i.operands[1]);
        for ((value, bits), lower) in values.iter_mut().zip(&bits).zip(lower) {
            *value = value.wrapping_add((bits & lower).count_ones());
        }
    }
    let exec = w.exec();
    if let Some(v) = i.operands[0].as_vgpr() {
        w.write_lanes(v as usize, exec, &values);
    }
    Ok(())
}

/// v_swap_b32, whose operands must be VGPRs because both are written.
pub fn swap(w: &mut Wave, i: &Inst) -> StepResult {
    let (Some(a), Some(b)) = (i.operands[0].as_vgpr(), i.operands[1].as_vgpr()) else {
        return Err(Fault::new(TrapKind::IllegalInstruction).into());
    };
    let (x, y, exec) = (w.v[a as usize], w.v[b as usize], w.exec());
    w.write_lanes(a as usize, exec, &y);
    w.write_lanes(b as usize, exec, &x);
    Ok(())
}

/// v_mqsad_u32_u8 is the only instruction with operands of 128 bits: `f(a, b, c)`.
pub fn quad(w: &mut Wave, i: &Inst, f: impl Fn(u64, u32, [u32; 4]) -> [u32; 4]) -> StepResult {
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
        w.write_lanes(
            (vdst as usize + k) & 255,
            exec,
            &values.map(|value| value[k]),
        );
    }
    Ok(())
}
