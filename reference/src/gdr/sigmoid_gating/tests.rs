use super::*;
use crate::gdr::fused_recurrent::fused_recurrent;
use crate::gdr::recurrent::Layout;
use crate::rule::{HeadMap, Norm, Order, producers};

/// Returns a call of three sequences of one token, with one head, one channel and q = k = 1. The gate e^g and beta are 1/2 in every test.
fn call<'a>(v: &'a [f64]) -> RecurrentCall<'a, f64> {
    RecurrentCall {
        layout: Layout {
            bounds: &[0, 1, 2, 3],
            key_heads: 1,
            value_heads: 1,
            key_size: 1,
            value_size: 1,
        },
        head_map: HeadMap::Block,
        q: &[1.0; 3],
        k: &[1.0; 3],
        v,
        beta: &[],
        g: None,
        gk: None,
        gv: None,
        norm: Norm::None,
        order: Order::DecayFirst,
        scale: 1.0,
    }
}

fn halves() -> GatingParameters<'static, f64> {
    // softplus(0) = ln 2, and A = 1: the decay is 1/2; sigmoid(0) = 1/2
    GatingParameters {
        a_log: &[0.0],
        dt_bias: &[1.0],
        a: &[-1.0; 3],
        b: &[0.0; 3],
        softplus_beta: 1.0,
        softplus_threshold: 20.0,
    }
}

#[test]
fn states_live_in_slots() {
    let slots = [8.0, 16.0, 32.0, 64.0];
    let got = sigmoid_gating_update(&call(&[2.0, 4.0, 6.0]), &halves(), &slots, &[2, -1, 0]);
    // 32 / 2 half of the way to 2; 0 half of the way to 4; 8 / 2 half of the way to 6
    assert_eq!(got.o, [9.0, 2.0, 5.0]);
    assert_eq!(got.states, [5.0, 16.0, 9.0, 64.0]);
}

#[test]
fn softplus_has_a_steepness_and_a_threshold() {
    let gate = |a: f64, softplus_beta, softplus_threshold| {
        let gating = GatingParameters {
            a: &[a],
            softplus_beta,
            softplus_threshold,
            dt_bias: &[0.0],
            ..halves()
        };
        gating.gates()[0]
    };
    // ln(1 + e^(2 x)) / 2 at x = ln(3) / 2 is ln(4) / 2
    assert!((gate(3f64.ln() / 2.0, 2.0, 20.0) + 4f64.ln() / 2.0).abs() < 1e-15);
    // the threshold is of beta x, not of x
    assert_eq!(gate(11.0, 2.0, 20.0), -11.0);
    assert!(gate(9.0, 2.0, 20.0) < -9.0);
    assert!(gate(3.0, 1.0, 20.0) < -3.0);
    assert_eq!(gate(3.0, 1.0, 2.5), -3.0);
}

#[test]
fn with_the_usual_softplus_it_is_the_producers_gate_and_the_recurrence() {
    let a = [0.3, -4.0, 25.0];
    let gating = GatingParameters {
        a: &a,
        b: &[0.1, -2.0, 3.0],
        a_log: &[0.7],
        ..halves()
    };
    let g = producers::log_gates(&a, gating.a_log, gating.dt_bias);
    assert_eq!(gating.gates(), g);
    let v = [1.0, -2.0, 3.0];
    let got = sigmoid_gating_update(&call(&v), &gating, &[5.0, 6.0, 7.0], &[0, 1, 2]);
    let beta = gating.strengths();
    let plain = RecurrentCall {
        g: Some(&g),
        beta: &beta,
        ..call(&v)
    };
    assert_eq!(got, fused_recurrent(&plain, Some(&[5.0, 6.0, 7.0])));
}
