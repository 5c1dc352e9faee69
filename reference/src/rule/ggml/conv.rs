use crate::gdr::op::silu;
use crate::{Real, shape};

/// Sizes of ggml's convolution over the tokens of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvSizes {
    /// Number of sequences, N.
    pub sequences: usize,
    /// Tokens of a sequence, T.
    pub tokens: usize,
    /// Number of channels, D.
    pub channels: usize,
    /// Number of weights of a channel, W.
    pub width: usize,
}

impl ConvSizes {
    /// The shape of the tokens, and of the convolution's output: `[N, T, D]`.
    #[must_use]
    pub fn token_shape(&self) -> [usize; 3] {
        [self.sequences, self.tokens, self.channels]
    }

    /// The shape of the convolution's states, the last W - 1 elements of each channel: `[N, D, W - 1]`.
    #[must_use]
    pub fn state_shape(&self) -> [usize; 3] {
        [self.sequences, self.channels, self.width - 1]
    }

    /// The shape of the states and the tokens joined: `[N, D, W - 1 + T]`.
    #[must_use]
    pub fn joined_shape(&self) -> [usize; 3] {
        let elements = self.width - 1 + self.tokens;
        [self.sequences, self.channels, elements]
    }
}

/// Joins the states `[N, D, W - 1]` and the tokens `[N, T, D]` along the tokens of each channel, as ggml's graph does before its
/// convolution.
#[must_use]
pub fn ggml_conv_input<R: Copy>(sizes: ConvSizes, states: &[R], tokens: &[R]) -> Vec<R> {
    let function = "ggml_conv_input";
    shape::expect(function, "states", states.len(), &sizes.state_shape());
    shape::expect(function, "tokens", tokens.len(), &sizes.token_shape());
    let kept = sizes.width - 1;
    let mut joined = Vec::with_capacity(states.len() + tokens.len());
    for line in 0..sizes.sequences * sizes.channels {
        let (sequence, channel) = (line / sizes.channels, line % sizes.channels);
        joined.extend_from_slice(&states[line * kept..][..kept]);
        let rows = sequence * sizes.tokens..(sequence + 1) * sizes.tokens;
        joined.extend(rows.map(|row| tokens[row * sizes.channels + channel]));
    }
    joined
}

/// Computes ggml's `SSM_CONV`: `y[n,t,c] = sum_j weights[c,j] joined[n,c,t+j]`, and `x / (1 + e^-x)` of it if `activated`, as
/// llama.cpp's graph has it next.
///
/// `joined` is [`ConvSizes::joined_shape`], `weights` is `[D, W]`; ggml writes these shapes innermost first. The sum runs from the oldest
/// element to the newest, each product fused.
#[must_use]
pub fn ggml_ssm_conv<R: Real>(
    sizes: ConvSizes,
    joined: &[R],
    weights: &[R],
    activated: bool,
) -> Vec<R> {
    let function = "ggml_ssm_conv";
    let ConvSizes {
        channels, width, ..
    } = sizes;
    shape::expect(function, "joined", joined.len(), &sizes.joined_shape());
    shape::expect(function, "weights", weights.len(), &[channels, width]);
    let length = width - 1 + sizes.tokens;
    let mut output = Vec::with_capacity(sizes.sequences * sizes.tokens * channels);
    for row in 0..sizes.sequences * sizes.tokens {
        let (sequence, token) = (row / sizes.tokens, row % sizes.tokens);
        for channel in 0..channels {
            let first = (sequence * channels + channel) * length + token;
            let window = &joined[first..first + width];
            let own = &weights[channel * width..][..width];
            let pairs = own.iter().zip(window);
            let sum = pairs.fold(R::ZERO, |sum, (&w, &x)| w.mul_add(x, sum));
            output.push(if activated { silu(sum) } else { sum });
        }
    }
    output
}

/// Returns the convolution's states after the tokens: the last W - 1 elements of each channel of `joined`. With fewer tokens than that,
/// the oldest of them are the newest of the states before.
#[must_use]
pub fn ggml_conv_states<R: Copy>(sizes: ConvSizes, joined: &[R]) -> Vec<R> {
    let expected = &sizes.joined_shape();
    shape::expect("ggml_conv_states", "joined", joined.len(), expected);
    let lines = joined.chunks_exact(sizes.width - 1 + sizes.tokens);
    lines
        .flat_map(|line| &line[sizes.tokens..])
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: ConvSizes = ConvSizes {
        sequences: 1,
        tokens: 2,
        channels: 2,
        width: 3,
    };

    #[test]
    fn by_hand() {
        let joined = ggml_conv_input(SIZES, &[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0, 30.0, 40.0]);
        assert_eq!(joined, [1.0, 2.0, 10.0, 30.0, 3.0, 4.0, 20.0, 40.0]);
        let weights = [1.0, 0.5, 0.25, 0.0, 0.0, 1.0];
        let output = ggml_ssm_conv(SIZES, &joined, &weights, false);
        // 1 + 2/2 + 10/4, 20; 2 + 10/2 + 30/4, 40
        assert_eq!(output, [4.5f64, 20.0, 14.5, 40.0]);
        assert_eq!(ggml_conv_states(SIZES, &joined), [10.0, 30.0, 20.0, 40.0]);
        let ln3 = 3f64.ln();
        let active = ggml_ssm_conv(SIZES, &[ln3; 8], &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], true);
        assert!(active.iter().all(|y| (y - 0.75 * ln3).abs() < 1e-15));
    }

    /// A state that is longer than the tokens keeps some of what it held.
    #[test]
    fn few_tokens_shift_the_state() {
        let sizes = ConvSizes { tokens: 1, ..SIZES };
        let joined = ggml_conv_input(sizes, &[1, 2, 3, 4], &[10, 20]);
        assert_eq!(ggml_conv_states(sizes, &joined), [2, 10, 4, 20]);
    }
}
