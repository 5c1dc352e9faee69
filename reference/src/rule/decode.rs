use super::recurrence::tokens;
use super::{Convention, Inputs, Outputs, Sizes, producers};
use crate::{Real, operators, shape};

/// Projections of a layer for a decode step, before gates and norms.
#[derive(Clone, Copy, Debug)]
pub struct DecodeInputs<'a, R> {
    /// Queries before their norm, [`Sizes::key_shape`].
    pub q: &'a [R],
    /// Keys before their norm, [`Sizes::key_shape`].
    pub k: &'a [R],
    /// Values, [`Sizes::value_shape`].
    pub v: &'a [R],
    /// Inputs of the gates, [`Sizes::beta_shape`].
    pub a: &'a [R],
    /// Inputs of the write strengths, [`Sizes::beta_shape`].
    pub b: &'a [R],
    /// Log of the gates' rates, `[HV]`.
    pub a_log: &'a [R],
    /// Bias on the inputs of the gates, `[HV]`.
    pub dt_bias: &'a [R],
    /// The states before the first token, [`Sizes::state_shape`].
    pub state: &'a [R],
}

/// Runs a decode step of a layer: `g = -e^(A_log) softplus(a + dt_bias)`, `beta = sigmoid(b)`, q and k by the convention's norm, then the
/// rule.
///
/// The outputs have the state after each of the last `kept` tokens, the newest first, each of [`Sizes::state_shape`].
///
/// # Panics
/// Panics unless every tensor has its shape, and there are at least `kept` tokens.
#[must_use]
pub fn decode_step<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: DecodeInputs<'_, R>,
    kept: usize,
) -> Outputs<R> {
    let DecodeInputs {
        q,
        k,
        v,
        a,
        b,
        a_log,
        dt_bias,
        state,
    } = inputs;
    shape::expect("decode_step", "a", a.len(), &sizes.beta_shape());
    shape::expect("decode_step", "A_log", a_log.len(), &[sizes.value_heads]);
    assert!(
        kept <= sizes.tokens,
        "decode_step: {kept} states of {} tokens",
        sizes.tokens
    );
    let g = &producers::log_gates(a, a_log, dt_bias);
    let beta = &operators::sigmoid(b);
    let rule = Inputs {
        q,
        k,
        v,
        g,
        beta,
        state,
    };
    rule.check("decode_step", convention, sizes);
    let mut states = vec![R::from_f64(0.0); kept * state.len()];
    let output = tokens(convention, sizes, rule, |index, head_state| {
        let slot = sizes.tokens - 1 - index.token;
        if slot < kept {
            let slot = &mut states[slot * state.len()..][..state.len()];
            let head = sizes.head_state(index.sequence, index.value_head);
            slot[head].copy_from_slice(&convention.state.store(head_state, sizes));
        }
    });
    Outputs {
        output,
        state: states,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{GateKind, recurrence};

    /// The kept states are the final states of shorter calls.
    #[test]
    fn states_are_those_of_shorter_calls() {
        let sizes = |tokens| Sizes {
            sequences: 1,
            tokens,
            key_heads: 1,
            value_heads: 2,
            key_size: 3,
            value_size: 2,
            gate_kind: GateKind::PerHead,
        };
        let some = |count: usize, step: f64| -> Vec<f64> {
            (0..count).map(|n| (n as f64 * step).sin()).collect()
        };
        let (q, k, v) = (some(9, 0.7), some(9, 1.3), some(12, 0.9));
        let (a, b, state) = (some(6, 1.1), some(6, 0.3), some(12, 2.1));
        let (a_log, dt_bias) = (some(2, 0.4), some(2, 0.8));
        let convention = &Convention::HUGGING_FACE;
        let whole = decode_step(
            convention,
            sizes(3),
            DecodeInputs {
                q: &q,
                k: &k,
                v: &v,
                a: &a,
                b: &b,
                a_log: &a_log,
                dt_bias: &dt_bias,
                state: &state,
            },
            3,
        );
        for tokens in 1..=3 {
            let heads = tokens * 2;
            let short = recurrence(
                convention,
                sizes(tokens),
                Inputs {
                    q: &q[..tokens * 3],
                    k: &k[..tokens * 3],
                    v: &v[..tokens * 4],
                    g: &producers::log_gates(&a[..heads], &a_log, &dt_bias),
                    beta: &operators::sigmoid(&b[..heads]),
                    state: &state,
                },
            );
            assert_eq!(whole.state[(3 - tokens) * 12..][..12], short.state);
            assert_eq!(whole.output[..tokens * 4], short.output);
        }
    }
}
