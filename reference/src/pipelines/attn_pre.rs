use crate::Real;
use crate::operators::{causal_mask, gemm_tn, mul, neg};

/// The buffers of phase 6, step 6, in the order of the launches.
#[derive(Clone, Debug, PartialEq)]
pub struct AttnPreResults<R> {
    /// `K^T @ K_beta`, `c` x `c`.
    pub kmulkbeta: Vec<R>,
    /// `kmulkbeta * decay_mask`, `c` x `c`.
    pub k_decay: Vec<R>,
    /// `-(k_decay * causal_mask)`, `c` x `c`.
    pub attn_pre: Vec<R>,
}

/// Computes `attn_pre = -(K^T @ K_beta) * decay_mask * causal_mask`, one launch per step: `gemm_tn`, `mul`, `mul`, `neg`.
///
/// K and `k_beta` are `s` x `c`. The value is that of [`crate::operators::attention_matrix`], except for the sign of zeros.
#[must_use]
pub fn attn_pre<R: Real>(
    k: &[R],
    k_beta: &[R],
    decay_mask: &[R],
    s: usize,
    c: usize,
) -> AttnPreResults<R> {
    let kmulkbeta = gemm_tn(k, k_beta, c, c, s);
    let k_decay = mul(&kmulkbeta, decay_mask);
    let attn_pre = neg(&mul(&k_decay, &causal_mask(c)));
    AttnPreResults {
        kmulkbeta,
        k_decay,
        attn_pre,
    }
}
