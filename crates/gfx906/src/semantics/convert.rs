//! Conversions between number types, with the hardware's rounding and saturation.
//!
//! A float becomes an integer by rounding toward zero and saturating; a NaN becomes 0. Conversions to f16 and from f64 round by the mode
//! for f16 and f64.

use super::directed::narrowed;
use super::format::Format;
use super::half_format::{narrow_in, narrow_number, widen};
use super::{Mode, Round, arithmetic};
use half::f16;

/// Converts a NaN to a narrower or wider format: its sign and the high bits of its payload are kept, and it is quieted.
#[inline(always)]
fn convert_nan<F: Format, G: Format>(a: F) -> G {
    let bits = a.bits();
    let fraction = bits & (F::HIDDEN - 1);
    let fraction = if F::PRECISION > G::PRECISION {
        fraction >> (F::PRECISION.saturating_sub(G::PRECISION))
    } else {
        fraction << (G::PRECISION.saturating_sub(F::PRECISION))
    };
    let sign = if bits & F::SIGN != 0 { G::SIGN } else { 0 };
    G::from_encoding(sign | G::INFINITY | G::QUIET | fraction)
}

/// Converts to a normalised integer of `[-1, 1]` or `[0, 1]`: scaled, rounded to nearest even, saturated; a NaN becomes 0.
#[inline(always)]
pub(super) fn normalised(a: f32, scale: f64, least: f64) -> i32 {
    let scaled = f64::from(a) * scale;
    let high = if scaled > scale { scale } else { scaled };
    let low = if high < least { least } else { high };
    if a.is_nan() {
        0
    } else {
        nearest_integer(low) as i32
    }
}

/// Converts to f16 toward zero. A number beyond f16's range becomes the largest f16, not infinity.
#[inline(always)]
pub(super) fn toward_zero(a: f32) -> f16 {
    narrow_in(a, Round::TowardZero)
}

/// 1.5 * 2^52. A sum with this number has its last place at one, and an integer in its low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Rounds a number below 2^50 to nearest even, modulo 2^32.
#[inline(always)]
fn nearest_integer(x: f64) -> u32 {
    (x + SHIFT).to_bits() as u32
}

/// Returns a number's floor, limited to a range of 32-bit integers, modulo 2^32. It calls no host function, and vectorises.
#[inline(always)]
fn floor_within(x: f64, least: f64, greatest: f64) -> u32 {
    let x = if x > least { x } else { least };
    let x = if x < greatest { x } else { greatest };
    let above = (x + SHIFT) - SHIFT > x;
    nearest_integer(x).wrapping_sub(above.into())
}

/// Truncates a number to an integer, limited to a range of 32-bit integers, modulo 2^32; a NaN becomes 0.
#[inline(always)]
fn cut_within(x: f64, least: f64, greatest: f64) -> u32 {
    let magnitude = floor_within(x.abs(), 0.0, if x < 0.0 { -least } else { greatest });
    let cut = if x < 0.0 {
        magnitude.wrapping_neg()
    } else {
        magnitude
    };
    if x.is_nan() { 0 } else { cut }
}

/// Least and greatest i32.
const INT: (f64, f64) = (i32::MIN as f64, i32::MAX as f64);

/// Converts a float to a byte: rounded by the mode, saturated; a NaN becomes 0.
#[inline(always)]
fn byte(mode: Mode, a: f32) -> u32 {
    cut_within(
        f64::from(arithmetic::integral(mode, mode.round32, a)),
        0.0,
        255.0,
    )
}

/// Returns the integer part of a magnitude below 2^32 by shifts, which vectorise; the host's saturating conversion does not.
#[inline(always)]
fn whole_part(a: f32) -> u32 {
    let significand = a.to_bits() & 0x007f_ffff | 0x0080_0000;
    let exponent = a.exponent_field();
    let left = significand << ((exponent - 150) & 31);
    let right = significand >> ((150 - exponent) & 31);
    let number = if exponent >= 150 { left } else { right };
    if exponent < 127 { 0 } else { number }
}

/// Replaces byte number `index` of `word`.
#[inline(always)]
fn insert_byte(word: u32, index: u32, byte: u32) -> u32 {
    let shift = (index & 3) * 8;
    word & !(0xff << shift) | byte << shift
}

