//! The steps that compute gates, write strengths and unit rows from a layer's projections.

use deltanet_reference::operators;
use deltanet_reference::rule::{Norm, producers};

use crate::contract::catalog::gates::Arguments;
use crate::contract::catalog::values::{self, one_of_zeros};
use crate::contract::{Choice, DeviceResult, Instance, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Magnitude of a: on both sides of softplus's threshold of 20, or so far that e^a is infinite or 0.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// Class of rows with elements of about 2^50. With larger elements the sum of squares would be infinite.
pub const LONG: &str = "long";
const LENGTH: f32 = (1u64 << 50) as f32;

pub fn gate(t: &mut Instance<'_>) -> DeviceResult {
    let (n, heads) = (t.dim("T"), t.dim("HV"));
    let shape = || axes([("token", n), ("head", heads)]);
    // The values lie on both sides of softplus's threshold of 20.
    let far = t.word(REACH.0) == "far";
    let a = t.input("a", shape(), Normal(if far { 90.0 } else { 12.0 }))?;
    let a_log = t.input("A_log", axes([("head", heads)]), Uniform(-4.0, 2.75))?;
    let dt_bias = t.input("dt_bias", axes([("head", heads)]), Uniform(0.5, 1.5))?;
    let g = t.output("g", shape())?;
    let references = references!(t, |a, a_log, dt_bias| producers::log_gates(
        a, a_log, dt_bias
    ));
    let arguments = Arguments {
        a: t.wide(a),
        a_log: t.wide(a_log),
        dt_bias: t.wide(dt_bias),
        ..Arguments::default()
    };
    let mistakes = arguments.gate_mistakes(|gates| gates);
    t.check_or(g, references, mistakes.collect())
}

pub fn beta(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let far = t.word(values::NAME) == "far";
    let drawn = if far {
        Uniform(-120.0, 120.0)
    } else {
        Normal(4.0)
    };
    let b = values::input(t, "b", elements(n), drawn)?;
    let beta = t.output("beta", elements(n))?;
    let references = references!(t, |b| operators::sigmoid(b));
    let arguments = Arguments {
        b: t.wide(b),
        ..Arguments::default()
    };
    let mistakes = arguments.strength_mistakes(|strengths| strengths);
    t.check_or(beta, references, mistakes.collect())
}

pub fn l2norm(t: &mut Instance<'_>) -> DeviceResult {
    let (rows, d) = (t.dim("rows"), t.dim("D"));
    let deviation = if t.word("size") == "tiny" { 1e-4 } else { 1.0 };
    let long = t.word(values::NAME) == LONG;
    let deviation = if long { deviation * LENGTH } else { deviation };
    let zeros = |values: &mut [f32], _: &mut Stream| one_of_zeros(values, d);
    let x = t.draw_changed(
        ElementKind::F32,
        "x",
        table(rows, d),
        Normal(deviation),
        zeros,
    );
    t.offer(x);
    let y = t.output("y", table(rows, d))?;
    let root = t.word("form") == "root";
    // Epsilons of the size of tiny rows' norms, so that the form shows.
    let eps = if root { 1e-6f32 } else { 1e-3 };
    let norm = if root {
        Norm::RootOfSumPlus
    } else {
        Norm::MaxWith
    }(eps.into());
    let references = references!(t, |x| norm.rows(x, d));
    t.check(y, references)
}
