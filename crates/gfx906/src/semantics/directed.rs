//! Branch-free rounding in the mode's direction. The result to nearest, and the side on which the exact value lies, determine a step by one
//! place. Loops over lanes of these functions vectorise. `exact` computes the same results in integers, for one value at a time.

use super::Round;
use super::format::{Format, power_of_two};

/// Side of the nearest number on which the exact value lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// The exact value is greater.
    pub(crate) above: bool,
    /// The exact value is less.
    pub(crate) below: bool,
}

/// Returns true if a result with this sign is rounded away from zero.
#[inline(always)]
pub(crate) fn outward(round: Round, negative: bool) -> bool {
    (round == Round::TowardPositive) & !negative | (round == Round::TowardNegative) & negative
}

/// Moves the nearest number to the neighbour that `round` requires. An infinity from rounding has its exact value on the inner side and
/// steps back to the largest number; the largest number may step out.
#[inline(always)]
pub(crate) fn stepped<F: Format>(round: Round, nearest: F, exact: Side) -> F {
    let negative = nearest.bits() & F::SIGN != 0;
    let outward = outward(round, negative);
    let outside = (exact.above & !negative) | (exact.below & negative);
    let inside = (exact.below & !negative) | (exact.above & negative);
    let out = u64::from(outside & outward);
    let back = u64::from(inside & !outward & (round != Round::NearestEven));
    F::from_encoding(nearest.bits().wrapping_add(out).wrapping_sub(back))
}

/// Sets the sign of an exactly zero sum: the sign of both terms, or, where they differ, the sign that `round` determines.
#[inline(always)]
pub(crate) fn zero_signed<F: Format>(round: Round, sum: F, exactly_zero: bool, signs: u64) -> F {
    let negative = exactly_zero & (round == Round::TowardNegative);
    F::from_encoding(sum.bits() | if negative { signs & F::SIGN } else { 0 })
}

/// Rounds an f64 to an f32.
#[inline(always)]
pub(crate) fn narrowed(round: Round, x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    stepped(
        round,
        nearest,
        Side {
            above: x > back,
            below: x < back,
        },
    )
}

/// `a + b` to nearest, and the rounding error, which is exact if nothing overflows.
macro_rules! two_sum {
    ($name:ident, $odd:ident, $float:ident, $word:ident) => {
        #[inline(always)]
        pub(crate) fn $name(a: $float, b: $float) -> ($float, $float) {
            let sum = a + b;
            let rest = sum - a;
            (sum, (a - (sum - rest)) + (b - rest))
        }

        /// `a + b` rounded to odd, valid if neither the sum nor its error over- or underflows.
        #[inline(always)]
        pub(crate) fn $odd(a: $float, b: $float) -> $float {
            let (sum, error) = $name(a, b);
            let bits = sum.to_bits();
            // The sum steps back one place if the error points to zero, and its last bit is set. The error of an infinity or a NaN does not
            // count.
            let inexact = error.abs() > 0.0;
            let inward = (error.to_bits() ^ bits) >> ($word::BITS - 1);
            let odd = bits.wrapping_sub(inward) | 1;
            $float::from_bits(if inexact { odd } else { bits })
        }
    };
}
two_sum!(two_sum_f32, odd_sum_f32, f32, u32);
two_sum!(two_sum_f64, odd_sum_f64, f64, u64);

/// `a + b`. The error is the remainder of the smaller term, which no overflow disturbs.
macro_rules! directed_add {
    ($name:ident, $float:ident) => {
        #[inline(always)]
        pub(crate) fn $name(round: Round, a: $float, b: $float) -> $float {
            let sum = a + b;
            let (high, low) = if a.abs() > b.abs() { (a, b) } else { (b, a) };
            let error = low - (sum - high);
            // An infinite sum of finite terms was rounded up in magnitude.
            let overflowed = sum.is_infinite() & high.is_finite();
            let side = Side {
                above: (error > 0.0) | (overflowed & (sum < 0.0)),
                below: (error < 0.0) | (overflowed & (sum > 0.0)),
            };
            let signs = a.bits() | b.bits();
            zero_signed(round, stepped(round, sum, side), sum == 0.0, signs)
        }
    };
}
directed_add!(add_f32, f32);
directed_add!(add_f64, f64);

