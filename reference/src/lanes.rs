//! Inner loops of the references, in which they spend most of their time. The loops use the host's vector units if it has them. [`Real`]'s
//! methods call them, so that they are compiled with this crate, at its level, and not with each crate that names a reference.
//!
//! A fused `f32` multiply-add is one instruction with vector units; otherwise it is a call of the C library, an order of magnitude slower.
//! The bits are the same either way.

use crate::Real;

/// Computes [`Real::add_scaled`].
pub(crate) fn add_scaled<R: Real>(sums: &mut [R], a: R, x: &[R]) {
    #[cfg(target_arch = "x86_64")]
    if wide() {
        // SAFETY: `wide` has checked that the processor has AVX2 and FMA.
        return unsafe { add_scaled_wide(sums, a, x) };
    }
    add_scaled_plain(sums, a, x);
}

/// Computes [`Real::dot`].
pub(crate) fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    #[cfg(target_arch = "x86_64")]
    if wide() {
        // SAFETY: `wide` has checked that the processor has AVX2 and FMA.
        return unsafe { dot_wide(a, b) };
    }
    dot_plain(a, b)
}

#[cfg(target_arch = "x86_64")]
fn wide() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_scaled_wide<R: Real>(sums: &mut [R], a: R, x: &[R]) {
    add_scaled_plain(sums, a, x);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dot_wide<R: Real>(a: &[R], b: &[R]) -> R {
    dot_plain(a, b)
}

#[inline(always)]
fn add_scaled_plain<R: Real>(sums: &mut [R], a: R, x: &[R]) {
    for (sum, &x) in sums.iter_mut().zip(x) {
        *sum = a.mul_add(x, *sum);
    }
}

#[inline(always)]
fn dot_plain<R: Real>(a: &[R], b: &[R]) -> R {
    a.iter()
        .zip(b)
        .fold(R::ZERO, |sum, (&a, &b)| a.mul_add(b, sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns values whose products need more bits than either type has.
    fn values<R: Real>(n: usize, seed: f64) -> Vec<R> {
        let value = |i: usize| R::from_f64(((i as f64 + seed) * 12.9898).sin() * 3.7);
        (0..n).map(value).collect()
    }

    fn same_bits<R: Real>() {
        for n in [0, 1, 7, 8, 31, 128, 133] {
            let (a, b) = (values::<R>(n, 0.1), values::<R>(n, 0.7));
            let factor = R::from_f64(0.1);
            let (mut vectorised, mut plain) = (a.clone(), a.clone());
            add_scaled(&mut vectorised, factor, &b);
            add_scaled_plain(&mut plain, factor, &b);
            assert_eq!(vectorised, plain);
            assert_eq!(dot(&a, &b), dot_plain(&a, &b));
        }
    }

    #[test]
    fn vector_units_give_the_same_bits() {
        same_bits::<f32>();
        same_bits::<f64>();
    }
}
