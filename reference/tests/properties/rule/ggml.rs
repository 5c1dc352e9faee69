//! Tests of ggml's contract: its single buffer has the recurrence's output and states.

use super::call::{Call, random, sizes, wide};
use deltanet_reference::rule::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_buffer_is_the_output_and_the_last_states(sizes in sizes(), snapshots in 0usize..16, seed: u64) {
        let sizes = Sizes { value_size: sizes.key_size, ..sizes };
        let call = wide(&random(sizes, Gate::Log, -3.0, seed));
        let inputs = call.inputs(&Convention::GGML);
        let mut buffer = vec![f64::INFINITY; ggml_output_len(sizes, snapshots)];
        ggml_gated_delta_net(sizes, inputs, snapshots, &mut buffer);

        let (output, states) = buffer.split_at(call.v.len());
        let whole = call.run(&Convention::GGML);
        prop_assert_eq!(output, whole.output);
        for (slot, state) in states.chunks_exact(call.state.len()).enumerate() {
            if slot < sizes.tokens {
                prop_assert_eq!(state, first(&call, sizes.tokens - slot).run(&Convention::GGML).state);
            } else {
                prop_assert!(state.iter().all(|&x| x == f64::INFINITY), "slot {} was written", slot);
            }
        }
    }
}

/// Returns the first tokens of a call.
fn first(call: &Call<f64>, tokens: usize) -> Call<f64> {
    let part = |tensor: &[f64]| -> Vec<f64> {
        let size = tensor.len() / call.sizes.sequences;
        let kept = size / call.sizes.tokens * tokens;
        tensor
            .chunks_exact(size)
            .flat_map(|sequence| &sequence[..kept])
            .copied()
            .collect()
    };
    Call {
        sizes: Sizes {
            tokens,
            ..call.sizes
        },
        q: part(&call.q),
        k: part(&call.k),
        v: part(&call.v),
        g: part(&call.g),
        beta: part(&call.beta),
        state: call.state.clone(),
    }
}

#[test]
fn one_token_and_two_slots_by_hand() {
    // key channels innermost: column 0 of the state is (1, 2), column 1 is (3, 4); k writes channel 0 alone
    let sizes = Sizes {
        sequences: 1,
        tokens: 1,
        key_heads: 1,
        value_heads: 1,
        key_size: 2,
        value_size: 2,
        gate_kind: GateKind::PerKeyChannel,
    };
    let inputs = Inputs {
        q: &[0.0, 2f64.sqrt()],
        k: &[1.0, 0.0],
        v: &[10.0, 20.0],
        g: &[0.0, -(2f64.ln())],
        beta: &[0.5],
        state: &[1.0, 2.0, 3.0, 4.0],
    };
    let mut buffer = [-1.0; 10];
    ggml_gated_delta_net(sizes, inputs, 2, &mut buffer);
    let want = [1.0, 2.0, 5.5, 1.0, 11.5, 2.0, -1.0, -1.0, -1.0, -1.0];
    assert!(
        crate::common::distance(&buffer, &want) < 1e-14,
        "{buffer:?}"
    );
}
