//! Properties that hold for every convention, size and input.

use super::call::{Call, calls, conventions, random, sizes, wide};
use crate::common::distance;
use deltanet_reference::rule::*;
use deltanet_reference::widen;
use proptest::prelude::*;

/// Returns the tokens `range` of a tensor `[B, T, ..]`.
fn part<R: Copy>(tensor: &[R], sizes: Sizes, range: std::ops::Range<usize>) -> Vec<R> {
    let size = tensor.len() / (sizes.sequences * sizes.tokens);
    tensor
        .chunks_exact(sizes.tokens * size)
        .flat_map(|sequence| &sequence[range.start * size..range.end * size])
        .copied()
        .collect()
}

/// Returns the tokens `range` of a call, with another initial state.
fn tokens<R: Copy>(call: &Call<R>, range: std::ops::Range<usize>, state: Vec<R>) -> Call<R> {
    let part = |tensor: &[R]| part(tensor, call.sizes, range.clone());
    Call {
        sizes: Sizes {
            tokens: range.len(),
            ..call.sizes
        },
        q: part(&call.q),
        k: part(&call.k),
        v: part(&call.v),
        g: part(&call.g),
        beta: part(&call.beta),
        state,
    }
}

/// Reorders an axis of the given length and stride: position i takes the element `from[i]`.
fn permuted<R: Copy>(tensor: &[R], from: &[usize], stride: usize) -> Vec<R> {
    tensor
        .chunks_exact(from.len() * stride)
        .flat_map(|outer| {
            from.iter()
                .flat_map(move |&i| &outer[i * stride..][..stride])
        })
        .copied()
        .collect()
}

