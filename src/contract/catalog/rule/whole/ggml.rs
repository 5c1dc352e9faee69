//! ggml's GATED_DELTA_NET.

use deltanet_reference::rule::{
    Convention, GateKind, Inputs, Sizes, StateLayout, ggml_gated_delta_net, ggml_output_len,
};

use crate::contract::catalog::rule::problem::{
    Call, CallInputs, STRENGTHS, scalars, states, tokens, unit_rows,
};
use crate::contract::{Choice, DeviceResult, Instance, axes, elements};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Decay of states: as in llama.cpp's test, none, about 1 % a token, as in a fresh model.
pub const DECAY: Choice = ("decay", &["fast", "none", "slow", "model"]);

/// Runs the operator. Values, states and fast gates are drawn as in llama.cpp's test. That test allows a squared relative RMS error of
/// 1e-7, which is far above the limits here.
pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let per_key = t.word("gate") == "key";
    let s = Sizes {
        sequences: t.dim("N"),
        tokens: t.dim("T"),
        key_heads: t.dim("Hk"),
        value_heads: t.dim("H"),
        key_size: t.dim("S"),
        value_size: t.dim("S"),
        gate_kind: if per_key {
            GateKind::PerKeyChannel
        } else {
            GateKind::PerHead
        },
    };
    let snapshots = t.dim("snapshots");
    let q = unit_rows(t, "q", s, s.key_size)?;
    let k = unit_rows(t, "k", s, s.key_size)?;
    let v = t.input(
        "v",
        tokens(s, s.value_heads, s.value_size),
        Uniform(-0.3, 5.0),
    )?;
    let gates = tokens(s, s.value_heads, if per_key { s.key_size } else { 1 });
    let decay = t.word(DECAY.0);
    let change = |values: &mut [f32], stream: &mut Stream| {
        let count = values.len();
        let mut noise = stream.draw(count, Normal(1.0)).into_iter();
        let mut strength = stream.draw(count, Uniform(0.01, 16.0)).into_iter();
        for value in values.iter_mut().filter(|_| decay != "fast") {
            let (noise, strength) = (noise.next().unwrap_or(0.0), strength.next().unwrap_or(1.0));
            *value = match decay {
                "slow" => -0.01 * noise.abs(),
                "model" => -strength * (1.0 + noise).exp().ln_1p(),
                _ => 0.0,
            };
        }
    };
    let g = t.draw_changed(ElementKind::F32, "g", gates, Uniform(-20.0, -1e-4), change);
    t.offer(g);
    let ends = t.word(STRENGTHS.0) == "ends";
    let change = |values: &mut [f32], _: &mut Stream| {
        for value in values.iter_mut().filter(|_| ends) {
            *value = if *value < 0.33 {
                0.0
            } else {
                (*value + 0.33).min(1.0)
            };
        }
    };
    let strengths = Uniform(0.0, 1.0);
    let beta = t.draw_changed(ElementKind::F32, "beta", scalars(s), strengths, change);
    t.offer(beta);
    let state = t.input(
        "state",
        states(s, StateLayout::ValueMajor),
        Uniform(-1.0, 1.0),
    )?;
    let length = ggml_output_len(s, snapshots);
    let before = t.draw("dst before", elements(length), Normal(1.0));
    let dst = t.update("dst", elements(length), t.values(before).to_vec())?;
    let references = references!(t, |q, k, v, g, beta, state, before| {
        let mut buffer = before.to_vec();
        let inputs = Inputs {
            q,
            k,
            v,
            g,
            beta,
            state,
        };
        ggml_gated_delta_net(s, inputs, snapshots, &mut buffer);
        buffer
    });
    // One buffer holds the output, then the states; each is judged alone.
    let outputs = tokens(s, s.value_heads, s.value_size);
    let mut snapshot_axes = axes([("snapshot", snapshots)]);
    snapshot_axes.extend(states(s, StateLayout::ValueMajor));
    let (golden, oracle) = references;
    let split = golden.len() - snapshots * s.sequences * s.value_heads * s.key_size * s.value_size;
    let (o, kept) = (dst.part(0, split), dst.part(split, length - split));
    let part = |from: usize, to: usize| (golden[from..to].to_vec(), oracle[from..to].to_vec());
    let call = Call {
        inputs: CallInputs {
            q: t.wide(q),
            k: t.wide(k),
            v: t.wide(v),
            g: t.wide(g),
            beta: t.wide(beta),
            state: t.wide(state),
        },
        convention: Convention::GGML,
        sizes: s,
        given: true,
        chunk: None,
    };
    let [in_output, in_states] = call.mistakes(oracle[split..].to_vec());
    t.check_part(o, ("o", outputs), part(0, split), in_output)?;
    t.check_part(
        kept,
        ("states", snapshot_axes),
        part(split, length),
        in_states,
    )
}
