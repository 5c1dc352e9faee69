//! Vectors of f32 on the host, and their conversions from and to f16: eight elements by AVX2, sixteen by AVX-512.

use std::arch::x86_64::*;

use super::vector::Vector;
use crate::semantics::Round;

/// Eight f32: AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(super) struct Vector8(__m256);

/// Sixteen f32: AVX-512.
#[derive(Clone, Copy)]
pub(super) struct Vector16(__m512);

/// Rounding modes that raise no exceptions.
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

impl Vector for Vector8 {
    const ELEMENTS: usize = 8;

    #[inline(always)]
    unsafe fn zeros() -> Vector8 {
        // SAFETY: the caller's host has the instruction.
        Vector8(unsafe { _mm256_setzero_ps() })
    }
    #[inline(always)]
    unsafe fn load(from: &[u16]) -> Vector8 {
        let from = &from[..Self::ELEMENTS];
        // SAFETY: the slice has eight f16, and the caller's host has the instructions.
        Vector8(unsafe { _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast())) })
    }
    #[inline(always)]
    fn store(self, to: &mut [u16]) {
        self.store_rounded(Round::NearestEven, to);
    }
    #[inline(always)]
    unsafe fn load_f32(from: &[f32]) -> Vector8 {
        let from = &from[..Self::ELEMENTS];
        // SAFETY: the slice has enough f32, and the caller's host has the instruction.
        Vector8(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn store_f32(self, to: &mut [f32]) {
        let to = &mut to[..Self::ELEMENTS];
        // SAFETY: the slice has room for enough f32, and a vector of this type exists only if the host has the instruction.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn store_rounded(self, round: Round, to: &mut [u16]) {
        let to = &mut to[..Self::ELEMENTS];
        // SAFETY: the slice has room for enough f16, and a vector of this type exists only if the host has the instructions.
        unsafe {
            let halves = match round {
                Round::NearestEven => _mm256_cvtps_ph::<{ NEAREST & 3 }>(self.0),
                Round::TowardPositive => _mm256_cvtps_ph::<{ UP & 3 }>(self.0),
                Round::TowardNegative => _mm256_cvtps_ph::<{ DOWN & 3 }>(self.0),
                Round::TowardZero => _mm256_cvtps_ph::<{ ZERO & 3 }>(self.0),
            };
            _mm_storeu_si128(to.as_mut_ptr().cast(), halves);
        }
    }
    #[inline(always)]
    fn rounded(self) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        Vector8(unsafe { _mm256_cvtph_ps(_mm256_cvtps_ph::<{ NEAREST & 3 }>(self.0)) })
    }
    #[inline(always)]
    fn splat(self, number: f32) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector8(unsafe { _mm256_set1_ps(number) })
    }
    #[inline(always)]
    fn plus(self, b: Vector8) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector8(unsafe { _mm256_add_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn minus(self, b: Vector8) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector8(unsafe { _mm256_sub_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn times(self, b: Vector8) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector8(unsafe { _mm256_mul_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn times_plus(self, b: Vector8, c: Vector8) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector8(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
    }
    // The product is exact, so the sum's error is that of two f32. If the error points to zero, the sum steps back one place; if there is
    // an error, the last bit is set.
    #[inline(always)]
    fn times_plus_odd(self, b: Vector8, c: Vector8) -> Vector8 {
        let sum = self.times_plus(b, c);
        let rest = sum.minus(c);
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe {
            let error = _mm256_fmsub_ps(self.0, b.0, rest.0);
            let error = _mm256_add_ps(error, c.minus(sum.minus(rest)).0);
            let inexact = _mm256_cmp_ps::<_CMP_NEQ_OQ>(error, _mm256_setzero_ps());
            let inexact = _mm256_castps_si256(inexact);
            let sum = _mm256_castps_si256(sum.0);
            let apart = _mm256_xor_si256(_mm256_castps_si256(error), sum);
            let inward = _mm256_and_si256(_mm256_srai_epi32::<31>(apart), inexact);
            let odd = _mm256_srli_epi32::<31>(inexact);
            let sum = _mm256_or_si256(_mm256_add_epi32(sum, inward), odd);
            Vector8(_mm256_castsi256_ps(sum))
        }
    }
    #[inline(always)]
    fn flushed(self, below: Vector8) -> Vector8 {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe {
            let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0);
            let small = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(magnitude, below.0));
            let lost = _mm256_castsi256_ps(_mm256_srli_epi32::<1>(small));
            Vector8(_mm256_andnot_ps(lost, self.0))
        }
    }
    #[inline(always)]
    fn any_nan(self) -> bool {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0)) != 0 }
    }
}

