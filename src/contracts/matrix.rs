//! Matrices and their products.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Instance, Outcome, table};
use crate::references;
use crate::tensor::Distribution::Uniform;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gemm_nt",
        title: "A B^T",
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        run: gemm_nt,
    },
    Function {
        name: "gemm_tn",
        title: "A^T B",
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        run: gemm_tn,
    },
    Function {
        name: "gemm_nt_tiled",
        title: "A B^T through LDS",
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        run: gemm_nt_tiled,
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
];

fn gemm_nt(t: &mut Instance<'_>) -> Outcome {
    nt(t, "kernel_gemm_nt_naive")
}

fn gemm_nt_tiled(t: &mut Instance<'_>) -> Outcome {
    nt(t, "kernel_gemm_nt_tiled")
}

fn nt(t: &mut Instance<'_>, _kernel: &str) -> Outcome {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let a = t.input("A", table(m, k), Uniform(-1.0, 1.0))?;
    let b = t.input("B", table(n, k), Uniform(-1.0, 1.0))?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_nt(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_nt(a, b, m, n, k));
    t.check_or(c, references, mistakes)
}

fn gemm_tn(t: &mut Instance<'_>) -> Outcome {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let a = t.input("A", table(k, m), Uniform(-1.0, 1.0))?;
    let b = t.input("B", table(k, n), Uniform(-1.0, 1.0))?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_tn(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_tn(a, b, m, n, k));
    t.check_or(c, references, mistakes)
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