proptest! {
    #[test]
    fn a_sequence_may_be_split_anywhere((convention, call) in calls(), at: prop::sample::Index) {
        let (whole, split) = (call.run(&convention), at.index(call.sizes.tokens));
        let (first, rest) = (0..split, split..call.sizes.tokens);
        let first_part = tokens(&call, first.clone(), call.state.clone()).run(&convention);
        let rest_part = tokens(&call, rest.clone(), first_part.state.clone()).run(&convention);
        // The results agree to the bit, as a token sees the tokens before it only through the state.
        prop_assert_eq!(first_part.output, part(&whole.output, call.sizes, first));
        prop_assert_eq!(rest_part.output, part(&whole.output, call.sizes, rest));
        prop_assert_eq!(rest_part.state, whole.state);
    }

    #[test]
    fn padding_with_zeros_changes_nothing((convention, call) in calls(), padding in 1usize..4) {
        let whole = call.run(&convention);
        let longer = Sizes { tokens: call.sizes.tokens + padding, ..call.sizes };
        let pad = |tensor: &[f64], with: f64| -> Vec<f64> {
            let size = tensor.len() / (call.sizes.sequences * call.sizes.tokens);
            let zeros = vec![with; padding * size];
            tensor.chunks_exact(call.sizes.tokens * size).flat_map(|x| [x, &zeros].concat()).collect()
        };
        // A gate without decay has the factor 1.
        let still = if convention.gate == Gate::Factor { 1.0 } else { 0.0 };
        let padded = Call {
            sizes: longer,
            q: pad(&call.q, 0.0),
            k: pad(&call.k, 0.0),
            v: pad(&call.v, 0.0),
            g: pad(&call.g, still),
            beta: pad(&call.beta, 0.0),
            state: call.state.clone(),
        };
        let got = padded.run(&convention);
        prop_assert_eq!(part(&got.output, longer, 0..call.sizes.tokens), whole.output);
        prop_assert_eq!(got.state, whole.state);
    }

    #[test]
    fn a_token_is_not_seen_by_those_before_it((convention, call) in calls(), at: prop::sample::Index) {
        let (whole, at) = (call.run(&convention), at.index(call.sizes.tokens));
        let mut changed = call.clone();
        let sizes = call.sizes;
        for tensor in [&mut changed.q, &mut changed.k, &mut changed.v, &mut changed.g, &mut changed.beta] {
            let size = tensor.len() / (sizes.sequences * sizes.tokens);
            for sequence in tensor.chunks_exact_mut(sizes.tokens * size) {
                sequence[at * size..][..size].fill(f64::NAN);
            }
        }
        let got = changed.run(&convention);
        prop_assert_eq!(part(&got.output, sizes, 0..at), part(&whole.output, sizes, 0..at));
        prop_assert!(part(&got.output, sizes, at..at + 1).iter().all(|x| x.is_nan()));
        prop_assert!(got.state.iter().all(|x| x.is_nan()));
    }

    #[test]
    fn sequences_and_heads_do_not_see_each_other(
        (convention, call) in calls(),
        heads in Just([2usize, 0, 1]).prop_shuffle(),
    ) {
        // Equal numbers of q/k heads and value heads can be reordered together.
        let sizes = Sizes { key_heads: 3, value_heads: 3, ..call.sizes };
        let call = wide(&random(sizes, convention.gate, -3.0, call.state[0].to_bits()));
        let whole = call.run(&convention);
        let heads = |x: &[f64], stride| permuted(x, &heads, stride);
        let swap: Vec<usize> = (0..sizes.sequences).rev().collect();
        let sequences = |x: &[f64]| permuted(x, &swap, x.len() / sizes.sequences);
        let both = |x: &[f64], stride| sequences(&heads(x, stride));
        let (k, v, state) = (sizes.key_size, sizes.value_size, sizes.key_size * sizes.value_size);
        let gates = call.g.len() / call.beta.len();
        let reordered = Call {
            sizes,
            q: both(&call.q, k),
            k: both(&call.k, k),
            v: both(&call.v, v),
            g: both(&call.g, gates),
            beta: both(&call.beta, 1),
            state: both(&call.state, state),
        };
        let got = reordered.run(&convention);
        prop_assert_eq!(got.output, both(&whole.output, v));
        prop_assert_eq!(got.state, both(&whole.state, state));
    }

    #[test]
    fn the_head_maps_repeat_the_heads((convention, call) in calls()) {
        // The call is equivalent to one whose q and k heads are repeated beforehand.
        let sizes = call.sizes;
        let map = |hv| convention.head_map.key_head(hv, sizes.key_heads, sizes.value_heads);
        let repeat = |x: &[f64]| -> Vec<f64> {
            x.chunks_exact(sizes.key_heads * sizes.key_size)
                .flat_map(|token| (0..sizes.value_heads).flat_map(move |hv| &token[map(hv) * sizes.key_size..][..sizes.key_size]))
                .copied()
                .collect()
        };
        let repeated = Call {
            sizes: Sizes { key_heads: sizes.value_heads, ..sizes },
            q: repeat(&call.q),
            k: repeat(&call.k),
            ..call.clone()
        };
        prop_assert_eq!(repeated.run(&convention), call.run(&convention));
    }

    #[test]
    fn the_head_maps_agree_on_one_head((convention, call) in calls()) {
        let sizes = Sizes { key_heads: 1, ..call.sizes };
        let one = wide(&random(sizes, convention.gate, -3.0, 7));
        let block = one.run(&Convention { head_map: HeadMap::Block, ..convention });
        let tiled = one.run(&Convention { head_map: HeadMap::Tiled, ..convention });
        prop_assert_eq!(block, tiled);
    }

    #[test]
    fn gates_alike_for_all_channels_are_one_gate(convention in conventions(), sizes in sizes(), seed: u64) {
        let sizes = Sizes { gate_kind: GateKind::PerHead, ..sizes };
        let one = wide(&random(sizes, convention.gate, -3.0, seed));
        let alike = Call {
            sizes: Sizes { gate_kind: GateKind::PerKeyChannel, ..sizes },
            g: one.g.iter().flat_map(|&g| vec![g; sizes.key_size]).collect(),
            ..one.clone()
        };
        prop_assert_eq!(alike.run(&convention), one.run(&convention));
    }

    #[test]
    fn writing_the_same_pair_again_leaves_no_error(convention in conventions(), sizes in sizes(), seed: u64) {
        // beta = 1, no decay, unit keys; the keys are the queries
        let sizes = Sizes { tokens: 2, gate_kind: GateKind::PerHead, ..sizes };
        let still = if convention.gate == Gate::Factor { 1.0 } else { 0.0 };
        let convention = Convention { scale: Scale::One, norm: Norm::TORCH, ..convention };
        let mut call = wide(&random(sizes, convention.gate, -3.0, seed));
        call.g.fill(still);
        call.beta.fill(1.0);
        for x in [&mut call.k, &mut call.v] {
            let size = x.len() / (2 * sizes.sequences);
            for sequence in x.chunks_exact_mut(2 * size) {
                sequence.copy_within(..size, size);
            }
        }
        call.q = call.k.clone();
        let once = tokens(&call, 0..1, call.state.clone()).run(&convention);
        let twice = call.run(&convention);
        prop_assert!(distance(&twice.output, &call.v) < 1e-13);
        prop_assert!(distance(&twice.state, &once.state) < 1e-13);
    }

    #[test]
    fn the_golden_is_close_to_the_oracle((convention, seed) in (conventions(), any::<u64>()), sizes in sizes()) {
        let sizes = Sizes { tokens: 60, ..sizes };
        let call = random(sizes, convention.gate, -0.1, seed);
        let golden = recurrence(&convention, sizes, call.inputs(&convention));
        let oracle = wide(&call).run(&convention);
        prop_assert!(distance(&widen(&golden.output), &oracle.output) < 1e-4);
        prop_assert!(distance(&widen(&golden.state), &oracle.state) < 1e-4);
    }

    #[test]
    fn an_order_of_its_own_is_another_function(sizes in sizes(), seed: u64) {
        // Without decay the order does not matter; with decay it does.
        let sizes = Sizes { tokens: 5, ..sizes };
        let call = wide(&random(sizes, Gate::Log, -3.0, seed));
        let first = Convention { order: Order::ErrorFirst, ..Convention::FLA };
        prop_assert!(distance(&call.run(&first).state, &call.run(&Convention::FLA).state) > 1e-9);
        let mut still = call;
        still.g.fill(0.0);
        prop_assert_eq!(still.run(&first), still.run(&Convention::FLA));
    }
}

