//! Triangular matrices.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Domain, Instance, Outcome, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "tril",
        title: "lower triangle, zeros above",
        dims: &["n"],
        integers: &["diag"],
        words: &[],
        outputs: &["dst"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[]),
        run: tril,
    },
    Function {
        name: "causal_mask",
        title: "1 strictly below the diagonal",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[]),
        run: causal_mask,
    },
    Function {
        name: "eye",
        title: "the identity",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[]),
        run: eye,
    },
    Function {
        name: "solve_tri",
        title: "X of (I - A) X = B",
        dims: &["n", "k"],
        integers: &[],
        words: &[],
        outputs: &["X"],
        largest: &[&["n", "n"], &["n", "k"]],
        domain: Domain::of(&[]),
        run: solve_tri,
    },
    Function {
        name: "apply_causal_identity",
        title: "strictly lower part of in, plus I",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[]),
        run: apply_causal_identity,
    },
];

fn tril(t: &mut Instance<'_>) -> Outcome {
    let (n, diag) = (t.dim("n"), t.integer("diag"));
    let src = t.input("src", table(n, n), Uniform(-2.0, 2.0))?;
    let dst = t.output("dst", table(n, n))?;
    t.check(dst, references!(t, |src| operators::tril(src, n, diag)))
}

fn causal_mask(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let out = t.output("out", table(n, n))?;
    t.check(
        out,
        (operators::causal_mask::<f32>(n), operators::causal_mask(n)),
    )
}

fn eye(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let out = t.output("out", table(n, n))?;
    t.check(out, (operators::eye::<f32>(n), operators::eye(n)))
}

/// A is strictly lower, and small enough that the solution stays of the size of B.
fn solve_tri(t: &mut Instance<'_>) -> Outcome {
    let (n, k) = (t.dim("n"), t.dim("k"));
    let full = t.draw("full", table(n, n), Normal(0.15));
    let a = t.upload("A", table(n, n), operators::tril(t.values(full), n, -1))?;
    let b = t.input("B", table(n, k), Uniform(-1.0, 1.0))?;
    let x = t.output("X", table(n, k))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::solve_tri(a, b, n, k)
    });
    let references = references!(t, |a, b| operators::solve_tri(a, b, n, k));
    t.check_or(x, references, mistakes)
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
