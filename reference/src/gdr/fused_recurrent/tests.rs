use super::*;
use crate::gdr::bf16;
use crate::gdr::recurrent::{Layout, equal_bounds};
use crate::rule::{Convention, GateKind, HeadMap, Inputs, Norm, Order, Sizes, recurrence};

/// Returns numbers in -1..1 without a pattern.
fn numbers(n: usize, seed: f64) -> Vec<f64> {
    (0..n)
        .map(|i| ((i as f64 + seed) * 12.9898).sin())
        .collect()
}

/// Returns a call of one head and one channel with q = k = 1, for which o equals the state.
fn scalar<'a>(
    bounds: &'a [usize],
    ones: &'a [f64],
    v: &'a [f64],
    beta: &'a [f64],
) -> RecurrentCall<'a, f64> {
    RecurrentCall {
        layout: Layout {
            bounds,
            key_heads: 1,
            value_heads: 1,
            key_size: 1,
            value_size: 1,
        },
        head_map: HeadMap::Block,
        q: ones,
        k: ones,
        v,
        beta,
        g: None,
        gk: None,
        gv: None,
        norm: Norm::None,
        order: Order::DecayFirst,
        scale: 1.0,
    }
}

#[test]
fn by_hand() {
    // S = 8: halved, then half of the way to 2; then half of the way to 7
    let half = [-(2f64.ln()), 0.0];
    let call = RecurrentCall {
        g: Some(&half),
        ..scalar(&[0, 2], &[1.0; 2], &[2.0, 7.0], &[0.5, 0.5])
    };
    let got = fused_recurrent(&call, Some(&[8.0]));
    assert_eq!((got.o, got.states), (vec![3.0, 5.0], vec![5.0]));
}

#[test]
fn each_sequence_has_its_own_state_and_an_empty_one_keeps_it() {
    let call = scalar(&[0, 1, 1, 3], &[1.0; 3], &[2.0, 4.0, 8.0], &[0.5; 3]);
    let got = fused_recurrent(&call, Some(&[0.0, 5.0, 16.0]));
    assert_eq!(got.o, [1.0, 10.0, 9.0]);
    assert_eq!(got.states, [1.0, 5.0, 9.0]);
    let without = fused_recurrent(&call, None);
    assert_eq!(without.states, [1.0, 0.0, 5.0]);
}

#[test]
fn the_output_is_rounded_to_bf16_and_the_state_is_not() {
    let v = [1.0 + 2f64.powi(-20)];
    let got = fused_recurrent(&scalar(&[0, 1], &[1.0], &v, &[1.0]), None);
    assert_eq!((got.o[0], got.states[0]), (1.0, v[0]));
}

/// Returns a call with grouped heads, and the same numbers for the rule's own function.
fn grouped() -> (Sizes, [Vec<f64>; 6]) {
    let sizes = Sizes {
        sequences: 2,
        tokens: 5,
        key_heads: 2,
        value_heads: 4,
        key_size: 3,
        value_size: 2,
        gate_kind: GateKind::PerHead,
    };
    let length = |shape: &[usize]| shape.iter().product::<usize>();
    let key = length(&sizes.key_shape());
    let (value, scalar) = (length(&sizes.value_shape()), length(&sizes.beta_shape()));
    let gates = numbers(scalar * 3, 0.4).iter().map(|x| -x * x).collect();
    let beta = numbers(scalar, 0.5).iter().map(|x| x * x).collect();
    let tensors = [
        numbers(key, 0.1),
        numbers(key, 0.2),
        numbers(value, 0.3),
        gates,
        beta,
        numbers(2 * 4 * 6, 0.6),
    ];
    (sizes, tensors)
}

#[test]
fn equal_lengths_and_one_gate_are_the_rule() {
    for norm in [Norm::None, Norm::FLA] {
        for per_key in [false, true] {
            let (sizes, [q, k, v, gates, beta, state]) = grouped();
            let g = &gates[..if per_key { gates.len() } else { beta.len() }];
            let gate_kind = if per_key {
                GateKind::PerKeyChannel
            } else {
                GateKind::PerHead
            };
            let inputs = Inputs {
                q: &q,
                k: &k,
                v: &v,
                g,
                beta: &beta,
                state: &state,
            };
            let convention = Convention {
                norm,
                ..Convention::FLA
            };
            let want = recurrence(&convention, Sizes { gate_kind, ..sizes }, inputs);
            let bounds = equal_bounds(2, 5);
            let call = RecurrentCall {
                layout: Layout {
                    bounds: &bounds,
                    key_heads: 2,
                    value_heads: 4,
                    key_size: 3,
                    value_size: 2,
                },
                head_map: HeadMap::Block,
                q: &q,
                k: &k,
                v: &v,
                beta: &beta,
                g: (!per_key).then_some(g),
                gk: per_key.then_some(g),
                gv: None,
                norm,
                order: Order::DecayFirst,
                scale: 1.0 / 3f64.sqrt(),
            };
            let got = fused_recurrent(&call, Some(&state));
            let near = |a: &[f64], b: &[f64], by| a.iter().zip(b).all(|(a, b)| (a - b).abs() < by);
            assert!(near(&got.states, &want.state, 1e-14));
            let rounded: Vec<f64> = want.output.iter().map(|&x| bf16::round(x)).collect();
            assert!(near(&got.o, &rounded, 1e-14));
        }
    }
}

#[test]
fn a_gate_of_equal_value_channels_is_a_gate_of_the_head() {
    let (sizes, [q, k, v, gates, beta, state]) = grouped();
    let g = &gates[..beta.len()];
    let wide = |x: &[f64]| -> Vec<f64> { x.iter().flat_map(|&x| [x; 2]).collect() };
    let (gv, wide_beta) = (wide(g), wide(&beta));
    let bounds = equal_bounds(2, 5);
    let by_head = RecurrentCall {
        layout: Layout {
            bounds: &bounds,
            key_heads: 2,
            value_heads: 4,
            key_size: 3,
            value_size: 2,
        },
        head_map: HeadMap::Block,
        q: &q,
        k: &k,
        v: &v,
        beta: &beta,
        g: Some(g),
        gk: None,
        gv: None,
        norm: Norm::None,
        order: Order::DecayFirst,
        scale: 1.0,
    };
    let by_channel = RecurrentCall {
        g: None,
        gv: Some(&gv),
        beta: &wide_beta,
        ..by_head
    };
    assert_eq!(
        fused_recurrent(&by_head, Some(&state)),
        fused_recurrent(&by_channel, Some(&state))
    );
    // The result differs with another value gate.
    let mut other_gates = gv.clone();
    other_gates[sizes.value_size - 1] -= 1.0;
    let changed = fused_recurrent(
        &RecurrentCall {
            gv: Some(&other_gates),
            ..by_channel
        },
        Some(&state),
    );
    assert_ne!(changed, fused_recurrent(&by_head, Some(&state)));
}
