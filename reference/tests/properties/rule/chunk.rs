//! Tests of the chunked form: it equals the recurrence, and each step satisfies its definition.

use super::call::{Call, calls, random, wide};
use crate::common::distance;
use deltanet_reference::operators::{dot, eye, gemm_nn};
use deltanet_reference::rule::chunk::*;
use deltanet_reference::rule::*;
use deltanet_reference::widen;
use proptest::prelude::*;

fn inverses() -> impl Strategy<Value = Inverse> {
    prop_oneof![
        Just(Inverse::ForwardSubstitution),
        Just(Inverse::BlockMerge)
    ]
}

/// Changes a call so that it has a chunked form.
fn chunkable(
    (convention, call): (Convention, Call<f64>),
    tokens: usize,
    seed: u64,
) -> (Convention, Call<f64>) {
    let convention = Convention {
        order: Order::DecayFirst,
        ..convention
    };
    let sizes = Sizes {
        tokens,
        gate_kind: GateKind::PerHead,
        ..call.sizes
    };
    (
        convention,
        wide(&random(sizes, convention.gate, -3.0, seed)),
    )
}

proptest! {
    #[test]
    fn chunks_of_any_length_are_the_recurrence(call in calls(), tokens in 0usize..40, chunk in 1usize..45, by in inverses(), seed: u64) {
        let (convention, call) = chunkable(call, tokens, seed);
        let got = chunked(&convention, call.sizes, call.inputs(&convention), chunk, by).outputs();
        let want = call.run(&convention);
        prop_assert!(distance(&got.output, &want.output) < 1e-12);
        prop_assert!(distance(&got.state, &want.state) < 1e-12);
    }

    #[test]
    fn each_chunk_starts_from_the_state_of_the_tokens_before_it(call in calls(), tokens in 1usize..30, chunk in 1usize..20, seed: u64) {
        let (convention, call) = chunkable(call, tokens, seed);
        // One sequence has its earlier tokens at the beginning of each tensor.
        let sizes = Sizes { sequences: 1, ..call.sizes };
        let convention = Convention { state: StateLayout::KeyMajor, ..convention };
        let call = wide(&random(sizes, convention.gate, -3.0, seed));
        let got = chunked(&convention, sizes, call.inputs(&convention), chunk, Inverse::ForwardSubstitution);
        let size = sizes.value_heads * sizes.key_size * sizes.value_size;
        prop_assert_eq!(got.states.h.len(), sizes.chunks(chunk) * size);
        for (n, h) in got.states.h.chunks_exact(size).enumerate() {
            let before = Sizes { tokens: n * chunk, ..sizes };
            let part = |x: &[f64]| x[..x.len() / sizes.tokens * before.tokens].to_vec();
            let before = Call {
                sizes: before,
                q: part(&call.q),
                k: part(&call.k),
                v: part(&call.v),
                g: part(&call.g),
                beta: part(&call.beta),
                state: call.state.clone(),
            };
            prop_assert!(distance(h, &before.run(&convention).state) < 1e-12);
        }
    }

    #[test]
    fn the_two_inverses_are_one_and_invert(c in 0usize..80, seed: u64) {
        let l = lower(c, seed);
        let wide = widen(&l);
        let forward = invert(&wide, c, Inverse::ForwardSubstitution);
        let merged = invert(&wide, c, Inverse::BlockMerge);
        prop_assert!(distance(&forward, &merged) < 1e-13);
        for inverse in [&forward, &merged] {
            let product = gemm_nn(&add_identity(&wide, c), inverse, c, c, c);
            prop_assert!(distance(&product, &eye(c)) < 1e-13);
        }
        // In f32 both agree up to rounding.
        for by in [Inverse::ForwardSubstitution, Inverse::BlockMerge] {
            prop_assert!(distance(&widen(&invert(&l, c, by)), &forward) < 2e-6);
        }
    }

    #[test]
    fn goldens_are_close_to_the_oracle(seed: u64, tokens in 1usize..150, lowest in prop_oneof![Just(0.0f32), Just(-0.02), Just(-20.0)]) {
        let sizes = Sizes {
            sequences: 1,
            tokens,
            key_heads: 1,
            value_heads: 2,
            key_size: 32,
            value_size: 16,
            gate_kind: GateKind::PerHead,
        };
        let call = random(sizes, Gate::Log, lowest, seed);
        let oracle = wide(&call).run(&Convention::FLA);
        for by in [Inverse::ForwardSubstitution, Inverse::BlockMerge] {
            let golden = chunked(&Convention::FLA, sizes, call.inputs(&Convention::FLA), 64, by).outputs();
            prop_assert!(distance(&widen(&golden.output), &oracle.output) < 1e-5);
            prop_assert!(distance(&widen(&golden.state), &oracle.state) < 1e-5);
        }
    }
}

