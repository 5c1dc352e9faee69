//! Phase 0: kernels that the documented registry never runs on their own.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Instance, Mistake, Outcome, elements, table};
use crate::references;
use crate::tensor::Distribution::Uniform;

/// What phase 0 adds to the functions of the documented phases.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "add",
        title: "a + b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: add,
    },
    Function {
        name: "sub",
        title: "a - b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: sub,
    },
    Function {
        name: "neg",
        title: "-x",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: neg,
    },
    Function {
        name: "scale",
        title: "x * s",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: scale,
    },
    Function {
        name: "broadcast_mul",
        title: "a[s][c] * b[c]",
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["S", "C"]],
        run: broadcast_mul,
    },
    Function {
        name: "transpose",
        title: "in^T",
        dims: &["rows", "cols"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["rows", "cols"]],
        run: transpose,
    },
    Function {
        name: "gemm_nn",
        title: "A B",
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        run: gemm_nn,
    },
    Function {
        name: "apply_causal_identity",
        title: "strictly lower part of in, plus I",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        run: apply_causal_identity,
    },
];

fn add(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |a, b| operators::add(a, b)))
}

fn sub(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    let mistakes = exchanged::inputs(t, [a, b], "a and b are exchanged", operators::sub);
    t.check_or(out, references!(t, |a, b| operators::sub(a, b)), mistakes)
}

fn neg(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::neg(x)))
}

fn scale(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let s = t.draw("s", elements(1), Uniform(0.25, 0.75));
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x, s| operators::scale(x, s[0])))
}

fn broadcast_mul(t: &mut Instance<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let a = t.input("a", table(s, c), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(c), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(s, c))?;
    let [wide, factors] = [a, b].map(|buffer| t.wide(buffer));
    let of_rows = move || {
        let places = wide.iter().enumerate();
        places.map(|(at, a)| a * factors[at % s]).collect()
    };
    let sizes = Mistake::new(exchanged::NAME, "S and C are exchanged", of_rows);
    // With more rows than factors, one that is behind their end is read.
    let mistakes = (s < c).then_some(sizes).into_iter().collect();
    let references = references!(t, |a, b| operators::broadcast_mul(a, b, s, c));
    t.check_or(out, references, mistakes)
}

fn transpose(t: &mut Instance<'_>) -> Outcome {
    let (rows, cols) = (t.dim("rows"), t.dim("cols"));
    let x = t.input("in", table(rows, cols), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(cols, rows))?;
    t.check(out, references!(t, |x| operators::transpose(x, rows, cols)))
}

fn gemm_nn(t: &mut Instance<'_>) -> Outcome {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let a = t.input("A", table(m, k), Uniform(-1.0, 1.0))?;
    let b = t.input("B", table(k, n), Uniform(-1.0, 1.0))?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_nn(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_nn(a, b, m, n, k));
    t.check_or(c, references, mistakes)
}

/// The input is full: what stands on and above the diagonal must go.
fn apply_causal_identity(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", table(n, n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(n, n))?;
    t.check(
        out,
        references!(t, |x| operators::apply_causal_identity(x, n)),
    )
}
