//! Reciprocals, roots, exponentials, logarithms and circular functions, from f64 polynomials rounded once, the same on every host.
//!
//! f32 forms of rcp, rsq, sqrt, exp and log take and give no denormals whatever the mode: compilers scale around them.

use super::Mode;
use super::format::Format;
use super::half_format::{narrow, odd_f32, widen};
use half::f16;

/// The f64 result for an f16, rounded once.
#[inline(always)]
fn settle_f16(mode: Mode, r: f64, a: f16) -> f16 {
    settle1(narrow(odd_f32(r)), a).result(mode)
}

/// A source of the f16 forms, which keep denormals as the mode says.
#[inline(always)]
fn source_f16(mode: Mode, a: f16) -> f64 {
    f64::from(widen(a.source(mode)))
}

/// Whether the circular functions take the angle: at most 256 turns.
#[inline(always)]
fn in_domain(turns: f64) -> bool {
    turns.abs() <= 256.0
}

/// The sine of `turns`; 0 outside the domain, NaN of infinity.
#[inline(always)]
fn sine(turns: f64) -> f64 {
    let (sin, _) = sin_cos(if in_domain(turns) { turns } else { 0.0 });
    let sin = if turns == 0.0 { turns } else { sin };
    if turns.abs() == f64::INFINITY {
        f64::NAN
    } else {
        sin
    }
}

/// The cosine of `turns`; 1 outside the domain, NaN of infinity.
#[inline(always)]
fn cosine(turns: f64) -> f64 {
    let (_, cos) = sin_cos(if in_domain(turns) { turns } else { 0.0 });
    if turns.abs() == f64::INFINITY {
        f64::NAN
    } else {
        cos
    }
}

/// The result for a source, with a NaN source quieted and a NaN result made the machine's.
#[inline(always)]
fn settle1<F: Format>(r: F, a: F) -> F {
    let nan = if a.nan() { a.quieted() } else { F::new_nan() };
    if a.nan() | r.nan() { nan } else { r }
}

/// `sum of coefficients[i] * x^i`.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

/// 1.5 * 2^52: a sum with it has its last place at one.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// `x` rounded to an integer, for magnitudes below 2^51.
#[inline(always)]
fn nearest(x: f64) -> f64 {
    (x + SHIFT) - SHIFT
}

