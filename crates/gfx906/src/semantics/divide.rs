//! The three steps around the Newton iteration of a division: scaling of the operands, rounding of the scaled quotient, and the special
//! cases.

use super::directed::{self, outward};
use super::format::{Format, settle2, settle3};
use super::{Mode, Round};
use half::f16;

macro_rules! division {
    ($float:ident, $fma:ident, $scale:ident, $fmas:ident, $fixup:ident, near_overflow $far:literal, scale $by:literal, tiny $tiny:literal, underflow $under:literal) => {
        /// Scales `x`, which is the denominator or the numerator, so that no step of the division over- or underflows. The second result is
        /// true if the quotient must be scaled back. 0 / d and n / 0 give a NaN that the fixup replaces.
        ///
        /// A huge denominator with a denormal quotient is scaled down. The manual's text says up, which would make it infinite.
        #[inline(always)]
        pub fn $scale(
            mode: Mode,
            x: $float,
            denominator: $float,
            numerator: $float,
        ) -> ($float, bool) {
            let (x, d, n) = (
                x.source(mode),
                denominator.source(mode),
                numerator.source(mode),
            );
            let denormal = |v: $float| v != 0.0 && v.abs() < $float::MIN_POSITIVE;
            // A quotient that is too small even for a denormal counts as denormal.
            let finite = n.finite() && d.finite();
            let quotient_denormal = finite && n != 0.0 && (n / d).abs() < $float::MIN_POSITIVE;
            let inverse_denormal = d.finite() && (1.0 / d).abs() < $float::MIN_POSITIVE;
            let (up, down) = (power_of_two::<$float>($by), power_of_two::<$float>(-$by));
            let only = |when: bool, factor: $float| if when { factor } else { 1.0 };
            // The rules run from the last to the first, and each overrides those before it. Every scaling here is exact.
            let (by, vcc) = (only(n.exponent_field() <= $tiny, up), false);
            let (by, vcc) = if quotient_denormal {
                (only(x == n, up), true)
            } else {
                (by, vcc)
            };
            let apart = (only(!quotient_denormal || x == d, down), quotient_denormal);
            let (by, vcc) = if inverse_denormal { apart } else { (by, vcc) };
            let (by, vcc) = if denormal(d) { (up, false) } else { (by, vcc) };
            let near_overflow = n.exponent_field() - d.exponent_field() >= $far;
            let (by, vcc) = if near_overflow {
                (only(x == d, up), true)
            } else {
                (by, vcc)
            };
            let zero = n == 0.0 || d == 0.0;
            let scaled = settle2(x * by, x, x).result(mode);
            (if zero { $float::new_nan() } else { scaled }, vcc & !zero)
        }

        as_type!($scale(mode: Mode, x: $float, denominator: $float, numerator: $float) -> ($float, bool));

        /// `a * b + c`, rounded once, and scaled back if `vcc` says that the operands were scaled apart.
        ///
        /// A large sum (exponent of `c` above the exponent of one) is scaled up, a small one down.
        #[inline(always)]
        pub fn $fmas(mode: Mode, a: $float, b: $float, c: $float, vcc: bool) -> $float {
            let (a, b, c) = (a.source(mode), b.source(mode), c.source(mode));
            let large = c.exponent_field() > $float::BIAS;
            let by = if large { $by } else { -$by };
            let by = if vcc { by } else { 0 };
            let r = directed::$fma($float::rounding(mode), a, b, c, by);
            settle3(r, a, b, c).result(mode)
        }
        as_type!($fmas(mode: Mode, a: $float, b: $float, c: $float, vcc: bool) -> $float);

        /// The quotient of the iteration, or the result of a special case of numerator and denominator.
        ///
        /// The iteration on finite operands returns a NaN only if the quotient overflows far, so the NaN becomes an overflow.
        #[inline(always)]
        pub fn $fixup(
            mode: Mode,
            quotient: $float,
            denominator: $float,
            numerator: $float,
        ) -> $float {
            fixup(mode, quotient, denominator, numerator, $under)
        }
        as_type!($fixup(mode: Mode, quotient: $float, denominator: $float, numerator: $float) -> $float);
    };
}

/// `2^by` as a normal number.
#[inline(always)]
fn power_of_two<F: Format>(by: i32) -> F {
    F::from_encoding(((F::BIAS + by) as u64) << (F::PRECISION - 1))
}

/// The fixup for any format. The quotient is zero if the exponents differ by more than `under`.
#[inline(always)]
fn fixup<F: Format>(mode: Mode, quotient: F, denominator: F, numerator: F, under: i32) -> F {
    let (q, d, n) = (
        quotient.source(mode),
        denominator.source(mode),
        numerator.source(mode),
    );
    let sign = d.bits() ^ n.bits();
    let infinite = |x: F| x.bits() & !F::SIGN == F::INFINITY;
    let zero = F::ZERO.signed_as(sign);
    let infinity = F::from_encoding(F::INFINITY).signed_as(sign);
    let round = F::rounding(mode);
    let r = if q.nan() {
        overflow(round, sign)
    } else {
        q.signed_as(sign)
    };
    let r = if n.exponent_field() - d.exponent_field() < -under {
        underflow(round, sign)
    } else {
        r
    };
    let r = if infinite(d) || n == F::ZERO { zero } else { r };
    let r = if d == F::ZERO || infinite(n) {
        infinity
    } else {
        r
    };
    let invalid = d == F::ZERO && n == F::ZERO || infinite(d) && infinite(n);
    let r = if invalid {
        F::from_encoding(F::SIGN | F::INFINITY | F::QUIET)
    } else {
        r
    };
    let r = if d.nan() { d.quieted() } else { r };
    let r = if n.nan() { n.quieted() } else { r };
    r.result(mode)
}

/// Returns the result of an overflow.
#[inline(always)]
fn overflow<F: Format>(round: Round, sign: u64) -> F {
    let to_infinity = round == Round::NearestEven || outward(round, sign & F::SIGN != 0);
    F::from_encoding(F::INFINITY - u64::from(!to_infinity)).signed_as(sign)
}

/// Returns the result of an underflow.
#[inline(always)]
fn underflow<F: Format>(round: Round, sign: u64) -> F {
    let least = outward(round, sign & F::SIGN != 0);
    F::from_encoding(u64::from(least)).signed_as(sign)
}

division!(f32, fma_f32, div_scale_f32, div_fmas_f32, div_fixup_f32, near_overflow 96, scale 64, tiny 23, underflow 150);
division!(f64, fma_f64, div_scale_f64, div_fmas_f64, div_fixup_f64, near_overflow 768, scale 128, tiny 53, underflow 1075);

/// Limit for f16, whose exponents never differ enough to make the quotient vanish.
const NO_UNDERFLOW: i32 = i32::MAX;

instructions! {
    /// [`div_fixup_f32()`] for f16.
    div_fixup_f16(mode: Mode, quotient: f16, denominator: f16, numerator: f16) -> f16 { fixup(mode, quotient, denominator, numerator, NO_UNDERFLOW) }
    /// [`div_fixup_f16()`]. The instructions differ only in the destination's other half.
    div_fixup_legacy_f16(mode: Mode, quotient: f16, denominator: f16, numerator: f16) -> f16 { fixup(mode, quotient, denominator, numerator, NO_UNDERFLOW) }
}