impl Vector for Vector16 {
    const ELEMENTS: usize = 16;

    #[inline(always)]
    unsafe fn zeros() -> Vector16 {
        // SAFETY: the caller's host has the instruction.
        Vector16(unsafe { _mm512_setzero_ps() })
    }
    #[inline(always)]
    unsafe fn load(from: &[u16]) -> Vector16 {
        let from = &from[..Self::ELEMENTS];
        // SAFETY: the slice has sixteen f16, and the caller's host has the instructions.
        Vector16(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast())) })
    }
    #[inline(always)]
    fn store(self, to: &mut [u16]) {
        self.store_rounded(Round::NearestEven, to);
    }
    #[inline(always)]
    unsafe fn load_f32(from: &[f32]) -> Vector16 {
        let from = &from[..Self::ELEMENTS];
        // SAFETY: the slice has enough f32, and the caller's host has the instruction.
        Vector16(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn store_f32(self, to: &mut [f32]) {
        let to = &mut to[..Self::ELEMENTS];
        // SAFETY: the slice has room for enough f32, and a vector of this type exists only if the host has the instruction.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn store_rounded(self, round: Round, to: &mut [u16]) {
        let to = &mut to[..Self::ELEMENTS];
        // SAFETY: the slice has room for enough f16, and a vector of this type exists only if the host has the instructions.
        unsafe {
            let halves = match round {
                Round::NearestEven => _mm512_cvtps_ph::<NEAREST>(self.0),
                Round::TowardPositive => _mm512_cvtps_ph::<UP>(self.0),
                Round::TowardNegative => _mm512_cvtps_ph::<DOWN>(self.0),
                Round::TowardZero => _mm512_cvtps_ph::<ZERO>(self.0),
            };
            _mm256_storeu_si256(to.as_mut_ptr().cast(), halves);
        }
    }
    #[inline(always)]
    fn rounded(self) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        Vector16(unsafe { _mm512_cvtph_ps(_mm512_cvtps_ph::<NEAREST>(self.0)) })
    }
    #[inline(always)]
    fn splat(self, number: f32) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector16(unsafe { _mm512_set1_ps(number) })
    }
    #[inline(always)]
    fn plus(self, b: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector16(unsafe { _mm512_add_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn minus(self, b: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector16(unsafe { _mm512_sub_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn times(self, b: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector16(unsafe { _mm512_mul_ps(self.0, b.0) })
    }
    #[inline(always)]
    fn times_plus(self, b: Vector16, c: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instruction.
        Vector16(unsafe { _mm512_fmadd_ps(self.0, b.0, c.0) })
    }
    // The sum is rounded up and down. If the two differ, one of them is odd; if they are equal, the sum is exact. A zero sum of opposite
    // terms is positive, as it is to nearest.
    #[inline(always)]
    fn times_plus_odd(self, b: Vector16, c: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe {
            let above = _mm512_fmadd_round_ps::<UP>(self.0, b.0, c.0);
            let below = _mm512_fmadd_round_ps::<DOWN>(self.0, b.0, c.0);
            let odd = _mm512_test_epi32_mask(_mm512_castps_si512(below), _mm512_set1_epi32(1));
            Vector16(_mm512_mask_blend_ps(odd, above, below))
        }
    }
    #[inline(always)]
    fn flushed(self, below: Vector16) -> Vector16 {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe {
            let small = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(self.0), below.0);
            let sign = _mm512_set1_epi32(i32::MIN);
            let bits = _mm512_castps_si512(self.0);
            Vector16(_mm512_castsi512_ps(_mm512_mask_and_epi32(
                bits, small, bits, sign,
            )))
        }
    }
    #[inline(always)]
    fn any_nan(self) -> bool {
        // SAFETY: a vector of this type exists only if the host has the instructions.
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0) != 0 }
    }
}
