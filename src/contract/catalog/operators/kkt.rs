//! The sums of gates within chunks and the matrix L, in separate launches and in one launch.

use deltanet_reference::gdr::kkt::{cumsum, cumsum_kkt, kkt};

use super::chunked::{
    Chunks, DIMS, GATED, GATES, LARGEST, ONE_TOKEN, OTHER_HEADS, SIZES, SUMMED, SUMS,
    SUMS_BESIDE_PRODUCTS, VALUES,
};
use crate::contract::catalog::Function;
use crate::contract::catalog::laws;
use crate::contract::catalog::rule::problem::{FEW, scalars};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Instance, Mistake};
use crate::references;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_chunk_cumsum",
        title: "log gates summed within chunks",
        formulas: &[(
            "g_cumsum_i",
            "sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms",
        )],
        dims: DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["g_cumsum"],
        largest: LARGEST,
        domain: Domain::of(&SUMS)
            .without(&[SUMMED])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([
                    &[Step::Times(&["g"], 2.0)],
                    &[Step::Times(&["g_cumsum"], 2.0)],
                ]),
                laws::SEQUENCES,
                laws::HEADS_REVERSED,
            ]),
        run: chunk_cumsum,
    },
    Function {
        name: "gdr_compute_a",
        title: "beta_i <k_i, k_j> safe_exp(G_i - G_j) below the diagonal",
        formulas: &[(
            "A[i,j]",
            "beta_i (k_i . k_j) safe_exp(g_cumsum_i - g_cumsum_j); tokens j < i of one chunk, else 0; safe_exp(x) = e^x where x <= 0, else 0; without gates the factor is 1; head h reads q and k of head floor(h / (H / Hg))",
        )],
        dims: DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["A"],
        largest: LARGEST,
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW, GATED])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([&[Step::Times(&["beta"], 2.0)], &[Step::Times(&["A"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: products,
    },
    Function {
        name: "gdr_wy_kkt",
        title: "the same, with gates or without",
        formulas: &[(
            "A[i,j]",
            "beta_i (k_i . k_j) safe_exp(g_cumsum_i - g_cumsum_j); tokens j < i of one chunk, else 0; safe_exp(x) = e^x where x <= 0, else 0; without gates the factor is 1; head h reads q and k of head floor(h / (H / Hg))",
        )],
        dims: DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["A"],
        largest: LARGEST,
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([&[Step::Times(&["beta"], 2.0)], &[Step::Times(&["A"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: products,
    },
    Function {
        name: "gdr_cumsum_kkt_sums",
        title: "sums and products in one launch: the sums",
        formulas: &[(
            "g_cumsum_i",
            "sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms",
        )],
        dims: DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["g_cumsum"],
        largest: LARGEST,
        domain: Domain::of(&SUMS_BESIDE_PRODUCTS)
            .without(&[SUMMED])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([
                    &[Step::Times(&["g"], 2.0)],
                    &[Step::Times(&["g_cumsum"], 2.0)],
                ]),
                laws::SEQUENCES,
                laws::HEADS_REVERSED,
            ]),
        run: |t| fused(t, true),
    },
    Function {
        name: "gdr_cumsum_kkt_a",
        title: "sums and products in one launch: L",
        formulas: &[
            (
                "g_cumsum_i",
                "sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms; not rounded before it is used",
            ),
            (
                "A[i,j]",
                "beta_i (k_i . k_j) safe_exp(g_cumsum_i - g_cumsum_j); tokens j < i of one chunk, else 0; safe_exp(x) = e^x where x <= 0, else 0; without gates the factor is 1; head h reads q and k of head floor(h / (H / Hg))",
            ),
        ],
        dims: DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["A"],
        largest: LARGEST,
        domain: Domain::of(&SIZES)
            .values(VALUES)
            .without(&[FEW, GATED])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([&[Step::Times(&["beta"], 2.0)], &[Step::Times(&["A"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: |t| fused(t, false),
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
    let [k, beta] = [x.k, x.beta].map(|buffer| t.wide(buffer));
    let sums = sums.map(|sums| t.wide(sums));
    let oracle = kkt(x.sizes, x.bt, &k, &beta, sums.as_deref());
    let mistakes = mistakes(x, k, beta, sums);
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
    let [k, beta] = [k, beta].map(|buffer| t.wide(buffer));
    let mistakes = mistakes(x, k, beta, Some(oracle.0));
    let a = t.output("A", x.matrices())?;
    t.check_or(a, (golden.1, oracle.1), mistakes)
}

fn mistakes(x: Chunks, k: Vec<f64>, beta: Vec<f64>, sums: Option<Vec<f64>>) -> Vec<Mistake> {
    let (s, bt) = (x.sizes, x.bt);
    let of = move |k: &[f64], beta: &[f64], sums: Option<&Vec<f64>>| {
        kkt(s, bt, k, beta, sums.map(Vec::as_slice))
    };
    let mut found = Vec::new();
    {
        let (k, beta, sums) = (k.clone(), beta.clone(), sums.clone());
        let explanation = "beta is that of the column's token, not of the row's";
        found.push(Mistake::new("beta-of-column", explanation, move || {
            let mut a = of(&k, &vec![1.0; beta.len()], sums.as_ref());
            for (row, a) in a.chunks_exact_mut(bt).enumerate() {
                let (sequence, token, head) = (
                    row / s.value_heads / s.tokens,
                    row / s.value_heads % s.tokens,
                    row % s.value_heads,
                );
                for (column, a) in a.iter_mut().enumerate().take(token % bt) {
                    let at = sequence * s.tokens + token / bt * bt + column;
                    *a *= beta[at * s.value_heads + head];
                }
            }
            a
        }));
    }
    {
        let (k, beta, sums) = (k.clone(), beta.clone(), sums.clone());
        found.push(Mistake::new(
            "beta-missing",
            "beta is left out",
            move || of(&k, &vec![1.0; beta.len()], sums.as_ref()),
        ));
    }
    if sums.is_some() {
        let (k, beta) = (k.clone(), beta.clone());
        let explanation = "the gates are not applied";
        found.push(Mistake::new("gates-ignored", explanation, move || {
            of(&k, &beta, None)
        }));
    }
    if let Some(sums) = sums.clone() {
        let (k, beta) = (k.clone(), beta.clone());
        let explanation = "exponentials to base 2 of natural logarithms";
        found.push(Mistake::new("base", explanation, move || {
            let sums: Vec<f64> = sums.iter().map(|g| g * std::f64::consts::LN_2).collect();
            of(&k, &beta, Some(&sums))
        }));
    }
    if x.grouped() {
        found.push(Mistake::new("head-map", OTHER_HEADS, move || {
            let (sizes, k) = x.other_heads(&k);
            kkt(sizes, bt, &k, &beta, sums.as_deref())
        }));
    }
    found
}
