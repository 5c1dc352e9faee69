//! Arithmetic of f16. Hosts do not compute in f16, so operands are widened, the operation runs in f32, and the result is narrowed, with
//! the effect of a single rounding.
//!
//! All values are 32 bits wide, so that a loop over lanes handles as many f16 per vector as f32.

use super::directed::{odd_sum_f32, outward, zero_signed};
use super::format::{Format, power_of_two_f32};
use super::{Mode, Round};
use half::f16;

impl Format for f16 {
    const PRECISION: u32 = 11;
    const LOWEST: i32 = -24;
    const SIGN: u64 = 0x8000;
    const INFINITY: u64 = 0x7c00;
    const ZERO: f16 = f16::from_bits(0);
    const ONE: f16 = f16::from_bits(0x3c00);
    const BELOW_ONE: f16 = f16::from_bits(0x3bff);
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn from_encoding(bits: u64) -> f16 {
        f16::from_bits(bits as u16)
    }
    // An f32 has more than twice the bits of an f16 plus two, so rounding a sum to nearest twice equals rounding it once.
    #[inline(always)]
    fn sum(self, b: f16, round: Round) -> f16 {
        if round == Round::NearestEven {
            narrow_number(widen(self) + widen(b), round)
        } else {
            directed_sum(widen(self), widen(b), round)
        }
    }
    // The product is exact in f32.
    #[inline(always)]
    fn product(self, b: f16, round: Round) -> f16 {
        narrow_number(widen(self) * widen(b), round)
    }
    // The product is exact in f32, and the sum is rounded to odd there.
    #[inline(always)]
    fn fused(self, b: f16, c: f16, round: Round) -> f16 {
        directed_sum(widen(self) * widen(b), widen(c), round)
    }
    // The scaling is exact in f32 unless it overflows or underflows.
    #[inline(always)]
    fn scaled(self, by: i32, round: Round) -> f16 {
        narrow_number(widen(self) * power_of_two_f32(by.clamp(-60, 60)), round)
    }
    #[inline(always)]
    fn nan(self) -> bool {
        self.to_bits() & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn less(self, b: f16) -> bool {
        (self.rank() < b.rank()) & !self.nan() & !b.nan() & ((self.bits() | b.bits()) & 0x7fff != 0)
    }
    type Rank = i16;
    #[inline(always)]
    fn rank(self) -> i16 {
        let bits = self.to_bits() as i16;
        bits ^ (bits >> 15) & 0x7fff
    }
    #[inline(always)]
    fn leading_up(significand: u64) -> u64 {
        <f32 as Format>::leading_up(significand) >> 13
    }
    #[inline(always)]
    fn integral(self, round: Round) -> f16 {
        narrow(widen(self).integral(round))
    }
    #[inline(always)]
    fn rounding(mode: Mode) -> Round {
        mode.round64
    }
    #[inline(always)]
    fn keeps_sources(mode: Mode) -> bool {
        mode.denorm_in64
    }
    #[inline(always)]
    fn keeps_results(mode: Mode) -> bool {
        mode.denorm_out64
    }
}

/// `a + b` of f16s or of their products, rounded once.
#[inline(always)]
fn directed_sum(a: f32, b: f32, round: Round) -> f16 {
    let sum = odd_sum_f32(a, b);
    let signs = a.bits() | b.bits();
    narrow_number(zero_signed(round, sum, sum == 0.0, signs), round)
}

/// Returns an f16's value as an f32. NaN payloads are kept, and a signalling NaN may stay signalling.
#[inline(always)]
pub(crate) fn widen(x: f16) -> f32 {
    // The sign stays in its place, and the exponent moves below it.
    let bits = ((u32::from(x.to_bits()) << 16) as i32 >> 3) as u32 & 0x8fff_e000;
    // The multiplication moves the exponent's bias from 15 to 127, and normalises denormals.
    let scaled = f32::from_bits(bits) * f32::from_bits((127 + 112) << 23);
    let special = bits & 0x0f80_0000 == 0x0f80_0000;
    f32::from_bits(if special {
        bits | 0x7f80_0000
    } else {
        scaled.to_bits()
    })
}

/// Rounds an f32 to an f16. A NaN loses its payload.
#[inline(always)]
pub(crate) fn narrow_number(x: f32, round: Round) -> f16 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let negative = x.to_bits() >> 31 != 0;
    // 2^13 times the number's exponent: the sum's last place is that of the f16, and at least that of a denormal.
    let unit = (magnitude & 0x7f80_0000)
        .max(113 << 23)
        .wrapping_add(13 << 23);
    let sum = f32::from_bits(magnitude) + f32::from_bits(unit);
    // The sum's bits above the unit are the significand, on top of the encoded exponent. A number beyond f16's range becomes infinity by
    // the same formula.
    let nearest = sum
        .to_bits()
        .wrapping_sub(unit)
        .wrapping_add(unit >> 13)
        .wrapping_sub(126 << 10);
    let rounded = sum - f32::from_bits(unit);
    let exactly = f32::from_bits(magnitude);
    let outward = outward(round, negative);
    let out = u32::from(outward & (rounded < exactly));
    let directed = round != Round::NearestEven;
    let back = u32::from(directed & !outward & (rounded > exactly));
    let stepped = nearest.wrapping_add(out).wrapping_sub(back);
    let inside = directed & !outward & (magnitude < 0x7f80_0000);
    let largest = if inside { 0x7bff } else { 0x7c00 };
    let largest = if x.is_nan() { 0x7e00 } else { largest };
    let number = stepped.min(largest);
    f16::from_bits((number | x.to_bits() >> 16 & 0x8000) as u16)
}

/// Rounds an f32 to an f16. A NaN keeps its sign and the high bits of its payload, and is quieted.
#[inline(always)]
pub(crate) fn narrow_in(x: f32, round: Round) -> f16 {
    let number = narrow_number(x, round).to_bits();
    let nan = (x.to_bits() >> 16 & 0x8000 | 0x7e00 | x.to_bits() >> 13 & 0x1ff) as u16;
    f16::from_bits(if x.is_nan() { nan } else { number })
}

/// [`narrow_in()`] to nearest even.
#[inline(always)]
pub(crate) fn narrow(x: f32) -> f16 {
    narrow_in(x, Round::NearestEven)
}

/// Rounds an f64 to an f32 to odd. The magnitude must be normal in f32 or below f16's range. Rounding the result again to at most 22 bits
/// equals rounding once. A NaN may become infinite.
#[inline(always)]
pub(crate) fn odd_f32(x: f64) -> f32 {
    const BEYOND: u64 = (1 << 29) - 1;
    let bits = x.to_bits();
    // A carry out of the places that f32 lacks sets f32's last place.
    f64::from_bits((bits & BEYOND).wrapping_add(BEYOND) & !BEYOND | bits & !BEYOND) as f32
}
