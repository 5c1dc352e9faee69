//! The sequential rule of research notebooks: the error is taken from the undecayed state, and the output read with k.

use deltanet_reference::rule::{Convention, GateKind, Inputs, Sizes, StateLayout, recurrence};

use crate::contract::catalog::rule::problem::{
    Call, CallInputs, STATE, scalars, states, strengths, tokens, unit, unit_rows,
};
use crate::contract::catalog::values;
use crate::contract::{Buffer, DeviceResult, Instance};
use crate::references;
use crate::tensor::Distribution::Normal;

/// Reads the sizes of the sequential rule, which has one kind of heads.
fn one_kind_of_heads(t: &Instance<'_>, tokens: usize) -> Sizes {
    Sizes {
        sequences: t.dim("B"),
        tokens,
        key_heads: t.dim("H"),
        value_heads: t.dim("H"),
        key_size: t.dim("K"),
        value_size: t.dim("V"),
        gate_kind: GateKind::PerHead,
    }
}

/// Adds the outputs of the sequential rule with their expected values.
fn results(t: &mut Instance<'_>, s: Sizes, [k, v, beta, g, initial]: [Buffer; 5]) -> DeviceResult {
    let last = t.output("final", states(s, StateLayout::KeyMajor))?;
    let (golden, oracle) = references!(t, |k, v, beta, g, initial| {
        let inputs = Inputs {
            q: &[],
            k,
            v,
            g,
            beta,
            state: initial,
        };
        recurrence(&Convention::NOTEBOOK, s, inputs)
    });
    // If the same pair is written twice, the output equals v, which the test of tests does not count as computed.
    if !t.has("T") {
        return t.check(last, (golden.state, oracle.state));
    }
    let call = Call {
        inputs: CallInputs {
            // The output is read with k.
            q: Vec::new(),
            k: t.wide(k),
            v: t.wide(v),
            g: t.wide(g),
            beta: t.wide(beta),
            state: t.wide(initial),
        },
        convention: Convention::NOTEBOOK,
        sizes: s,
        given: t.word(STATE.0) == "random",
        chunk: None,
    };
    let [in_output, in_state] = call.mistakes(Vec::new());
    let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
    t.check_or(o, (golden.output, oracle.output), in_output)?;
    t.check_or(last, (golden.state, oracle.state), in_state)
}

pub fn sequential(t: &mut Instance<'_>) -> DeviceResult {
    let s = one_kind_of_heads(t, t.dim("T"));
    let k = unit_rows(t, "k", s, s.key_size)?;
    let class = t.word(values::NAME);
    let of_v = tokens(s, s.value_heads, s.value_size);
    let v = values::input_of(t, class, ("v", of_v), Normal(1.0))?;
    let beta = strengths(t, s)?;
    // The notebook's gate: sigmoid(x + 2).
    let raw = t.draw("gate noise", scalars(s), Normal(1.0));
    let factors: Vec<f32> = t
        .values(raw)
        .iter()
        .map(|x| 1.0 / (1.0 + (-x - 2.0).exp()))
        .collect();
    let g = t.upload("g", scalars(s), factors)?;
    let axes = states(s, StateLayout::KeyMajor);
    let initial = if t.word(STATE.0) == "random" {
        values::input_of(t, class, ("initial", axes), Normal(0.1))?
    } else {
        t.draw("initial", axes, Normal(0.0))
    };
    results(t, s, [k, v, beta, g, initial])
}

pub fn error_correction(t: &mut Instance<'_>) -> DeviceResult {
    let s = one_kind_of_heads(t, 2);
    let one = Sizes { tokens: 1, ..s };
    let twice = |values: &[f32], width: usize| -> Vec<f32> {
        let rows = values.chunks_exact(width);
        rows.flat_map(|row| [row, row].concat()).collect()
    };
    let raw = t.draw("pair k", tokens(one, s.key_heads, s.key_size), Normal(1.0));
    let keys = unit(t.values(raw), s.key_size);
    let raw = t.draw(
        "pair v",
        tokens(one, s.value_heads, s.value_size),
        Normal(1.0),
    );
    let values = twice(t.values(raw), s.value_heads * s.value_size);
    let keys = twice(&keys, s.key_heads * s.key_size);
    let ones = vec![1.0f32; s.sequences * 2 * s.value_heads];
    let k = t.upload("k", tokens(s, s.key_heads, s.key_size), keys)?;
    let v = t.upload("v", tokens(s, s.value_heads, s.value_size), values)?;
    let beta = t.upload("beta", scalars(s), ones.clone())?;
    let g = t.upload("g", scalars(s), ones)?;
    let initial = t.draw("initial", states(s, StateLayout::KeyMajor), Normal(0.0));
    results(t, s, [k, v, beta, g, initial])
}
