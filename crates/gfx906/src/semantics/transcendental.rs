//! Reciprocals, roots, exponentials, logarithms and circular functions, computed from f64 polynomials and rounded once, the same on every
//! host.
//!
//! The f32 forms of rcp, rsq, sqrt, exp and log read and write no denormals in any mode: compilers scale around them.

use super::Mode;
use super::format::Format;
use super::half_format::{narrow, odd_f32, widen};
use half::f16;

/// Rounds the result of an f16 function, and replaces a NaN as [`settle1`] does.
#[inline(always)]
fn settle_f16(mode: Mode, r: f32, a: f16) -> f16 {
    // Rounding twice differs from rounding once only close to a tie. Among these functions only 2^a has a source with such a result, so
    // `exp_f16` rounds to odd first.
    settle1(narrow(r), a).result(mode)
}

/// Returns a source of the f16 forms, which keep denormals by the mode.
#[inline(always)]
fn source_f16(mode: Mode, a: f16) -> f32 {
    widen(a.source(mode))
}

/// Returns true if the circular functions accept the angle: at most 256 turns.
#[inline(always)]
fn in_domain(turns: f32) -> bool {
    turns.abs() <= 256.0
}

/// The sine of `turns` by `TERMS` terms; 0 outside the domain, a NaN for infinity.
#[inline(always)]
fn sine<const TERMS: usize>(turns: f32) -> f32 {
    let sin = circular::<TERMS>(if in_domain(turns) { turns } else { 0.0 }, 0);
    let sin = if turns == 0.0 { turns } else { sin };
    if turns.abs() == f32::INFINITY {
        f32::NAN
    } else {
        sin
    }
}

/// Returns the cosine of `turns`, from a series of `TERMS` terms; 1 outside the domain, NaN for infinity.
#[inline(always)]
fn cosine<const TERMS: usize>(turns: f32) -> f32 {
    let cos = circular::<TERMS>(if in_domain(turns) { turns } else { 0.0 }, 1);
    if turns.abs() == f32::INFINITY {
        f32::NAN
    } else {
        cos
    }
}

/// Returns the result for a source. A NaN source is returned quieted, and any other NaN becomes the machine's new NaN.
#[inline(always)]
fn settle1<F: Format>(r: F, a: F) -> F {
    let nan = if a.nan() { a.quieted() } else { F::new_nan() };
    if a.nan() | r.nan() { nan } else { r }
}

