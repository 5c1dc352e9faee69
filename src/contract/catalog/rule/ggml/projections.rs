//! Inputs of the operator and of the layer, as their projections give them: raw gates, short rows of keys.

use deltanet_reference::rule::{GateKind, Sizes};

use crate::contract::catalog::rule::problem::scalars;
use crate::contract::{Buffer, Choice, DeviceResult, Instance, Rule, axes};
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Magnitude of the arguments of gates and write strengths: as in a model, or on both sides of softplus's threshold and beyond the range
/// of e^x.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// Classes of queries and keys: as a layer projects them, or so short that the epsilon of their norm shows.
pub const KEYS: Choice = ("keys", &["usual", "tiny"]);
/// The exclusion of far reach from heads of one channel.
pub const FAR: Rule = Rule {
    of: &["S", REACH.0],
    says: "S = 1 is of usual reach: most heads write nothing or forget all, and what little is left may cancel by chance",
    breaks: &|case| case.get("S") == Some(1) && case.word(REACH.0) == Some("far"),
};
/// The exclusion of cases whose outputs all are one product of a query and a key.
pub const ONE_QUERY: Rule = Rule {
    of: &["Hk", "T", "N"],
    says: "one token has several key heads or sequences: where nothing is left of a state, all outputs are one sum of products of query and \
           key, which may cancel by chance",
    breaks: &|case| {
        ["Hk", "T", "N"]
            .iter()
            .all(|name| case.get(name) == Some(1))
    },
};

/// Reads the sizes of a case, which has as many key channels as value channels.
pub fn sizes(t: &Instance<'_>) -> Sizes {
    Sizes {
        sequences: t.dim("N"),
        tokens: t.dim("T"),
        key_heads: t.dim("Hk"),
        value_heads: t.dim("H"),
        key_size: t.dim("S"),
        value_size: t.dim("S"),
        gate_kind: GateKind::PerHead,
    }
}

/// Inputs of gates and write strengths.
#[derive(Clone, Copy)]
pub struct RawGates {
    pub alpha: Buffer,
    pub beta: Buffer,
    pub ssm_dt: Buffer,
    pub ssm_a: Buffer,
}

/// Draws the inputs of gates and write strengths.
pub fn raw_gates(t: &mut Instance<'_>, s: Sizes) -> DeviceResult<RawGates> {
    let far = t.word(REACH.0) == "far";
    let heads = || axes([("head", s.value_heads)]);
    // The first head of the first token has usual reach, so that an output is not 0.
    let mut reaching = |name, usual: f32, times: f32| {
        let times = if far { times } else { 1.0 };
        let first = |values: &mut [f32], _: &mut Stream| values[0] /= times;
        let drawn = Normal(usual * times);
        let drawn = t.draw_changed(ElementKind::F32, name, scalars(s), drawn, first);
        t.offer(drawn)
    };
    let alpha = reaching("alpha", 2.0, 30.0);
    let beta = reaching("beta", 1.0, 40.0);
    let ssm_dt = t.input("ssm_dt", heads(), Uniform(-6.0, 1.0))?;
    let exponentiated = |values: &mut [f32], _: &mut Stream| {
        for value in values.iter_mut() {
            *value = -value.exp();
        }
    };
    let logarithms = Uniform(-6.0, 2.75);
    let kind = ElementKind::F32;
    let ssm_a = t.draw_changed(kind, "ssm_a", heads(), logarithms, exponentiated);
    t.describe(ssm_a, "-e^x, x uniform from -6 to 2.75");
    t.offer(ssm_a);
    Ok(RawGates {
        alpha,
        beta,
        ssm_dt,
        ssm_a,
    })
}

/// The explanation of a softplus whose exponential overflows.
pub const SOFTPLUS_OVERFLOWS: &str = "the softplus is ln(1 + e^x) for every x, and infinite where e^x is: such tokens forget everything";
/// The argument above which e^x is infinite in f32.
const LARGEST_ARGUMENT: f64 = 88.72;

/// Returns true if e^x is infinite in f32 for an argument of the softplus.
pub fn overflows(alpha: &[f64], dt: &[f64]) -> bool {
    let mut arguments = alpha.iter().zip(dt.iter().cycle());
    arguments.any(|(alpha, dt)| alpha + dt > LARGEST_ARGUMENT)
}

/// Makes such arguments so large that their gates leave nothing of a state.
pub fn overflow(alpha: &mut [f64], dt: &[f64]) {
    let arguments = alpha.iter_mut().zip(dt.iter().cycle());
    for (alpha, _) in arguments.filter(|(alpha, dt)| **alpha + **dt > LARGEST_ARGUMENT) {
        *alpha = 1e30;
    }
}
