//! The outputs of chunks.

use std::sync::Arc;

use deltanet_reference::gdr::chunk_o::chunk_o;
use deltanet_reference::rule::{Scale, Sizes};

use super::chunked::{Chunks, GATES, OPERATOR, OTHER_HEADS, SIZES, VALUES};
use crate::contract::catalog::rule::problem::{FEW, ONE_PRODUCT, ONE_QUERY, STATE};
use crate::contract::catalog::{Function, exchanged, laws};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Instance, Mistake, Rule};

/// The exclusion of gates that make states grow.
const FALLING: Rule = Rule {
    of: &[GATES.0],
    says: "gates are not mixed: of a positive exponent the formula and the safe exponential of kernels make different things",
    breaks: &|case| case.word(GATES.0) == Some("mixed"),
};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_chunk_o",
    title: "outputs of chunks",
    formulas: &[
        "o_i = (e^(g_cumsum_i) h^T q_i + sum_(j<=i) (q_i . k_j) e^(g_cumsum_i - g_cumsum_j) v_new_j) / sqrt(K); tokens j of the chunk of token i, h before it; without gates the factors are 1; head h reads q and k of head floor(h / (H / Hg))",
    ],
    words: &[GATES, STATE],
    outputs: &["o"],
    domain: Domain::of(&SIZES)
        .values(VALUES)
        .without(&[FEW, FALLING, ONE_PRODUCT, ONE_QUERY])
        .relations(&[
            laws::doubled([
                &[Step::Times(&["v_new", "h"], 2.0)],
                &[Step::Times(&["o"], 2.0)],
            ]),
            laws::SEQUENCES,
            laws::HEADS_WITHIN_GROUPS,
            laws::HEADS_REVERSED,
        ]),
    run: &run,
    ..OPERATOR
}];

fn run(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t)?;
    let q = x.queries(t)?;
    let v = x.values(t)?;
    let sums = x.sums(t)?;
    let [w, u] = x.w_u(t, v, sums)?;
    let h0 = x.initial(t)?;
    let found = x.states(t, [w, u], sums, h0);
    let h = t.upload("h", x.state_axes(), found.h)?;
    let v_new = t.upload("v_new", x.rows(x.sizes.value_size), found.vn)?;
    let o = t.output("o", x.rows(x.sizes.value_size))?;
    let scale: f32 = Scale::InverseSqrtKeySize.factor(x.sizes.key_size);
    let golden = {
        let [q, k, v_new, h] = [q, x.k, v_new, h].map(|buffer| t.values(buffer));
        let sums = sums.map(|sums| t.values(sums));
        chunk_o(x.sizes, x.bt, scale, q, k, v_new, h, sums)
    };
    let wide = Arc::new(Wide {
        q: t.wide(q),
        k: t.wide(x.k),
        v_new: t.wide(v_new),
        h: t.wide(h),
        sums: sums.map(|sums| t.wide(sums)),
        scale: Scale::InverseSqrtKeySize.factor(x.sizes.key_size),
    });
    let oracle = wide.outputs(x.sizes, x.bt);
    let mut mistakes = mistakes(x, &wide);
    if let Some(sums) = sums {
        mistakes.extend(
            x.gated_chunks()
                .of_outputs(t, [q, x.k, v_new, h, sums], wide.scale),
        );
    }
    t.check_or(o, (golden, oracle), mistakes)
}

/// The inputs in f64.
#[derive(Clone)]
struct Wide {
    q: Vec<f64>,
    k: Vec<f64>,
    v_new: Vec<f64>,
    h: Vec<f64>,
    sums: Option<Vec<f64>>,
    scale: f64,
}

impl Wide {
    fn outputs(&self, sizes: Sizes, bt: usize) -> Vec<f64> {
        let (q, k, v_new, h) = (&self.q, &self.k, &self.v_new, &self.h);
        chunk_o(sizes, bt, self.scale, q, k, v_new, h, self.sums.as_deref())
    }
}

fn mistakes(x: Chunks, wide: &Arc<Wide>) -> Vec<Mistake> {
    let with = |name, explanation, change: fn(&mut Wide)| {
        let wide = Arc::clone(wide);
        Mistake::new(name, explanation, move || {
            let mut changed = Wide::clone(&wide);
            change(&mut changed);
            changed.outputs(x.sizes, x.bt)
        })
    };
    let mut found = vec![
        with(
            "scale-missing",
            "the output lacks its scale of 1/sqrt(K)",
            |x| {
                x.scale = 1.0;
            },
        ),
        with(exchanged::NAME, "q and k are exchanged", |x| {
            std::mem::swap(&mut x.q, &mut x.k);
        }),
        with(
            "state-ignored",
            "q h, what was before the chunk, is left out",
            |x| {
                x.h.fill(0.0);
            },
        ),
    ];
    if wide.sums.is_some() {
        found.push(with("gates-ignored", "nothing decays", |x| x.sums = None));
    }
    if x.grouped() {
        let wide = Arc::clone(wide);
        found.push(Mistake::new("head-map", OTHER_HEADS, move || {
            let (sizes, k) = x.other_heads(&wide.k);
            let (_, q) = x.other_heads(&wide.q);
            Wide {
                q,
                k,
                ..Wide::clone(&wide)
            }
            .outputs(sizes, x.bt)
        }));
    }
    found
}
