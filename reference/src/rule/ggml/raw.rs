use super::{Inputs, Norm, Sizes, ggml_gated_delta_net};
use crate::rule::producers;
use crate::{Real, operators, shape};

/// Tensors of ggml's operator before gates, write strengths and norms are made.
#[derive(Clone, Copy, Debug)]
pub struct RawInputs<'a, R> {
    /// Queries before their norm, [`Sizes::key_shape`].
    pub q: &'a [R],
    /// Keys before their norm, [`Sizes::key_shape`].
    pub k: &'a [R],
    /// Values, [`Sizes::value_shape`].
    pub v: &'a [R],
    /// Inputs of the gates, [`Sizes::beta_shape`].
    pub alpha: &'a [R],
    /// Write strengths before their sigmoid, [`Sizes::beta_shape`].
    pub beta: &'a [R],
    /// Bias on the inputs of the gates, `[H]`: `ssm_dt` of a model file.
    pub dt: &'a [R],
    /// Factor of the gates, `[H]`: `ssm_a` of a model file, which is `-e^A_log` already.
    pub a: &'a [R],
    /// The states before the first token, [`Sizes::state_shape`].
    pub state: &'a [R],
}

impl<R: Real> RawInputs<'_, R> {
    /// Returns the log gates: `g = a softplus(alpha + dt)`.
    pub(crate) fn gates(&self) -> Vec<R> {
        producers::log_gates_of(self.alpha, self.a, self.dt)
    }

    /// Returns the write strengths: `1 / (1 + e^-beta)`.
    pub(crate) fn strengths(&self) -> Vec<R> {
        operators::sigmoid(self.beta)
    }
}

/// Computes [`ggml_gated_delta_net`] with what llama.cpp's graph does right before it: log gates `a softplus(alpha + dt)`, write strengths
/// `1 / (1 + e^-beta)`, and the norm of q and k.
pub fn ggml_gated_delta_net_raw<R: Real>(
    sizes: Sizes,
    norm: Norm,
    inputs: RawInputs<'_, R>,
    snapshots: usize,
    buffer: &mut [R],
) {
    let function = "ggml_gated_delta_net_raw";
    let shape = &sizes.beta_shape();
    shape::expect(function, "alpha", inputs.alpha.len(), shape);
    shape::expect(function, "q", inputs.q.len(), &sizes.key_shape());
    shape::expect(function, "k", inputs.k.len(), &sizes.key_shape());
    shape::expect(function, "a", inputs.a.len(), &[sizes.value_heads]);
    let rule = Inputs {
        q: &norm.rows(inputs.q, sizes.key_size),
        k: &norm.rows(inputs.k, sizes.key_size),
        v: inputs.v,
        g: &inputs.gates(),
        beta: &inputs.strengths(),
        state: inputs.state,
    };
    ggml_gated_delta_net(sizes, rule, snapshots, buffer);
}

#[cfg(test)]
mod tests {
    use super::super::ggml_output_len;
    use super::*;
    use crate::rule::{Convention, DecodeInputs, GateKind, decode_step};

    /// A decode step with ggml's choices, whose A is given as its logarithm.
    #[test]
    fn a_decode_step_computes_the_same() {
        let sizes = Sizes {
            sequences: 2,
            tokens: 3,
            key_heads: 2,
            value_heads: 4,
            key_size: 3,
            value_size: 3,
            gate_kind: GateKind::PerHead,
        };
        let some = |count: usize, step: f64| -> Vec<f64> {
            (0..count).map(|n| (n as f64 * step).sin()).collect()
        };
        let (q, k, v) = (some(36, 0.7), some(36, 1.3), some(72, 0.9));
        let (alpha, beta, state) = (some(24, 1.1), some(24, 0.3), some(72, 2.1));
        let (a_log, dt) = (some(4, 0.4), some(4, 0.8));
        let a: Vec<f64> = a_log.iter().map(|a_log| -a_log.exp()).collect();
        let mut buffer = vec![0.0; ggml_output_len(sizes, 2)];
        let inputs = RawInputs {
            q: &q,
            k: &k,
            v: &v,
            alpha: &alpha,
            beta: &beta,
            dt: &dt,
            a: &a,
            state: &state,
        };
        ggml_gated_delta_net_raw(sizes, Norm::GGML, inputs, 2, &mut buffer);
        let convention = Convention {
            norm: Norm::GGML,
            ..Convention::GGML
        };
        let inputs = DecodeInputs {
            q: &q,
            k: &k,
            v: &v,
            a: &alpha,
            b: &beta,
            a_log: &a_log,
            dt_bias: &dt,
            state: &state,
        };
        let step = decode_step(&convention, sizes, inputs, 2);
        assert_eq!(buffer, [step.output, step.state].concat());
    }
}
