//! The lane exchanges that are encoded as LDS instructions: `ds_bpermute_b32`, `ds_permute_b32`, `ds_swizzle_b32`.

use super::super::dpp::{exchange, masked};
use super::super::op::Op;
use super::super::registers::{LANES, Lanes, each_lane};
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::addresses::each;

/// Returns the lanes that the lanes' byte addresses name, before the reduction to six bits.
#[inline(always)]
pub fn lanes_named(w: &Wave, op: &Op) -> Lanes {
    let (addr, offset) = (usize::from(op.plan.addr), op.offset as u32);
    let row = &w.v[addr];
    each_lane(|l| row[l].wrapping_add(offset) / 4)
}

/// Each lane reads the lane that its address names. Disabled lanes read as 0.
#[inline(always)]
pub fn bpermute<const WIDTH: usize>(w: &mut Wave, op: &Op) -> StepResult {
    let from = lanes_named(w, op);
    let values = masked(w, op.plan.data.into());
    write::<WIDTH>(w, op, &values, &from)
}

/// Each lane writes to the lane that its address names. The highest writer wins, and lanes without a writer get 0.
#[inline(always)]
pub fn permute(w: &mut Wave, op: &Op) -> StepResult {
    let (exec, to) = (w.exec(), lanes_named(w, op));
    let data = &w.v[usize::from(op.plan.data)];
    let mut values = [0; LANES];
    if exec == !0 {
        for (to, data) in to.iter().zip(data) {
            values[*to as usize % LANES] = *data;
        }
    } else {
        for l in each(exec) {
            values[to[l] as usize % LANES] = data[l];
        }
    }
    w.write_lanes(op.plan.vdst.into(), exec, &values);
    Ok(())
}

/// Returns the lane that lane `l` of a group of 32 reads by a swizzle pattern.
#[inline(always)]
pub fn swizzled(pattern: u32, l: u32) -> u32 {
    let (low, middle, high) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
    match pattern {
        // The bits are reversed (for FFTs), except the highest ones, which `low` keeps.
        0xe000.. => l.reverse_bits() >> 27 >> low.count_ones() | l & low,
        0xc000.. => {
            let turn = if high & 1 != 0 { 32 - middle } else { middle };
            l & low | (l + turn) & 31 & !low
        }
        0x8000.. => l & !3 | pattern >> (2 * (l & 3)) & 3,
        _ => ((l & low) | middle) ^ high,
    }
}

/// Each lane reads a lane of its group of 32 by the pattern in the offset. Disabled lanes read as 0.
#[inline(always)]
pub fn swizzle<const WIDTH: usize>(w: &mut Wave, op: &Op) -> StepResult {
    let pattern = op.offset as u32 & 0xffff;
    let from = each_lane(|l| l as u32 & 32 | swizzled(pattern, l as u32 & 31));
    let values = masked(w, op.plan.addr.into());
    write::<WIDTH>(w, op, &values, &from)
}

#[inline(always)]
fn write<const WIDTH: usize>(w: &mut Wave, op: &Op, values: &Lanes, from: &Lanes) -> StepResult {
    let mut out = [0; LANES];
    exchange::<WIDTH>(values, from, &mut out);
    let exec = w.exec();
    w.write_lanes(op.plan.vdst.into(), exec, &out);
    Ok(())
}
