//! The three matrix products. Each element is summed from k = 0 upwards with one fused multiply-add per step, as the naive kernels do.
//! `kernel_gemm_nt_tiled` sums in the same order, and the zeros that fill its last tile add nothing.

use super::transpose;
use crate::{Real, shape};

/// `C = A B`: A is `m` x `k`, B is `k` x `n`, C is `m` x `n` (`kernel_gemm_nn_naive`).
#[must_use]
pub fn gemm_nn<R: Real>(a: &[R], b: &[R], m: usize, n: usize, k: usize) -> Vec<R> {
    shape::expect("gemm_nn", "A", a.len(), &[m, k]);
    shape::expect("gemm_nn", "B", b.len(), &[k, n]);
    let mut c = vec![R::ZERO; m * n];
    if n == 0 || k == 0 {
        return c;
    }
    // Each element of A multiplies a whole row of B, so that a row of C is summed at once. Each element of C is still summed in order of k.
    for (row, sums) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (&a, b) in row.iter().zip(b.chunks_exact(n)) {
            R::add_scaled(sums, a, b);
        }
    }
    c
}

/// `C = A B^T`: A is `m` x `k`, B is `n` x `k`, C is `m` x `n` (`kernel_gemm_nt_naive`, `kernel_gemm_nt_tiled`).
#[must_use]
pub fn gemm_nt<R: Real>(a: &[R], b: &[R], m: usize, n: usize, k: usize) -> Vec<R> {
    shape::expect("gemm_nt", "A", a.len(), &[m, k]);
    shape::expect("gemm_nt", "B", b.len(), &[n, k]);
    gemm_nn(a, &transpose(b, n, k), m, n, k)
}

/// `C = A^T B`: A is `k` x `m`, B is `k` x `n`, C is `m` x `n` (`kernel_gemm_tn_naive`).
#[must_use]
pub fn gemm_tn<R: Real>(a: &[R], b: &[R], m: usize, n: usize, k: usize) -> Vec<R> {
    shape::expect("gemm_tn", "A", a.len(), &[k, m]);
    shape::expect("gemm_tn", "B", b.len(), &[k, n]);
    gemm_nn(&transpose(a, k, m), b, m, n, k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const A: [f32; 6] = [1.0, 2.0, 3.0,
                         4.0, 5.0, 6.0];
    #[rustfmt::skip]
    const B: [f32; 6] = [ 1.0, 0.0,
                         -1.0, 2.0,
                          0.5, 1.0];
    const PRODUCT: [f32; 4] = [0.5, 7.0, 2.0, 16.0];

    #[test]
    fn nn_by_hand() {
        assert_eq!(gemm_nn(&A, &B, 2, 2, 3), PRODUCT);
    }

    #[test]
    fn nt_by_hand() {
        assert_eq!(
            gemm_nt(&A, &[1.0, -1.0, 0.5, 0.0, 2.0, 1.0], 2, 2, 3),
            PRODUCT
        );
    }

    #[test]
    fn tn_by_hand() {
        assert_eq!(
            gemm_tn(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], &B, 2, 2, 3),
            PRODUCT
        );
    }

    #[test]
    fn f32_sums_upwards_and_fused() {
        // The kernel's loop, written out, gives the same bits.
        let a = [0.1f32, 0.7, -0.3, 1e-4, 0.9];
        let b = [3.3f32, -0.2, 11.0, 7.7, 1.0];
        let mut sum = 0.0f32;
        for k in 0..5 {
            sum = f32::mul_add(a[k], b[k], sum);
        }
        assert_eq!(gemm_nt(&a, &b, 1, 1, 5), [sum]);
    }

    #[test]
    fn an_empty_sum_is_zero() {
        assert_eq!(gemm_nn::<f32>(&[], &[], 1, 2, 0), [0.0, 0.0]);
        assert!(gemm_nn::<f32>(&[1.0], &[], 1, 0, 1).is_empty());
    }

    #[test]
    #[should_panic(expected = "gemm_tn: A has 6 elements, its shape [2, 2] has 4")]
    fn a_wrong_shape_is_named() {
        let _ = gemm_tn(&A, &B, 2, 2, 2);
    }
}
