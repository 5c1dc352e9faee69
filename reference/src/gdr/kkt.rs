//! Chunk-local sums of gates, and `L` from products of keys (`gdr_chunk_cumsum_f32`, `gdr_compute_a_f32`, `gdr_wy_kkt_f32`,
//! `gdr_cumsum_kkt_f32`).
//!
//! `g`, `beta` and the sums are `[B, T, HV]`. `k` is `[B, T, H, K]`; value head h reads its head h / (HV / H). `A` is `[B, T, HV, BT]`: each
//! token has its row of its chunk's matrix, with zeros on the diagonal, above it, and past the end of a short chunk.

use crate::operators::dot;
use crate::rule::{HeadMap, Sizes};
use crate::{Real, shape};

use super::common::widen_tensor;
use super::op::safe_exp;

/// Returns the inclusive sums of the log gates within each chunk of `bt` tokens, computed in f64 and rounded once. If no gate is positive, no
/// sum exceeds an earlier one, which [`safe_exp`] relies on.
#[must_use]
pub fn cumsum<R: Real>(sizes: Sizes, bt: usize, g: &[R]) -> Vec<R> {
    sums(sizes, bt, g).into_iter().map(R::from_f64).collect()
}

/// Returns `A_ij = beta_i <k_i, k_j> safe_exp(G_i - G_j)` for i > j, else 0. Without gates there is no exponential.
#[must_use]
pub fn kkt<R: Real>(sizes: Sizes, bt: usize, k: &[R], beta: &[R], cumsum: Option<&[R]>) -> Vec<R> {
    let wide = cumsum.map(widen_tensor);
    products(sizes, bt, k, beta, wide.as_deref())
}

/// Computes [`cumsum`] and [`kkt`] as one launch does: `A` uses the sums before they are rounded.
#[must_use]
pub fn cumsum_kkt<R: Real>(
    sizes: Sizes,
    bt: usize,
    g: &[R],
    k: &[R],
    beta: &[R],
) -> (Vec<R>, Vec<R>) {
    let sums = sums(sizes, bt, g);
    let a = products(sizes, bt, k, beta, Some(&sums));
    (sums.into_iter().map(R::from_f64).collect(), a)
}

fn sums<R: Real>(sizes: Sizes, bt: usize, g: &[R]) -> Vec<f64> {
    shape::expect("cumsum", "g", g.len(), &sizes.beta_shape());
    let mut sums = widen_tensor(g);
    for (sequence, head) in sizes.heads() {
        for token in (0..sizes.tokens).filter(|token| token % bt != 0) {
            let before = sums[sizes.scalar(sequence, token - 1, head)];
            sums[sizes.scalar(sequence, token, head)] += before;
        }
    }
    sums
}

fn products<R: Real>(sizes: Sizes, bt: usize, k: &[R], beta: &[R], sums: Option<&[f64]>) -> Vec<R> {
    shape::expect("kkt", "k", k.len(), &sizes.key_shape());
    shape::expect("kkt", "beta", beta.len(), &sizes.beta_shape());
    if let Some(sums) = sums {
        shape::expect("kkt", "cumsum", sums.len(), &sizes.beta_shape());
    }
    let mut a = vec![R::ZERO; beta.len() * bt];
    for (sequence, head) in sizes.heads() {
        let key_head = HeadMap::Block.key_head(head, sizes.key_heads, sizes.value_heads);
        let key = |token| &k[sizes.key_row(sequence, token, key_head)];
        let scalar = |token| sizes.scalar(sequence, token, head);
        for token in 0..sizes.tokens {
            let row = &mut a[sizes.row(sequence, token, head, bt)];
            let first = token / bt * bt;
            for (earlier, a) in (first..token).zip(row) {
                let decay = sums.map_or(R::ONE, |sums| {
                    safe_exp(R::from_f64(sums[scalar(token)] - sums[scalar(earlier)]))
                });
                *a = beta[scalar(token)] * dot(key(token), key(earlier)) * decay;
            }
        }
    }
    a
}

#[cfg(test)]
mod tests;
