//! Source and destination selection: scalars, negation and magnitude, halves, sub-dwords (SDWA), other lanes (DPP), clamp and omod.
//!
//! What an instruction's modifiers do is found out when it is decoded ([`Change`], [`Fill`]); here are the loops over lanes, for all
//! functions together, at each feature level.

use super::super::handler::at_level;
use super::super::lane::Float;
use super::super::op::{Op, SOURCES, Slot, keeps_half};
use super::super::wave::{F16_CONSTANTS, LANES, Lanes, REGISTERS, Results, Wave};
use crate::isa::{Code, Encoding, Flags, Form, Inst};
use crate::semantics::{self, Mode, Omod};
use half::f16;

/// The first slot behind the registers.
const SLOT: usize = 256;

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

/// The part of a register that a source is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// What is left of it after a shift to the left and one back.
    Field {
        /// Bits to the left.
        left: u8,
        /// Bits back to the right.
        right: u8,
        /// The sign comes with the latter.
        signed: bool,
    },
    /// Two halves, which stand so many bits high.
    Halves {
        /// Of the low one.
        low: u8,
        /// Of the high one.
        high: u8,
    },
    /// A half so many bits high, as the f32 of the same value.
    Widened {
        /// Bits.
        from: u8,
    },
}

/// What becomes of a source on its way to its slot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change {
    /// The part of its register that it is.
    part: Part,
    /// Bits of its last register that stay (all but the sign of a magnitude).
    keep: u32,
    /// Bits of its last register that turn over: the sign of what is negated.
    flip: u32,
    /// It takes two registers.
    wide: bool,
    /// An f16 constant stands for itself.
    half: bool,
}

impl Change {
    /// What an instruction's modifiers do to a source.
    pub fn new(i: &Inst, source: usize, slot: &Slot, code: Code) -> Change {
        let m = &i.modifiers;
        let bit = |field: u8| field >> source & 1 != 0;
        let shift = |high: bool| if high { 16 } else { 0 };
        let field = |from: u8, width: u8, signed: bool| Part::Field {
            left: 32 - width - from,
            right: 32 - width,
            signed,
        };
        let mut change = Change {
            part: Part::Whole,
            keep: !0,
            flip: 0,
            wide: slot.registers == 2,
            half: slot.half || slot.pair,
        };
        if i.encoding == Encoding::Vop3p {
            if i.row.modifiers.has(Flags::MIX) {
                if bit(m.op_sel_hi) {
                    let from = shift(bit(m.op_sel));
                    (change.part, change.half) = (Part::Widened { from }, true);
                }
                change.keep = if bit(m.neg_hi) { !slot.sign } else { !0 };
                change.flip = if bit(m.neg) { slot.sign } else { 0 };
            } else if slot.pair {
                let (low, high) = (shift(bit(m.op_sel)), shift(bit(m.op_sel_hi)));
                change.part = Part::Halves { low, high };
                change.flip = u32::from(bit(m.neg)) << 15 | u32::from(bit(m.neg_hi)) << 31;
            } else if bit(m.neg) {
                change.flip = slot.sign;
            }
            return change;
        }
        if i.form == Form::Sdwa && source < 2 {
            let signed = bit(m.sext);
            change.part = match m.src_sel[source] {
                byte @ 0..=3 => field(8 * byte, 8, signed),
                word @ 4..=5 => field(16 * (word - 4), 16, signed),
                _ => Part::Whole,
            };
        } else if slot.half && bit(m.op_sel) && (code.as_vgpr().is_some() || code.0 < 128) {
            change.part = field(16, 16, false);
        }
        change.keep = if bit(m.abs) { !slot.sign } else { !0 };
        change.flip = if bit(m.neg) { slot.sign } else { 0 };
        change
    }

    /// The lanes of the source's last register (its only one, but for 64 bits), changed.
    #[inline(always)]
    fn apply<const WIDTH: usize>(&self, from: &Lanes, to: &mut Lanes) {
        // Each with a loop of its own, which is one vector operation or two a step.
        macro_rules! lanes {
            (|$x:ident| $value:expr) => {
                for (to, &$x) in to.iter_mut().zip(from) {
                    *to = $value & self.keep ^ self.flip;
                }
            };
        }
        match self.part {
            Part::Whole => lanes!(|x| x),
            Part::Field {
                left,
                right,
                signed: false,
            } => lanes!(|x| x << (left & 31) >> (right & 31)),
            Part::Field { left, right, .. } => {
                lanes!(|x| ((x << (left & 31)) as i32 >> (right & 31)) as u32)
            }
            Part::Halves { low, high } => {
                lanes!(|x| x >> (low & 31) & 0xffff | x >> (high & 31) << 16)
            }
            Part::Widened { from: shift } => {
                if semantics::widen_halves::<WIDTH>(from, shift.into(), to) {
                    for lane in to {
                        *lane = *lane & self.keep ^ self.flip;
                    }
                } else {
                    lanes!(|x| widened(x >> (shift & 31)));
                }
            }
        }
    }

    /// Whether it is one register whose sign alone changes.
    pub fn is_sign(&self) -> bool {
        self.part == Part::Whole && !self.wide
    }