instructions! {
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_i32_f32(_mode: Mode, a: f32) -> i32 where [] {
        let exponent = a.exponent_field();
        let magnitude = whole_part(a) as i32;
        let saturated = if a.is_sign_negative() { i32::MIN } else { i32::MAX };
        let number = if a.is_sign_negative() { magnitude.wrapping_neg() } else { magnitude };
        let number = if exponent >= 127 + 31 { saturated } else { number };
        if a.is_nan() { 0 } else { number }
    }
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_u32_f32(_mode: Mode, a: f32) -> u32 where [] {
        let number = if a.exponent_field() >= 127 + 32 { u32::MAX } else { whole_part(a) };
        if a.is_nan() || a.is_sign_negative() { 0 } else { number }
    }
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_i32_f64(_mode: Mode, a: f64) -> i32 where [] { cut_within(a, INT.0, INT.1) as i32 }
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_u32_f64(_mode: Mode, a: f64) -> u32 where [] { cut_within(a, 0.0, f64::from(u32::MAX)) }
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_u16_f16(mode: Mode, a: f16) -> u16 where [] { cvt_u32_f32(mode, widen(a)).min(0xffff) as u16 }
    /// `a` rounded toward zero and saturated; a NaN becomes 0.
    cvt_i16_f16(mode: Mode, a: f16) -> i16 where [] { cvt_i32_f32(mode, widen(a)).clamp(-0x8000, 0x7fff) as i16 }
    /// `floor(a + 0.5)` of the exact sum, saturated. A NaN saturates to the side of its sign.
    cvt_rpi_i32_f32(_mode: Mode, a: f32) -> i32 where [] { if a.is_nan() { nan_i32(a) } else { floor_within(f64::from(a) + 0.5, INT.0, INT.1) as i32 } }
    /// `floor(a)`, saturated. A NaN saturates to the side of its sign.
    cvt_flr_i32_f32(_mode: Mode, a: f32) -> i32 where [] { if a.is_nan() { nan_i32(a) } else { floor_within(f64::from(a), INT.0, INT.1) as i32 } }

    /// `a`, rounded by the mode.
    cvt_f32_i32(mode: Mode, a: i32) -> f32 where [ROUND32] { narrowed(mode.round32, f64::from(a)) }
    /// `a`, rounded by the mode.
    cvt_f32_u32(mode: Mode, a: u32) -> f32 where [ROUND32] { narrowed(mode.round32, f64::from(a)) }
    /// `a`, exactly.
    cvt_f64_i32(_mode: Mode, a: i32) -> f64 where [] { f64::from(a) }
    /// `a`, exactly.
    cvt_f64_u32(_mode: Mode, a: u32) -> f64 where [] { f64::from(a) }
    /// `a`, rounded by the mode.
    cvt_f16_u16(mode: Mode, a: u16) -> f16 where [ROUND64] { narrow_number(f32::from(a), mode.round64) }
    /// `a`, rounded by the mode.
    cvt_f16_i16(mode: Mode, a: i16) -> f16 where [ROUND64] { narrow_number(f32::from(a), mode.round64) }
    /// Byte 0 of `a` as a number.
    cvt_f32_ubyte0(_mode: Mode, a: u32) -> f32 where [] { (a & 0xff) as f32 }
    /// Byte 1 of `a` as a number.
    cvt_f32_ubyte1(_mode: Mode, a: u32) -> f32 where [] { (a >> 8 & 0xff) as f32 }
    /// Byte 2 of `a` as a number.
    cvt_f32_ubyte2(_mode: Mode, a: u32) -> f32 where [] { (a >> 16 & 0xff) as f32 }
    /// Byte 3 of `a` as a number.
    cvt_f32_ubyte3(_mode: Mode, a: u32) -> f32 where [] { (a >> 24) as f32 }
    /// The low four bits of `a`, signed, in sixteenths: -0.5 to 0.4375.
    cvt_off_f32_i4(_mode: Mode, a: u32) -> f32 where [] { ((a << 28) as i32 >> 28) as f32 * 0.0625 }

    /// `a`, rounded by the mode.
    cvt_f16_f32(mode: Mode, a: f32) -> f16 where [IN32 ROUND64 OUT64] by from_f32 |mode, a; 1| [a.source(mode)] {
        let a = a.source(mode);
        narrow_in(a, mode.round64).result(mode)
    }
    /// `a`, exactly.
    cvt_f32_f16(mode: Mode, a: f16) -> f32 where [IN64] { widen(a.source(mode)).quiet_if_nan() }
    /// `a`, rounded by the mode.
    cvt_f32_f64(mode: Mode, a: f64) -> f32 where [IN64 ROUND64 OUT32] {
        let a = a.source(mode);
        let r = narrowed(mode.round64, a);
        let r = if a.is_nan() { convert_nan(a) } else { r };
        r.result(mode)
    }
    /// `a`, exactly.
    cvt_f64_f32(mode: Mode, a: f32) -> f64 where [IN32] {
        let a = a.source(mode);
        if a.is_nan() { convert_nan(a) } else { f64::from(a) }
    }

    /// Both sources rounded to f16 toward zero, independent of the mode.
    cvt_pkrtz_f16_f32(mode: Mode, a: f32, b: f32) -> [f16; 2] where [IN32 OUT64] by pair_toward_zero |mode, a; 1| [a.source(mode)] {
        [toward_zero(a.source(mode)).result(mode), toward_zero(b.source(mode)).result(mode)]
    }
    /// `a` as a multiple of 1/32767, saturated to +-32767.
    cvt_norm_i16_f16(mode: Mode, a: f16) -> i16 where [IN64] { normalised(widen(a.source(mode)), 32767.0, -32767.0) as i16 }
    /// `a` as a multiple of 1/65535, saturated.
    cvt_norm_u16_f16(mode: Mode, a: f16) -> u16 where [IN64] { normalised(widen(a.source(mode)), 65535.0, 0.0) as u16 }
    /// [`cvt_norm_i16_f16()`] of both sources.
    cvt_pknorm_i16_f16(mode: Mode, a: f16, b: f16) -> [i16; 2] where [IN64] { [a, b].map(|x| cvt_norm_i16_f16(mode, x)) }
    /// [`cvt_norm_u16_f16()`] of both sources.
    cvt_pknorm_u16_f16(mode: Mode, a: f16, b: f16) -> [u16; 2] where [IN64] { [a, b].map(|x| cvt_norm_u16_f16(mode, x)) }
    /// Both sources as multiples of 1/32767, saturated to +-32767.
    cvt_pknorm_i16_f32(mode: Mode, a: f32, b: f32) -> [i16; 2] where [IN32] { [a, b].map(|x| normalised(x.source(mode), 32767.0, -32767.0) as i16) }
    /// Both sources as multiples of 1/65535, saturated.
    cvt_pknorm_u16_f32(mode: Mode, a: f32, b: f32) -> [u16; 2] where [IN32] { [a, b].map(|x| normalised(x.source(mode), 65535.0, 0.0) as u16) }
    /// `word` with byte number `index` replaced by `a`, rounded by the mode and saturated.
    cvt_pk_u8_f32(mode: Mode, a: f32, index: u32, word: u32) -> u32 where [ROUND32 IN32] { insert_byte(word, index, byte(mode, a)) }
    /// [`cvt_pk_u8_f32()`] into the destination's own word.
    cvt_pkaccum_u8_f32(mode: Mode, a: f32, index: u32, word: u32) -> u32 where [ROUND32 IN32] { insert_byte(word, index, byte(mode, a)) }

    /// Both sources saturated to 16 bits.
    cvt_pk_u16_u32(a: u32, b: u32) -> [u16; 2] { [a, b].map(|x| x.min(0xffff) as u16) }
    /// Both sources saturated to 16 bits.
    cvt_pk_i16_i32(a: i32, b: i32) -> [i16; 2] { [a, b].map(|x| x.clamp(-0x8000, 0x7fff) as i16) }
    /// Both halves saturated to unsigned bytes; the low half gives the low byte.
    sat_pk_u8_i16(a: [i16; 2]) -> u16 {
        let [low, high] = a.map(|x| x.clamp(0, 0xff) as u16);
        low | high << 8
    }
}

/// Returns the result of the two flooring conversions for a NaN.
#[inline(always)]
fn nan_i32(a: f32) -> i32 {
    if a.is_sign_negative() {
        i32::MIN
    } else {
        i32::MAX
    }
}
