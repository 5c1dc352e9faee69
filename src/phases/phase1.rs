//! Phase 1: element-wise operations.

use deltanet_reference::operators;

use super::Function;
use crate::references;
use crate::tensor::Distribution::Uniform;
use crate::trial::{Outcome, Trial, elements, int, line, sequential};

/// The functions of phase 1.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "sigmoid",
        title: "1 / (1 + e^-x)",
        kernels: &["kernel_sigmoid"],
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
        kernels: &["kernel_exp"],
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
        kernels: &["kernel_mul"],
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
        kernels: &["kernel_cumsum_sequential"],
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: cumsum,
    },
];

fn sigmoid(t: &mut Trial<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-6.0, 6.0))?;
    let out = t.output("out", elements(n))?;
    t.launch("kernel_sigmoid", line(n), &[x.read(), out.write(), int(n)])?;
    t.check(out, references!(t, |x| operators::sigmoid(x)))
}

fn exp(t: &mut Trial<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.launch("kernel_exp", line(n), &[x.read(), out.write(), int(n)])?;
    t.check(out, references!(t, |x| operators::exp(x)))
}

fn mul(t: &mut Trial<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.launch(
        "kernel_mul",
        line(n),
        &[a.read(), b.read(), out.write(), int(n)],
    )?;
    t.check(out, references!(t, |a, b| operators::mul(a, b)))
}

fn cumsum(t: &mut Trial<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-1.0, 1.0))?;
    let out = t.output("out", elements(n))?;
    t.launch(
        "kernel_cumsum_sequential",
        sequential(),
        &[x.read(), out.write(), int(n)],
    )?;
    t.check(out, references!(t, |x| operators::cumsum(x)))
}
