use super::{
    ConvSizes, Convention, Inputs, RawInputs, Sizes, ggml_conv_input, ggml_conv_states,
    ggml_gated_norm, ggml_ssm_conv,
};
use crate::rule::recurrence;
use crate::{Real, shape};

/// Tensors of a layer between its first and its last projection.
#[derive(Clone, Copy, Debug)]
pub struct LayerInputs<'a, R> {
    /// Channels of q, k and v before their convolution, one after another, `[N, T, 2 Hk S + H S]`.
    pub qkv: &'a [R],
    /// Gates of the output, [`Sizes::value_shape`].
    pub z: &'a [R],
    /// Inputs of the gates, [`Sizes::beta_shape`].
    pub alpha: &'a [R],
    /// Write strengths before their sigmoid, [`Sizes::beta_shape`].
    pub beta: &'a [R],
    /// The convolution's states, [`ConvSizes::state_shape`].
    pub conv_states: &'a [R],
    /// The rule's states, [`Sizes::state_shape`].
    pub state: &'a [R],
    /// Weights of the convolution, `[D, W]`.
    pub conv_weights: &'a [R],
    /// Bias on the inputs of the gates, `[H]`.
    pub dt: &'a [R],
    /// Factor of the gates, `[H]`: `-e^A_log`.
    pub a: &'a [R],
    /// Weights of the output's norm, `[S]`.
    pub norm_weights: &'a [R],
}

/// Results of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerOutputs<R> {
    /// The output before the last projection, [`Sizes::value_shape`].
    pub output: Vec<R>,
    /// The convolution's states after the tokens, [`ConvSizes::state_shape`].
    pub conv_states: Vec<R>,
    /// The rule's states after the tokens, [`Sizes::state_shape`].
    pub state: Vec<R>,
}

/// Returns the sizes of a layer's convolution of `width` weights, whose channels are those of q, k and v.
#[must_use]
pub fn ggml_layer_conv(sizes: Sizes, width: usize) -> ConvSizes {
    ConvSizes {
        sequences: sizes.sequences,
        tokens: sizes.tokens,
        channels: 2 * sizes.key_heads * sizes.key_size + sizes.value_heads * sizes.value_size,
        width,
    }
}

/// Splits the channels `[N, T, D]` into q and k, [`Sizes::key_shape`], and v, [`Sizes::value_shape`].
#[must_use]
pub fn ggml_split<R: Real>(sizes: Sizes, mixed: &[R]) -> [Vec<R>; 3] {
    let keys = sizes.key_heads * sizes.key_size;
    let channels = ggml_layer_conv(sizes, 1).channels;
    let part = |range: std::ops::Range<usize>| {
        let rows = mixed.chunks_exact(channels);
        rows.flat_map(|row| &row[range.clone()]).copied().collect()
    };
    [
        part(0..keys),
        part(keys..2 * keys),
        part(2 * keys..channels),
    ]
}

