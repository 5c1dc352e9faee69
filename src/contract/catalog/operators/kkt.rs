//! The sums of gates within chunks and the matrix L, in separate launches and in one launch.

use std::sync::Arc;

use deltanet_reference::gdr::kkt::{cumsum, cumsum_kkt, kkt};
use deltanet_reference::gdr::op::safe_exp;

use super::chunked::{
    Chunks, GATED, ONE_TOKEN, OPERATOR, OTHER_HEADS, SIZES, SUMMED, SUMS, SUMS_BESIDE_PRODUCTS,
    VALUES,
};
use crate::contract::catalog::rule::problem::{FEW, rounding_of_sums, scalars};
use crate::contract::catalog::{Function, laws};
use crate::contract::relation::{Relation, Step};
use crate::contract::{DeviceResult, Domain, Formula, Instance, Mistake};
use crate::references;

/// The sums.
const SUMS_FORMULA: Formula =
    "g_cumsum_i = sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms";
/// The products.
const PRODUCTS_FORMULA: Formula = "A[i,j] = beta_i (k_i . k_j) safe_exp(g_cumsum_i - g_cumsum_j); tokens j < i of one chunk, else 0; safe_exp(x) = e^x where x <= 0, else 0; without gates the factor is 1; head h reads q and k of head floor(h / (H / Hg))";
/// Laws of the sums.
const LAWS_OF_SUMS: &[Relation] = &[
    laws::doubled([
        &[Step::Times(&["g"], 2.0)],
        &[Step::Times(&["g_cumsum"], 2.0)],
    ]),
    laws::SEQUENCES,
    laws::HEADS_REVERSED,
];
/// Laws of the products.
const LAWS_OF_PRODUCTS: &[Relation] = &[
    laws::doubled([&[Step::Times(&["beta"], 2.0)], &[Step::Times(&["A"], 2.0)]]),
    laws::SEQUENCES,
    laws::HEADS_WITHIN_GROUPS,
    laws::HEADS_REVERSED,
];

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_chunk_cumsum",
        title: "log gates summed within chunks",
        formulas: &[SUMS_FORMULA],
        outputs: &["g_cumsum"],
        domain: Domain::of(&SUMS)
            .without(&[SUMMED])
            .uncomputed(&[ONE_TOKEN])
            .relations(LAWS_OF_SUMS),
        run: &chunk_cumsum,
        ..OPERATOR
    },
    Function {
        name: "gdr_compute_a",
        title: "beta_i <k_i, k_j> safe_exp(G_i - G_j) below the diagonal",
        formulas: &[PRODUCTS_FORMULA],
        outputs: &["A"],
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW, GATED])
            .uncomputed(&[ONE_TOKEN])
            .relations(LAWS_OF_PRODUCTS),
        run: &products,
        ..OPERATOR
    },
    Function {
        name: "gdr_wy_kkt",
        title: "the same, with gates or without",
        formulas: &[PRODUCTS_FORMULA],
        outputs: &["A"],
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW])
            .uncomputed(&[ONE_TOKEN])
            .relations(LAWS_OF_PRODUCTS),
        run: &products,
        ..OPERATOR
    },
    Function {
        name: "gdr_cumsum_kkt_sums",
        title: "sums and products in one launch: the sums",
        formulas: &[SUMS_FORMULA],
        outputs: &["g_cumsum"],
        domain: Domain::of(&SUMS_BESIDE_PRODUCTS)
            .without(&[SUMMED])
            .uncomputed(&[ONE_TOKEN])
            .relations(LAWS_OF_SUMS),
        run: &|t| fused(t, true),
        ..OPERATOR
    },
    Function {
        name: "gdr_cumsum_kkt_a",
        title: "sums and products in one launch: L",
        formulas: &[
            "g_cumsum_i = sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms",
            PRODUCTS_FORMULA,
        ],
        outputs: &["A"],
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW, GATED])
            .uncomputed(&[ONE_TOKEN])
            .relations(LAWS_OF_PRODUCTS),
        run: &|t| fused(t, false),
        ..OPERATOR
    },
];

fn chunk_cumsum(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t)?;
    let sums = t.output("g_cumsum", scalars(x.sizes))?;
    let g = x.g;
    let references = references!(t, |g| cumsum(x.sizes, x.bt, g));
    t.check(sums, references)
}

fn products(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t)?;
    let sums = x.sums(t)?;
    let a = t.output("A", x.matrices())?;
    let golden = x.l(t, sums);
    let in_gates = sums.map(|sums| x.gated_chunks().of_l(t, "A", [x.k, x.beta, sums]));
    let [k, beta] = [x.k, x.beta].map(|buffer| t.wide(buffer));
    let sums = sums.map(|sums| t.wide(sums));
    let oracle = kkt(x.sizes, x.bt, &k, &beta, sums.as_deref());
    let mut mistakes = mistakes(x, k, beta, sums);
    mistakes.extend(in_gates.into_iter().flatten());
    t.check_or(a, (golden, oracle), mistakes)
}

