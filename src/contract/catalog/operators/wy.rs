//! w and u of the WY form.

use deltanet_reference::gdr::wy::recompute_w_u;

use super::chunked::{Chunks, OPERATOR, OTHER_HEADS, SIZES, VALUES};
use crate::contract::catalog::rule::problem::{FEW, ONE_PRODUCT};
use crate::contract::catalog::{Function, laws};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Instance, Mistake};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_recompute_w_u",
    title: "w and u, from the inverse",
    formulas: &[
        "u_i = sum_(j<=i) Ai[i,j] beta_j v_j; tokens j of the chunk of token i",
        "w_i = sum_(j<=i) Ai[i,j] beta_j e^(g_cumsum_j) k_j; without gates e^0; head h reads q and k of head floor(h / (H / Hg))",
    ],
    outputs: &["w", "u"],
    domain: Domain::of(&SIZES)
        .values(VALUES)
        .without(&[FEW, ONE_PRODUCT])
        .relations(&[
            laws::doubled([&[Step::Times(&["v"], 2.0)], &[Step::Times(&["u"], 2.0)]]),
            laws::SEQUENCES,
            laws::HEADS_WITHIN_GROUPS,
            laws::HEADS_REVERSED,
        ]),
    run: &run,
    ..OPERATOR
}];

fn run(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t)?;
    let v = x.values(t)?;
    let sums = x.sums(t)?;
    let inverse = x.inverse(t, sums)?;
    let w = t.output("w", x.rows(x.sizes.key_size))?;
    let u = t.output("u", x.rows(x.sizes.value_size))?;
    let golden = {
        let [k, v, beta, inverse] = [x.k, v, x.beta, inverse].map(|buffer| t.values(buffer));
        let sums = sums.map(|sums| t.values(sums));
        recompute_w_u(x.sizes, x.bt, k, v, beta, sums, inverse)
    };
    let in_gates = sums.map(|sums| {
        let buffers = [x.k, v, x.beta, inverse, sums];
        x.gated_chunks().of_w(t, buffers)
    });
    let mut in_w: Vec<Mistake> = in_gates.unwrap_or_default();
    let [k, v, beta, inverse] = [x.k, v, x.beta, inverse].map(|buffer| t.wide(buffer));
    let sums = sums.map(|sums| t.wide(sums));
    let oracle = recompute_w_u(x.sizes, x.bt, &k, &v, &beta, sums.as_deref(), &inverse);
    if x.grouped() {
        let (v, beta, inverse) = (v.clone(), beta.clone(), inverse.clone());
        in_w.push(Mistake::new("head-map", OTHER_HEADS, move || {
            let (sizes, k) = x.other_heads(&k);
            recompute_w_u(sizes, x.bt, &k, &v, &beta, sums.as_deref(), &inverse).w
        }));
    }
    let in_u = {
        let beta = vec![1.0; beta.len()];
        let keys = vec![0.0; x.sizes.key_shape().iter().product()];
        Mistake::new("u-without-beta", "u lacks beta", move || {
            recompute_w_u(x.sizes, x.bt, &keys, &v, &beta, None, &inverse).u
        })
    };
    t.check_or(w, (golden.w, oracle.w), in_w)?;
    t.check_or(u, (golden.u, oracle.u), vec![in_u])
}