/// Returns L of unit keys and betas in (0,1). The inverse of a random matrix would say nothing.
fn lower(c: usize, seed: u64) -> Vec<f32> {
    let sizes = Sizes {
        sequences: 1,
        tokens: c,
        key_heads: 1,
        value_heads: 1,
        key_size: 32,
        value_size: 1,
        gate_kind: GateKind::PerHead,
    };
    let call = random(sizes, Gate::Log, -0.1, seed);
    let sums = cumsum(sizes, c.max(1), Gate::Log, &call.g);
    l(sizes, c.max(1), HeadMap::Block, &call.k, &call.beta, &sums)
}

fn add_identity(l: &[f64], c: usize) -> Vec<f64> {
    l.iter()
        .zip(eye(c))
        .map(|(&l, one): (&f64, f64)| l + one)
        .collect()
}

/// Three tokens in chunks of two, one channel: k = 1, v = (1, 2, 3), beta = 1/2, each token halves the state 8.
fn three_tokens() -> ChunkResults<f64> {
    let sizes = Sizes {
        sequences: 1,
        tokens: 3,
        key_heads: 1,
        value_heads: 1,
        key_size: 1,
        value_size: 1,
        gate_kind: GateKind::PerHead,
    };
    let inputs = Inputs {
        q: &[1.0, 1.0, 1.0],
        k: &[1.0, 1.0, 1.0],
        v: &[1.0, 2.0, 3.0],
        g: &[-(2f64.ln()); 3],
        beta: &[0.5; 3],
        state: &[8.0],
    };
    chunked(
        &Convention::FLA,
        sizes,
        inputs,
        2,
        Inverse::ForwardSubstitution,
    )
}

#[test]
fn every_intermediate_result_by_hand() {
    let near =
        |got: &[f64], want: &[f64]| assert!(distance(got, want) < 1e-14, "{got:?} is not {want:?}");
    let got = three_tokens();
    let ln2 = 2f64.ln();
    // The short chunk sums from its own first token.
    near(&got.cumsum, &[-ln2, -2.0 * ln2, -ln2]);
    near(&got.l, &[0.0, 0.0, 0.25, 0.0, 0.0, 0.0]);
    near(&got.inverse, &[1.0, 0.0, -0.25, 1.0, 1.0, 0.0]);
    // u_1 = -0.25 * 0.5 + 1; w_1 = -0.25 * 0.25 + 0.5 * 0.25
    near(&got.uw.u, &[0.5, 0.875, 1.5]);
    near(&got.uw.w, &[0.25, 0.0625, 0.25]);
    // S: 8 -> 4 - 1.5 = 2.5 -> 1.25 + 0.375 = 1.625 -> 0.8125 + 1.09375
    near(&got.states.h, &[8.0, 1.625]);
    near(&got.states.vn, &[-1.5, 0.375, 1.09375]);
    near(&got.states.last, &[1.90625]);
    near(&got.output, &[2.5, 1.625, 1.90625]);
}

#[test]
fn steep_gates_do_not_overflow() {
    // e^(G_j - G_i) would be inf above the diagonal
    let sizes = Sizes {
        sequences: 1,
        tokens: 64,
        key_heads: 1,
        value_heads: 1,
        key_size: 4,
        value_size: 4,
        gate_kind: GateKind::PerHead,
    };
    let mut call = random(sizes, Gate::Log, -1.0, 5);
    call.g.fill(-30.0);
    let inputs = call.inputs(&Convention::FLA);
    let got = chunked(&Convention::FLA, sizes, inputs, 64, Inverse::BlockMerge);
    let all = [
        &got.l,
        &got.inverse,
        &got.uw.u,
        &got.uw.w,
        &got.states.vn,
        &got.states.last,
        &got.output,
    ];
    assert!(
        all.iter()
            .all(|tensor| tensor.iter().all(|x| x.is_finite()))
    );
}

#[test]
fn beta_is_that_of_the_row() {
    let sizes = Sizes {
        sequences: 1,
        tokens: 2,
        key_heads: 1,
        value_heads: 1,
        key_size: 2,
        value_size: 1,
        gate_kind: GateKind::PerHead,
    };
    let k = [1.0f64, 2.0, 3.0, 4.0];
    let got = l(
        sizes,
        2,
        HeadMap::Block,
        &k,
        &[0.5, 0.25],
        &[0.0, -(2f64.ln())],
    );
    assert!(distance(&got, &[0.0, 0.0, 0.25 * dot(&k[..2], &k[2..]) * 0.5, 0.0]) < 1e-15);
}

#[test]
#[should_panic(expected = "chunked: the error is from the undecayed state")]
fn seed_003_has_no_chunked_form() {
    let sizes = Sizes {
        sequences: 1,
        tokens: 1,
        key_heads: 1,
        value_heads: 1,
        key_size: 1,
        value_size: 1,
        gate_kind: GateKind::PerHead,
    };
    let one = [1.0f64];
    let inputs = Inputs {
        q: &[],
        k: &one,
        v: &one,
        g: &one,
        beta: &one,
        state: &one,
    };
    let _ = chunked(
        &Convention::NOTEBOOK,
        sizes,
        inputs,
        1,
        Inverse::ForwardSubstitution,
    );
}
