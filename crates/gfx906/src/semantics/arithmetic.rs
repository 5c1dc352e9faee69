//! Float operations that all three formats share.

use super::format::{Format, settle2, settle3};
use super::{Mode, Round};

#[inline(always)]
pub(crate) fn add<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    settle2(a.sum(b, F::rounding(mode)), a, b).result(mode)
}

/// `a - b`. If the result is the NaN `b`, it keeps its sign.
#[inline(always)]
pub(crate) fn sub<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    let minus = F::from_encoding(b.bits() ^ F::SIGN);
    settle2(a.sum(minus, F::rounding(mode)), a, b).result(mode)
}

/// `b - a`.
#[inline(always)]
pub(crate) fn subrev<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    let minus = F::from_encoding(a.bits() ^ F::SIGN);
    settle2(b.sum(minus, F::rounding(mode)), a, b).result(mode)
}

#[inline(always)]
pub(crate) fn mul<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    settle2(a.product(b, F::rounding(mode)), a, b).result(mode)
}

/// `a * b`, except that zero times any value, including infinity and NaN, is +0.
#[inline(always)]
pub(crate) fn mul_legacy<F: Format>(mode: Mode, a: F, b: F) -> F {
    let zero = a.source(mode) == F::ZERO || b.source(mode) == F::ZERO;
    let product = mul(mode, a, b);
    if zero { F::ZERO } else { product }
}

#[inline(always)]
pub(crate) fn fma<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let (a, b, c) = (a.source(mode), b.source(mode), c.source(mode));
    settle3(a.fused(b, c, F::rounding(mode)), a, b, c).result(mode)
}

/// Returns the mode of the unfused multiply-adds: the given mode with every denormal flushed.
#[inline(always)]
pub(crate) fn flush_all_denormals(mode: Mode) -> Mode {
    Mode {
        denorm_in32: false,
        denorm_out32: false,
        denorm_in64: false,
        denorm_out64: false,
        ..mode
    }
}

/// `a * b + c`. The product is rounded before the sum, and denormals are always flushed.
#[inline(always)]
pub(crate) fn mad<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let mode = flush_all_denormals(mode);
    add(mode, mul(mode, a, b), c)
}

/// [`mad`] rounded to nearest, valid where its result is not a NaN.
#[inline(always)]
pub(crate) fn mad_number(a: f32, b: f32, c: f32) -> f32 {
    let product = (a.flushed() * b.flushed()).flushed();
    (product + c.flushed()).flushed()
}

/// [`mad`] with the product of [`mul_legacy()`].
#[inline(always)]
pub(crate) fn mad_legacy<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let mode = flush_all_denormals(mode);
    add(mode, mul_legacy(mode, a, b), c)
}

/// Returns the result of min and max: `number` if no operand is a NaN, else the other operand, or under IEEE a signalling NaN quieted.
#[inline(always)]
fn pick_number<F: Format>(mode: Mode, number: F, a: F, b: F) -> F {
    let r = if b.nan() { a } else { number };
    let r = if a.nan() { b } else { r };
    let r = if mode.ieee && b.signalling() { b } else { r };
    let r = if mode.ieee && a.signalling() { a } else { r };
    r.quiet_if_nan()
}

/// Returns the number with the lower rank.
#[inline(always)]
pub(crate) fn lower<F: Format>(a: F, b: F) -> F {
    if b.rank() < a.rank() { b } else { a }
}

/// Returns the number with the higher rank.
#[inline(always)]
pub(crate) fn higher<F: Format>(a: F, b: F) -> F {
    if a.rank() < b.rank() { b } else { a }
}

/// The smaller operand; -0 is below +0.
#[inline(always)]
pub(crate) fn min<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    pick_number(mode, lower(a, b), a, b).result(mode)
}

/// The larger operand; +0 is above -0.
#[inline(always)]
pub(crate) fn max<F: Format>(mode: Mode, a: F, b: F) -> F {
    let (a, b) = (a.source(mode), b.source(mode));
    pick_number(mode, higher(a, b), a, b).result(mode)
}