#[test]
fn f32_is_a_fused_kernel_to_the_bit() {
    // The kernel's loop, with one lane per value column, has the golden's order of operations.
    let sizes = Sizes {
        sequences: 1,
        tokens: 9,
        key_heads: 1,
        value_heads: 1,
        key_size: 11,
        value_size: 3,
        gate_kind: GateKind::PerHead,
    };
    let call = random(sizes, Gate::Log, -0.5, 3);
    let mut state = call.state.clone();
    let mut output = Vec::new();
    let scale = 1.0 / 11f64.sqrt();
    for t in 0..9 {
        let (q, k) = (&call.q[t * 11..][..11], &call.k[t * 11..][..11]);
        let decay = f64::from(call.g[t]).exp() as f32;
        for lane in 0..3 {
            let mut seen = 0.0f32;
            for i in 0..11 {
                state[i * 3 + lane] *= decay;
                seen = state[i * 3 + lane].mul_add(k[i], seen);
            }
            let d = call.beta[t] * (call.v[t * 3 + lane] - seen);
            let mut o = 0.0f32;
            for i in 0..11 {
                state[i * 3 + lane] = k[i].mul_add(d, state[i * 3 + lane]);
                o = state[i * 3 + lane].mul_add(q[i], o);
            }
            output.push(scale as f32 * o);
        }
    }
    let golden = recurrence(&Convention::FLA, sizes, call.inputs(&Convention::FLA));
    assert_eq!(golden, Outputs { output, state });
}
