//! `fused_gdn_gating`, the gates of a prefill.

use deltanet_reference::gdr::gating;

use super::super::Function;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::gates::Arguments;
use crate::contract::{DeviceResult, Domain, Factor, Instance, Mistake, axes};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::ElementKind::F32;
use crate::tensor::Stream;

/// The explanation of a mistake that shows in both outputs.
const TOKENS_EXCHANGED: &str = "a and b are exchanged";

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_gating",
    title: "-e^A_log softplus(a + dt_bias) and sigmoid(b)",
    formulas: &[
        "g = -e^A_log softplus(a + dt_bias); the natural logarithm of the factor on the state; softplus(x) = ln(1 + e^x), and x above 20",
        "beta = 1 / (1 + e^(-b))",
    ],
    dims: &["T", "HV"],
    integers: &[],
    words: &[("size", &["usual", "far"])],
    outputs: &["g", "beta"],
    largest: &[&["T", "HV"]],
    domain: Domain::of(&[
        Factor::One("T", &[1, 33, 64, 65]),
        Factor::One("HV", &[1, 3, 5, 32]),
    ]),
    run: &gating,
    ..Function::EMPTY
}];

/// Rounds to multiples of 1/64, which have exact sums. Far below 0, the rounding of a sum would be many places of the gate.
fn round(values: &mut [f32]) {
    for value in values {
        *value = (*value * 64.0).round() / 64.0;
    }
}

/// Moves the largest rate of decay to the first head. With an argument above 0 there, some gate of every case is large, and the
/// softplus `ln(1 + e^x)` of the published kernels, which is 0 where e^x is below the resolution of 1, is within the tolerance.
fn fastest_first(logarithms: &mut [f32], _: &mut Stream) {
    let largest = (0..logarithms.len()).max_by(|&i, &j| logarithms[i].total_cmp(&logarithms[j]));
    logarithms.swap(0, largest.unwrap_or(0));
}

fn gating(t: &mut Instance<'_>) -> DeviceResult {
    let (tokens, heads) = (t.dim("T"), t.dim("HV"));
    // Far arguments go above 20, where softplus is the identity, above 89, where e^x is inf, and as far below 0.
    let deviation = if t.word("size") == "far" { 60.0 } else { 2.0 };
    let rows = || axes([("token", tokens), ("head", heads)]);
    let of_heads = || axes([("head", heads)]);
    let a_log = t.draw_changed(F32, "A_log", of_heads(), Uniform(-4.0, 2.75), fastest_first);
    let dt_bias = t.draw_changed(
        F32,
        "dt_bias",
        of_heads(),
        Uniform(0.5, 1.5),
        |values, _| {
            round(values);
        },
    );
    let a = t.draw_changed(F32, "a", rows(), Normal(deviation), |values, _| {
        round(values);
        values[0] = values[0].abs();
    });
    let b = t.draw_changed(F32, "b", rows(), Normal(deviation), |values, _| {
        values[0] = values[0].abs();
    });
    let [a_log, dt_bias, a, b] = [a_log, dt_bias, a, b].map(|drawn| t.offer(drawn));
    let g = t.output("g", rows())?;
    let beta = t.output("beta", rows())?;
    let (golden, oracle) = references!(t, |a_log, dt_bias, a, b| {
        gating::gdn_gating(a_log, dt_bias, a, b)
    });
    let inputs = [a_log, dt_bias, a, b].map(|buffer| t.wide(buffer));
    let [a_log, dt_bias, a, b] = inputs.clone();
    let heads_exchanged = move || gating::gdn_gating(&dt_bias, &a_log, &a, &b).g;
    let [a_log, dt_bias, a, b] = inputs.clone();
    let tokens_exchanged = move || gating::gdn_gating(&a_log, &dt_bias, &b, &a);
    let in_beta = tokens_exchanged.clone();
    let [a_log, dt_bias, a, b] = inputs;
    let arguments = Arguments {
        a,
        b,
        a_log,
        dt_bias,
        ..Arguments::default()
    };
    let mut in_g = vec![
        Mistake::new(
            exchanged::NAME,
            "A_log and dt_bias are exchanged",
            heads_exchanged,
        ),
        Mistake::new(exchanged::NAME, TOKENS_EXCHANGED, move || {
            tokens_exchanged().g
        }),
    ];
    let mistake = Mistake::new(exchanged::NAME, TOKENS_EXCHANGED, move || in_beta().beta);
    let mut in_strengths = vec![mistake];
    in_g.extend(arguments.gate_mistakes(|gates| gates));
    in_strengths.extend(arguments.strength_mistakes(|strengths| strengths));
    t.check_or(g, (golden.g, oracle.g), in_g)?;
    t.check_or(beta, (golden.beta, oracle.beta), in_strengths)
}