/// `2^x` for `x` in [-1000, 1000], to about 1e-12 relative.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    let shifted = x + SHIFT;
    let whole = shifted - SHIFT;
    // ln(2)^i / i!
    let fraction = polynomial(
        x - whole,
        [
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

/// `log2(x)` of a positive normal f64, to about 1e-14 relative.
#[inline(always)]
fn log2(x: f64) -> f64 {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    // Split so that the significand lies in [sqrt(1/2), sqrt(2)).
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let exponent = (shifted as i64 >> 52) as f64;
    let significand = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(ROOT_HALF));
    let s = (significand - 1.0) / (significand + 1.0);
    let series = polynomial(
        s * s,
        [
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

/// `2^a`, for f32 and narrower.
#[inline(always)]
fn exp(a: f64) -> f64 {
    let inside = if a > -200.0 { a } else { -200.0 };
    let inside = if inside < 200.0 { inside } else { 200.0 };
    exp2(inside)
}

/// `log2(a)`, for f32 and narrower.
#[inline(always)]
fn log(a: f64) -> f64 {
    let inside = if a > 0.0 && a < f64::INFINITY { a } else { 1.0 };
    let r = log2(inside);
    let r = if a == f64::INFINITY { f64::INFINITY } else { r };
    let r = if a == 0.0 { f64::NEG_INFINITY } else { r };
    if a < 0.0 { f64::NAN } else { r }
}

/// Sine and cosine of `2 * pi * x`, for magnitudes below 2^40, to about 1e-15 relative.
#[inline(always)]
fn sin_cos(x: f64) -> (f64, f64) {
    let turn = x - nearest(x);
    let quarter = nearest(turn * 4.0);
    let angle = (turn - quarter * 0.25) * core::f64::consts::TAU;
    let square = angle * angle;
    let sin = angle
        * polynomial(
            square,
            [
                1.0,
                -1.0 / 6.0,
                1.0 / 120.0,
                -1.0 / 5_040.0,
                1.0 / 362_880.0,
                -1.0 / 39_916_800.0,
                1.0 / 6_227_020_800.0,
                -1.0 / 1_307_674_368_000.0,
            ],
        );
    let cos = polynomial(
        square,
        [
            1.0,
            -0.5,
            1.0 / 24.0,
            -1.0 / 720.0,
            1.0 / 40_320.0,
            -1.0 / 3_628_800.0,
            1.0 / 479_001_600.0,
            -1.0 / 87_178_291_200.0,
            1.0 / 20_922_789_888_000.0,
        ],
    );
    let odd = quarter == 1.0 || quarter == -1.0;
    let half = quarter == 2.0 || quarter == -2.0;
    let (s, c) = if odd { (cos, sin) } else { (sin, cos) };
    // A quarter turn back turns the sine, one forward the cosine; a half turn both.
    let s = if half || quarter == -1.0 { -s } else { s };
    let c = if half || quarter == 1.0 { -c } else { c };
    (s, c)
}

instructions! {
    /// `2^a`.
    exp_f32(_mode: Mode, a: f32) -> f32 { settle1(exp(f64::from(a.flushed())) as f32, a).flushed() }
    /// `log2(a)`.
    log_f32(_mode: Mode, a: f32) -> f32 { settle1(log(f64::from(a.flushed())) as f32, a).flushed() }
    /// `1 / a`.
    rcp_f32(_mode: Mode, a: f32) -> f32 { settle1(1.0 / a.flushed(), a).flushed() }
    /// `1 / a`, for integer division (it differs in the exceptions it raises only).
    rcp_iflag_f32(mode: Mode, a: f32) -> f32 { rcp_f32(mode, a) }
    /// `1 / sqrt(a)`; infinite with its sign at a zero.
    rsq_f32(_mode: Mode, a: f32) -> f32 {
        let a = a.flushed();
        let r = (1.0 / f64::from(a).sqrt()) as f32;
        settle1(r, a).flushed()
    }
    /// `sqrt(a)`.
    sqrt_f32(_mode: Mode, a: f32) -> f32 { settle1(a.flushed().sqrt(), a).flushed() }
    /// [`exp_f32()`]: the hardware's is less accurate.
    exp_legacy_f32(mode: Mode, a: f32) -> f32 { exp_f32(mode, a) }
    /// [`log_f32()`]: the hardware's is less accurate.
    log_legacy_f32(mode: Mode, a: f32) -> f32 { log_f32(mode, a) }
    /// The sine of `a` turns; 0 beyond 256 turns.
    sin_f32(mode: Mode, a: f32) -> f32 { let a = a.source(mode); settle1(sine(f64::from(a)) as f32, a).result(mode) }
    /// The cosine of `a` turns; 1 beyond 256 turns.
    cos_f32(mode: Mode, a: f32) -> f32 { let a = a.source(mode); settle1(cosine(f64::from(a)) as f32, a).result(mode) }

    /// `2^a`.
    exp_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, exp(source_f16(mode, a)), a) }
    /// `log2(a)`.
    log_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, log(source_f16(mode, a)), a) }
    /// `1 / a`.
    rcp_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, 1.0 / source_f16(mode, a), a) }
    /// `1 / sqrt(a)`; infinite with its sign at a zero.
    rsq_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, 1.0 / source_f16(mode, a).sqrt(), a) }
    /// `sqrt(a)`.
    sqrt_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, source_f16(mode, a).sqrt(), a) }
    /// The sine of `a` turns; 0 beyond 256 turns.
    sin_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, sine(source_f16(mode, a)), a) }
    /// The cosine of `a` turns; 1 beyond 256 turns.
    cos_f16(mode: Mode, a: f16) -> f16 { settle_f16(mode, cosine(source_f16(mode, a)), a) }

    /// `1 / a`, correctly rounded: the hardware's has half the places.
    rcp_f64(mode: Mode, a: f64) -> f64 { let a = a.source(mode); settle1(1.0 / a, a).result(mode) }
    /// `1 / sqrt(a)`, to two roundings: the hardware's has half the places. Infinite with its sign at a zero.
    rsq_f64(mode: Mode, a: f64) -> f64 { let a = a.source(mode); settle1(1.0 / a.sqrt(), a).result(mode) }
    /// `sqrt(a)`, correctly rounded: the hardware's has half the places.
    sqrt_f64(mode: Mode, a: f64) -> f64 { let a = a.source(mode); settle1(a.sqrt(), a).result(mode) }
}
