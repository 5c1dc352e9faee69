use crate::Real;
use crate::operators::{add, gemm_nt, scale};

/// The buffers of phase 7's state update, in the order of the launches.
#[derive(Clone, Debug, PartialEq)]
pub struct StateUpdateResults<R> {
    /// `state * exp_g_last`, `s` x `s`.
    pub state_scaled: Vec<R>,
    /// `K_cumdecay @ V_new^T`, `s` x `s`.
    pub kv: Vec<R>,
    /// Sum of `state_scaled` and `kv`: the new state, `s` x `s`.
    pub state: Vec<R>,
}

/// Computes `state_new = state * e^(g_last) + K_cumdecay @ V_new^T`: `scale`, `gemm_nt_tiled`, `add`.
///
/// `state` is `s` x `s`, `k_cumdecay` and `v_new` are `s` x `c`. `exp_g_last` is the factor that the host passes to `kernel_scale`: e to the
/// last element of `g_cumsum`, by [`Real::exp`].
#[must_use]
pub fn state_update<R: Real>(
    state: &[R],
    exp_g_last: R,
    k_cumdecay: &[R],
    v_new: &[R],
    s: usize,
    c: usize,
) -> StateUpdateResults<R> {
    let state_scaled = scale(state, exp_g_last);
    let kv = gemm_nt(k_cumdecay, v_new, s, s, c);
    let state = add(&state_scaled, &kv);
    StateUpdateResults {
        state_scaled,
        kv,
        state,
    }
}
