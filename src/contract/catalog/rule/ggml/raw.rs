//! ggml's operator with raw gates.

use std::sync::Arc;

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::producers::log_gates_of;
use deltanet_reference::rule::{
    Convention, Inputs, Norm, RawInputs, Sizes, StateLayout, ggml_gated_delta_net,
    ggml_gated_delta_net_raw, ggml_output_len,
};

use super::projections::{self, KEYS, RawGates, raw_gates};
use super::{EPSILON, NORM};
use crate::contract::catalog::gates::Arguments;
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::catalog::rule::problem::{Call, CallInputs, states, tokens, unit_rows};
use crate::contract::{Buffer, DeviceResult, Instance, Rule, axes, elements};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// The exclusion of short rows from cases whose rows come normalised.
pub const UNIT_ROWS: Rule = Rule {
    of: &[NORM.0, KEYS.0],
    says: "keys are tiny where the kernel divides them by their norm",
    breaks: &|case| case.word(NORM.0) == Some("none") && case.word(KEYS.0) == Some("tiny"),
};

/// Gives rows twice and half the epsilon as their norm, in turn. If there are more than three rows, row `1 + zeros` becomes zeros.
fn around_epsilon(values: &mut [f32], channels: usize, zeros: usize) {
    for (row, values) in values.chunks_exact_mut(channels).enumerate() {
        let squares: f64 = values.iter().map(|x| f64::from(*x).powi(2)).sum();
        let length = if row % 2 == 0 { 2.0 } else { 0.5 } * EPSILON;
        let factor = length / squares.sqrt().max(f64::MIN_POSITIVE);
        let scaled = |x: &mut f32| *x = (f64::from(*x) * factor) as f32;
        values.iter_mut().for_each(scaled);
    }
    if values.len() > 3 * channels {
        values[(1 + zeros) * channels..][..channels].fill(0.0);
    }
}

/// Draws queries or keys: of unit length if the kernel does not normalise them.
fn rows(t: &mut Instance<'_>, name: &str, s: Sizes, zeros: usize) -> DeviceResult<Buffer> {
    if t.word(NORM.0) == "none" {
        return unit_rows(t, name, s, s.key_size);
    }
    let tiny = t.word(KEYS.0) == "tiny";
    let short = |values: &mut [f32], _: &mut Stream| {
        if tiny {
            around_epsilon(values, s.key_size, zeros);
        }
    };
    let of_keys = tokens(s, s.key_heads, s.key_size);
    let drawn = t.draw_changed(ElementKind::F32, name, of_keys, Normal(1.0), short);
    Ok(t.offer(drawn))
}

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let s = projections::sizes(t);
    let snapshots = t.dim("snapshots");
    let norm = match t.word(NORM.0) {
        "max" => Norm::MaxWith(EPSILON),
        _ => Norm::None,
    };
    let (q, k) = (rows(t, "q", s, 0)?, rows(t, "k", s, 1)?);
    let values = || tokens(s, s.value_heads, s.value_size);
    let v = t.input("v", values(), Uniform(-0.3, 5.0))?;
    let RawGates {
        alpha,
        beta,
        ssm_dt,
        ssm_a,
    } = raw_gates(t, s)?;
    let layout = StateLayout::ValueMajor;
    let state = t.input("state", states(s, layout), Uniform(-1.0, 1.0))?;
    let length = ggml_output_len(s, snapshots);
    let before = t.draw("dst before", elements(length), Normal(1.0));
    let dst = t.update("dst", elements(length), t.values(before).to_vec())?;
    let (golden, oracle) = references!(t, |q, k, v, alpha, beta, ssm_dt, ssm_a, state, before| {
        let mut buffer = before.to_vec();
        let inputs = RawInputs {
            q,
            k,
            v,
            alpha,
            beta,
            dt: ssm_dt,
            a: ssm_a,
            state,
        };
        ggml_gated_delta_net_raw(s, norm, inputs, snapshots, &mut buffer);
        buffer
    });
    // One buffer holds the output, then the states; each is judged alone.
    let split: usize = s.value_shape().iter().product();
    let (o, kept) = (dst.part(0, split), dst.part(split, length - split));
    let part = |from: usize, to: usize| (golden[from..to].to_vec(), oracle[from..to].to_vec());
    let wide = RawTensors {
        q: t.wide(q),
        k: t.wide(k),
        v: t.wide(v),
        alpha: t.wide(alpha),
        beta: t.wide(beta),
        dt: t.wide(ssm_dt),
        a: t.wide(ssm_a),
        state: t.wide(state),
        before: t.wide(before),
    };
    let call = Call {
        inputs: CallInputs {
            q: wide.q.clone(),
            k: wide.k.clone(),
            v: wide.v.clone(),
            g: log_gates_of(&wide.alpha, &wide.a, &wide.dt),
            beta: sigmoid(&wide.beta),
            state: wide.state.clone(),
        },
        convention: Convention {
            norm,
            ..Convention::GGML
        },
        sizes: s,
        given: true,
        chunk: None,
    };
    // ssm_a is -e^A_log already.
    let arguments = Arguments {
        a: wide.alpha.clone(),
        b: wide.beta.clone(),
        a_log: wide.a.iter().map(|a| (-a).ln()).collect(),
        dt_bias: wide.dt.clone(),
        ..Arguments::default()
    };
    let of_rule = call.mistakes_from(Some(arguments), oracle[split..].to_vec());
    let by = RawChoices {
        sizes: s,
        norm,
        snapshots,
    };
    let wide = Arc::new(wide);
    let of_gates = [0..split, split..length].map(|range| {
        known::mistakes(MISTAKES, (&wide, &by), {
            let (from, to) = (range.start, range.end);
            move |wide, by| compute(wide, by)[from..to].to_vec()
        })
    });
    let [in_output, in_states] = {
        let mut rule = of_rule.into_iter();
        of_gates.map(|mut mistakes| {
            mistakes.extend(rule.next().unwrap_or_default());
            mistakes
        })
    };
    let mut snapshot_axes = axes([("snapshot", snapshots)]);
    snapshot_axes.extend(states(s, layout));
    t.check_part(o, ("o", values()), part(0, split), in_output)?;
    t.check_part(
        kept,
        ("states", snapshot_axes),
        part(split, length),
        in_states,
    )
}

