//! Matrices and their products.

use deltanet_reference::operators;

use super::laws;
use super::values::{COPIED, NAME, ONE_INFINITE, OPPOSED, ORDINARY, ZEROS, not_ordinary};
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
.values(&[(NAME, &[ORDINARY, ZEROS, OPPOSED, ONE_INFINITE])])
.without(&[ONE_PRODUCT]);
/// The exclusion of special values from products of one element.
const ONE_PRODUCT: Rule = Rule {
    of: &["M", "N", NAME],
    says: "M = N = 1 has ordinary values: a single element may be right without being computed",
    breaks: &|case| case.get("M") == Some(1) && case.get("N") == Some(1) && not_ordinary(case),
};
/// The domain of a transposition: rows and columns around a tile, and a single one of either.
const MOVED: Domain = Domain::of(&[
    Factor::One("rows", &[1, 3, 15, 16, 17, 65]),
    Factor::One("cols", &[1, 5, 16, 33, 64]),
])
.values(&[COPIED])
.without(&[LONE_ELEMENT])
.uncomputed(&[ONE_LINE]);
/// The exclusion of special values from a matrix of one element.
const LONE_ELEMENT: Rule = Rule {
    of: &["rows", "cols", NAME],
    says: "rows = cols = 1 has ordinary values: there are no others",
    breaks: &|case| {
        case.get("rows") == Some(1) && case.get("cols") == Some(1) && not_ordinary(case)
    },
};
/// Matrices of one row or column, whose elements do not move.
const ONE_LINE: Rule = Rule {
    of: &["rows", "cols"],
    says: "one row or one column: it is the input itself, transposed",
    breaks: &|case| case.get("rows") == Some(1) || case.get("cols") == Some(1),
};

/// The law that a product is linear in A.
const LINEAR: Relation = laws::doubled([&[Step::Times(&["A"], 2.0)], &[Step::Times(&["C"], 2.0)]]);

/// A product of two matrices.
const PRODUCT: Function = Function {
    dims: &["M", "N", "K"],
    outputs: &["C"],
    largest: &[&["M", "N"], &["M", "K"], &["N", "K"]],
    domain: PRODUCTS.relations(&[LINEAR, laws::transposed(&[Step::Exchanged("A", "B")])]),
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gemm_nt",
        title: "A B^T",
        formulas: &["C = A B^T; C[i,j] = sum over the K products of row i of A and row j of B"],
        run: &gemm_nt,
        ..PRODUCT
    },
    Function {
        name: "gemm_tn",
        title: "A^T B",
        formulas: &[
            "C = A^T B; C[i,j] = sum over the K products of column i of A and column j of B",
        ],
        run: &gemm_tn,
        ..PRODUCT
    },
    Function {
        name: "gemm_nt_tiled",
        title: "A B^T through LDS",
        formulas: &["C = A B^T; C[i,j] = sum over the K products of row i of A and row j of B"],
        run: &gemm_nt,
        ..PRODUCT
    },
    Function {
        name: "transpose",
        title: "in^T",
        formulas: &["out[i,j] = in[j,i]"],
        dims: &["rows", "cols"],
        outputs: &["out"],
        largest: &[&["rows", "cols"]],
        domain: MOVED.relations(&[laws::again(
            "undone-by-itself",
            "done twice, it gives the input",
            [&[Step::Fed("in", "out")], &[Step::Fed("out", "in")]],
        )
        .at(|case| case.exchanged("rows", "cols"), &[])]),
        run: &transpose,
        ..PRODUCT
    },
    Function {
        name: "gemm_nn",
        title: "A B",
        formulas: &["C = A B; C[i,j] = sum over the K products of row i of A and column j of B"],
        domain: PRODUCTS.relations(&[
            LINEAR,
            laws::transposed(&[Step::Exchanged("A", "B"), Step::Transposed(&["A", "B"])]),
        ]),
        run: &gemm_nn,
        ..PRODUCT
    },
];

/// Defines a contract's function by the reference's function of its name, and the shapes of both factors in sizes of the product.
macro_rules! products {
    ($($name:ident: [$m:ident, $n:ident, $k:ident] $a:expr, $b:expr;)*) => {$(
        fn $name(t: &mut Instance<'_>) -> DeviceResult {
            let [$m, $n, $k] = ["M", "N", "K"].map(|name| t.dim(name));
            let operands = [("A", $a), ("B", $b)];
            let [a, b] = values::matrices(t, operands, [Uniform(-1.0, 1.0); 2])?;
            let c = t.output("C", table($m, $n))?;
            let mistakes = exchanged::inputs(t, [a, b], "A and B are exchanged", move |a, b| {
                operators::$name(a, b, $m, $n, $k)
            });
            let references = references!(t, |a, b| operators::$name(a, b, $m, $n, $k));
            t.check_or(c, references, mistakes)
        }
    )*};
}

products! {
    gemm_nt: [m, n, k] table(m, k), table(n, k);
    gemm_tn: [m, n, k] table(k, m), table(k, n);
    gemm_nn: [m, n, k] table(m, k), table(k, n);
}

fn transpose(t: &mut Instance<'_>) -> DeviceResult {
    let (rows, cols) = (t.dim("rows"), t.dim("cols"));
    let x = values::input(t, "in", table(rows, cols), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(cols, rows))?;
    t.check(out, references!(t, |x| operators::transpose(x, rows, cols)))
}
