//! The three steps around a division's Newton iteration: scale the operands, round the scaled quotient, put special cases right.

use super::format::{Format, settle3};
use super::{Mode, Round, exact};

macro_rules! division {
    ($float:ident, $scale:ident, $fmas:ident, $fixup:ident, near_overflow $far:literal, scale $by:literal, tiny $tiny:literal, underflow $under:literal) => {
        /// Scales `x`, which is the denominator or the numerator, so that no step of the division over- or underflows; and says whether
        /// the quotient must be scaled back. 0 / d and n / 0 give a NaN that the fixup replaces.
        ///
        /// A huge denominator with a denormal quotient is scaled down: the manual's text says up, which would make it infinite.
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
            // The quotient counts as denormal also where it is too small to be one.
            let finite = n.finite() && d.finite();
            let quotient_denormal = finite && n != 0.0 && (n / d).abs() < $float::MIN_POSITIVE;
            let inverse_denormal = d.finite() && (1.0 / d).abs() < $float::MIN_POSITIVE;
            let (up, down) = ($by, -$by);
            let (of_d, of_n) = (x == d, x == n);
            let (by, vcc) = if n.exponent_field() - d.exponent_field() >= $far {
                (if of_d { up } else { 0 }, true)
            } else if denormal(d) {
                (up, false)
            } else if inverse_denormal && quotient_denormal {
                (if of_d { down } else { 0 }, true)
            } else if inverse_denormal {
                (down, false)
            } else if quotient_denormal {
                (if of_n { up } else { 0 }, true)
            } else if n.exponent_field() <= $tiny {
                (up, false)
            } else {
                (0, false)
            };
            if n == 0.0 || d == 0.0 {
                return ($float::new_nan(), false);
            }
            let scaled = if by == 0 {
                x
            } else {
                super::arithmetic::ldexp(mode, x, by)
            };
            (scaled.quiet_if_nan(), vcc)
        }

        /// `a * b + c`, scaled back where `vcc` says that the operands were scaled apart, rounded once.
        ///
        /// A large sum (exponent of `c` above one's) is scaled up, a small one down.
        #[inline(always)]
        pub fn $fmas(mode: Mode, a: $float, b: $float, c: $float, vcc: bool) -> $float {
            let r = super::arithmetic::fma(mode, a, b, c);
            if !vcc {
                return r;
            }
            let (a, b, c) = (a.source(mode), b.source(mode), c.source(mode));
            if !(a.finite() && b.finite() && c.finite()) {
                return settle3(r, a, b, c).result(mode);
            }
            let by = if c.exponent_field() > $float::BIAS {
                $by
            } else {
                -$by
            };
            exact::fma($float::rounding(mode), a, b, c, by).result(mode)
        }

        /// The quotient of the iteration, or what the special cases of numerator and denominator make of it.
        ///
        /// Of finite operands the iteration makes a NaN only where the quotient overflows far, so that is what it becomes.
        #[inline(always)]
        pub fn $fixup(
            mode: Mode,
            quotient: $float,
            denominator: $float,
            numerator: $float,
        ) -> $float {
            let (q, d, n) = (
                quotient.source(mode),
                denominator.source(mode),
                numerator.source(mode),
            );
            let sign = d.bits() ^ n.bits();
            let zero = $float::ZERO.signed_as(sign);
            let infinity = $float::INFINITY.signed_as(sign);
            let invalid = $float::of_bits($float::new_nan().bits() | $float::SIGN);
            let round = $float::rounding(mode);
            let r = if q.nan() {
                overflow(round, sign)
            } else {
                q.signed_as(sign)
            };
            let r = if d.exponent_field()
                == ($float::INFINITY.bits() >> ($float::PRECISION - 1)) as i32
            {
                overflow::<$float>(round, sign)
            } else {
                r
            };
            let r = if n.exponent_field() - d.exponent_field() < -$under {
                underflow::<$float>(round, sign)
            } else {
                r
            };
            let r = if d.abs() == $float::INFINITY || n == 0.0 {
                zero
            } else {
                r
            };
            let r = if d == 0.0 || n.abs() == $float::INFINITY {
                infinity
            } else {
                r
            };
            let r = if d == 0.0 && n == 0.0
                || d.abs() == $float::INFINITY && n.abs() == $float::INFINITY
            {
                invalid
            } else {
                r
            };
            let r = if d.nan() { d.quieted() } else { r };
            let r = if n.nan() { n.quieted() } else { r };
            r.result(mode)
        }
    };
}

/// What a result too large becomes.
#[inline(always)]
fn overflow<F: Format>(round: Round, sign: u64) -> F {
    let negative = sign & F::SIGN != 0;
    let to_infinity = match round {
        Round::NearestEven => true,
        Round::TowardPositive => !negative,
        Round::TowardNegative => negative,
        Round::TowardZero => false,
    };
    F::of_bits(F::INFINITY - u64::from(!to_infinity)).signed_as(sign)
}

/// What a result too small becomes.
#[inline(always)]
fn underflow<F: Format>(round: Round, sign: u64) -> F {
    let negative = sign & F::SIGN != 0;
    let away = match round {
        Round::NearestEven | Round::TowardZero => false,
        Round::TowardPositive => !negative,
        Round::TowardNegative => negative,
    };
    F::of_bits(u64::from(away)).signed_as(sign)
}

division!(f32, div_scale_f32, div_fmas_f32, div_fixup_f32, near_overflow 96, scale 64, tiny 23, underflow 150);
division!(f64, div_scale_f64, div_fmas_f64, div_fixup_f64, near_overflow 768, scale 128, tiny 53, underflow 1075);