/// The sum of `coefficients[i] * x^i` over the first terms.
#[inline(always)]
fn polynomial<const TERMS: usize>(x: f64, coefficients: &[f64]) -> f64 {
    let mut sum = coefficients[TERMS - 1];
    for i in (0..TERMS - 1).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

/// 1.5 * 2^52. A sum with this number has its last place at one.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// `2^x` for `x` in [-1000, 1000] by `TERMS` terms. Eleven terms have a relative error of 1e-12.
#[inline(always)]
fn exp2<const TERMS: usize>(x: f64) -> f64 {
    let shifted = x + SHIFT;
    let whole = shifted - SHIFT;
    // ln(2)^i / i!
    let fraction = polynomial::<TERMS>(
        x - whole,
        &[
            1.0,
            core::f64::consts::LN_2,
            2.402_265_069_591_007e-1,
            5.550_410_866_482_158e-2,
            9.618_129_107_628_477e-3,
            1.333_355_814_642_844_4e-3,
            1.540_353_039_338_161e-4,
            1.525_273_380_405_984e-5,
            1.321_548_679_014_431e-6,
            1.017_808_600_923_97e-7,
            7.054_911_620_801_123e-9,
        ],
    );
    fraction * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `log2(x)` of a positive normal number by `TERMS` terms. Nine terms have a relative error of 1e-14.
#[inline(always)]
fn log2<const TERMS: usize>(x: f32) -> f64 {
    // The least f32 above sqrt(1/2). The split puts the significand between this number and sqrt(2).
    const ROOT_HALF: u32 = 0x3f35_04f4;
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let exponent = f64::from(shifted as i32 >> 23);
    let significand = f32::from_bits((shifted & 0x007f_ffff).wrapping_add(ROOT_HALF));
    let significand = f64::from(significand);
    let s = (significand - 1.0) / (significand + 1.0);
    let series = polynomial::<TERMS>(
        s * s,
        &[
            1.0,
            1.0 / 3.0,
            1.0 / 5.0,
            1.0 / 7.0,
            1.0 / 9.0,
            1.0 / 11.0,
            1.0 / 13.0,
            1.0 / 15.0,
            1.0 / 17.0,
        ],
    );
    exponent + s * series * (2.0 * core::f64::consts::LOG2_E)
}

/// `2^a` for f32 and narrower formats by `TERMS` terms.
#[inline(always)]
fn exp<const TERMS: usize>(a: f32) -> f64 {
    let inside = if a > -200.0 { a } else { -200.0 };
    let inside = if inside < 200.0 { inside } else { 200.0 };
    exp2::<TERMS>(f64::from(inside))
}

/// `log2(a)` for f32 and narrower formats.
#[inline(always)]
fn log<const TERMS: usize>(a: f32) -> f32 {
    let inside = if (a > 0.0) & (a < f32::INFINITY) {
        a
    } else {
        1.0
    };
    let r = log2::<TERMS>(inside) as f32;
    let r = if a == f32::INFINITY { a } else { r };
    let r = if a == 0.0 { f32::NEG_INFINITY } else { r };
    if a < 0.0 { f32::NAN } else { r }
}

/// `1 / sqrt(a)`: the f32 quotient and a step of the third order, whose error is beyond an f64's last place.
#[inline(always)]
fn reciprocal_root(a: f32) -> f32 {
    let first = 1.0 / a.sqrt();
    let (x, y) = (f64::from(a), f64::from(first));
    let error = 1.0 - x * y * y;
    let next = (y + y * error * (0.5 + 0.375 * error)) as f32;
    if (a == 0.0) | (a == f32::INFINITY) {
        first
    } else {
        next
    }
}

/// The sine of `turns`, up to 2^21, plus `quarters` quarter turns. Eight terms have a relative error of 1e-15.
#[inline(always)]
fn circular<const TERMS: usize>(turns: f32, quarters: u32) -> f32 {
    const SIN: [f64; 8] = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5_040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
    ];
    const COS: [f64; 9] = [
        1.0,
        -0.5,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
    ];
    // 1.5 * 2^23. A sum with this number has its last place at one, and the subtraction is exact.
    const WHOLE: f32 = 12_582_912.0;
    let turn = turns - ((turns + WHOLE) - WHOLE);
    let shifted = turn * 4.0 + WHOLE;
    let angle = f64::from(turn - (shifted - WHOLE) * 0.25) * core::f64::consts::TAU;
    let square = angle * angle;
    // The quarter in two bits: odd quarters are cosines, and the upper two are negative.
    let quarter = shifted.to_bits().wrapping_add(quarters);
    let even = quarter & 1 == 0;
    let top = COS[TERMS] * square + COS[TERMS - 1];
    let mut sum = if even { SIN[TERMS - 1] } else { top };
    for i in (0..TERMS - 1).rev() {
        sum = sum * square + if even { SIN[i] } else { COS[i] };
    }
    let value = (if even { angle * sum } else { sum }) as f32;
    f32::from_bits(value.to_bits() ^ quarter << 30 & 1 << 31)
}

instructions! {
    /// `2^a`.
    exp_f32(_mode: Mode, a: f32) -> f32 where [] { settle1(exp::<11>(a.flushed()) as f32, a).flushed() }
    /// `log2(a)`.
    log_f32(_mode: Mode, a: f32) -> f32 where [] { settle1(log::<9>(a.flushed()), a).flushed() }
    /// `1 / a`.
    rcp_f32(_mode: Mode, a: f32) -> f32 where [] { settle1(1.0 / a.flushed(), a).flushed() }
    /// `1 / a`, for integer division. It differs from [`rcp_f32()`] only in the exceptions that it raises.
    rcp_iflag_f32(mode: Mode, a: f32) -> f32 where [] { rcp_f32(mode, a) }
    /// `1 / sqrt(a)`. A zero gives an infinity of its sign.
    rsq_f32(_mode: Mode, a: f32) -> f32 where [] {
        let a = a.flushed();
        settle1(reciprocal_root(a), a).flushed()
    }
    /// `sqrt(a)`.
    sqrt_f32(_mode: Mode, a: f32) -> f32 where [] { settle1(a.flushed().sqrt(), a).flushed() }
    /// [`exp_f32()`]. The hardware's instruction is less accurate.
    exp_legacy_f32(mode: Mode, a: f32) -> f32 where [] { exp_f32(mode, a) }
    /// [`log_f32()`]. The hardware's instruction is less accurate.
    log_legacy_f32(mode: Mode, a: f32) -> f32 where [] { log_f32(mode, a) }
    /// The sine of `a` turns; 0 beyond 256 turns.
    sin_f32(mode: Mode, a: f32) -> f32 where [IN32 OUT32] { let a = a.source(mode); settle1(sine::<8>(a), a).result(mode) }
    /// The cosine of `a` turns; 1 beyond 256 turns.
    cos_f32(mode: Mode, a: f32) -> f32 where [IN32 OUT32] { let a = a.source(mode); settle1(cosine::<8>(a), a).result(mode) }

    /// `2^a`.
    exp_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(odd_f32(exp::<9>(a)), a)] { settle_f16(mode, odd_f32(exp::<9>(source_f16(mode, a))), a) }
    /// `log2(a)`.
    log_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(log::<6>(a), a)] { settle_f16(mode, log::<6>(source_f16(mode, a)), a) }
    /// `1 / a`.
    rcp_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(1.0 / a, a)] { settle_f16(mode, 1.0 / source_f16(mode, a), a) }
    /// `1 / sqrt(a)`. A zero gives an infinity of its sign.
    rsq_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(1.0 / a.sqrt(), a)] { settle_f16(mode, 1.0 / source_f16(mode, a).sqrt(), a) }
    /// `sqrt(a)`.
    sqrt_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(a.sqrt(), a)] { settle_f16(mode, source_f16(mode, a).sqrt(), a) }
    /// The sine of `a` turns; 0 beyond 256 turns.
    sin_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(sine::<5>(a), a)] { settle_f16(mode, sine::<5>(source_f16(mode, a)), a) }
    /// The cosine of `a` turns; 1 beyond 256 turns.
    cos_f16(mode: Mode, a: f16) -> f16 where [IN64 OUT64] by through_f32 |_mode, a; 1| [settle1(cosine::<5>(a), a)] { settle_f16(mode, cosine::<5>(source_f16(mode, a)), a) }

    /// `1 / a`, correctly rounded. The hardware's result has half the places.
    rcp_f64(mode: Mode, a: f64) -> f64 where [IN64 OUT64] { let a = a.source(mode); settle1(1.0 / a, a).result(mode) }
    /// `1 / sqrt(a)` with two roundings. The hardware's result has half the places. A zero gives an infinity of its sign.
    rsq_f64(mode: Mode, a: f64) -> f64 where [IN64 OUT64] { let a = a.source(mode); settle1(1.0 / a.sqrt(), a).result(mode) }
    /// `sqrt(a)`, correctly rounded. The hardware's result has half the places.
    sqrt_f64(mode: Mode, a: f64) -> f64 where [IN64 OUT64] { let a = a.source(mode); settle1(a.sqrt(), a).result(mode) }
}
