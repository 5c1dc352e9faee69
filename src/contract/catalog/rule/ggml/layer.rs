//! The layer as a whole.

use std::sync::Arc;

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::producers::log_gates_of;
use deltanet_reference::rule::{
    Convention, Inputs, LayerInputs, Norm, Order, Sizes, StateLayout, ggml_conv_input,
    ggml_delta_net_layer, ggml_layer_conv, ggml_split, ggml_ssm_conv, recurrence,
};

use super::EPSILON;
use super::conv::{self, of_states, of_tokens};
use super::gated_norm::{Gating, NormChoices, NormTensors, gated_norm};
use super::projections::{self, KEYS, RawGates, raw_gates};
use crate::contract::catalog::gates::Arguments;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake};
use crate::contract::catalog::laws::{self, TWICE};
use crate::contract::catalog::rule::problem::{head_map, states, tokens};
use crate::contract::relation::{Closeness, Relation, Step, reversed};
use crate::contract::{DeviceResult, Instance, Values, axes};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// The law that heads do not depend on each other.
pub const HEADS_REVERSED: Relation = laws::moved(
    laws::HEADS_REVERSED.name,
    laws::HEADS_REVERSED.says,
    &[
        Step::Moved(&[("*", "head")], reversed),
        Step::Moved(
            &[
                ("qkv", "channel"),
                ("conv_states", "channel"),
                ("new_conv_states", "channel"),
                ("ssm_conv1d", "channel"),
            ],
            channels_of_heads_reversed,
        ),
    ],
)
.when(|case| case.get("H").is_some_and(|heads| heads > 1));

/// The law that later tokens depend on earlier ones only by both states.
pub const HANDED_ON: Relation = Relation::twice(
    "handed-on",
    "the tokens, and the same tokens again from both states after them, give what all of them give in one call",
    [
        &[Step::Moved(
            &[
                ("qkv", "token"),
                ("z", "token"),
                ("alpha", "token"),
                ("beta", "token"),
            ],
            TWICE,
        )],
        &[
            Step::Joined("out", "out'", "token"),
            Step::Fed("new_conv_states", "new_conv_states'"),
            Step::Fed("new_state", "new_state'"),
            // The state that is handed on has an error, too.
            Step::Loosened(&["out", "new_state"], 2.0),
        ],
    ],
    Closeness::Tolerance,
)
.after(&[
    Step::Fed("conv_states", "new_conv_states"),
    Step::Fed("state", "new_state"),
])
.at(
    |case| case.with("T", case.get("T").map_or(2, |tokens| 2 * tokens)),
    &[],
);

/// The order of the convolution's channels that reverses the heads of each of q, k and v.
fn channels_of_heads_reversed(case: &Values, channels: usize) -> Vec<usize> {
    let size = |name| case.dim(name).unwrap_or(1);
    let (channels_of_head, keys, values) = (size("S"), size("Hk"), size("H"));
    let mut order = Vec::with_capacity(channels);
    for (first, heads) in [(0, keys), (keys, keys), (2 * keys, values)] {
        for head in (first..first + heads).rev() {
            order.extend(head * channels_of_head..(head + 1) * channels_of_head);
        }
    }
    order
}