    /// One lane, changed.
    fn one(&self, x: u32) -> u32 {
        let mut lane = [0; LANES];
        self.apply::<16>(&[x; LANES], &mut lane);
        lane[0]
    }
}

/// The f32 of an f16 in the low half.
#[inline(always)]
fn widened(x: u32) -> u32 {
    semantics::cvt_f32_f16(Mode::HIP, f16::from_bits(x as u16)).to_bits()
}

at_level! {
    /// Brings the registers that are negated or taken absolute to their slots.
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
    /// Brings the sources that take more than one scalar for all lanes to their slots.
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
    /// Brings a register, as the lanes of a DPP instruction see it, to the first source's slot: 0 where there is no lane to read.
    pub fn fetch_permuted(w: &mut Wave, op: &Op, register: usize) -> () {
        let Some(control) = op.plan.dpp else {
            return;
        };
        let at = usize::from(op.plan.sources[0]) % REGISTERS;
        w.v[at] = control.permute::<WIDTH>(w, register % SLOT);
    }
}

/// A scalar source of a vector instruction.
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

at_level! {
    /// Applies omod, then clamp to the results of a format.
    pub fn finish_floats(w: &mut Wave, op: &Op, float: Float) -> () {
        let mode = w.mode();
        let by = Omod::from_bits(op.modifiers.omod.into());
        let kept = if float == Float::F32 { mode.denorm_out32 } else { mode.denorm_out64 };
        // Where denormals are kept, omod is ignored.
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
                // What is above a half is zero, and stays it.
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
    /// Writes results that are f32 to the destination, clamped.
    pub fn commit_clamped(w: &mut Wave, op: &Op) -> () {
        let (mode, vdst) = (w.mode(), usize::from(op.plan.vdst) % REGISTERS);
        for (to, x) in w.v[vdst].iter_mut().zip(&w.results.lo) {
            *to = semantics::clamp_f32(mode, f32::from_bits(*x)).to_bits();
        }
    }
}

/// The part of its register that a result fills: SDWA's byte or word, or the half that op_sel or the instruction names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fill {
    /// Bits that it stands high.
    shift: u8,
    /// Its bits, where they stand.
    field: u32,
    /// Bits above it, which its sign fills.
    signs: u32,
    /// Bits that stay as they were.
    stay: u32,
}

impl Fill {
    /// The part, where a result fills one.
    pub fn new(i: &Inst, result: &Slot) -> Option<Fill> {
        let m = &i.modifiers;
        let sub_dword = result.registers == 1 && i.form == Form::Sdwa;
        if !sub_dword && !keeps_half(i, result) {
            return None;
        }
        let (sel, unused) = if i.form == Form::Sdwa {
            (m.dst_sel, m.dst_unused)
        } else if m.op_sel & 8 != 0 || i.row.modifiers.has(Flags::HIGH) {
            (5, 2)
        } else {
            (4, 2)
        };
        let (shift, field) = match sel {
            0..=3 => (8 * sel, 0xff << (8 * sel)),
            4 | 5 => (16 * (sel - 4), 0xffff << (16 * (sel - 4))),
            _ => (0, !0),
        };
        Some(Fill {
            shift,
            field,
            signs: if unused == 1 {
                !(field | ((1 << shift) - 1))
            } else {
                0
            },
            stay: if unused == 2 { !field } else { 0 },
        })
    }
}

/// The lanes that an instruction writes.
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

/// The lanes that the row and bank masks of a DPP instruction leave on.
pub fn dpp_lanes(i: &Inst) -> u64 {
    let spread = |field: u8, unit: u64, step: u32| {
        let named = (0..4).filter(|n| field >> n & 1 != 0);
        named.fold(0, |lanes, n| lanes | unit << (n * step))
    };
    let rows = spread(i.modifiers.row_mask, 0xffff, 16);
    let banks = spread(i.modifiers.bank_mask, 0x000f_000f_000f_000f, 4);
    rows & banks
}

at_level! {
    /// Writes results to the destination, in the lanes and the parts that the instruction writes.
    pub fn commit(w: &mut Wave, op: &Op, registers: u8) -> () {
        let vdst = usize::from(op.plan.vdst) % REGISTERS;
        let lanes = write_mask(w, op);
        let mask = w.mask_of(lanes);
        if let Some(Fill { shift, field, signs, stay }) = op.plan.fill {
            let (values, old) = (&w.results.lo, &mut w.v[vdst]);
            let shift = u32::from(shift) & 31;
            // The result's own sign stands as high as its field ends.
            let top = field.leading_zeros();
            for l in 0..LANES {
                let value = values[l] << shift & field;
                let sign = ((value << top) as i32 >> 31) as u32 & signs;
                let new = value | sign | old[l] & stay;
                old[l] = new & mask[l] | old[l] & !mask[l];
            }
            return;
        }
        let (values, old) = (&w.results.lo, &mut w.v[vdst]);
        for l in 0..LANES {
            old[l] = values[l] & mask[l] | old[l] & !mask[l];
        }
        if registers == 2 {
            let (values, old) = (&w.results.hi, &mut w.v[vdst + 1]);
            for l in 0..LANES {
                old[l] = values[l] & mask[l] | old[l] & !mask[l];
            }
        }
    }
}
