//! Source and destination selection: scalars, negation and magnitude, halves, sub-dwords (SDWA), other lanes (DPP).

use super::super::lane::Lane;
use super::super::wave::{F16_CONSTANTS, LANES, Lanes, Wave, expand};
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

/// A source's lanes, with its modifiers applied.
#[inline(always)]
pub fn source<T: Lane>(w: &Wave, i: &Inst, source: usize, code: Code) -> (Lanes, Lanes) {
    if code.as_vgpr().is_none() && plain(i, source) {
        let (lo, hi) = scalar::<T>(w, i, code);
        return ([lo; LANES], [hi; LANES]);
    }
    modified::<T>(w, i, source, code)
}

/// A scalar source of a vector instruction.
#[inline(always)]
fn scalar<T: Lane>(w: &Wave, i: &Inst, code: Code) -> (u32, u32) {
    if T::REGISTERS == 2 {
        let value = w.scalar64(code, i.literal);
        return (value as u32, (value >> 32) as u32);
    }
    let value = match code.0 {
        c @ 240..=248 => T::inline_float((c - 240) as usize).unwrap_or_else(|| w.scalar32(code, 0)),
        _ => w.scalar32(code, i.literal),
    };
    (value, 0)
}

#[cold]
#[inline(never)]
fn modified<T: Lane>(w: &Wave, i: &Inst, source: usize, code: Code) -> (Lanes, Lanes) {
    let (mut lo, mut hi) = match code.as_vgpr() {
        Some(n) => (w.v[n as usize], w.v[(n as usize + T::REGISTERS - 1) & 255]),
        None => {
            let (lo, hi) = scalar::<T>(w, i, code);
            ([lo; LANES], [hi; LANES])
        }
    };
    let m = &i.modifiers;
    if i.encoding == Encoding::Vop3p {
        return (packed::<T>(i, source, code, lo), hi);
    }
    if i.form == Form::Dpp && source == 0 {
        lo = dpp::permute(w, i, &lo);
        hi = dpp::permute(w, i, &hi);
    }
    if i.form == Form::Sdwa && source < 2 {
        let (sel, sext) = (m.src_sel[source], m.sext >> source & 1 != 0);
        lo = lo.map(|x| sub_dword(x, sel, sext));
    } else if T::HALF && m.op_sel >> source & 1 != 0 && code.as_vgpr().is_some() | (code.0 < 128) {
        lo = lo.map(|x| x >> 16);
    }
    let last = if T::REGISTERS == 2 { &mut hi } else { &mut lo };
    let sign = T::SIGN;
    if m.abs >> source & 1 != 0 {
        *last = last.map(|x| x & !sign);
    }
    if m.neg >> source & 1 != 0 {
        *last = last.map(|x| x ^ sign);
    }
    (lo, hi)
}

/// A source of a packed, mixed or dot instruction.
fn packed<T: Lane>(i: &Inst, source: usize, code: Code, values: Lanes) -> Lanes {
    let m = &i.modifiers;
    let bit = |field: u8| field >> source & 1 != 0;
    let half = |x: u32, high: bool| if high { x >> 16 } else { x & 0xffff };
    if i.row.modifiers.has(Flags::MIX) {
        return values.map(|x| {
            let x = match code.0 {
                c @ 240..=248 if bit(m.op_sel_hi) => F16_CONSTANTS[(c - 240) as usize] as u32,
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
            x ^ (bit(m.neg) as u32) << 31
        });
    }
    if !T::PAIR {
        return values.map(|x| x ^ if bit(m.neg) { T::SIGN } else { 0 });
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

/// Writes a sub-dword destination: SDWA's byte or word, or the high half that op_sel names.
#[cold]
#[inline(never)]
pub fn write_part(w: &mut Wave, i: &Inst, vdst: u8, values: &Lanes) {
    let m = i.modifiers;
    let mask = expand(w.exec());
    let (sel, unused) = if i.form == Form::Sdwa {
        (m.dst_sel, m.dst_unused)
    } else {
        (5, 2)
    };
    let old = &mut w.v[vdst as usize];
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
