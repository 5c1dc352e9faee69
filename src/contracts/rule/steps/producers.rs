//! Gates, write strengths and unit rows from what a layer projects.

use deltanet_reference::operators;
use deltanet_reference::rule::{Norm, producers};

use crate::contract::{Instance, Outcome, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};

pub fn gate(t: &mut Instance<'_>) -> Outcome {
    let (n, heads) = (t.dim("T"), t.dim("HV"));
    let shape = || axes([("token", n), ("head", heads)]);
    // Both sides of softplus's threshold of 20 are reached.
    let a = t.input("a", shape(), Normal(12.0))?;
    let a_log = t.input("A_log", axes([("head", heads)]), Uniform(-4.0, 2.75))?;
    let dt_bias = t.input("dt_bias", axes([("head", heads)]), Uniform(0.5, 1.5))?;
    let g = t.output("g", shape())?;
    let _count = n * heads;
    let references = references!(t, |a, a_log, dt_bias| producers::log_gates(
        a, a_log, dt_bias
    ));
    t.check(g, references)
}

pub fn beta(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let b = t.input("b", elements(n), Normal(4.0))?;
    let beta = t.output("beta", elements(n))?;
    let references = references!(t, |b| operators::sigmoid(b));
    t.check(beta, references)
}

pub fn l2norm(t: &mut Instance<'_>) -> Outcome {
    let (rows, d) = (t.dim("rows"), t.dim("D"));
    let deviation = if t.word("size") == "tiny" { 1e-4 } else { 1.0 };
    let x = t.input("x", table(rows, d), Normal(deviation))?;
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