/// Returns the factor on each channel of q, k and v before their convolution. If keys are tiny, the norms of key heads are about twice and
/// half the epsilon in turn.
fn channel_factors(t: &Instance<'_>, s: Sizes, width: usize) -> Vec<f32> {
    let count = ggml_layer_conv(s, width).channels;
    if t.word(KEYS.0) != "tiny" {
        return vec![1.0; count];
    }
    // SiLU halves small sums, whose deviation is that of the weights times the root of their number.
    let norm = 0.25 * ((width * s.key_size) as f64).sqrt();
    let keys = 2 * s.key_heads * s.key_size;
    let factor = |channel: usize| match channel {
        _ if channel >= keys => 1.0,
        _ if (channel / s.key_size).is_multiple_of(2) => (0.5 * EPSILON / norm) as f32,
        _ => (2.0 * EPSILON / norm) as f32,
    };
    (0..count).map(factor).collect()
}

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let (s, width) = (projections::sizes(t), t.dim("W"));
    let conv = ggml_layer_conv(s, width);
    let convention = Convention {
        norm: Norm::MaxWith(EPSILON),
        head_map: head_map(t),
        ..Convention::GGML
    };
    let factors = channel_factors(t, s, width);
    let of_values = || tokens(s, s.value_heads, s.value_size);
    let kind = ElementKind::F32;
    let scaled = |values: &mut [f32], _: &mut Stream| {
        for (value, factor) in values.iter_mut().zip(factors.iter().cycle()) {
            *value *= factor;
        }
    };
    let qkv = t.draw_changed(kind, "qkv", of_tokens(conv), Normal(1.0), scaled);
    t.offer(qkv);
    let z = t.input("z", of_values(), Normal(1.0))?;
    let RawGates {
        alpha,
        beta,
        ssm_dt,
        ssm_a,
    } = raw_gates(t, s)?;
    let scaled = |values: &mut [f32], _: &mut Stream| {
        let lines = values.chunks_exact_mut((width - 1).max(1));
        for (line, factor) in lines.zip(factors.iter().cycle()) {
            line.iter_mut().for_each(|value| *value *= factor);
        }
    };
    let shape = of_states(conv);
    let conv_states = t.draw_changed(kind, "conv_states", shape, Normal(1.0), scaled);
    t.offer(conv_states);
    let layout = StateLayout::ValueMajor;
    let state = t.input("state", states(s, layout), Normal(0.3))?;
    let ssm_conv1d = conv::weights(t, conv)?;
    let weights = axes([("value channel", s.value_size)]);
    let ssm_norm = t.input("ssm_norm", weights, Uniform(0.5, 1.5))?;
    let out = t.output("out", of_values())?;
    let conv_left = t.output("new_conv_states", of_states(conv))?;
    let state_left = t.output("new_state", states(s, layout))?;
    t.outputs(&[out, conv_left, state_left])?;
    let (golden, oracle) = references!(t, |qkv,
                                           z,
                                           alpha,
                                           beta,
                                           conv_states,
                                           state,
                                           ssm_conv1d,
                                           ssm_dt,
                                           ssm_a,
                                           ssm_norm| {
        let inputs = LayerInputs {
            qkv,
            z,
            alpha,
            beta,
            conv_states,
            state,
            conv_weights: ssm_conv1d,
            dt: ssm_dt,
            a: ssm_a,
            norm_weights: ssm_norm,
        };
        ggml_delta_net_layer(&convention, s, width, inputs, EPSILON)
    });
    let wide = Arc::new(LayerTensors {
        qkv: t.wide(qkv),
        z: t.wide(z),
        alpha: t.wide(alpha),
        beta: t.wide(beta),
        conv_states: t.wide(conv_states),
        state: t.wide(state),
        conv_weights: t.wide(ssm_conv1d),
        dt: t.wide(ssm_dt),
        a: t.wide(ssm_a),
        norm_weights: t.wide(ssm_norm),
    });
    let by = LayerChoices {
        sizes: s,
        width,
        convention,
        activated: true,
        gated: NormChoices::right(s.value_heads),
    };
    // ssm_a is -e^A_log already.
    let arguments = Arguments {
        a: wide.alpha.clone(),
        b: wide.beta.clone(),
        a_log: wide.a.iter().map(|a| (-a).ln()).collect(),
        dt_bias: wide.dt.clone(),
        ..Arguments::default()
    };
    let known = |part: usize| {
        let known = known::mistakes(MISTAKES, (&wide, &by), move |x, by| {
            compute(x, by)[part].clone()
        });
        let call = || (Arc::clone(&wide), by.clone());
        let (x, own) = call();
        let gates = arguments.gate_mistakes(move |gates| {
            compute_by(&x, &own, &gates, &sigmoid(&x.beta))[part].clone()
        });
        let (x, own) = call();
        let strengths = arguments.strength_mistakes(move |strengths| {
            let gates = log_gates_of(&x.alpha, &x.a, &x.dt);
            compute_by(&x, &own, &gates, &strengths)[part].clone()
        });
        known.into_iter().chain(gates).chain(strengths).collect()
    };
    t.check_or(out, (golden.output, oracle.output), known(0))?;
    let of_conv = conv::state_mistakes(wide.conv_states.clone(), wide.qkv.clone(), conv);
    t.check_or(conv_left, (golden.conv_states, oracle.conv_states), of_conv)?;
    t.check_or(state_left, (golden.state, oracle.state), known(1))
}

/// The tensors of a layer in f64.
#[derive(Clone)]
struct LayerTensors {
    qkv: Vec<f64>,
    z: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    conv_states: Vec<f64>,
    state: Vec<f64>,
    conv_weights: Vec<f64>,
    dt: Vec<f64>,
    a: Vec<f64>,
    norm_weights: Vec<f64>,
}

/// Choices that a mistake may change.
#[derive(Clone)]
struct LayerChoices {
    sizes: Sizes,
    width: usize,
    convention: Convention,
    /// True if SiLU follows the convolution.
    activated: bool,
    gated: NormChoices,
}

