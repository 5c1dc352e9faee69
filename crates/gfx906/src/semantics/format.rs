//! The three binary formats of the machine, and the meaning of the mode for each.

use super::{Mode, Round, directed};

/// A binary floating-point format: f16, f32 or f64.
pub(crate) trait Format: Copy + PartialEq {
    /// Bits of the significand, including the hidden bit.
    const PRECISION: u32;
    /// Exponent of the lowest place of a denormal.
    const LOWEST: i32;
    /// The sign bit.
    const SIGN: u64;
    /// Positive infinity, which is also the mask of the exponent field.
    const INFINITY: u64;
    /// The hidden bit of the significand.
    const HIDDEN: u64 = 1 << (Self::PRECISION - 1);
    /// The bit that makes a NaN quiet.
    const QUIET: u64 = Self::HIDDEN >> 1;
    /// The bias of the exponent field.
    const BIAS: i32 = 1 - Self::LOWEST - (Self::PRECISION as i32 - 1);
    /// Positive zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The largest number below one.
    const BELOW_ONE: Self;

    /// Returns the encoding.
    fn bits(self) -> u64;
    /// Returns the number with this encoding.
    fn from_encoding(bits: u64) -> Self;
    /// `a + b`. A NaN result may have any payload.
    fn sum(self, b: Self, round: Round) -> Self;
    /// `a * b`. A NaN result may have any payload.
    fn product(self, b: Self, round: Round) -> Self;
    /// `a * b + c`, rounded once. A NaN result may have any payload.
    fn fused(self, b: Self, c: Self, round: Round) -> Self;
    /// `a * 2^by`, rounded once. A NaN result may have any payload.
    fn scaled(self, by: i32, round: Round) -> Self;
    /// `a < b`.
    fn less(self, b: Self) -> bool;
    /// Integer whose order is that of the numbers, with -0 below +0.
    type Rank: Ord + Copy;
    /// Returns the rank of the number.
    fn rank(self) -> Self::Rank;
    /// Shifts a denormal's significand so that its leading bit stands at the hidden bit. Bits above it are undefined.
    fn leading_up(significand: u64) -> u64;
    /// Rounds to an integral value in the given direction.
    fn integral(self, round: Round) -> Self;
    /// Returns the mode's rounding of this format.
    fn rounding(mode: Mode) -> Round;
    /// Returns true if the mode keeps denormal sources.
    fn keeps_sources(mode: Mode) -> bool;
    /// Returns true if the mode keeps denormal results.
    fn keeps_results(mode: Mode) -> bool;

    /// Returns true for a NaN of either kind.
    #[inline(always)]
    fn nan(self) -> bool {
        self.bits() & !Self::SIGN > Self::INFINITY
    }
    /// Returns true for a signalling NaN.
    #[inline(always)]
    fn signalling(self) -> bool {
        self.nan() && self.bits() & Self::QUIET == 0
    }
    /// Returns true if the number is neither infinite nor a NaN.
    #[inline(always)]
    fn finite(self) -> bool {
        self.bits() & Self::INFINITY != Self::INFINITY
    }
    /// Returns a NaN quieted. The function sets only the quiet bit, so it is for NaNs alone.
    #[inline(always)]
    fn quieted(self) -> Self {
        Self::from_encoding(self.bits() | Self::QUIET)
    }
    /// Returns a NaN quieted, and every other value unchanged.
    #[inline(always)]
    fn quiet_if_nan(self) -> Self {
        Self::from_encoding(self.bits() | if self.nan() { Self::QUIET } else { 0 })
    }
    /// Returns the NaN that invalid operations on numbers give.
    #[inline(always)]
    fn new_nan() -> Self {
        Self::from_encoding(Self::INFINITY | Self::QUIET)
    }
    /// Replaces a denormal by the zero of its sign.
    #[inline(always)]
    fn flushed(self) -> Self {
        let bits = self.bits();
        Self::from_encoding(if bits & Self::INFINITY == 0 {
            bits & Self::SIGN
        } else {
            bits
        })
    }
    /// Returns a source as the mode lets the instruction read it.
    #[inline(always)]
    fn source(self, mode: Mode) -> Self {
        if Self::keeps_sources(mode) {
            self
        } else {
            self.flushed()
        }
    }
    /// Returns a result as the mode lets the instruction write it.
    #[inline(always)]
    fn result(self, mode: Mode) -> Self {
        if Self::keeps_results(mode) {
            self
        } else {
            self.flushed()
        }
    }
    /// The magnitude of `self` with the sign bit of `sign`.
    #[inline(always)]
    fn signed_as(self, sign: u64) -> Self {
        Self::from_encoding(self.bits() & !Self::SIGN | sign & Self::SIGN)
    }
    /// Returns the biased exponent field.
    #[inline(always)]
    fn exponent_field(self) -> i32 {
        ((self.bits() & Self::INFINITY) >> (Self::PRECISION - 1)) as i32
    }
}

