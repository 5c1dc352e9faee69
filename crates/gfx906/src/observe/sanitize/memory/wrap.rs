//! Wrapped indices: a number of 32 bits that is too small for what was computed into it, and from which an address is made.
//!
//! A product or a left shift whose result does not fit marks its destination: as a signed number, as an unsigned one, or as both. Copies and
//! sums keep the mark, and every other operation drops it, such as the masks, differences and right shifts by which hashes and ring
//! buffers come back into their range. A marked number is extended to 64 bits by its sign if it does not fit as a signed number, and by zeros
//! if it fits as neither. The pair is the wrong number then: the products of 64 bits that compilers make of parts have another upper half.
//! An access through an address that such a pair is a part of is a finding.

use std::collections::BTreeMap;

use crate::isa::uses::RegisterSet;
use crate::isa::{Access, Code, Encoding, Form, Inst, Properties, Role};
use crate::machine::access::{Part, Space};
use crate::machine::{LANES, Wave};
use crate::observe::sanitize::finding::{Detail, Other};
use crate::observe::sanitize::{Check, CheckedInstruction, Findings};

/// Rule by which an instruction treats marked numbers, and makes new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrapRule {
    /// The result has no mark.
    Nothing,
    /// The result is a copy.
    Copy,
    /// The result is a copy of the first enabled lane.
    FirstLane,
    /// The result is a sum, or a union of bits.
    Sum,
    /// The result is a sum of upper halves.
    Carry,
    /// The result is a new number: it is marked if it does not fit.
    Made(Arithmetic),
    /// The result is the sign of a number, if it is shifted by 31.
    Sign,
    /// The result is a pair that was shifted to the left.
    ShiftedPair,
    /// The result is a pair that was shifted to the right: a number in the upper half comes down with its sign.
    LoweredPair,
    /// The result is a product of 64 bits of numbers that are extended by their signs, or by zeros, and a sum with a pair.
    WideProduct { signed: bool },
}

/// Arithmetic of 32 bits whose result may not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    /// a b
    Product,
    /// a b + c of 24 bits
    Product24 { signed: bool },
    /// a << b
    Shift,
    /// b << a
    ShiftReversed,
    /// (a << b) + c
    ShiftSum,
    /// (a + b) << c
    SumShift,
    /// (a << n) + b
    ShiftBySum(u32),
}

impl Arithmetic {
    /// Returns whether the result does not fit as a signed number, and whether it does not fit as an unsigned one.
    fn overflows(self, [a, b, c]: [u32; 3]) -> [bool; 2] {
        let signed = |x: u32| i128::from(x as i32);
        let unsigned = |x: u32| i128::from(x);
        let low = |x: u32| match self {
            Arithmetic::Product24 { signed: true } => i128::from((x << 8) as i32 >> 8),
            _ => i128::from(x & 0xff_ffff),
        };
        let of = |n: &dyn Fn(u32) -> i128| match self {
            Arithmetic::Product => n(a) * n(b),
            Arithmetic::Product24 { .. } => low(a) * low(b) + n(c),
            Arithmetic::Shift => n(a) << (b & 31),
            Arithmetic::ShiftReversed => n(b) << (a & 31),
            Arithmetic::ShiftSum => (n(a) << (b & 31)) + n(c),
            Arithmetic::SumShift => (n(a) + n(b)) << (c & 31),
            Arithmetic::ShiftBySum(by) => (n(a) << by) + n(b),
        };
        [
            i32::try_from(of(&signed)).is_err(),
            u32::try_from(of(&unsigned)).is_err(),
        ]
    }