/// `a * b` of f32s. The product is exact as an f64.
#[inline(always)]
pub(crate) fn mul_f32(round: Round, a: f32, b: f32) -> f32 {
    narrowed(round, f64::from(a) * f64::from(b))
}

/// `(a * b + c) * 2^by` of f32s. The product is exact as an f64, and the sum is rounded to odd there.
#[inline(always)]
pub(crate) fn fma_f32(round: Round, a: f32, b: f32, c: f32, by: i32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = odd_sum_f64(product, addend);
    let signs = product.bits() | addend.bits();
    narrowed(
        round,
        zero_signed(round, sum, sum == 0.0, signs) * power_of_two(by),
    )
}

/// `2^by` as a normal f64.
#[inline(always)]
fn power(by: i32) -> f64 {
    f64::from_bits(((1023 + by) as u64) << 52)
}

/// Splits a finite f64 into a number of magnitude 1 to 2, or zero, and a power of two.
#[inline(always)]
fn split(a: f64) -> (f64, i32) {
    let small = a.abs() < f64::MIN_POSITIVE;
    let normal = if small { a * power(64) } else { a };
    let exponent = (normal.to_bits() >> 52 & 0x7ff) as i32 - if small { 1023 + 64 } else { 1023 };
    let significand = f64::from_bits(normal.to_bits() & !(0x7ff << 52) | 1023 << 52);
    if a == 0.0 {
        (a, -4000)
    } else {
        (significand, exponent)
    }
}

/// Rounds `(a + rest) * 2^by` once; `a` has a magnitude of 1 to 4 or is zero, and `rest` is less than its last place.
#[inline(always)]
fn joined(round: Round, a: f64, rest: f64, by: i32) -> f64 {
    let by = by.clamp(-1400, 1400);
    let (first, second) = (power(by / 2), power(by - by / 2));
    let scaled = a * first;
    let nearest = scaled * second;
    let back = nearest * power(by / 2 - by);
    let side = Side {
        above: (scaled > back) | (scaled == back) & (rest > 0.0),
        below: (scaled < back) | (scaled == back) & (rest < 0.0),
    };
    stepped(round, nearest, side)
}

/// `a * b` of f64s, rounded in another direction than to nearest. It multiplies significands, whose product and its error are exact.
#[inline(always)]
pub(crate) fn mul_f64(round: Round, a: f64, b: f64) -> f64 {
    let ((m, e), (n, f)) = (split(a), split(b));
    let product = m * n;
    let r = joined(round, product, m.mul_add(n, -product), e + f);
    if a.is_finite() & b.is_finite() {
        r
    } else {
        a * b
    }
}

/// `a * 2^by` of an f64.
#[inline(always)]
pub(crate) fn scale_f64(a: f64, by: i32, round: Round) -> f64 {
    let (significand, exponent) = split(a);
    let r = joined(round, significand, 0.0, exponent.saturating_add(by));
    if a.is_finite() { r } else { a }
}

/// `(a * b + c) * 2^by` of f64s.
#[inline(always)]
pub(crate) fn fma_f64(round: Round, a: f64, b: f64, c: f64, by: i32) -> f64 {
    // To nearest, the scaling is exact if the sum is normal and the scaled sum exceeds the least normal number.
    let sum = a.mul_add(b, c);
    let scaled = sum * power(by.clamp(-1000, 1000));
    let normal = sum.is_normal() & scaled.is_finite() & (scaled.abs() > f64::MIN_POSITIVE);
    let exact = (by == 0) | (by.abs() <= 1000) & normal;
    if (round == Round::NearestEven) & exact {
        scaled
    } else if a.is_finite() && b.is_finite() && c.is_finite() {
        super::exact::fma(round, a, b, c, by)
    } else {
        sum
    }
}
