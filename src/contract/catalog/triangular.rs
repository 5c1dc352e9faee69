//! Triangular matrices.

use deltanet_reference::operators;

use super::laws;
use super::{Function, exchanged, values};
use crate::contract::relation::Step;
use crate::contract::{Buffer, Choice, DeviceResult, Domain, Factor, Instance, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// The matrix to solve: from independent keys, or from nearly equal keys, where every element is nearly -1.
pub const MATRIX: Choice = ("matrix", &["independent", "correlated"]);

/// Draws a full matrix whose strictly lower part a contract solves.
pub fn solved(t: &mut Instance<'_>, n: usize, deviation: f32) -> Buffer {
    let correlated = t.word(MATRIX.0) == "correlated";
    let change = |values: &mut [f32], _: &mut Stream| {
        if correlated {
            values
                .iter_mut()
                .for_each(|x| *x = 0.05 * *x / deviation - 0.95);
        }
    };
    let distribution = Normal(deviation);
    t.draw_changed(ElementKind::F32, "full", table(n, n), distribution, change)
}

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "tril",
        title: "lower triangle, zeros above",
        formulas: &["dst[i,j] = src[i,j]; where j <= i + diag, else 0"],
        dims: &["n"],
        integers: &["diag"],
        words: &[],
        outputs: &["dst"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[
            Factor::One("n", &[1, 16, 17, 33, 65]),
            // Diagonals below, on and above the main one, near it and far from it.
            Factor::One("diag", &[-9, -1, 0, 1, 9]),
        ])
        .values(&[values::COPIED])
        .without(&[values::ALONE])
        .uncomputed(&[values::ONE_ELEMENT])
        .relations(&[laws::again(
            "nothing-left",
            "done to its own result, it changes nothing",
            [&[Step::Fed("src", "dst")], &[]],
        )]),
        run: &tril,
        ..Function::EMPTY
    },
    Function {
        name: "causal_mask",
        title: "1 strictly below the diagonal",
        formulas: &["out[i,j] = 1; where j < i, else 0"],
        dims: &["n"],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[Factor::One("n", &[1, 2, 16, 17, 64, 65])])
            .uncomputed(&[values::ONE_ELEMENT]),
        run: &causal_mask,
        ..Function::EMPTY
    },
    Function {
        name: "eye",
        title: "the identity",
        formulas: &["out[i,j] = 1; where i = j, else 0"],
        dims: &["n"],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[Factor::One("n", &[1, 16, 17, 64, 65])]),
        run: &eye,
        ..Function::EMPTY
    },
    Function {
        name: "solve_tri",
        title: "X of (I - A) X = B",
        formulas: &["X = (I - A)^-1 B; only the part of A strictly below its diagonal is read"],
        dims: &["n", "k"],
        outputs: &["X"],
        largest: &[&["n", "n"], &["n", "k"]],
        domain: Domain::of(&[
            Factor::One("n", &[1, 5, 17, 33, 129]),
            Factor::One("k", &[1, 3, 33]),
        ])
        .values(&[MATRIX, values::GREAT_OR_NOT])
        .uncomputed(&[values::ONE_ELEMENT])
        .relations(&[
            laws::SOLVED,
            laws::doubled([&[Step::Times(&["B"], 2.0)], &[Step::Times(&["X"], 2.0)]]),
        ]),
        run: &solve_tri,
        ..Function::EMPTY
    },
    Function {
        name: "apply_causal_identity",
        title: "strictly lower part of in, plus I",
        formulas: &["out[i,j] = in[i,j]; where j < i, 1 where i = j, else 0"],
        dims: &["n"],
        outputs: &["out"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[Factor::One("n", &[1, 16, 17, 33, 65])])
            .values(&[values::COPIED])
            .relations(&[laws::again(
                "nothing-left",
                "done to its own result, it changes nothing",
                [&[Step::Fed("in", "out")], &[]],
            )]),
        run: &apply_causal_identity,
        ..Function::EMPTY
    },
];

fn tril(t: &mut Instance<'_>) -> DeviceResult {
    let (n, diag) = (t.dim("n"), t.integer("diag"));
    let src = values::input(t, "src", table(n, n), Uniform(-2.0, 2.0))?;
    let dst = t.output("dst", table(n, n))?;
    t.check(dst, references!(t, |src| operators::tril(src, n, diag)))
}

fn causal_mask(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let out = t.output("out", table(n, n))?;
    t.check(
        out,
        (operators::causal_mask::<f32>(n), operators::causal_mask(n)),
    )
}

fn eye(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let out = t.output("out", table(n, n))?;
    t.check(out, (operators::eye::<f32>(n), operators::eye(n)))
}

/// Solves for a strictly lower A that is so small that the solution has about the size of B.
fn solve_tri(t: &mut Instance<'_>) -> DeviceResult {
    let (n, k) = (t.dim("n"), t.dim("k"));
    let full = solved(t, n, 0.15);
    let a = t.upload("A", table(n, n), operators::tril(t.values(full), n, -1))?;
    let b = values::input(t, "B", table(n, k), Uniform(-1.0, 1.0))?;
    let x = t.output("X", table(n, k))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::solve_tri(a, b, n, k)
    });
    let references = references!(t, |a, b| operators::solve_tri(a, b, n, k));
    t.check_or(x, references, mistakes)
}

/// Tests the causal identity on a full input, whose elements on and above the diagonal must be replaced.
fn apply_causal_identity(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = values::input(t, "in", table(n, n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(n, n))?;
    t.check(
        out,
        references!(t, |x| operators::apply_causal_identity(x, n)),
    )
}
