//! Half-precision arithmetic, and the mixed-precision fused multiply-adds.
//!
//! The `legacy` variants compute the same results. They differ only in the destination's other half.

use super::format::Format;
use super::{Mode, Round, arithmetic, cvt_f16_f32, fma_f32};
use half::f16;

/// `a - floor(a)` of an f16's value, limited to the largest f16 below one; exact except for the limit.
#[inline(always)]
fn fraction(a: f32) -> f32 {
    const BELOW_ONE: f32 = 1.0 - 1.0 / 2048.0;
    let below = arithmetic::integral(Mode::HIP, Round::TowardNegative, a);
    let r = arithmetic::sub(Mode::HIP, a, below);
    if r > BELOW_ONE { BELOW_ONE } else { r }
}

float_instructions! { f16:
    /// `a + b`.
    add_f16(a, b) = add [ROUND64 IN64 OUT64] by single(super::whole::Add);
    /// `a - b`.
    sub_f16(a, b) = sub [ROUND64 IN64 OUT64] by single(super::whole::Sub);
    /// `b - a`.
    subrev_f16(a, b) = subrev [ROUND64 IN64 OUT64] by single(super::whole::Subrev);
    /// `a * b`.
    mul_f16(a, b) = mul [ROUND64 IN64 OUT64] by single(super::whole::Mul);
    /// `a * b + c`, rounded once.
    fma_f16(a, b, c) = fma [ROUND64 IN64 OUT64] by single(super::whole::Fma);
    /// [`fma_f16()`].
    fma_legacy_f16(a, b, c) = fma [ROUND64 IN64 OUT64] by single(super::whole::Fma);
    /// `a * b + c`. The product is rounded too, and denormals are flushed in every mode.
    mad_f16(a, b, c) = mad [ROUND64] by single(super::whole::Mad);
    /// [`mad_f16()`].
    mad_legacy_f16(a, b, c) = mad [ROUND64] by single(super::whole::Mad);
    /// [`mad_f16()`] of `a * b + accumulator`.
    mac_f16(a, b, accumulator) = mad [ROUND64] by single(super::whole::Mad);
    /// [`mad_f16()`] of `a * k + b` with a literal `k`.
    madmk_f16(a, k, b) = mad [ROUND64] by single(super::whole::Mad);
    /// [`mad_f16()`] of `a * b + k` with a literal `k`.
    madak_f16(a, b, k) = mad [ROUND64] by single(super::whole::Mad);
    /// The smaller operand.
    min_f16(a, b) = min [IN64 OUT64 IEEE] by single_pick(super::whole::Min);
    /// The larger operand.
    max_f16(a, b) = max [IN64 OUT64 IEEE] by single_pick(super::whole::Max);
    /// The smallest of three operands.
    min3_f16(a, b, c) = min3 [IN64 OUT64 IEEE] by single_pick(super::whole::Min3);
    /// The largest of three operands.
    max3_f16(a, b, c) = max3 [IN64 OUT64 IEEE] by single_pick(super::whole::Max3);
    /// The middle of three operands.
    med3_f16(a, b, c) = med3 [IN64 OUT64 IEEE] by single_pick(super::whole::Med3);
    /// `a - floor(a)`, always below one.
    fract_f16(a) = fract [ROUND64 IN64 OUT64] by through_f32 |_mode, a; 1| [fraction(a)];
    /// The significand, in [0.5, 1).
    frexp_mant_f16(a) = frexp_mant [IN64];
}

instructions! {
    /// `a` rounded toward zero to an integral value.
    trunc_f16(mode: Mode, a: f16) -> f16 where [IN64] by through_f32 |_mode, a; 1| [arithmetic::integral(Mode::HIP, Round::TowardZero, a)] { arithmetic::integral(mode, Round::TowardZero, a) }
    /// `a` rounded up to an integral value.
    ceil_f16(mode: Mode, a: f16) -> f16 where [IN64] by through_f32 |_mode, a; 1| [arithmetic::integral(Mode::HIP, Round::TowardPositive, a)] { arithmetic::integral(mode, Round::TowardPositive, a) }
    /// `a` rounded down to an integral value.
    floor_f16(mode: Mode, a: f16) -> f16 where [IN64] by through_f32 |_mode, a; 1| [arithmetic::integral(Mode::HIP, Round::TowardNegative, a)] { arithmetic::integral(mode, Round::TowardNegative, a) }
    /// `a` rounded to the nearest integral value, ties to even.
    rndne_f16(mode: Mode, a: f16) -> f16 where [IN64] by through_f32 |_mode, a; 1| [arithmetic::integral(Mode::HIP, Round::NearestEven, a)] { arithmetic::integral(mode, Round::NearestEven, a) }
    /// The exponent that belongs to [`frexp_mant_f16()`].
    frexp_exp_i16_f16(mode: Mode, a: f16) -> i16 where [IN64] { arithmetic::frexp_exp(mode, a) as i16 }
    /// `a * 2^by`.
    ldexp_f16(mode: Mode, a: f16, by: i16) -> f16 where [ROUND64 IN64 OUT64] { arithmetic::ldexp(mode, a, i32::from(by)) }
    /// `a` as the low half, `b` as the high half.
    pack_b32_f16(_mode: Mode, a: f16, b: f16) -> [f16; 2] where [] { [a, b] }

    /// `a * b + c` in f32, rounded once. The sources are f32 or widened f16.
    fma_mix_f32(mode: Mode, a: f32, b: f32, c: f32) -> f32 where [ROUND32 IN32 OUT32] { fma_f32(mode, a, b, c) }
    /// [`fma_mix_f32()`] rounded again to f16, for the destination's low half.
    fma_mixlo_f16(mode: Mode, a: f32, b: f32, c: f32) -> f16 where [ROUND32 IN32 OUT32 ROUND64 OUT64]
        by from_f32 |mode, a b c; 3| [fma_f32(mode, a, b, c).source(mode)] { cvt_f16_f32(mode, fma_f32(mode, a, b, c)) }
    /// [`fma_mix_f32()`] rounded again to f16, for the destination's high half.
    fma_mixhi_f16(mode: Mode, a: f32, b: f32, c: f32) -> f16 where [ROUND32 IN32 OUT32 ROUND64 OUT64]
        by from_f32 |mode, a b c; 3| [fma_f32(mode, a, b, c).source(mode)] { cvt_f16_f32(mode, fma_f32(mode, a, b, c)) }
}