    /// Returns true if the result surely fits as a signed number. `widths` are the bits of the largest magnitude of each operand, and `most` is
    /// a number that has all bits of its values.
    fn surely_fits(self, widths: [u32; 3], most: [u32; 3]) -> bool {
        let [a, b, c] = widths;
        // A sum has one bit more, and a sign.
        match self {
            Arithmetic::Product => a + b < 31,
            Arithmetic::Product24 { signed } => {
                // The upper 8 bits of an unsigned factor do not count.
                let are_whole = signed || (most[0] | most[1]) >> 24 == 0;
                are_whole && a < 24 && b < 24 && a + b < 30 && c < 30
            }
            Arithmetic::Shift => a + (most[1] & 31) < 31,
            Arithmetic::ShiftReversed => b + (most[0] & 31) < 31,
            Arithmetic::ShiftSum => a + (most[1] & 31) < 30 && c < 30,
            Arithmetic::SumShift => a.max(b) + 1 + (most[2] & 31) < 31,
            Arithmetic::ShiftBySum(by) => a + by < 30 && b < 30,
        }
    }

    /// Renders the arithmetic with its numbers.
    fn text(self, [a, b, c]: [u32; 3]) -> String {
        let [a, b, c] = [a, b, c].map(|x| x as i32);
        match self {
            Arithmetic::Product => format!("{a} x {b}"),
            Arithmetic::Product24 { .. } => format!("{a} x {b} + {c}"),
            Arithmetic::Shift => format!("{a} << {}", b & 31),
            Arithmetic::ShiftReversed => format!("{b} << {}", a & 31),
            Arithmetic::ShiftSum => format!("({a} << {}) + {c}", b & 31),
            Arithmetic::SumShift => format!("({a} + {b}) << {}", c & 31),
            Arithmetic::ShiftBySum(by_bits) => format!("({a} << {by_bits}) + {b}"),
        }
    }
}

/// Static facts about an instruction for wrapped numbers.
#[derive(Clone, Copy, Debug)]
pub struct Traits(WrapRule);

impl Traits {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst) -> Traits {
        if !matches!(inst.form, Form::Native | Form::E64) {
            return Traits(WrapRule::Nothing);
        }
        let made = WrapRule::Made;
        Traits(match inst.row.mnemonic {
            "v_mov_b32" | "s_mov_b32" | "s_mov_b64" => WrapRule::Copy,
            "v_readfirstlane_b32" => WrapRule::FirstLane,
            "v_add_u32" | "v_add_co_u32" | "v_add3_u32" | "s_add_u32" | "s_add_i32"
            | "s_addk_i32" | "v_or_b32" | "v_or3_b32" | "v_lshl_or_b32" | "s_or_b32" => {
                WrapRule::Sum
            }
            "v_addc_co_u32" | "s_addc_u32" => WrapRule::Carry,
            "s_mul_i32" | "v_mul_lo_u32" | "s_mulk_i32" => made(Arithmetic::Product),
            "v_mul_u32_u24" | "v_mad_u32_u24" => made(Arithmetic::Product24 { signed: false }),
            "v_mul_i32_i24" | "v_mad_i32_i24" => made(Arithmetic::Product24 { signed: true }),
            "s_lshl_b32" => made(Arithmetic::Shift),
            "v_lshlrev_b32" => made(Arithmetic::ShiftReversed),
            "v_lshl_add_u32" => made(Arithmetic::ShiftSum),
            "v_add_lshl_u32" => made(Arithmetic::SumShift),
            "s_lshl1_add_u32" => made(Arithmetic::ShiftBySum(1)),
            "s_lshl2_add_u32" => made(Arithmetic::ShiftBySum(2)),
            "s_lshl3_add_u32" => made(Arithmetic::ShiftBySum(3)),
            "s_lshl4_add_u32" => made(Arithmetic::ShiftBySum(4)),
            "s_ashr_i32" | "v_ashrrev_i32" => WrapRule::Sign,
            "s_lshl_b64" | "v_lshlrev_b64" => WrapRule::ShiftedPair,
            "s_ashr_i64" | "v_ashrrev_i64" => WrapRule::LoweredPair,
            "v_mad_u64_u32" => WrapRule::WideProduct { signed: false },
            "v_mad_i64_i32" => WrapRule::WideProduct { signed: true },
            _ => WrapRule::Nothing,
        })
    }
}

