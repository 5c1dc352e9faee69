//! A decode step that computes its gates itself, on states in slots (`gdr_sigmoid_gating_update_bf16`).

use super::recurrent::{RecurrentCall, RecurrentResults, run};
use crate::operators::sigmoid;
use crate::{Real, shape};

/// The parameters from which `fused_sigmoid_gating_delta_rule_update` computes gates and write strengths.
#[derive(Clone, Copy, Debug)]
pub struct GatingParameters<'a, R> {
    /// Log of the gates' rates, `[HV]`.
    pub a_log: &'a [R],
    /// Bias on the inputs of the gates, `[HV]`.
    pub dt_bias: &'a [R],
    /// Inputs of the gates, `[tok, HV]`.
    pub a: &'a [R],
    /// Inputs of the write strengths, `[tok, HV]`.
    pub b: &'a [R],
    /// The steepness of the softplus.
    pub softplus_beta: R,
    /// Bound above which `softplus_beta x` equals its softplus in f32.
    pub softplus_threshold: R,
}

impl<R: Real> GatingParameters<'_, R> {
    /// Returns `g = -e^(A_log) softplus(a + dt_bias)`, `[tok, HV]`. `softplus(x)` is `ln(1 + e^(beta x)) / beta`, or x if `beta x` is above the
    /// threshold.
    #[must_use]
    pub fn gates(&self) -> Vec<R> {
        let heads = self.a_log.len();
        shape::expect("gating", "dt_bias", self.dt_bias.len(), &[heads]);
        let tokens = self.a.len().checked_div(heads).unwrap_or(0);
        shape::expect("gating", "a", self.a.len(), &[tokens, heads]);
        let parameters = self.a_log.iter().zip(self.dt_bias).cycle();
        let gate = |(&a, (a_log, &bias)): (&R, (&R, &R))| -a_log.exp() * self.softplus(a + bias);
        self.a.iter().zip(parameters).map(gate).collect()
    }

    fn softplus(&self, x: R) -> R {
        let steep = self.softplus_beta * x;
        if steep > self.softplus_threshold {
            x
        } else {
            steep.exp().ln_1p() / self.softplus_beta
        }
    }

    /// Returns `beta = sigmoid(b)`, `[tok, HV]`.
    #[must_use]
    pub fn strengths(&self) -> Vec<R> {
        sigmoid(self.b)
    }
}

/// Computes `fused_sigmoid_gating_delta_rule_update`: [`fused_recurrent`](super::fused_recurrent::fused_recurrent) on states in slots, with
/// the gates and write strengths of `gating` in place of the call's own.
///
/// `slots` is `[slots, HV, K, V]`. Sequence n begins with slot `indices[n]` and leaves its last state there. A sequence with a negative
/// index begins with zeros and leaves no state; its output is computed all the same. No two sequences may share a slot.
#[must_use]
pub fn sigmoid_gating_update<R: Real>(
    call: &RecurrentCall<'_, R>,
    gating: &GatingParameters<'_, R>,
    slots: &[R],
    indices: &[i32],
) -> RecurrentResults<R> {
    let layout = call.layout;
    shape::expect(
        "sigmoid_gating_update",
        "indices",
        indices.len(),
        &[layout.sequences()],
    );
    let (g, beta) = (gating.gates(), gating.strengths());
    let call = RecurrentCall {
        g: Some(&g),
        beta: &beta,
        ..*call
    };
    let mut states = slots.to_vec();
    let slots: Vec<Option<usize>> = indices
        .iter()
        .map(|&index| usize::try_from(index).ok())
        .collect();
    let o = run(&call, &mut states, &slots);
    RecurrentResults { o, states }
}

#[cfg(test)]
mod tests;
