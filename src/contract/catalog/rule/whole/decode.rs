//! A decode step of a layer.

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::producers::log_gates;
use deltanet_reference::rule::{DecodeInputs, Norm, decode_step};

use crate::contract::catalog::gates::Arguments;
use crate::contract::catalog::rule::problem::{
    Call, CallInputs, STATE, read_convention, scalars, sizes, states, tokens,
};
use crate::contract::catalog::values;
use crate::contract::{Choice, DeviceResult, Instance, Rule, axes};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Magnitude of the arguments of gates and write strengths: as in a model, or on both sides of softplus's threshold and
/// beyond the range of e^x.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// Classes of queries and keys: as a layer projects them, or so short that the epsilon of their norm shows, and some of zeros.
pub const KEYS: Choice = ("keys", &["usual", "tiny"]);
/// Norm of queries and keys: the place of its epsilon.
pub const NORM: Choice = ("norm", &["sum", "max", "mean"]);
/// The exclusion of far reach from cases whose outputs depend on few elements.
pub const FAR: Rule = Rule {
    of: &[STATE.0, "V", REACH.0],
    says: "far reach has a state, and several channels of a value: most heads write nothing or forget all, and what little is left may cancel by \
           chance",
    breaks: &|case| {
        let little = case.word(STATE.0) == Some("zero") || case.get("V") == Some(1);
        little && case.word(REACH.0) == Some("far")
    },
};
/// The epsilon of the norm, as in Qwen3-Next.
const EPSILON: f64 = 1e-6;

/// An argument whose exponential is infinite in f32.
const BEYOND: f32 = 100.0;

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let (s, kept) = (sizes(t), t.dim("snapshots"));
    // Rows are so short that the norm is far from that of another word.
    let (norm, squares) = match t.word(NORM.0) {
        "max" => (Norm::MaxWith(EPSILON), (0.5 * EPSILON).powi(2)),
        "mean" => (Norm::RootOfMeanPlus(EPSILON), EPSILON * s.key_size as f64),
        _ => (Norm::RootOfSumPlus(EPSILON), EPSILON),
    };
    let convention = deltanet_reference::rule::Convention {
        norm,
        ..read_convention(t)
    };
    let far = t.word(REACH.0) == "far";
    let keys = || tokens(s, s.key_heads, s.key_size);
    let heads = || axes([("head", s.value_heads)]);
    let tiny = t.word(KEYS.0) == "tiny";
    let mut rows = |name, zeros| {
        let short = |values: &mut [f32], _: &mut Stream| {
            if tiny {
                values::shorten(values, s.key_size, squares, zeros);
            }
        };
        let drawn = t.draw_changed(ElementKind::F32, name, keys(), Normal(1.0), short);
        t.offer(drawn)
    };
    let (q, k) = (rows("q", 0), rows("k", 1));
    let class = t.word(values::NAME);
    let of_v = tokens(s, s.value_heads, s.value_size);
    let v = values::input_of(t, class, ("v", of_v), Normal(1.0))?;
    // The first head of the first token has usual reach, so that an output is not 0. The last head of the last token is beyond e^x.
    let mut reaching = |name, usual: f32, times: f32| {
        let times = if far { times } else { 1.0 };
        let drawn = Normal(usual * times);
        let ends = |values: &mut [f32], _: &mut Stream| {
            values[0] /= times;
            if let [_, .., last] = values
                && far
            {
                *last = BEYOND;
            }
        };
        let drawn = t.draw_changed(ElementKind::F32, name, scalars(s), drawn, ends);
        t.offer(drawn)
    };
    let a = reaching("a", 2.0, 30.0);
    let b = reaching("b", 1.0, 40.0);
    let a_log = t.input("A_log", heads(), Uniform(-6.0, 2.75))?;
    let dt_bias = t.input("dt_bias", heads(), Uniform(-6.0, 1.0))?;
    t.scalar("scale", convention.scale.factor(s.key_size));
    let of_states = states(s, convention.state);
    let initial = if t.chosen(STATE.0) == Some("zero") {
        t.draw("initial", of_states.clone(), Normal(0.0))
    } else {
        values::input_of(t, class, ("initial", of_states.clone()), Normal(0.1))?
    };
    let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
    let mut of_kept = axes([("snapshot", kept)]);
    of_kept.extend(of_states);
    let after = t.output("states", of_kept)?;
    t.outputs(&[o, after])?;
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
    let call = Call {
        inputs: CallInputs {
            q: t.wide(q),
            k: t.wide(k),
            v: t.wide(v),
            g: log_gates(&t.wide(a), &t.wide(a_log), &t.wide(dt_bias)),
            beta: sigmoid(&t.wide(b)),
            state: t.wide(initial),
        },
        convention,
        sizes: s,
        given: t.word(STATE.0) != "zero",
        chunk: None,
    };
    let arguments = Arguments {
        a: t.wide(a),
        b: t.wide(b),
        a_log: t.wide(a_log),
        dt_bias: t.wide(dt_bias),
        ..Arguments::default()
    };
    let [in_output, in_states] = call.mistakes_from(Some(arguments), oracle.state.clone());
    t.check_or(o, (golden.output, oracle.output), in_output)?;
    t.check_or(after, (golden.state, oracle.state), in_states)
}