/// The marks of a register, by lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks {
    /// The number does not fit as a signed number.
    signed: u64,
    /// The number fits neither as a signed number nor as an unsigned one.
    both: u64,
    /// The upper half of a pair whose lower half does not fit.
    upper: u64,
}

impl Marks {
    fn or(self, other: Marks) -> Marks {
        Marks {
            signed: self.signed | other.signed,
            both: self.both | other.both,
            upper: self.upper | other.upper,
        }
    }

    fn and(self, lanes: u64) -> Marks {
        Marks {
            signed: self.signed & lanes,
            both: self.both & lanes,
            upper: self.upper & lanes,
        }
    }

    /// Returns the marks in all lanes if a lane has them.
    fn in_all(self, lane: u64) -> Marks {
        let all = |lanes: u64| if lanes & lane == 0 { 0 } else { !0 };
        Marks {
            signed: all(self.signed),
            both: all(self.both),
            upper: all(self.upper),
        }
    }
}

/// The place at which a number did not fit, and the numbers of the first lane.
#[derive(Clone, Copy, Debug)]
struct Origin {
    pc: u64,
    arithmetic: Arithmetic,
    numbers: [u32; 3],
}

/// The marks of a wave. Registers without a mark are absent.
#[derive(Default)]
struct WaveMarks {
    marked: RegisterSet,
    marks: BTreeMap<u16, (Marks, Origin)>,
}

impl WaveMarks {
    fn get(&self, register: u16) -> Marks {
        match register < 512 && self.marked.has(register) {
            true => self
                .marks
                .get(&register)
                .map_or(Marks::default(), |known| known.0),
            false => Marks::default(),
        }
    }

    fn origin(&self, registers: impl IntoIterator<Item = u16>) -> Option<Origin> {
        let mut registers = registers.into_iter();
        registers.find_map(|register| Some(self.marks.get(&register)?.1))
    }

    /// Gives a register marks in some lanes; the other lanes keep theirs.
    fn set(&mut self, register: u16, marks: Marks, lanes: u64, origin: Option<Origin>) {
        let kept = self.get(register).and(!lanes);
        let new = kept.or(marks.and(lanes));
        let origin = origin.or_else(|| self.origin([register]));
        match origin.filter(|_| new != Marks::default()) {
            Some(origin) => {
                self.marks.insert(register, (new, origin));
                self.marked.add(register, 1);
            }
            None => {
                self.marks.remove(&register);
                self.marked.remove(register, 1);
            }
        }
    }
}

/// A source operand: a register of each lane, or one number for all.
enum Source<'a> {
    Lanes(&'a [u32; LANES]),
    Number(u32),
}

impl Source<'_> {
    /// Returns the bits of the largest magnitude, and all bits that a value has.
    fn bounds(&self) -> [u32; 2] {
        let magnitude = |value: u32| value ^ ((value as i32) >> 31) as u32;
        let (magnitudes, values) = match self {
            Source::Lanes(values) => values.iter().fold((0, 0), |(magnitudes, all), &value| {
                (magnitudes | magnitude(value), all | value)
            }),
            Source::Number(value) => (magnitude(*value), *value),
        };
        [u32::BITS - magnitudes.leading_zeros(), values]
    }

    fn at(&self, lane: usize) -> u32 {
        match self {
            Source::Lanes(values) => values[lane],
            Source::Number(value) => *value,
        }
    }
}

/// The wrapped numbers of a group's waves.
#[derive(Default)]
pub struct Wraps {
    waves: Vec<WaveMarks>,
}

impl Wraps {
    /// Begins a work-group.
    pub fn group(&mut self, waves: usize) {
        self.waves.clear();
        self.waves.resize_with(waves, WaveMarks::default);
    }

