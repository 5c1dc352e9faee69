//! Matrices and their products.

use deltanet_reference::operators;

use super::laws;
use super::{Function, exchanged, values};
use crate::contract::relation::{Relation, Step};
use crate::contract::{DeviceResult, Domain, Factor, Instance, Rule, table};
use crate::references;
use crate::tensor::Distribution::Uniform;

/// The domain of products: sizes around tiles of 16, one row, column or product, and factors of opposed sizes.
const PRODUCTS: Domain = Domain::of(&[
    Factor::One("M", &[1, 15, 16, 17, 65]),
    Factor::One("N", &[1, 16, 33, 63]),
    Factor::One("K", &[1, 7, 16, 129]),
])
.values(&[(
    values::NAME,
    &[
        values::ORDINARY,
        values::ZEROS,
        values::OPPOSED,
        values::ONE_INFINITE,
    ],
)])
.without(&[ONE_PRODUCT]);
/// The exclusion of special values from products of one element.
const ONE_PRODUCT: Rule = Rule {
    of: &["M", "N", values::NAME],
    says: "M = N = 1 has ordinary values: a single element may be right without being computed",
    breaks: |case| {
        let one = |name| case.get(name) == Some(1);
        let word = case.word(values::NAME);
        one("M") && one("N") && word.is_some_and(|word| word != values::ORDINARY)
    },
};
/// The domain of a transposition: rows and columns around a tile, and a single one of either.
const MOVED: Domain = Domain::of(&[
    Factor::One("rows", &[1, 3, 15, 16, 17, 65]),
    Factor::One("cols", &[1, 5, 16, 33, 64]),
])
.values(&[(
    values::NAME,
    &[
        values::ORDINARY,
        values::ZEROS,
        values::TINY,
        values::INFINITE,
    ],
)])
.without(&[LONE_ELEMENT])
.uncomputed(&[ONE_LINE]);
/// The exclusion of special values from a matrix of one element.
const LONE_ELEMENT: Rule = Rule {
    of: &["rows", "cols", values::NAME],
    says: "rows = cols = 1 has ordinary values: there are no others",
    breaks: |case| {
        let one = |name| case.get(name) == Some(1);
        let word = case.word(values::NAME);
        one("rows") && one("cols") && word.is_some_and(|word| word != values::ORDINARY)
    },
};
/// Matrices of one row or column, whose elements do not move.
const ONE_LINE: Rule = Rule {
    of: &["rows", "cols"],
    says: "one row or one column: it is the input itself, transposed",
    breaks: |case| case.get("rows") == Some(1) || case.get("cols") == Some(1),
};

/// The law that a product is linear in A.
const LINEAR: Relation = laws::doubled([&[Step::Times(&["A"], 2.0)], &[Step::Times(&["C"], 2.0)]]);

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gemm_nt",
        title: "A B^T",
        formulas: &[(
            "C",
            "A B^T; C[i,j] = sum over the K products of row i of A and row j of B",
        )],
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        domain: PRODUCTS.relations(&[LINEAR, laws::transposed(&[Step::Exchanged("A", "B")])]),
        run: gemm_nt,
    },
    Function {
        name: "gemm_tn",
        title: "A^T B",
        formulas: &[(
            "C",
            "A^T B; C[i,j] = sum over the K products of column i of A and column j of B",
        )],
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        domain: PRODUCTS.relations(&[LINEAR, laws::transposed(&[Step::Exchanged("A", "B")])]),
        run: gemm_tn,
    },
    Function {
        name: "gemm_nt_tiled",
        title: "A B^T through LDS",
        formulas: &[(
            "C",
            "A B^T; C[i,j] = sum over the K products of row i of A and row j of B",
        )],
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        domain: PRODUCTS.relations(&[LINEAR, laws::transposed(&[Step::Exchanged("A", "B")])]),
        run: gemm_nt_tiled,
    },
    Function {
        name: "transpose",
        title: "in^T",
        formulas: &[("out[i,j]", "in[j,i]")],
        dims: &["rows", "cols"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["rows", "cols"]],
        domain: MOVED.relations(&[laws::again(
            "undone-by-itself",
            "done twice, it gives the input",
            [&[Step::Fed("in", "out")], &[Step::Fed("out", "in")]],
        )
        .at(|case| case.exchanged("rows", "cols"), &[])]),
        run: transpose,
    },
    Function {
        name: "gemm_nn",
        title: "A B",
        formulas: &[(
            "C",
            "A B; C[i,j] = sum over the K products of row i of A and column j of B",
        )],
        dims: &["M", "N", "K"],
        integers: &[],
        words: &[],
        outputs: &["C"],
        largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
        domain: PRODUCTS.relations(&[
            LINEAR,
            laws::transposed(&[Step::Exchanged("A", "B"), Step::Transposed(&["A", "B"])]),
        ]),
        run: gemm_nn,
    },
];

fn gemm_nt(t: &mut Instance<'_>) -> DeviceResult {
    product_nt(t)
}

fn gemm_nt_tiled(t: &mut Instance<'_>) -> DeviceResult {
    product_nt(t)
}

fn product_nt(t: &mut Instance<'_>) -> DeviceResult {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let operands = [("A", table(m, k)), ("B", table(n, k))];
    let [a, b] = values::matrices(t, operands, [Uniform(-1.0, 1.0); 2])?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_nt(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_nt(a, b, m, n, k));
    t.check_or(c, references, mistakes)
}

fn gemm_tn(t: &mut Instance<'_>) -> DeviceResult {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let operands = [("A", table(k, m)), ("B", table(k, n))];
    let [a, b] = values::matrices(t, operands, [Uniform(-1.0, 1.0); 2])?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_tn(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_tn(a, b, m, n, k));
    t.check_or(c, references, mistakes)
}

fn transpose(t: &mut Instance<'_>) -> DeviceResult {
    let (rows, cols) = (t.dim("rows"), t.dim("cols"));
    let x = values::input(t, "in", table(rows, cols), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(cols, rows))?;
    t.check(out, references!(t, |x| operators::transpose(x, rows, cols)))
}

fn gemm_nn(t: &mut Instance<'_>) -> DeviceResult {
    let (m, n, k) = (t.dim("M"), t.dim("N"), t.dim("K"));
    let operands = [("A", table(m, k)), ("B", table(k, n))];
    let [a, b] = values::matrices(t, operands, [Uniform(-1.0, 1.0); 2])?;
    let c = t.output("C", table(m, n))?;
    let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
        operators::gemm_nn(a, b, m, n, k)
    });
    let references = references!(t, |a, b| operators::gemm_nn(a, b, m, n, k));
    t.check_or(c, references, mistakes)
}
