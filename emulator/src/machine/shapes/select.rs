//! Source and destination selection: scalars, negation and magnitude, halves, sub-dwords (SDWA), other lanes (DPP).

use super::super::op::{Op, Shape, Slot, keeps_half, source};
use super::super::wave::{F16_CONSTANTS, LANES, Lanes, Results, Wave, expand};
use super::dpp;
use crate::isa::{Code, Encoding, Flags, Form, Inst};
use half::f16;

/// Whether a source of an instruction is read as it stands in its registers.
#[inline(always)]
pub fn plain(i: &Inst, source: usize) -> bool {
    let m = &i.modifiers;
    if i.encoding == Encoding::Vop3p {
        return (m.neg | m.neg_hi | m.op_sel | !m.op_sel_hi) >> source & 1 == 0
            && !i.row.modifiers.has(Flags::MIX);
    }
    match i.form {
        Form::Native | Form::E64 => (m.neg | m.abs | m.op_sel) >> source & 1 == 0,
        Form::Sdwa | Form::Dpp => source >= 2,
    }
}

/// Brings the sources that take more than one scalar for all lanes to their slots.
#[inline(never)]
pub fn fetch(w: &mut Wave, op: &Op, shape: &Shape) {
    for (n, slot) in shape.sources.iter().enumerate() {
        if op.plan.fetch >> n & 1 == 0 {
            continue;
        }
        let code = source(op, shape, n);
        let at = usize::from(op.plan.sources[n]);
        if code.as_vgpr().is_none() && plain(op, n) {
            let (lo, hi) = scalar(w, op, slot, code);
            w.v[at] = [lo; LANES];
            if slot.registers == 2 {
                w.v[at + 1] = [hi; LANES];
            }
        } else {
            let (lo, hi) = modified(w, op, n, slot, code);
            (w.v[at], w.v[at + 1]) = (lo, hi);
        }
    }
}

/// A scalar source of a vector instruction.
#[inline(always)]
fn scalar(w: &Wave, i: &Inst, slot: &Slot, code: Code) -> (u32, u32) {
    if slot.registers == 2 {
        let value = w.scalar64(code, i.literal);
        return (value as u32, (value >> 32) as u32);
    }
    let value = match code.0 {
        c @ 240..=248 if slot.half || slot.pair => F16_CONSTANTS[usize::from(c - 240)].into(),
        _ => w.scalar32(code, i.literal),
    };
    (value, 0)
}

fn modified(w: &Wave, i: &Inst, source: usize, slot: &Slot, code: Code) -> (Lanes, Lanes) {
    let wide = slot.registers == 2;
    let (mut lo, mut hi) = match code.as_vgpr() {
        Some(n) => (w.v[usize::from(n)], w.v[usize::from(n) + usize::from(wide)]),
        None => {
            let (lo, hi) = scalar(w, i, slot, code);
            ([lo; LANES], [hi; LANES])
        }
    };
    let m = &i.modifiers;
    if i.encoding == Encoding::Vop3p {
        return (packed(i, source, slot, code, lo), hi);
    }
    if i.form == Form::Dpp && source == 0 {
        lo = dpp::permute(w, i, &lo);
        if wide {
            hi = dpp::permute(w, i, &hi);
        }
    }
    if i.form == Form::Sdwa && source < 2 {
        let (sel, sext) = (m.src_sel[source], m.sext >> source & 1 != 0);
        lo = lo.map(|x| sub_dword(x, sel, sext));
    } else if slot.half && m.op_sel >> source & 1 != 0 && code.as_vgpr().is_some() | (code.0 < 128)
    {
        lo = lo.map(|x| x >> 16);
    }
    let last = if wide { &mut hi } else { &mut lo };
    if m.abs >> source & 1 != 0 {
        *last = last.map(|x| x & !slot.sign);
    }
    if m.neg >> source & 1 != 0 {
        *last = last.map(|x| x ^ slot.sign);
    }
    (lo, hi)
}