/// The tensors of a call in f64.
#[derive(Clone)]
struct RawTensors {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    dt: Vec<f64>,
    a: Vec<f64>,
    state: Vec<f64>,
    before: Vec<f64>,
}

/// Choices that a mistake may change.
#[derive(Clone)]
struct RawChoices {
    sizes: Sizes,
    norm: Norm,
    snapshots: usize,
}

/// Returns the output and the states, one behind the other.
fn compute(x: &RawTensors, by: &RawChoices) -> Vec<f64> {
    let mut buffer = x.before.clone();
    let size = by.sizes.key_size;
    let inputs = Inputs {
        q: &by.norm.rows(&x.q, size),
        k: &by.norm.rows(&x.k, size),
        v: &x.v,
        g: &log_gates_of(&x.alpha, &x.a, &x.dt),
        beta: &sigmoid(&x.beta),
        state: &x.state,
    };
    ggml_gated_delta_net(by.sizes, inputs, by.snapshots, &mut buffer);
    buffer
}

/// The mistakes in the gates and write strengths.
const MISTAKES: &[KnownMistake<RawTensors, RawChoices>] = &[
    KnownMistake {
        name: "exponentiated-twice",
        explanation: "ssm_a, which is -e^A_log already, is taken for A_log",
        applies: |_, _| true,
        change: |x, _| x.a.iter_mut().for_each(|a| *a = -a.exp()),
    },
    KnownMistake {
        name: "bias-missing",
        explanation: "ssm_dt is left out of the gate",
        applies: |_, _| true,
        change: |x, _| x.dt.fill(0.0),
    },
    KnownMistake {
        name: "softplus-overflows",
        explanation: projections::SOFTPLUS_OVERFLOWS,
        applies: |x, _| projections::overflows(&x.alpha, &x.dt),
        change: |x, _| projections::overflow(&mut x.alpha, &x.dt),
    },
];