/// Replaces the NaN of an operation's result by the machine's NaN: the first NaN operand quieted, else a new one.
#[inline(always)]
pub(crate) fn settle2<F: Format>(r: F, a: F, b: F) -> F {
    let nan = if b.nan() { b } else { F::new_nan() };
    let nan = if a.nan() { a } else { nan };
    if r.nan() { nan.quieted() } else { r }
}

/// [`settle2`] for three operands.
#[inline(always)]
pub(crate) fn settle3<F: Format>(r: F, a: F, b: F, c: F) -> F {
    let nan = if c.nan() { c } else { F::new_nan() };
    let nan = if b.nan() { b } else { nan };
    let nan = if a.nan() { a } else { nan };
    if r.nan() { nan.quieted() } else { r }
}

macro_rules! native {
    ($float:ident, $bits:ident, $signed:ident, $round:ident, $in_:ident, $out:ident, $add:ident, $mul:ident, $fma:ident, $scale:expr) => {
        impl Format for $float {
            const PRECISION: u32 = $float::MANTISSA_DIGITS;
            const LOWEST: i32 = $float::MIN_EXP - $float::MANTISSA_DIGITS as i32;
            const SIGN: u64 = 1 << ($bits::BITS - 1);
            const INFINITY: u64 = $float::INFINITY.to_bits() as u64;
            const ZERO: $float = 0.0;
            const ONE: $float = 1.0;
            const BELOW_ONE: $float = 1.0 - $float::EPSILON / 2.0;
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            #[inline(always)]
            fn from_encoding(bits: u64) -> $float {
                $float::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn sum(self, b: $float, round: Round) -> $float {
                if round == Round::NearestEven {
                    self + b
                } else {
                    directed::$add(round, self, b)
                }
            }
            #[inline(always)]
            fn product(self, b: $float, round: Round) -> $float {
                if round == Round::NearestEven {
                    self * b
                } else {
                    directed::$mul(round, self, b)
                }
            }
            #[inline(always)]
            fn fused(self, b: $float, c: $float, round: Round) -> $float {
                if round == Round::NearestEven {
                    self.mul_add(b, c)
                } else {
                    directed::$fma(round, self, b, c, 0)
                }
            }
            #[inline(always)]
            fn scaled(self, by: i32, round: Round) -> $float {
                $scale(self, by, round)
            }
            #[inline(always)]
            fn nan(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn less(self, b: $float) -> bool {
                self < b
            }
            type Rank = $signed;
            #[inline(always)]
            fn rank(self) -> $signed {
                let bits = self.to_bits() as $signed;
                bits ^ (bits >> ($bits::BITS - 1)) & $signed::MAX
            }
            // The significand is placed below the last place of a power of two; the host's subtraction then normalises it.
            #[inline(always)]
            fn leading_up(significand: u64) -> u64 {
                let unit =
                    (Self::BIAS as u64 + u64::from(Self::PRECISION) - 1) << (Self::PRECISION - 1);
                (Self::from_encoding(unit | significand) - Self::from_encoding(unit)).bits()
            }
            #[inline(always)]
            fn integral(self, round: Round) -> $float {
                match round {
                    Round::NearestEven => self.round_ties_even(),
                    Round::TowardPositive => self.ceil(),
                    Round::TowardNegative => self.floor(),
                    Round::TowardZero => self.trunc(),
                }
            }
            #[inline(always)]
            fn rounding(mode: Mode) -> Round {
                mode.$round
            }
            #[inline(always)]
            fn keeps_sources(mode: Mode) -> bool {
                mode.$in_
            }
            #[inline(always)]
            fn keeps_results(mode: Mode) -> bool {
                mode.$out
            }
        }
    };
}
native!(
    f32,
    u32,
    i32,
    round32,
    denorm_in32,
    denorm_out32,
    add_f32,
    mul_f32,
    fma_f32,
    |x, by, round| directed::narrowed(round, f64::from(x) * power_of_two(by))
);
native!(
    f64,
    u64,
    i64,
    round64,
    denorm_in64,
    denorm_out64,
    add_f64,
    mul_f64,
    fma_f64,
    directed::scale_f64
);

/// `2^by`, limited to exponents with which scaling an f32 or f16 is exact in f64 and keeps over- and underflow.
#[inline(always)]
pub(crate) fn power_of_two(by: i32) -> f64 {
    f64::from_bits(((1023 + by.clamp(-400, 400)) as u64) << 52)
}

/// `2^by` as a normal f32.
#[inline(always)]
pub(crate) fn power_of_two_f32(by: i32) -> f32 {
    f32::from_bits(((127 + by) as u32) << 23)
}
