//! The four steps of the chunk operator, one after another. L, between the steps, is the kernels' own.

use deltanet_reference::gdr::kkt::{cumsum, kkt};
use deltanet_reference::gdr::solve_tril::solve_tril;
use deltanet_reference::gdr::wy::recompute_w_u;

use super::chunked::{Chunks, GATES, ONE_TOKEN, OPERATOR, SOLVED, SUMMED, VALUES};
use crate::contract::catalog::Function;
use crate::contract::catalog::rule::problem::{FEW, scalars};
use crate::contract::{DeviceResult, Domain, Instance, Rule};
use crate::references;

/// The exclusion of fast gates, whose sums f32 does not hold precisely enough.
const SLOW: Rule = Rule {
    of: &[GATES.0],
    says: "gates are neither model nor fast: sums of hundreds are handed on in f32, and their differences are off by up to 6e-5",
    breaks: &|case| matches!(case.word(GATES.0), Some("model" | "fast")),
};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_chunk_pipeline",
    title: "sums, L, its inverse in place, w and u",
    formulas: &[
        "g_cumsum_i = sum_(j<=i) g_j; over the tokens j of the chunk of token i; natural logarithms",
        "L[i,j] = beta_i (k_i . k_j) safe_exp(g_cumsum_i - g_cumsum_j); tokens j < i of one chunk, else 0; safe_exp(x) = e^x where x <= 0, else 0; without gates the factor is 1; head h reads q and k of head floor(h / (H / Hg))",
        "A = (I + L)^-1; of each chunk",
        "w_i = sum_(j<=i) A[i,j] beta_j e^(g_cumsum_j) k_j; without gates e^0; head h reads q and k of head floor(h / (H / Hg))",
        "u_i = sum_(j<=i) A[i,j] beta_j v_j; tokens j of the chunk of token i",
    ],
    outputs: &["g_cumsum", "A", "w", "u"],
    domain: Domain::of(&SOLVED)
        .values(VALUES)
        .without(&[FEW, SUMMED, SLOW])
        .uncomputed(&[ONE_TOKEN]),
    run: &run,
    ..OPERATOR
}];

fn run(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t)?;
    let v = x.values(t)?;
    let sums = t.output("g_cumsum", scalars(x.sizes))?;
    let a = t.output("A", x.matrices())?;
    let w = t.output("w", x.rows(x.sizes.key_size))?;
    let u = t.output("u", x.rows(x.sizes.value_size))?;
    let Chunks { g, k, beta, .. } = x;
    let (golden, oracle) = references!(t, |g, k, v, beta| {
        let sums = cumsum(x.sizes, x.bt, g);
        let l = kkt(x.sizes, x.bt, k, beta, Some(&sums));
        let inverse = solve_tril(x.sizes, x.bt, &l);
        let found = recompute_w_u(x.sizes, x.bt, k, v, beta, Some(&sums), &inverse);
        (sums, inverse, found.w, found.u)
    });
    t.check(sums, (golden.0, oracle.0))?;
    t.check(a, (golden.1, oracle.1))?;
    t.check(w, (golden.2, oracle.2))?;
    t.check(u, (golden.3, oracle.3))
}