/// A source of a packed, mixed or dot instruction.
fn packed(i: &Inst, source: usize, slot: &Slot, code: Code, values: Lanes) -> Lanes {
    let m = &i.modifiers;
    let bit = |field: u8| field >> source & 1 != 0;
    let half = |x: u32, high: bool| if high { x >> 16 } else { x & 0xffff };
    if i.row.modifiers.has(Flags::MIX) {
        return values.map(|x| {
            let x = match code.0 {
                c @ 240..=248 if bit(m.op_sel_hi) => F16_CONSTANTS[usize::from(c - 240)].into(),
                _ => x,
            };
            let x = if bit(m.op_sel_hi) {
                f16::from_bits(half(x, bit(m.op_sel)) as u16)
                    .to_f32()
                    .to_bits()
            } else {
                x
            };
            let x = if bit(m.neg_hi) { x & 0x7fff_ffff } else { x };
            x ^ u32::from(bit(m.neg)) << 31
        });
    }
    if !slot.pair {
        return values.map(|x| x ^ if bit(m.neg) { slot.sign } else { 0 });
    }
    values.map(|x| {
        let low = half(x, bit(m.op_sel)) ^ if bit(m.neg) { 0x8000 } else { 0 };
        let high = half(x, bit(m.op_sel_hi)) ^ if bit(m.neg_hi) { 0x8000 } else { 0 };
        low | high << 16
    })
}

/// A byte, word or dword of a dword.
#[inline(always)]
fn sub_dword(x: u32, sel: u8, sext: bool) -> u32 {
    match (sel, sext) {
        (0..=3, false) => x >> (sel * 8) & 0xff,
        (0..=3, true) => (x >> (sel * 8)) as i8 as i32 as u32,
        (4 | 5, false) => x >> ((sel - 4) * 16) & 0xffff,
        (4 | 5, true) => (x >> ((sel - 4) * 16)) as i16 as i32 as u32,
        _ => x,
    }
}

/// The lanes that an instruction writes.
#[inline(always)]
pub fn write_mask(w: &Wave, i: &Inst) -> u64 {
    if i.form == Form::Dpp {
        w.exec() & dpp::enabled(w, i)
    } else {
        w.exec()
    }
}

/// Writes results to the destination, in the lanes and the parts that the instruction writes.
#[inline(never)]
pub fn commit(w: &mut Wave, op: &Op, result: &Slot) {
    let vdst = usize::from(op.plan.vdst);
    if !op.plan.whole && (op.form != Form::Dpp || keeps_half(op, result)) {
        return write_part(w, op, vdst);
    }
    let lanes = write_mask(w, op);
    let Results { lo, hi, .. } = w.results;
    super::write_lanes(w, vdst, lanes, &lo);
    if result.registers == 2 {
        super::write_lanes(w, vdst + 1, lanes, &hi);
    }
}

/// Writes a sub-dword destination: SDWA's byte or word, or the half that op_sel or the instruction names.
#[inline(never)]
fn write_part(w: &mut Wave, i: &Inst, vdst: usize) {
    let values = w.results.lo;
    let m = i.modifiers;
    let mask = expand(write_mask(w, i));
    let (sel, unused) = if i.form == Form::Sdwa {
        (m.dst_sel, m.dst_unused)
    } else if m.op_sel & 8 != 0 || i.row.modifiers.has(Flags::HIGH) {
        (5, 2)
    } else {
        (4, 2)
    };
    let old = &mut w.v[vdst];
    for l in 0..LANES {
        let (shift, width) = match sel {
            0..=3 => (sel as u32 * 8, 8),
            4 | 5 => ((sel as u32 - 4) * 16, 16),
            _ => (0, 32),
        };
        let field = if width == 32 {
            !0
        } else {
            ((1u32 << width) - 1) << shift
        };
        let value = values[l] << shift & field;
        let sign = if width < 32 && values[l] >> (width - 1) & 1 != 0 {
            !0u32
        } else {
            0
        };
        let rest = match unused {
            1 => sign & !(field | ((1u32 << shift) - 1)),
            2 => old[l] & !field,
            _ => 0,
        };
        let new = value | rest;
        old[l] = new & mask[l] | old[l] & !mask[l];
    }
}