    /// Looks at an instruction that is about to run.
    pub fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let Some(state) = self.waves.get_mut(here.wave.index as usize) else {
            return;
        };
        let Traits(rule) = here.facts.memory.wrap;
        let uses = &here.facts.uses;
        let makes = matches!(rule, WrapRule::Made(_));
        if !makes && !state.marked.meets(&uses.reads) && !state.marked.meets(&uses.writes) {
            return;
        }
        if !here.facts.exact || here.wave.indexes_vgprs() {
            // Any register may be written, so all marks are dropped.
            *state = WaveMarks::default();
            return;
        }
        for part in &here.access.parts {
            if part.space == Space::Global {
                accessed(state, here, part, findings);
            }
        }
        propagate(state, rule, here);
    }
}

/// Reports an access through an address with a wrapped number.
fn accessed(
    state: &WaveMarks,
    here: &CheckedInstruction<'_>,
    part: &Part,
    findings: &mut Findings,
) {
    let op = here.op;
    let base = op.inst.by_role(Role::Sbase);
    let pair = |first: u16| (state.get(first).signed & state.get(first + 1).upper, first);
    let (lanes, register) = match op.encoding {
        Encoding::Smem if !op.has(Properties::SCALAR_BUFFER) => pair(base.0),
        Encoding::Global if base != Code::OFF => {
            // The offset beside a scalar base is extended by zeros.
            let offset = op.inst.by_role(Role::Addr).0;
            match state.get(offset).both & part.lanes {
                0 => pair(base.0),
                lanes => (lanes, offset),
            }
        }
        Encoding::Global | Encoding::Flat => pair(op.inst.by_role(Role::Addr).0),
        _ => return,
    };
    let lanes = match op.encoding {
        Encoding::Smem => lanes & 1,
        _ => lanes & part.lanes,
    };
    let (Some(origin), true) = (state.origin([register]), lanes != 0) else {
        return;
    };
    findings.note(here, Check::Memory, "wrapped index", origin.pc, || Detail {
        lanes,
        what: format!(
            "{} {} at an address whose index did not fit in 32 bits",
            super::verb(part),
            super::byte_count(part.bytes)
        ),
        other: Some(Other {
            did: format!(
                "{} passed 2^31 or 2^32",
                origin.arithmetic.text(origin.numbers)
            ),
            site: Some(here.code.site(origin.pc)),
            group: None,
            wave: None,
        }),
        cure: "compute the index in 64 bits: make one factor a size_t".into(),
    });
}

/// The number of an operand that an instruction does not have.
const NO_REGISTER: u16 = u16::MAX;

/// Returns the marks of a result that does not fit in some lane, and the numbers of the first such lane.
fn overflow(
    arithmetic: Arithmetic,
    codes: &[u16; 3],
    here: &CheckedInstruction<'_>,
) -> Option<(Marks, [u32; 3])> {
    let wave = here.wave;
    let values = codes.map(|code| match code {
        256..=511 => Source::Lanes(&wave.v[usize::from(code) - 256]),
        NO_REGISTER => Source::Number(0),
        code => Source::Number(wave.scalar32(Code(code), here.op.inst.literal)),
    });
    let bounds = [0, 1, 2].map(|n| values[n].bounds());
    if arithmetic.surely_fits(bounds.map(|[width, _]| width), bounds.map(|[_, most]| most)) {
        return None;
    }
    let at = |lane: usize| [0, 1, 2].map(|n| values[n].at(lane));
    let mut new = Marks::default();
    for lane in 0..LANES {
        let [signed, unsigned] = arithmetic.overflows(at(lane));
        new.signed |= u64::from(signed) << lane;
        new.both |= u64::from(signed && unsigned) << lane;
    }
    let lanes = match here.op.inst.encoding.is_vector() {
        true => wave.lanes_on(),
        false => !0,
    };
    let first = (new.signed & lanes != 0).then(|| (new.signed & lanes).trailing_zeros())?;
    Some((new, at(first as usize)))
}

