use super::{attn_pre, solve_causal_identity};
use crate::operators::{
    broadcast_mul, cumsum, decay_mask, exp, gemm_nn, gemm_nt, sigmoid, transpose,
};
use crate::{Real, shape};

/// Results of phase 6 for one chunk, under the document's names.
#[derive(Clone, Debug, PartialEq)]
pub struct IntraChunkResults<R> {
    /// `sigmoid(Beta)`, `c`.
    pub beta_sig: Vec<R>,
    /// `cumsum(G)`, `c`.
    pub g_cumsum: Vec<R>,
    /// `e^(g_cumsum[j] - g_cumsum[i])` for `j <= i`, `c` x `c`.
    pub decay_mask: Vec<R>,
    /// `K * beta_sig`, `s` x `c`.
    pub k_beta: Vec<R>,
    /// `V * beta_sig`, `s` x `c`.
    pub v_beta: Vec<R>,
    /// `-(K^T @ K_beta) * decay_mask * causal_mask`, `c` x `c`.
    pub attn_pre: Vec<R>,
    /// `(I - attn_pre)^-1`, `c` x `c`.
    pub attn_solved: Vec<R>,
    /// `V_beta @ attn_solved^T`, `s` x `c`.
    pub v_new: Vec<R>,
    /// `e^g_cumsum`, `c`.
    pub gexp: Vec<R>,
    /// `K_beta * gexp`, `s` x `c`.
    pub kbeta_gexp: Vec<R>,
    /// `(attn_solved @ kbeta_gexp^T)^T`, `s` x `c`.
    pub k_cumdecay: Vec<R>,
}

/// Computes phase 6, steps 1 to 10. K and V are `s` x `c`, `g` and `beta` (before the sigmoid) have `c` elements.
#[must_use]
pub fn intra_chunk<R: Real>(
    k: &[R],
    v: &[R],
    g: &[R],
    beta: &[R],
    s: usize,
    c: usize,
) -> IntraChunkResults<R> {
    shape::expect("intra_chunk", "G", g.len(), &[c]);
    shape::expect("intra_chunk", "Beta", beta.len(), &[c]);
    let beta_sig = sigmoid(beta);
    let g_cumsum = cumsum(g);
    let decay_mask = decay_mask(&g_cumsum);
    let k_beta = broadcast_mul(k, &beta_sig, s, c);
    let v_beta = broadcast_mul(v, &beta_sig, s, c);
    let attn_pre = attn_pre(k, &k_beta, &decay_mask, s, c).attn_pre;
    let attn_solved = solve_causal_identity(&attn_pre, c).attn_solved;
    let v_new = gemm_nn(&v_beta, &transpose(&attn_solved, c, c), s, c, c);
    let gexp = exp(&g_cumsum);
    let kbeta_gexp = broadcast_mul(&k_beta, &gexp, s, c);
    let k_cumdecay = transpose(&gemm_nt(&attn_solved, &kbeta_gexp, c, s, c), c, s);
    IntraChunkResults {
        beta_sig,
        g_cumsum,
        decay_mask,
        k_beta,
        v_beta,
        attn_pre,
        attn_solved,
        v_new,
        gexp,
        kbeta_gexp,
        k_cumdecay,
    }
}