/// Returns the output and the state.
fn compute(x: &LayerTensors, by: &LayerChoices) -> [Vec<f64>; 2] {
    let gates = log_gates_of(&x.alpha, &x.a, &x.dt);
    compute_by(x, by, &gates, &sigmoid(&x.beta))
}

/// Returns the output and the state, with gates and write strengths of their own.
fn compute_by(
    x: &LayerTensors,
    by: &LayerChoices,
    gates: &[f64],
    strengths: &[f64],
) -> [Vec<f64>; 2] {
    let conv = ggml_layer_conv(by.sizes, by.width);
    let joined = ggml_conv_input(conv, &x.conv_states, &x.qkv);
    let mixed = ggml_ssm_conv(conv, &joined, &x.conv_weights, by.activated);
    let [q, k, v] = &ggml_split(by.sizes, &mixed);
    let inputs = Inputs {
        q,
        k,
        v,
        g: gates,
        beta: strengths,
        state: &x.state,
    };
    let rule = recurrence(&by.convention, by.sizes, inputs);
    let norm = NormTensors {
        x: rule.output,
        weight: x.norm_weights.clone(),
        z: x.z.clone(),
    };
    [gated_norm(&norm, &by.gated), rule.state]
}

const MISTAKES: &[KnownMistake<LayerTensors, LayerChoices>] = &[
    KnownMistake {
        name: "head-map",
        explanation: HEAD_MAP,
        applies: |_, by| by.sizes.key_heads > 1 && by.sizes.key_heads < by.sizes.value_heads,
        change: |_, by| {
            by.convention.head_map = by.convention.head_map.other();
        },
    },
    KnownMistake {
        name: "gate-sign",
        explanation: "the gate has the wrong sign: states grow where they should decay",
        applies: |_, _| true,
        change: |x, _| x.a.iter_mut().for_each(|a| *a = -*a),
    },
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
    KnownMistake {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm of q and k stands under the root, and is no lower bound of the norm",
        applies: |_, _| true,
        change: |_, by| by.convention.norm = Norm::RootOfSumPlus(EPSILON),
    },
    KnownMistake {
        name: "norm-missing",
        explanation: "q and k are not divided by their norms",
        applies: |_, _| true,
        change: |_, by| by.convention.norm = Norm::None,
    },
    KnownMistake {
        name: "activation-missing",
        explanation: "the activation after the convolution is missing",
        applies: |_, _| true,
        change: |_, by| by.activated = false,
    },
    KnownMistake {
        name: "weights-reversed",
        explanation: "the weights run from the newest token to the oldest",
        applies: |_, _| true,
        change: |x, by| {
            let filters = x.conv_weights.chunks_exact_mut(by.width);
            filters.for_each(<[f64]>::reverse);
        },
    },
    KnownMistake {
        name: "history-ignored",
        explanation: "the convolution's state is taken as zeros",
        applies: |_, _| true,
        change: |x, _| x.conv_states.fill(0.0),
    },
    KnownMistake {
        name: "undecayed-error",
        explanation: "the error is taken from the state before its decay",
        applies: |_, _| true,
        change: |_, by| by.convention.order = Order::ErrorFirst,
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |_, _| true,
        change: |x, _| x.state.fill(0.0),
    },
    KnownMistake {
        name: "initial-transposed",
        explanation: "the initial state is read in the other layout ([K][V] for [V][K])",
        applies: |_, _| true,
        change: |x, by| {
            let size = by.sizes.key_size;
            for matrix in x.state.chunks_exact_mut(size * size) {
                for row in 0..size {
                    for column in 0..row {
                        matrix.swap(row * size + column, column * size + row);
                    }
                }
            }
        },
    },
    KnownMistake {
        name: "norm-over-heads",
        explanation: "the norm of the output is that of all heads of a token",
        applies: |_, by| by.sizes.value_heads > 1,
        change: |_, by| by.gated.over_heads = true,
    },
    KnownMistake {
        name: "gate-first",
        explanation: "the gate of the output is applied before its norm",
        applies: |_, _| true,
        change: |_, by| by.gated.gating = Gating::Before,
    },
    KnownMistake {
        name: "gate-linear",
        explanation: "z itself is the gate of the output, without its activation",
        applies: |_, _| true,
        change: |_, by| by.gated.gating = Gating::Linear,
    },
    KnownMistake {
        name: "gate-sigmoid",
        explanation: "the gate of the output is the sigmoid of z, and not z times that",
        applies: |_, _| true,
        change: |_, by| by.gated.gating = Gating::Sigmoid,
    },
    KnownMistake {
        name: "norm-of-sum",
        explanation: "the norm of the output is the root of the sum of squares, and not of their mean",
        applies: |_, _| true,
        change: |_, by| by.gated.of_sum = true,
    },
];