/// Computes a gated delta net layer as llama.cpp's graph has it, from its projections to the output before the last projection:
///
/// ```text
/// [q | k | v] = silu(ssm_conv([conv_states | qkv]))
/// q, k        = q / max(|q|, eps), k / max(|k|, eps)       rows of a head
/// g           = a softplus(alpha + dt)
/// beta        = 1 / (1 + e^-beta)
/// o, state    = the gated delta rule                       Convention::GGML
/// output      = o / sqrt(mean o^2 + eps) norm_weights silu(z)
/// ```
///
/// `convention` has the norm with its epsilon, which is `eps` of the output's norm, too, and the head map: the operator of ggml has tiled
/// heads; a graph that repeats the heads of q and k beforehand may give a block map.
#[must_use]
pub fn ggml_delta_net_layer<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    width: usize,
    inputs: LayerInputs<'_, R>,
    eps: f64,
) -> LayerOutputs<R> {
    let conv = ggml_layer_conv(sizes, width);
    let heads = inputs.a.len();
    shape::expect("ggml_delta_net_layer", "a", heads, &[sizes.value_heads]);
    let joined = ggml_conv_input(conv, inputs.conv_states, inputs.qkv);
    let mixed = ggml_ssm_conv(conv, &joined, inputs.conv_weights, true);
    let [q, k, v] = &ggml_split(sizes, &mixed);
    let raw = RawInputs {
        q,
        k,
        v,
        alpha: inputs.alpha,
        beta: inputs.beta,
        dt: inputs.dt,
        a: inputs.a,
        state: inputs.state,
    };
    let rule = Inputs {
        q,
        k,
        v,
        g: &raw.gates(),
        beta: &raw.strengths(),
        state: raw.state,
    };
    let rule = recurrence(convention, sizes, rule);
    LayerOutputs {
        output: ggml_gated_norm(&rule.output, inputs.norm_weights, inputs.z, eps),
        conv_states: ggml_conv_states(conv, &joined),
        state: rule.state,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{GateKind, HeadMap, Norm};

    const WIDTH: usize = 4;
    const CONVENTION: Convention = Convention {
        norm: Norm::GGML,
        ..Convention::GGML
    };

    fn sizes(tokens: usize) -> Sizes {
        Sizes {
            sequences: 1,
            tokens,
            key_heads: 2,
            value_heads: 4,
            key_size: 3,
            value_size: 3,
            gate_kind: GateKind::PerHead,
        }
    }

    fn numbers(count: usize, step: f64) -> Vec<f64> {
        (0..count).map(|n| ((n + 1) as f64 * step).sin()).collect()
    }

    /// Runs a layer over a range of the tokens from these states.
    fn run(
        convention: &Convention,
        tokens: std::ops::Range<usize>,
        (conv_states, state): (&[f64], &[f64]),
    ) -> LayerOutputs<f64> {
        let part = |row: usize, step: f64| {
            numbers(6 * row, step)[tokens.start * row..][..tokens.len() * row].to_vec()
        };
        let (qkv, z) = (part(24, 0.71), part(12, 1.3));
        let (alpha, beta) = (part(4, 0.9), part(4, 2.3));
        let inputs = LayerInputs {
            qkv: &qkv,
            z: &z,
            alpha: &alpha,
            beta: &beta,
            conv_states,
            state,
            conv_weights: &numbers(24 * WIDTH, 0.37),
            dt: &numbers(4, 0.3),
            a: &[-1.0, -0.1, -2.0, -0.5],
            norm_weights: &[1.0, 0.5, 1.5],
        };
        ggml_delta_net_layer(convention, sizes(tokens.len()), WIDTH, inputs, 1e-6)
    }

    /// A call over all tokens gives what calls over parts of them give, one token at a time or more than the convolution keeps.
    #[test]
    fn states_are_handed_on() {
        let first = (numbers(24 * 3, 1.1), numbers(36, 0.6));
        let whole = run(&CONVENTION, 0..6, (&first.0, &first.1));
        for step in [1, 2, 5] {
            let mut states = first.clone();
            let mut output = Vec::new();
            for start in (0..6).step_by(step) {
                let range = start..(start + step).min(6);
                let part = run(&CONVENTION, range, (&states.0, &states.1));
                output.extend(part.output);
                states = (part.conv_states, part.state);
            }
            assert_eq!(whole.output, output);
            assert_eq!((&whole.conv_states, &whole.state), (&states.0, &states.1));
        }
    }

    /// One token, one channel of weight 1, an empty state: every step can be done by hand.
    #[test]
    fn by_hand() {
        let sizes = Sizes {
            sequences: 1,
            tokens: 1,
            key_heads: 1,
            value_heads: 1,
            key_size: 1,
            value_size: 1,
            gate_kind: GateKind::PerHead,
        };
        let ln3 = 3f64.ln();
        let inputs = LayerInputs {
            qkv: &[ln3, -ln3, ln3],
            z: &[ln3],
            alpha: &[ln3],
            beta: &[ln3],
            conv_states: &[0.0; 3],
            state: &[2.0],
            conv_weights: &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            dt: &[0.0],
            a: &[-0.5],
            norm_weights: &[2.0],
        };
        let layer = ggml_delta_net_layer(&CONVENTION, sizes, 2, inputs, 1e-6);
        // q = 1, k = -1, v = 3/4 ln 3; the decay is 4^(-1/2), the strength 3/4.
        let (v, decayed) = (0.75 * ln3, 1.0);
        let state = decayed - 0.75 * (v + decayed);
        assert!((layer.state[0] - state).abs() < 1e-14);
        let output = state / (state * state + 1e-6).sqrt() * 2.0 * 0.75 * ln3;
        assert!((layer.output[0] - output).abs() < 1e-12);
        assert_eq!(layer.conv_states, [ln3, -ln3, ln3]);
    }

    #[test]
    fn the_head_map_is_the_conventions() {
        let block = Convention {
            head_map: HeadMap::Block,
            ..CONVENTION
        };
        let first = (numbers(24 * 3, 1.1), numbers(36, 0.6));
        let [tiled, block] =
            [CONVENTION, block].map(|convention| run(&convention, 0..1, (&first.0, &first.1)));
        let head = |layer: &LayerOutputs<f64>, head: usize| layer.output[head * 3..][..3].to_vec();
        assert_eq!(head(&tiled, 0), head(&block, 0));
        assert_ne!(head(&tiled, 1), head(&block, 1));
    }
}