#[inline(always)]
pub(crate) fn min3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    min(mode, min(mode, a, b), c)
}

#[inline(always)]
pub(crate) fn max3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    max(mode, max(mode, a, b), c)
}

/// The middle of three numbers; their minimum if one of them is a NaN.
#[inline(always)]
pub(crate) fn med3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let (a, b, c) = (a.source(mode), b.source(mode), c.source(mode));
    let r = middle(mode, a, b, c);
    let least = min3(mode, a, b, c);
    let any_nan = a.nan() | b.nan() | c.nan();
    if any_nan { least } else { r.result(mode) }
}

/// The middle of three numbers: the larger of the two that remain without the largest.
#[inline(always)]
pub(crate) fn middle<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let highest = higher(higher(a, b), c).result(mode);
    let r = higher(a, b);
    let r = if highest == b { higher(a, c) } else { r };
    if highest == a { higher(b, c) } else { r }
}

/// Rounds to an integral value in a direction and quiets a NaN.
#[inline(always)]
pub(crate) fn integral<F: Format>(mode: Mode, direction: Round, a: F) -> F {
    let a = a.source(mode);
    let r = a.integral(direction);
    if a.nan() { a.quieted() } else { r }
}

/// `a - floor(a)`, kept below one.
#[inline(always)]
pub(crate) fn fract<F: Format>(mode: Mode, a: F) -> F {
    let below = integral(mode, Round::TowardNegative, a);
    let r = sub(mode, a, below);
    if F::BELOW_ONE.less(r) {
        F::BELOW_ONE
    } else {
        r
    }
}

/// The exponent `e` of `a = m * 2^e` with `m` in [0.5, 1); 0 for zero, infinity and NaN.
#[inline(always)]
pub(crate) fn frexp_exp<F: Format>(mode: Mode, a: F) -> i32 {
    let magnitude = a.source(mode).bits() & !F::SIGN;
    let field = (magnitude >> (F::PRECISION - 1)) as i32;
    let denormal = 64 - magnitude.leading_zeros() as i32 + F::LOWEST;
    let e = if field == 0 {
        denormal
    } else {
        field - (F::BIAS - 1)
    };
    if magnitude == 0 || magnitude >= F::INFINITY {
        0
    } else {
        e
    }
}

/// The significand `m` of `a = m * 2^e` with `m` in [0.5, 1). Zero and infinity are returned unchanged, and a NaN is quieted.
#[inline(always)]
pub(crate) fn frexp_mant<F: Format>(mode: Mode, a: F) -> F {
    let a = a.source(mode);
    let magnitude = a.bits() & !F::SIGN;
    let fraction = if magnitude < F::HIDDEN {
        F::leading_up(magnitude)
    } else {
        magnitude
    };
    let half = (F::BIAS as u64 - 1) << (F::PRECISION - 1);
    let m = F::from_encoding(a.bits() & F::SIGN | half | fraction & (F::HIDDEN - 1));
    if magnitude == 0 || magnitude >= F::INFINITY {
        a.quiet_if_nan()
    } else {
        m
    }
}

/// `a * 2^by`, rounded once.
#[inline(always)]
pub(crate) fn ldexp<F: Format>(mode: Mode, a: F, by: i32) -> F {
    let a = a.source(mode);
    let r = a.scaled(by, F::rounding(mode));
    let r = if a.finite() { r } else { a.quiet_if_nan() };
    r.result(mode)
}

/// The clamp modifier: limits a number to [0, 1], and converts a NaN to 0 under DX10_CLAMP.
#[inline(always)]
pub(crate) fn clamp<F: Format>(mode: Mode, a: F) -> F {
    let r = if F::ONE.less(a) { F::ONE } else { a };
    let r = if F::ZERO.less(a) || a.nan() {
        r
    } else {
        F::ZERO
    };
    if mode.dx10_clamp && a.nan() {
        F::ZERO
    } else {
        r
    }
}
