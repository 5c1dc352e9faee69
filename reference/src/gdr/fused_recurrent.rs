//! The rule token by token, as in FLA's `fused_recurrent_gated_delta_rule` (`gdr_fused_recurrent_bf16`).

use super::recurrent::{RecurrentCall, RecurrentResults, run};
use crate::{Real, shape};

/// Computes FLA's `fused_recurrent_gated_delta_rule`. For each sequence and value head, with the state S of K rows and V columns, the steps
/// of a token are:
///
/// ```text
/// S[i][j] <- e^(g + gk[i] + gv[j]) S[i][j]
/// d[j]     = beta[j] (v[j] - sum_i S[i][j] k[i])
/// S[i][j] <- S[i][j] + k[i] d[j]
/// o[j]     = bf16(sum_i S[i][j] scale q[i])
/// ```
///
/// `h0`, `[N, HV, K, V]`, has the states before the first tokens, or is `None` for zeros. The results have the states after the last tokens.
/// An empty sequence keeps its state.
#[must_use]
pub fn fused_recurrent<R: Real>(
    call: &RecurrentCall<'_, R>,
    h0: Option<&[R]>,
) -> RecurrentResults<R> {
    let layout = call.layout;
    let sequences = layout.sequences();
    let size = layout.value_heads * layout.state();
    if let Some(h0) = h0 {
        shape::expect("fused_recurrent", "h0", h0.len(), &[sequences, size]);
    }
    let mut states = h0.map_or_else(|| vec![R::ZERO; sequences * size], <[R]>::to_vec);
    let slots: Vec<Option<usize>> = (0..sequences).map(Some).collect();
    let o = run(call, &mut states, &slots);
    RecurrentResults { o, states }
}

#[cfg(test)]
mod tests;
