//! Source and destination selection: scalars, negation and magnitude, halves, sub-dwords (SDWA), other lanes (DPP), clamp and omod.
//!
//! The effects of an instruction's modifiers are determined when it is decoded ([`Change`], [`Fill`]). This file has the loops over lanes,
//! which all functions share, at each feature level.

use super::super::handler::at_level;
use super::super::lane::Float;
use super::super::modifiers::{Change, Fill};
use super::super::op::Op;
use super::super::registers::{LANES, Lanes, REGISTERS, Results, SOURCES};
use super::super::wave::Wave;
use crate::isa::{Code, F16_CONSTANTS, Flags, Inst};
use crate::semantics::{self, Omod};
use half::f16;

/// Number of the first slot, behind the registers.
const SLOT: usize = 256;

at_level! {
    /// Moves the registers that are negated or taken absolute to their slots.
    pub fn fetch_signed(w: &mut Wave, op: &Op) -> () {
        for n in 0..SOURCES {
            if op.plan.signs >> n & 1 != 0 {
                let v = usize::from(op.plan.scalars[n].0) % SLOT;
                let (registers, slots) = w.v.split_at_mut(SLOT);
                let Change { keep, flip, .. } = op.plan.changes[n];
                for (to, from) in slots[2 * n].iter_mut().zip(&registers[v]) {
                    *to = from & keep ^ flip;
                }
            }
        }
    }
}

at_level! {
    /// Moves the sources that need more than one scalar for all lanes to their slots.
    pub fn fetch(w: &mut Wave, op: &Op) -> () {
        let mut left = op.plan.fetch;
        while left != 0 {
            let n = left.trailing_zeros() as usize % SOURCES;
            left &= left - 1;
            let (change, code) = (&op.plan.changes[n], op.plan.scalars[n]);
            let at = usize::from(op.plan.sources[n]) % REGISTERS;
            match code.as_vgpr() {
                Some(v) if n != 0 || op.plan.dpp.is_none() => {
                    let v = usize::from(v);
                    let (registers, slots) = w.v.split_at_mut(SLOT);
                    let at = at - SLOT;
                    if change.wide {
                        slots[at] = registers[v];
                        change.apply::<WIDTH>(&registers[(v + 1) % SLOT], &mut slots[at + 1]);
                    } else {
                        change.apply::<WIDTH>(&registers[v], &mut slots[at]);
                    }
                }
                Some(v) => {
                    fetch_permuted::<WIDTH>(w, op, v.into());
                    if (change.keep, change.flip) != (!0, 0) {
                        let values = w.v[at];
                        change.apply::<WIDTH>(&values, &mut w.v[at]);
                    }
                }
                None => {
                    let (lo, hi) = scalar(w, op, change, code);
                    if change.wide {
                        w.v[at] = [lo; LANES];
                        w.v[at + 1] = [change.one(hi); LANES];
                    } else {
                        w.v[at] = [change.one(lo); LANES];
                    }
                }
            }
        }
    }
}

at_level! {
    /// Moves a register, as the lanes of a DPP instruction read it, to the first source's slot. A lane without a source lane reads 0.
    pub fn fetch_permuted(w: &mut Wave, op: &Op, register: usize) -> () {
        let Some(control) = op.plan.dpp else {
            return;
        };
        let at = usize::from(op.plan.sources[0]) % REGISTERS;
        w.v[at] = control.permute::<WIDTH>(w, register % SLOT);
    }
}

/// Returns a scalar source of a vector instruction.
#[inline(always)]
fn scalar(w: &Wave, i: &Inst, change: &Change, code: Code) -> (u32, u32) {
    if change.wide {
        let value = w.scalar64(code, i.literal);
        return (value as u32, (value >> 32) as u32);
    }
    let value = match code.0 {
        c @ 240..=248 if change.half => F16_CONSTANTS[usize::from(c - 240)].into(),
        _ => w.scalar32(code, i.literal),
    };
    (value, 0)
}

/// Encoding of infinity, and of all bits of an f16 but the sign.
const INFINITE_HALF: u32 = 0x7c00;
const MAGNITUDE_OF_HALF: u32 = 0x7fff;

/// Replaces f16 results that have overflowed by the largest finite number of their sign (FP16_OVFL in MODE). An infinity stays if a source is
/// infinite, or if it is the value of the function at zero.
#[cold]
pub fn limit_halves(w: &mut Wave, op: &Op, float: Float, formats: &[Option<Float>]) {
    let halves = if float == Float::PairF16 { 2 } else { 1 };
    // Source that makes the result infinite if it is zero.
    let pole = match op.row.mnemonic {
        "v_rcp_f16" | "v_rsq_f16" | "v_log_f16" => Some(0),
        "v_div_fixup_f16" | "v_div_fixup_legacy_f16" => Some(1),
        _ => None,
    };
    let flushes = !w.mode().denorm_in64;
    for lane in 0..LANES {
        for half in 0..halves {
            let magnitude = w.results.lo[lane] >> (16 * half) & MAGNITUDE_OF_HALF;
            if magnitude != INFINITE_HALF {
                continue;
            }
            let value = |source: usize| -> Option<f32> {
                let word = w.v[usize::from(op.plan.sources[source])][lane];
                match formats[source]? {
                    Float::F16 => Some(f16::from_bits(word as u16).to_f32()),
                    Float::PairF16 => Some(f16::from_bits((word >> (16 * half)) as u16).to_f32()),
                    Float::F32 => Some(f32::from_bits(word)),
                    Float::F64 => None,
                }
            };
            let infinite = (0..formats.len()).any(|n| value(n).is_some_and(f32::is_infinite));
            let smallest = f16::MIN_POSITIVE.to_f32();
            let is_zero = |x: f32| x == 0.0 || flushes && x.abs() < smallest;
            let at_pole = pole.and_then(value).is_some_and(is_zero);
            if !infinite && !at_pole {
                let largest = u32::from(f16::MAX.to_bits());
                w.results.lo[lane] ^= (INFINITE_HALF ^ largest) << (16 * half);
            }
        }
    }
}

