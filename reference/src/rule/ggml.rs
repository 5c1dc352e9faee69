mod conv;
mod gated_norm;
mod layer;
mod raw;

use super::recurrence::tokens;
use super::{Convention, Inputs, Norm, Sizes};
use crate::{Real, shape};

pub use conv::{ConvSizes, ggml_conv_input, ggml_conv_states, ggml_ssm_conv};
pub use gated_norm::ggml_gated_norm;
pub use layer::{LayerInputs, LayerOutputs, ggml_delta_net_layer, ggml_layer_conv, ggml_split};
pub use raw::{RawInputs, ggml_gated_delta_net_raw};

/// Computes ggml's `GATED_DELTA_NET`: [`Convention::GGML`] with as many key channels as value channels, and one output buffer.
///
/// ggml writes its shapes innermost first: q, k `[S, Hk, T, N]`, v `[S, H, T, N]`, g `[1 or S, H, T, N]` (log gates),
/// beta `[1, H, T, N]`, state `[S, S, H, N]` with the key channels innermost. Read backwards they are the shapes of
/// [`Sizes`], element for element.
///
/// `buffer` is the single output tensor ([`ggml_output_len`]): the output, then `snapshots` states `[S, S, H, N]`. Slot 0 gets the state
/// after the last token, slot 1 the state one token earlier, and so on. A slot without a token keeps its content.
pub fn ggml_gated_delta_net<R: Real>(
    sizes: Sizes,
    inputs: Inputs<'_, R>,
    snapshots: usize,
    buffer: &mut [R],
) {
    let convention = &Convention::GGML;
    inputs.check("ggml_gated_delta_net", convention, sizes);
    assert!(
        sizes.key_size == sizes.value_size,
        "ggml_gated_delta_net: key_size is {}, value_size is {}: ggml has one size",
        sizes.key_size,
        sizes.value_size
    );
    let length = ggml_output_len(sizes, snapshots);
    shape::expect("ggml_gated_delta_net", "buffer", buffer.len(), &[length]);
    let (output, states) = buffer.split_at_mut(inputs.v.len());
    let computed = tokens(convention, sizes, inputs, |index, state| {
        let slot = sizes.tokens - 1 - index.token;
        if slot < snapshots {
            let slot = &mut states[slot * inputs.state.len()..][..inputs.state.len()];
            let head = sizes.head_state(index.sequence, index.value_head);
            slot[head].copy_from_slice(&convention.state.store(state, sizes));
        }
    });
    output.copy_from_slice(&computed);
}

/// Returns the length of the output tensor: `S H T N` elements of output and `snapshots` states.
#[must_use]
pub fn ggml_output_len(sizes: Sizes, snapshots: usize) -> usize {
    let output: usize = sizes.value_shape().iter().product();
    let state: usize = sizes.state_shape(Convention::GGML.state).iter().product();
    output + snapshots * state
}

/// Returns the metric of ggml's tests, which demand `<= 1e-7` for this operation: `sum (a - b)^2 / sum a^2`, in f64.
///
/// `a` is the result of the tested device, `b` the expected one. Equal tensors have 0 even if they are zeros; NaN on either side gives NaN,
/// which no limit accepts.
#[must_use]
pub fn nmse<R: Real>(a: &[R], b: &[R]) -> f64 {
    shape::expect("nmse", "b", b.len(), &[a.len()]);
    let mut error = 0.0;
    let mut size = 0.0;
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a.to_f64(), b.to_f64());
        error += (a - b) * (a - b);
        size += a * a;
    }
    if error == 0.0 { 0.0 } else { error / size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nmse_by_hand() {
        // (1 + 4) / (9 + 16)
        assert_eq!(nmse(&[3.0f32, 4.0], &[2.0, 6.0]), 0.2);
        assert_eq!(nmse(&[0.0f32], &[0.0]), 0.0);
        assert_eq!(nmse(&[0.0f32], &[1.0]), f64::INFINITY);
        assert!(nmse(&[f32::NAN], &[1.0]).is_nan());
        assert!(nmse(&[f32::INFINITY], &[1.0]).is_nan());
    }
}
