//! Operands of a lane: Rust's number types, their conversion from and to registers, and the slots that a function has for them.

use half::f16;

/// Slot of a lane function's argument or result: its registers, and the effect of modifiers on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Number of registers: 0 (a bit of a mask), 1 or 2.
    pub registers: u8,
    /// Position of the sign bit for neg and abs, within the last register.
    pub sign: u32,
    /// True for a 16-bit value, whose half op_sel selects.
    pub half: bool,
    /// True for two 16-bit values.
    pub pair: bool,
}

impl Slot {
    /// A bit of a mask.
    pub const BIT: Slot = Slot {
        registers: 0,
        sign: 0,
        half: false,
        pair: false,
    };
}

/// The sources and the result of a lane function.
#[derive(Debug)]
pub struct LaneSignature {
    /// Sources of the function, in order.
    pub sources: &'static [Slot],
    /// Value of the result (`Slot::BIT` for a function whose only result is a mask).
    pub result: Slot,
    /// Number of destinations, which is also the position of the first source among the operands.
    pub destinations: usize,
}

impl LaneSignature {
    /// Shape of a handler that is not a lane function.
    pub const NONE: &'static LaneSignature = &LaneSignature {
        sources: &[],
        result: Slot::BIT,
        destinations: 0,
    };
}

/// Formats of results for clamp and omod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// An f16.
    F16,
    /// An f32.
    F32,
    /// An f64.
    F64,
    /// Two f16, which omod does not affect.
    PairF16,
}

/// A number type of a lane function's arguments and results: its registers, and the effect of modifiers on it.
pub trait Lane: Copy {
    /// Number of registers: 1 or 2.
    const REGISTERS: usize;
    /// Position of the sign bit for neg and abs, within the last register.
    const SIGN: u32 = 0x8000_0000;
    /// True for a 16-bit type, whose half op_sel selects.
    const HALF: bool = false;
    /// True for two 16-bit values in one register.
    const PAIR: bool = false;

    /// Reads the value from a lane's registers.
    fn get(lo: u32, hi: u32) -> Self;
    /// Returns the contents of a lane's registers.
    fn put(self) -> (u32, u32);
    /// Slot of the type.
    const SLOT: Slot = Slot {
        registers: Self::REGISTERS as u8,
        sign: Self::SIGN,
        half: Self::HALF,
        pair: Self::PAIR,
    };
    /// Format for clamp and omod.
    const FLOAT: Option<Float> = None;
}

macro_rules! lane32 {
    ($($t:ty),*) => { $(impl Lane for $t {
        const REGISTERS: usize = 1;
        #[inline(always)]
        fn get(lo: u32, _: u32) -> $t { lo as $t }
        #[inline(always)]
        fn put(self) -> (u32, u32) { (self as u32, 0) }
    })* };
}
lane32!(u32, i32);

impl Lane for f32 {
    const REGISTERS: usize = 1;
    const FLOAT: Option<Float> = Some(Float::F32);
    #[inline(always)]
    fn get(lo: u32, _: u32) -> f32 {
        f32::from_bits(lo)
    }
    #[inline(always)]
    fn put(self) -> (u32, u32) {
        (self.to_bits(), 0)
    }
}

macro_rules! lane16 {
    ($($t:ty),*) => { $(impl Lane for $t {
        const REGISTERS: usize = 1;
        const SIGN: u32 = 0x8000;
        const HALF: bool = true;
        #[inline(always)]
        fn get(lo: u32, _: u32) -> $t { lo as $t }
        #[inline(always)]
        fn put(self) -> (u32, u32) { (self as u16 as u32, 0) }
    })* };
}
lane16!(u16, i16);

impl Lane for f16 {
    const REGISTERS: usize = 1;
    const FLOAT: Option<Float> = Some(Float::F16);
    const SIGN: u32 = 0x8000;
    const HALF: bool = true;
    #[inline(always)]
    fn get(lo: u32, _: u32) -> f16 {
        f16::from_bits(lo as u16)
    }
    #[inline(always)]
    fn put(self) -> (u32, u32) {
        (self.to_bits() as u32, 0)
    }
}

macro_rules! lane64 {
    ($($t:ty),*) => { $(impl Lane for $t {
        const REGISTERS: usize = 2;
        #[inline(always)]
        fn get(lo: u32, hi: u32) -> $t { (lo as u64 | (hi as u64) << 32) as $t }
        #[inline(always)]
        fn put(self) -> (u32, u32) { (self as u32, (self as u64 >> 32) as u32) }
    })* };
}
lane64!(u64, i64);

impl Lane for f64 {
    const REGISTERS: usize = 2;
    const FLOAT: Option<Float> = Some(Float::F64);
    #[inline(always)]
    fn get(lo: u32, hi: u32) -> f64 {
        f64::from_bits(lo as u64 | (hi as u64) << 32)
    }
    #[inline(always)]
    fn put(self) -> (u32, u32) {
        (self.to_bits() as u32, (self.to_bits() >> 32) as u32)
    }
}

macro_rules! lane_pair {
    ($t:ident, $from:expr, $to:expr, $float:expr) => {
        impl Lane for [$t; 2] {
            const REGISTERS: usize = 1;
            const SIGN: u32 = 0x8000;
            const PAIR: bool = true;
            const FLOAT: Option<Float> = $float;
            #[inline(always)]
            fn get(lo: u32, _: u32) -> [$t; 2] {
                [$from(lo as u16), $from((lo >> 16) as u16)]
            }
            #[inline(always)]
            fn put(self) -> (u32, u32) {
                ($to(self[0]) as u32 | ($to(self[1]) as u32) << 16, 0)
            }
        }
    };
}
lane_pair!(u16, |x: u16| x, |x: u16| x, None);
lane_pair!(i16, |x: u16| x as i16, |x: i16| x as u16, None);
lane_pair!(f16, f16::from_bits, f16::to_bits, Some(Float::PairF16));
