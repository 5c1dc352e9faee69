//! Dot products: sums of products of packed elements, plus an accumulator.

use super::format::Format;
use super::half_format::widen;
use super::{Mode, arithmetic};
use half::f16;

/// The sum of products of `N` signed elements of `32 / N` bits.
#[inline(always)]
fn signed<const N: u32>(a: u32, b: u32) -> i64 {
    let width = 32 / N;
    let element = |x: u32, i: u32| i64::from((x << (32 - width * (i + 1))) as i32 >> (32 - width));
    (0..N).map(|i| element(a, i) * element(b, i)).sum()
}

/// The sum of products of `N` unsigned elements of `32 / N` bits.
#[inline(always)]
fn unsigned<const N: u32>(a: u32, b: u32) -> u64 {
    let width = 32 / N;
    let element = |x: u32, i: u32| u64::from(x << (32 - width * (i + 1)) >> (32 - width));
    (0..N).map(|i| element(a, i) * element(b, i)).sum()
}

/// Limits a sum to i32.
#[inline(always)]
fn saturated_i32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Limits a sum to u32.
#[inline(always)]
fn saturated_u32(x: u64) -> u32 {
    x.min(u64::from(u32::MAX)) as u32
}

/// Joins two halves to a dword.
#[inline(always)]
fn dword(x: [u16; 2]) -> u32 {
    u32::from(x[0]) | u32::from(x[1]) << 16
}

/// Joins two signed halves to a dword.
#[inline(always)]
fn dword_signed(x: [i16; 2]) -> u32 {
    dword(x.map(|half| half as u16))
}

instructions! {
    /// `a0 * b0 + a1 * b1 + c`, low elements first, with each step rounded. f32 denormals are flushed in every mode.
    dot2_f32_f16(mode: Mode, a: [f16; 2], b: [f16; 2], c: f32) -> f32 where [ROUND32 IN64] by dot([(); 3]) {
        let [a0, a1] = a.map(|x| widen(x.source(mode)));
        let [b0, b1] = b.map(|x| widen(x.source(mode)));
        let mode = arithmetic::flush_all_denormals(mode);
        arithmetic::fma(mode, a1, b1, arithmetic::fma(mode, a0, b0, c))
    }
    /// The dot product of two signed halves, plus `c`.
    dot2_i32_i16(a: [i16; 2], b: [i16; 2], c: i32) -> i32 { signed::<2>(dword_signed(a), dword_signed(b)).wrapping_add(i64::from(c)) as i32 }
    /// The dot product of two unsigned halves, plus `c`.
    dot2_u32_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 { unsigned::<2>(dword(a), dword(b)).wrapping_add(u64::from(c)) as u32 }
    /// The dot product of four signed bytes, plus `c`.
    dot4_i32_i8(a: u32, b: u32, c: i32) -> i32 { signed::<4>(a, b).wrapping_add(i64::from(c)) as i32 }
    /// The dot product of four unsigned bytes, plus `c`.
    dot4_u32_u8(a: u32, b: u32, c: u32) -> u32 { unsigned::<4>(a, b).wrapping_add(u64::from(c)) as u32 }
    /// The dot product of eight signed nibbles, plus `c`.
    dot8_i32_i4(a: u32, b: u32, c: i32) -> i32 { signed::<8>(a, b).wrapping_add(i64::from(c)) as i32 }
    /// The dot product of eight unsigned nibbles, plus `c`.
    dot8_u32_u4(a: u32, b: u32, c: u32) -> u32 { unsigned::<8>(a, b).wrapping_add(u64::from(c)) as u32 }

    /// [`dot2_i32_i16()`] under clamp: the exact sum, limited to i32.
    dot2_i32_i16_sat(a: [i16; 2], b: [i16; 2], c: i32) -> i32 { saturated_i32(signed::<2>(dword_signed(a), dword_signed(b)) + i64::from(c)) }
    /// [`dot2_u32_u16()`] under clamp: the exact sum, limited to u32.
    dot2_u32_u16_sat(a: [u16; 2], b: [u16; 2], c: u32) -> u32 { saturated_u32(unsigned::<2>(dword(a), dword(b)) + u64::from(c)) }
    /// [`dot4_i32_i8()`] under clamp: the exact sum, limited to i32.
    dot4_i32_i8_sat(a: u32, b: u32, c: i32) -> i32 { saturated_i32(signed::<4>(a, b) + i64::from(c)) }
    /// [`dot4_u32_u8()`] under clamp: the exact sum, limited to u32.
    dot4_u32_u8_sat(a: u32, b: u32, c: u32) -> u32 { saturated_u32(unsigned::<4>(a, b) + u64::from(c)) }
    /// [`dot8_i32_i4()`] under clamp: the exact sum, limited to i32.
    dot8_i32_i4_sat(a: u32, b: u32, c: i32) -> i32 { saturated_i32(signed::<8>(a, b) + i64::from(c)) }
    /// [`dot8_u32_u4()`] under clamp: the exact sum, limited to u32.
    dot8_u32_u4_sat(a: u32, b: u32, c: u32) -> u32 { saturated_u32(unsigned::<8>(a, b) + u64::from(c)) }
}
