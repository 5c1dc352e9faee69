//! Single-precision arithmetic.

use super::format::Format;
use super::{Mode, Round, arithmetic};

float_instructions! { f32:
    /// `a + b`.
    add_f32(a, b) = add [ROUND32 IN32 OUT32] by results |_mode, a b; 2| [a + b];
    /// `a - b`.
    sub_f32(a, b) = sub [ROUND32 IN32 OUT32] by results |_mode, a b; 2| [a - b];
    /// `b - a`.
    subrev_f32(a, b) = subrev [ROUND32 IN32 OUT32] by results |_mode, a b; 2| [b - a];
    /// `a * b`.
    mul_f32(a, b) = mul [ROUND32 IN32 OUT32] by results |_mode, a b; 2| [a * b];
    /// `a * b`, except that zero times any value is +0.
    mul_legacy_f32(a, b) = mul_legacy [ROUND32 IN32 OUT32];
    /// `a * b + c`, rounded once.
    fma_f32(a, b, c) = fma [ROUND32 IN32 OUT32] by results |_mode, a b c; 3| [a.fused(b, c, Round::NearestEven)];
    /// `a * b + accumulator`, rounded once.
    fmac_f32(a, b, accumulator) = fma [ROUND32 IN32 OUT32] by results |_mode, a b c; 3| [a.fused(b, c, Round::NearestEven)];
    /// `a * b + c`. The product is rounded too, and denormals are flushed in every mode.
    mad_f32(a, b, c) = mad [ROUND32] by results |_mode, a b c; 3| [arithmetic::mad_number(a, b, c)];
    /// `a * b + accumulator`. The product is rounded too, and denormals are flushed in every mode.
    mac_f32(a, b, accumulator) = mad [ROUND32] by results |_mode, a b c; 3| [arithmetic::mad_number(a, b, c)];
    /// [`mad_f32()`] of `a * k + b` with a literal `k`.
    madmk_f32(a, k, b) = mad [ROUND32] by results |_mode, a b c; 3| [arithmetic::mad_number(a, b, c)];
    /// [`mad_f32()`] of `a * b + k` with a literal `k`.
    madak_f32(a, b, k) = mad [ROUND32] by results |_mode, a b c; 3| [arithmetic::mad_number(a, b, c)];
    /// [`mad_f32()`], except that zero times any value is +0.
    mad_legacy_f32(a, b, c) = mad_legacy [ROUND32];
    /// The smaller operand.
    min_f32(a, b) = min [IN32 OUT32 IEEE] by numbers |_mode, a b; 2| [arithmetic::lower(a, b)];
    /// The larger operand.
    max_f32(a, b) = max [IN32 OUT32 IEEE] by numbers |_mode, a b; 2| [arithmetic::higher(a, b)];
    /// The smallest of three operands.
    min3_f32(a, b, c) = min3 [IN32 OUT32 IEEE] by numbers |_mode, a b c; 3| [arithmetic::lower(arithmetic::lower(a, b), c)];
    /// The largest of three operands.
    max3_f32(a, b, c) = max3 [IN32 OUT32 IEEE] by numbers |_mode, a b c; 3| [arithmetic::higher(arithmetic::higher(a, b), c)];
    /// The middle of three operands.
    med3_f32(a, b, c) = med3 [IN32 OUT32 IEEE] by numbers |_mode, a b c; 3| [arithmetic::middle(Mode::HIP, a, b, c)];
    /// `a - floor(a)`, always below one.
    fract_f32(a) = fract [ROUND32 IN32 OUT32];
    /// The significand, in [0.5, 1).
    frexp_mant_f32(a) = frexp_mant [IN32];
}

instructions! {
    /// `a` rounded toward zero to an integral value.
    trunc_f32(mode: Mode, a: f32) -> f32 where [IN32] { arithmetic::integral(mode, Round::TowardZero, a) }
    /// `a` rounded up to an integral value.
    ceil_f32(mode: Mode, a: f32) -> f32 where [IN32] { arithmetic::integral(mode, Round::TowardPositive, a) }
    /// `a` rounded down to an integral value.
    floor_f32(mode: Mode, a: f32) -> f32 where [IN32] { arithmetic::integral(mode, Round::TowardNegative, a) }
    /// `a` rounded to the nearest integral value, ties to even.
    rndne_f32(mode: Mode, a: f32) -> f32 where [IN32] { arithmetic::integral(mode, Round::NearestEven, a) }
    /// The exponent that belongs to [`frexp_mant_f32()`].
    frexp_exp_i32_f32(mode: Mode, a: f32) -> i32 where [IN32] { arithmetic::frexp_exp(mode, a) }
    /// `a * 2^by`.
    ldexp_f32(mode: Mode, a: f32, by: i32) -> f32 where [ROUND32 IN32 OUT32] { arithmetic::ldexp(mode, a, by) }
}