/// Marks the registers that an instruction writes.
fn propagate(state: &mut WaveMarks, rule: WrapRule, here: &CheckedInstruction<'_>) {
    let (inst, wave) = (&here.op.inst, here.wave);
    let operands = || inst.row.operands.iter().zip(&inst.operands);
    let destination = operands().find(|(operand, _)| operand.access != Access::Read);
    let sources = operands()
        .filter(|(operand, _)| operand.access != Access::Write && operand.role != Role::Vcc);
    let mut codes = [NO_REGISTER; 3];
    for (known, (_, code)) in codes.iter_mut().zip(sources) {
        *known = code.0;
    }
    let marks = |n: usize, k: u16| state.get(codes[n].saturating_add(k));
    let lanes = match inst.encoding.is_vector() {
        true => wave.lanes_on(),
        false => !0,
    };
    let mut made = [Marks::default(); 2];
    let mut origin = state.origin(
        codes
            .iter()
            .flat_map(|&first| [first, first.saturating_add(1)]),
    );
    match rule {
        WrapRule::Nothing => {}
        WrapRule::Copy => made = [marks(0, 0), marks(0, 1)],
        WrapRule::FirstLane => made[0] = marks(0, 0).in_all(first(wave.exec())),
        WrapRule::Sum => {
            let all = marks(0, 0).or(marks(1, 0)).or(marks(2, 0));
            made[0] = Marks { upper: 0, ..all };
        }
        WrapRule::Carry => {
            made[0].upper = marks(0, 0).or(marks(1, 0)).or(marks(2, 0)).upper;
        }
        WrapRule::Made(arithmetic) => {
            let all = marks(0, 0).or(marks(1, 0)).or(marks(2, 0));
            made[0] = Marks { upper: 0, ..all };
            if let Some((new, numbers)) = overflow(arithmetic, &codes, here) {
                made[0] = made[0].or(new.and(lanes));
                origin = Some(Origin {
                    pc: here.pc,
                    arithmetic,
                    numbers,
                });
            }
        }
        WrapRule::Sign => {
            let (number, by) = shifted(inst, &codes);
            if constant(wave, inst, by) == Some(31) {
                made[0].upper = state.get(number).signed;
            }
        }
        WrapRule::ShiftedPair => {
            let (low, _) = shifted(inst, &codes);
            made = shifted_pair(state, wave, low);
        }
        WrapRule::LoweredPair => {
            let (low, by) = shifted(inst, &codes);
            let comes_down = constant(wave, inst, by).is_some_and(|by| (24..=32).contains(&by));
            if comes_down {
                let signed = state.get(low.saturating_add(1)).signed;
                made[0].signed = signed;
                made[1].upper = signed;
            }
        }
        WrapRule::WideProduct { signed } => {
            let factors = marks(0, 0).or(marks(1, 0));
            let wrapped = if signed { factors.signed } else { factors.both };
            made = [marks(2, 0), marks(2, 1)];
            made[0].signed |= wrapped;
            made[1].upper |= wrapped;
        }
    }
    let first = destination.map(|(_, code)| code.0);
    let registers = destination.map_or(0, |(operand, _)| operand.ty.registers() as u16);
    let written = here.facts.uses.writes;
    if let Some(first) = first.filter(|_| rule != WrapRule::Nothing) {
        for (k, made) in (0..registers.min(2)).zip(made) {
            let register = first + k;
            let lanes = if register >= 256 { lanes } else { !0 };
            state.set(register, made, lanes, origin);
        }
    }
    for register in written.and(&state.marked).iter() {
        let is_made = rule != WrapRule::Nothing
            && first.is_some_and(|first| (first..first + registers.min(2)).contains(&register));
        if !is_made {
            let lanes = if register >= 256 { lanes } else { !0 };
            state.set(register, Marks::default(), lanes, None);
        }
    }
}

/// Returns the lowest lane of a mask, as a mask.
fn first(lanes: u64) -> u64 {
    lanes & lanes.wrapping_neg()
}

/// Returns the register of the number that a shift takes, and the operand that says how far. A `rev` form has them in the other order.
fn shifted(inst: &Inst, codes: &[u16; 3]) -> (u16, u16) {
    match inst.encoding.is_vector() {
        true => (codes[1], codes[0]),
        false => (codes[0], codes[1]),
    }
}

