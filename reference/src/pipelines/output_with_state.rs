use crate::Real;
use crate::operators::{add, broadcast_mul, exp, gemm_nn, gemm_nt};

/// The buffers of phase 7's output, in the order of the launches.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputWithStateResults<R> {
    /// `e^g_cumsum`, `c`.
    pub gexp: Vec<R>,
    /// `Q * gexp`, `s` x `c`.
    pub q_gexp: Vec<R>,
    /// Contribution of the state: `State @ Q_gexp`, `s` x `c`.
    pub inter: Vec<R>,
    /// Contribution of the chunk: `V_new @ attn^T`, `s` x `c`.
    pub intra: Vec<R>,
    /// Sum of `inter` and `intra`, `s` x `c`.
    pub output: Vec<R>,
}

/// Computes phase 7's `output = Q_gexp @ State^T + attn @ V_new`.
///
/// The document writes the formula with tokens as rows, and stores every tensor with tokens as columns (in its section 2, Q, V and Output
/// are `[S, n_tokens]`). Formula and layouts agree if the formula is applied to the transposes:
///
/// ```text
/// Output^T = Q_gexp^T @ State^T + attn @ V_new^T      (C x S)
/// Output   = State @ Q_gexp     + V_new @ attn^T      (S x C)
/// ```
///
/// The second line agrees with the document's section 6.1 (`h[t] = state @ q[t] + ...`). It needs only documented kernels on the stored
/// layouts: `exp`, `broadcast_mul`, `gemm_nn(State, Q_gexp, S, C, S)`, `gemm_nt(V_new, attn, S, C, C)`, `add`. The first line, computed with
/// explicit transposes, gives the same bits.
///
/// Q and `v_new` are `s` x `c`, `g_cumsum` has `c` elements, `state` is `s` x `s`, `attn` is `c` x `c` (the row is the reading token, the
/// column the token that is read). Phase 8 of the document does not compute this output.
#[must_use]
pub fn output_with_state<R: Real>(
    q: &[R],
    g_cumsum: &[R],
    state: &[R],
    attn: &[R],
    v_new: &[R],
    s: usize,
) -> OutputWithStateResults<R> {
    let c = g_cumsum.len();
    let gexp = exp(g_cumsum);
    let q_gexp = broadcast_mul(q, &gexp, s, c);
    let inter = gemm_nn(state, &q_gexp, s, c, s);
    let intra = gemm_nt(v_new, attn, s, c, c);
    let output = add(&inter, &intra);
    OutputWithStateResults {
        gexp,
        q_gexp,
        inter,
        intra,
        output,
    }
}