fn fused(t: &mut Instance<'_>, judge_sums: bool) -> DeviceResult {
    let x = Chunks::new(t)?;
    let Chunks { g, k, beta, .. } = x;
    let (golden, oracle) = references!(t, |g, k, beta| cumsum_kkt(x.sizes, x.bt, g, k, beta));
    if judge_sums {
        let sums = t.output("g_cumsum", scalars(x.sizes))?;
        return t.check(sums, (golden.0, oracle.0));
    }
    let rounding = rounding_of_sums(&oracle.0, &t.wide(g));
    let [k, beta] = [k, beta].map(|buffer| t.wide(buffer));
    let mistakes = mistakes(x, k, beta, Some(oracle.0));
    let a = t.output("A", x.matrices())?;
    t.allow_rounding(rounding);
    t.check_or(a, (golden.1, oracle.1), mistakes)
}

/// Keys, write strengths and cumulated gates in f64.
type Inputs = (Vec<f64>, Vec<f64>, Option<Vec<f64>>);

fn mistakes(x: Chunks, k: Vec<f64>, beta: Vec<f64>, sums: Option<Vec<f64>>) -> Vec<Mistake> {
    let gated = sums.is_some();
    let inputs = Arc::new((k, beta, sums));
    let with = |name, explanation, compute: fn(&Inputs, Chunks) -> Vec<f64>| {
        let inputs = Arc::clone(&inputs);
        Mistake::new(name, explanation, move || compute(&inputs, x))
    };
    let of_column = "beta is that of the column's token, not of the row's";
    let mut found = vec![
        with("beta-of-column", of_column, beta_of_column),
        with("beta-missing", "beta is left out", without_beta),
    ];
    if gated {
        found.push(with(
            "gates-ignored",
            "the gates are not applied",
            |(k, beta, _), x| kkt(x.sizes, x.bt, k, beta, None),
        ));
        let explanation = "exponentials to base 2 of natural logarithms";
        found.push(with("base-of-exp", explanation, |(k, beta, sums), x| {
            let sums = sums.iter().flatten().map(|g| g * std::f64::consts::LN_2);
            kkt(x.sizes, x.bt, k, beta, Some(&sums.collect::<Vec<f64>>()))
        }));
        let explanation = "e^x is taken where x > 0, too: safe_exp is 0 there";
        found.push(with("safe-exp-missing", explanation, |inputs, x| {
            with_decay(inputs, x, |of_row, of_column| (of_row - of_column).exp())
        }));
        let explanation = "the gates of A[i,j] are those of the tokens up to j less those up to i";
        found.push(with("gate-sign", explanation, |inputs, x| {
            with_decay(inputs, x, |of_row, of_column| safe_exp(of_column - of_row))
        }));
    }
    if x.grouped() {
        found.push(with("head-map", OTHER_HEADS, |(k, beta, sums), x| {
            let (sizes, k) = x.other_heads(k);
            kkt(sizes, x.bt, &k, beta, sums.as_deref())
        }));
    }
    found
}

fn without_beta((k, beta, sums): &Inputs, x: Chunks) -> Vec<f64> {
    kkt(x.sizes, x.bt, k, &vec![1.0; beta.len()], sums.as_deref())
}

fn beta_of_column(inputs: &Inputs, x: Chunks) -> Vec<f64> {
    let mut a = without_beta(inputs, x);
    for (a, _, column) in below_diagonal(&mut a, x) {
        *a *= inputs.1[column];
    }
    a
}

/// Computes the products with another decay of the cumulated gates of an element's row and of its column.
fn with_decay((k, beta, sums): &Inputs, x: Chunks, decay: fn(f64, f64) -> f64) -> Vec<f64> {
    let mut a = kkt(x.sizes, x.bt, k, beta, None);
    for (a, row, column) in below_diagonal(&mut a, x) {
        *a *= sums
            .as_ref()
            .map_or(1.0, |sums| decay(sums[row], sums[column]));
    }
    a
}

/// Returns each element of a chunk's matrix below its diagonal, with the places of its row and of its column in a tensor of scalars `[B, T, H]`.
fn below_diagonal(a: &mut [f64], x: Chunks) -> impl Iterator<Item = (&mut f64, usize, usize)> {
    let (s, bt) = (x.sizes, x.bt);
    let rows = a.chunks_exact_mut(bt).enumerate();
    rows.flat_map(move |(row, a)| {
        let head = row % s.value_heads;
        let (sequence, token) = (
            row / s.value_heads / s.tokens,
            row / s.value_heads % s.tokens,
        );
        let first = sequence * s.tokens + token / bt * bt;
        let elements = a.iter_mut().take(token % bt).enumerate();
        elements.map(move |(column, a)| (a, row, (first + column) * s.value_heads + head))
    })
}
