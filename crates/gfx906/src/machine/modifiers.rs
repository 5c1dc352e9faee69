//! Effects of a vector instruction's modifiers on its sources and its result, determined when the instruction is decoded.

use super::lane::Slot;
use super::registers::{LANES, Lanes};
use crate::isa::{Access, Code, Encoding, Flags, Form, Inst};
use crate::semantics::{self, Mode};
use half::f16;

/// Returns true if a source is used exactly as it stands in its registers.
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

/// Part of a register that is the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The whole register.
    #[default]
    Whole,
    /// Bits of the register that remain after a shift to the left and a shift to the right.
    Field {
        /// Distance of the shift to the left.
        left: u8,
        /// Distance of the shift to the right.
        right: u8,
        /// True if the shift to the right copies the sign.
        signed: bool,
    },
    /// Two halves, each at its own position.
    Halves {
        /// Bit position of the low half.
        low: u8,
        /// Bit position of the high half.
        high: u8,
    },
    /// A half, widened to the f32 of the same value.
    Widened {
        /// Bit position of the half.
        from: u8,
    },
}

/// Change of a source on the way from its registers to its slot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change {
    /// Part of the register.
    pub part: Part,
    /// Bits of the last register that are kept (all except the sign for a magnitude).
    pub keep: u32,
    /// Bits of the last register that are inverted: the sign for a negation.
    pub flip: u32,
    /// True if the source takes two registers.
    pub wide: bool,
    /// True if an f16 constant is used without conversion.
    pub half: bool,
}

impl Change {
    /// Determines the change that an instruction's modifiers make to a source.
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

    /// Applies the change to all lanes of the source's last register, which is its only one except for 64-bit sources.
    #[inline(always)]
    pub fn apply<const WIDTH: usize>(&self, from: &Lanes, to: &mut Lanes) {
        // Each change has its own loop, whose step is one or two vector operations.
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

    /// Returns true if the source is one register of which only the sign changes.
    pub fn is_sign(&self) -> bool {
        self.part == Part::Whole && !self.wide
    }

    /// Applies the change to one lane.
    pub fn one(&self, x: u32) -> u32 {
        let mut lane = [0; LANES];
        self.apply::<16>(&[x; LANES], &mut lane);
        lane[0]
    }
}

/// Widens the f16 in the low half to an f32.
#[inline(always)]
fn widened(x: u32) -> u32 {
    semantics::cvt_f32_f16(Mode::HIP, f16::from_bits(x as u16)).to_bits()
}

/// Part of a register that a result fills: the byte or word of SDWA, or the half that op_sel or the instruction selects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fill {
    /// Bit position of the part.
    pub shift: u8,
    /// Mask of the part.
    pub field: u32,
    /// Bits above the part that its sign fills.
    pub signs: u32,
    /// Bits that keep their value.
    pub stay: u32,
}

impl Fill {
    /// Returns the part, if the result fills only a part.
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

/// Returns true if a 16-bit result preserves the other half of its register, which the row declares by reading the destination.
/// Instructions with op_sel and the multiply-adds of VOP2 preserve the half; all others clear it.
pub fn keeps_half(inst: &Inst, result: &Slot) -> bool {
    result.half && inst.row.operands[0].access == Access::ReadWrite
}

/// Returns the lanes that the row and bank masks of a DPP instruction enable.
pub fn dpp_lanes(i: &Inst) -> u64 {
    let spread = |field: u8, unit: u64, step: u32| {
        let named = (0..4).filter(|n| field >> n & 1 != 0);
        named.fold(0, |lanes, n| lanes | unit << (n * step))
    };
    let rows = spread(i.modifiers.row_mask, 0xffff, 16);
    let banks = spread(i.modifiers.bank_mask, 0x000f_000f_000f_000f, 4);
    rows & banks
}
