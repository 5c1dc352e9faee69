//! Phase 1: element-wise operations.

use deltanet_reference::operators;

use super::Function;
use crate::contract::{Instance, Outcome, elements};
use crate::references;
use crate::tensor::Distribution::Uniform;

/// The functions of phase 1.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "sigmoid",
        title: "1 / (1 + e^-x)",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: sigmoid,
    },
    Function {
        name: "exp",
        title: "e^x",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: exp,
    },
    Function {
        name: "mul",
        title: "a * b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: mul,
    },
    Function {
        name: "cumsum",
        title: "in[0] + ... + in[i]",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: cumsum,
    },
];

fn sigmoid(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-6.0, 6.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::sigmoid(x)))
}

fn exp(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::exp(x)))
}

fn mul(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |a, b| operators::mul(a, b)))
}

fn cumsum(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-1.0, 1.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::cumsum(x)))
}
