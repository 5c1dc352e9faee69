//! Double-precision arithmetic.

use super::{Mode, Round, arithmetic};

float_instructions! { f64:
    /// `a + b`.
    add_f64(a, b) = add [ROUND64 IN64 OUT64];
    /// `a * b`.
    mul_f64(a, b) = mul [ROUND64 IN64 OUT64];
    /// `a * b + c`, rounded once.
    fma_f64(a, b, c) = fma [ROUND64 IN64 OUT64];
    /// The smaller operand.
    min_f64(a, b) = min [IN64 OUT64 IEEE];
    /// The larger operand.
    max_f64(a, b) = max [IN64 OUT64 IEEE];
    /// `a - floor(a)`, always below one.
    fract_f64(a) = fract [ROUND64 IN64 OUT64];
    /// The significand, in [0.5, 1).
    frexp_mant_f64(a) = frexp_mant [IN64];
}

instructions! {
    /// `a` rounded toward zero to an integral value.
    trunc_f64(mode: Mode, a: f64) -> f64 where [IN64] { arithmetic::integral(mode, Round::TowardZero, a) }
    /// `a` rounded up to an integral value.
    ceil_f64(mode: Mode, a: f64) -> f64 where [IN64] { arithmetic::integral(mode, Round::TowardPositive, a) }
    /// `a` rounded down to an integral value.
    floor_f64(mode: Mode, a: f64) -> f64 where [IN64] { arithmetic::integral(mode, Round::TowardNegative, a) }
    /// `a` rounded to the nearest integral value, ties to even.
    rndne_f64(mode: Mode, a: f64) -> f64 where [IN64] { arithmetic::integral(mode, Round::NearestEven, a) }
    /// The exponent that belongs to [`frexp_mant_f64()`].
    frexp_exp_i32_f64(mode: Mode, a: f64) -> i32 where [IN64] { arithmetic::frexp_exp(mode, a) }
    /// `a * 2^by`.
    ldexp_f64(mode: Mode, a: f64, by: i32) -> f64 where [ROUND64 IN64 OUT64] { arithmetic::ldexp(mode, a, by) }
}
