use crate::Real;
use crate::operators::{apply_causal_identity, solve_tri};

/// The buffers of phase 6, steps 7 and 8, in the order of the launches.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveCausalIdentityResults<R> {
    /// X of `(I - attn_pre) X = attn_pre`, `c` x `c`, strictly lower.
    pub solved: Vec<R>,
    /// X with the identity: `(I - attn_pre)^-1`, `c` x `c`, unit lower.
    pub attn_solved: Vec<R>,
}

/// Computes `attn_solved = apply_causal_identity(solve_tri(attn_pre, attn_pre))`, which equals `(I - attn_pre)^-1`.
#[must_use]
pub fn solve_causal_identity<R: Real>(attn_pre: &[R], c: usize) -> SolveCausalIdentityResults<R> {
    let solved = solve_tri(attn_pre, attn_pre, c, c);
    let attn_solved = apply_causal_identity(&solved, c);
    SolveCausalIdentityResults {
        solved,
        attn_solved,
    }
}
