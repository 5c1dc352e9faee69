//! A decode step of a layer.

use deltanet_reference::rule::{DecodeInputs, Norm, decode_step};

use crate::contract::{Choice, Instance, Outcome, axes};
use crate::contracts::rule::problem::{STATE, asked, scalars, sizes, states, tokens};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};

/// How far what gates and write strengths are made of is from 0: as in a model, or on both sides of softplus's threshold and beyond what e^x holds.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// Added to the sum of squares, as Qwen3-Next does.
const EPSILON: f64 = 1e-6;

pub fn run(t: &mut Instance<'_>) -> Outcome {
    let (s, kept) = (sizes(t), t.dim("snapshots"));
    let convention = deltanet_reference::rule::Convention {
        norm: Norm::RootOfSumPlus(EPSILON),
        ..asked(t)
    };
    let far = t.word(REACH.0) == "far";
    let keys = || tokens(s, s.key_heads, s.key_size);
    let heads = || axes([("head", s.value_heads)]);
    let q = t.input("q", keys(), Normal(1.0))?;
    let k = t.input("k", keys(), Normal(1.0))?;
    let v = t.input("v", tokens(s, s.value_heads, s.value_size), Normal(1.0))?;
    let a = t.input("a", scalars(s), Normal(if far { 60.0 } else { 2.0 }))?;
    let b = t.input("b", scalars(s), Normal(if far { 40.0 } else { 1.0 }))?;
    let a_log = t.input("A_log", heads(), Uniform(-6.0, 2.75))?;
    let dt_bias = t.input("dt_bias", heads(), Uniform(-6.0, 1.0))?;
    t.scalar("scale", convention.scale.factor(s.key_size));
    let of_states = states(s, convention.state);
    let initial = if t.chosen(STATE.0) == Some("zero") {
        t.draw("initial", of_states.clone(), Normal(0.0))
    } else {
        t.input("initial", of_states.clone(), Normal(0.1))?
    };
    let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
    let mut of_kept = axes([("tokens before the last", kept)]);
    of_kept.extend(of_states);
    let after = t.output("states", of_kept)?;
    let (golden, oracle) = references!(t, |q, k, v, a, b, a_log, dt_bias, initial| {
        let inputs = DecodeInputs {
            q,
            k,
            v,
            a,
            b,
            a_log,
            dt_bias,
            state: initial,
        };
        decode_step(&convention, s, inputs, kept)
    });
    t.check(o, (golden.output, oracle.output))?;
    t.check(after, (golden.state, oracle.state))
}