at_level! {
    /// Applies omod, and then clamp, to the results of a format.
    pub fn finish_floats(w: &mut Wave, op: &Op, float: Float) -> () {
        let mode = w.mode();
        let by = Omod::from_bits(op.modifiers.omod.into());
        let kept = if float == Float::F32 { mode.denorm_out32 } else { mode.denorm_out64 };
        // The output multiplier has no effect if denormals are kept.
        let multiplies = by != Omod::One && !kept;
        let clamps = op.modifiers.flags.has(Flags::CLAMP);
        let Results { lo, hi, .. } = &mut w.results;
        macro_rules! each {
            ($lo:ident, $hi:ident, |$x:ident| $value:expr) => {
                for ($lo, $hi) in lo.iter_mut().zip(hi.iter_mut()) {
                    let $x = f64::from_bits(u64::from(*$lo) | u64::from(*$hi) << 32);
                    let value = $value.to_bits();
                    (*$lo, *$hi) = (value as u32, (value >> 32) as u32);
                }
            };
            (|$x:ident| $value:expr) => {
                for x in lo.iter_mut() {
                    let $x = *x;
                    *x = $value;
                }
            };
        }
        let half = |x: u32| f16::from_bits(x as u16);
        if multiplies {
            match float {
                Float::F16 => each!(|x| semantics::omod_f16(mode, by, half(x)).to_bits().into()),
                Float::F32 => each!(|x| semantics::omod_f32(mode, by, f32::from_bits(x)).to_bits()),
                Float::F64 => each!(lo, hi, |x| semantics::omod_f64(mode, by, x)),
                Float::PairF16 => {}
            }
        }
        if clamps {
            match float {
                // The bits above a half are zero, and stay zero.
                Float::F16 | Float::PairF16 => {
                    for x in bytemuck::cast_mut::<Lanes, [u16; 2 * LANES]>(lo) {
                        *x = semantics::clamp_f16(mode, f16::from_bits(*x)).to_bits();
                    }
                }
                Float::F32 => each!(|x| semantics::clamp_f32(mode, f32::from_bits(x)).to_bits()),
                Float::F64 => each!(lo, hi, |x| semantics::clamp_f64(mode, x)),
            }
        }
    }
}

at_level! {
    /// Clamps f32 results and writes them to the destination.
    pub fn commit_clamped(w: &mut Wave, op: &Op) -> () {
        let (mode, vdst) = (w.mode(), usize::from(op.plan.vdst) % REGISTERS);
        for (to, x) in w.v[vdst].iter_mut().zip(&w.results.lo) {
            *to = semantics::clamp_f32(mode, f32::from_bits(*x)).to_bits();
        }
    }
}

/// Returns the lanes that an instruction writes.
#[inline(always)]
pub fn write_mask(w: &mut Wave, op: &Op) -> u64 {
    match op.plan.dpp {
        Some(control) => {
            let zero = op.modifiers.flags.has(Flags::BOUND_CTRL);
            let live = if zero { !0 } else { control.live(w) };
            w.exec() & op.plan.dpp_lanes & live
        }
        None => w.exec(),
    }
}

at_level! {
    /// Writes results to the destination, in the lanes and the part that the instruction writes.
    pub fn commit(w: &mut Wave, op: &Op, registers: u8) -> () {
        let vdst = usize::from(op.plan.vdst) % REGISTERS;
        let lanes = write_mask(w, op);
        let (mask, file, results) = w.masked(lanes);
        if let Some(Fill { shift, field, signs, stay }) = op.plan.fill {
            let (values, old) = (&results.lo, &mut file[vdst]);
            let shift = u32::from(shift) & 31;
            // The result's sign bit is the top bit of its field.
            let top = field.leading_zeros();
            for l in 0..LANES {
                let value = values[l] << shift & field;
                let sign = ((value << top) as i32 >> 31) as u32 & signs;
                let new = value | sign | old[l] & stay;
                old[l] = new & mask[l] | old[l] & !mask[l];
            }
            return;
        }
        let (values, old) = (&results.lo, &mut file[vdst]);
        for l in 0..LANES {
            old[l] = values[l] & mask[l] | old[l] & !mask[l];
        }
        if registers == 2 {
            let (values, old) = (&results.hi, &mut file[vdst + 1]);
            for l in 0..LANES {
                old[l] = values[l] & mask[l] | old[l] & !mask[l];
            }
        }
    }
}
