//! Byte selection by the bytes of a selector, on hosts that shuffle bytes.

use super::rows::Register;
use crate::semantics::Mode;

/// Picks bytes of `a:b` by the bytes of a selector. Returns false if the host does not shuffle bytes.
#[inline(always)]
pub(in crate::semantics) fn permuted_bytes<const WIDTH: usize, const N: usize>(
    _mode: Mode,
    [a, b, selector]: [&Register; 3],
    to: &mut Register,
    _: [(); N],
) -> bool {
    match WIDTH {
        #[cfg(target_arch = "x86_64")]
        32 | 64 => {
            let rows = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
            let rows = rows.zip(selector.as_chunks::<8>().0);
            for (((a, b), selector), to) in rows.zip(to.as_chunks_mut::<8>().0) {
                // SAFETY: handlers of these widths run only on hosts with AVX2.
                *to = unsafe { permuted_eight(a, b, selector) };
            }
            true
        }
        _ => false,
    }
}

/// Picks the bytes of eight lanes.
///
/// # Safety
///
/// The host has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn permuted_eight(a: &[u32; 8], b: &[u32; 8], selector: &[u32; 8]) -> [u32; 8] {
    use std::arch::x86_64::*;
    let (a, b, selector): (__m256i, __m256i, __m256i) = (
        bytemuck::cast(*a),
        bytemuck::cast(*b),
        bytemuck::cast(*selector),
    );
    // SAFETY: the caller guarantees that the host has the instructions.
    let picked = unsafe {
        // Every byte has the index of the first byte of its lane's dword.
        let dword = _mm256_setr_epi32(
            0,
            0x0404_0404,
            0x0808_0808,
            0x0c0c_0c0c,
            0,
            0x0404_0404,
            0x0808_0808,
            0x0c0c_0c0c,
        );
        // A bit of each selector, moved to the sign of its byte, picks `a` over `b`.
        let index = _mm256_or_si256(_mm256_and_si256(selector, _mm256_set1_epi8(3)), dword);
        let byte = _mm256_blendv_epi8(
            _mm256_shuffle_epi8(b, index),
            _mm256_shuffle_epi8(a, index),
            _mm256_slli_epi16::<5>(selector),
        );
        // The index of the upper byte of a half is 1 or 3.
        let odd = _mm256_and_si256(_mm256_add_epi8(selector, selector), _mm256_set1_epi8(2));
        let half = _mm256_or_si256(_mm256_or_si256(odd, _mm256_set1_epi8(1)), dword);
        let upper = _mm256_blendv_epi8(
            _mm256_shuffle_epi8(b, half),
            _mm256_shuffle_epi8(a, half),
            _mm256_slli_epi16::<6>(selector),
        );
        let sign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), upper);
        let at_least = |least| _mm256_cmpeq_epi8(_mm256_max_epu8(selector, least), selector);
        let special = _mm256_andnot_si256(at_least(_mm256_set1_epi8(12)), sign);
        let special = _mm256_or_si256(special, at_least(_mm256_set1_epi8(13)));
        _mm256_blendv_epi8(byte, special, at_least(_mm256_set1_epi8(8)))
    };
    bytemuck::cast(picked)
}