/// Returns the value of an operand that is the same in all lanes.
fn constant(wave: &Wave, inst: &Inst, code: u16) -> Option<u32> {
    (code < 256).then(|| wave.scalar32(Code(code), inst.literal))
}

/// Returns the marks of a pair that is shifted to the left: it has a wrapped number if its upper half is the sign, or zero, of one.
fn shifted_pair(state: &WaveMarks, wave: &Wave, low: u16) -> [Marks; 2] {
    let (lower, upper) = (state.get(low), state.get(low + 1));
    let zero = match low {
        256..=510 => {
            let values = &wave.v[usize::from(low) - 255];
            let lanes = values.iter().enumerate();
            lanes.fold(0, |zero, (lane, value)| {
                zero | u64::from(*value == 0) << lane
            })
        }
        0..=126 if wave.scalar32(Code(low + 1), 0) == 0 => !0,
        _ => 0,
    };
    let wrapped = lower.signed & upper.upper | lower.both & zero;
    let number = Marks {
        signed: wrapped,
        both: wrapped,
        upper: 0,
    };
    let sign = Marks {
        upper: wrapped,
        ..Marks::default()
    };
    [number, sign]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Arithmetic; 8] = [
        Arithmetic::Product,
        Arithmetic::Product24 { signed: true },
        Arithmetic::Product24 { signed: false },
        Arithmetic::Shift,
        Arithmetic::ShiftReversed,
        Arithmetic::ShiftSum,
        Arithmetic::SumShift,
        Arithmetic::ShiftBySum(3),
    ];

    /// Numbers of all widths, of both signs.
    fn number() -> impl Strategy<Value = u32> {
        (any::<u32>(), 0u32..32, any::<bool>()).prop_map(|(bits, width, is_negative)| {
            let small = bits & !(u32::MAX << width);
            if is_negative {
                small.wrapping_neg()
            } else {
                small
            }
        })
    }

    proptest! {
        /// The quick test never misses a number that does not fit, and lets some pass that do.
        #[test]
        fn what_surely_fits_does(numbers in [number(), number(), number()]) {
            for arithmetic in ALL {
                let bounds = numbers.map(|value| Source::Number(value).bounds());
                let [widths, most] = [0, 1].map(|k| bounds.map(|bound| bound[k]));
                if arithmetic.surely_fits(widths, most) {
                    let [signed, _] = arithmetic.overflows(numbers);
                    prop_assert!(!signed, "{} of {:?}", arithmetic.text(numbers), arithmetic);
                }
            }
        }
    }

    #[test]
    fn what_fits_and_what_does_not() {
        let cases = [
            (Arithmetic::Product, [0x8000, 0x1_0000, 0], [true, false]),
            (Arithmetic::Product, [0x1_0000, 0x1_0000, 0], [true, true]),
            (Arithmetic::Product, [u32::MAX, 5, 0], [false, true]),
            (
                Arithmetic::Product24 { signed: false },
                [0xff_ffff, 0xff_ffff, 0],
                [true, true],
            ),
            (
                Arithmetic::Product24 { signed: true },
                [0xff_ffff, 0xff_ffff, 1],
                [false, false],
            ),
            (Arithmetic::Shift, [3, 30, 0], [true, false]),
            (Arithmetic::ShiftReversed, [30, 4, 0], [true, true]),
            (Arithmetic::ShiftSum, [1, 30, 1 << 30], [true, false]),
            (Arithmetic::SumShift, [1, 1, 30], [true, false]),
            (Arithmetic::SumShift, [2, 2, 30], [true, true]),
            (Arithmetic::ShiftBySum(4), [1 << 28, 0, 0], [true, true]),
            (Arithmetic::ShiftBySum(4), [1 << 26, 5, 0], [false, false]),
        ];
        for (arithmetic, numbers, overflows) in cases {
            let text = arithmetic.text(numbers);
            assert_eq!(arithmetic.overflows(numbers), overflows, "{text}");
        }
    }
}
