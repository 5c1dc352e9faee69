//! The state from chunk to chunk.

use std::sync::Arc;

use deltanet_reference::gdr::chunk_delta_h::chunk_delta_h;
use deltanet_reference::rule::StateLayout;
use deltanet_reference::rule::chunk::States;

use super::chunked::{Chunks, GATES, ONE_TOKEN, OPERATOR, OTHER_HEADS, SEVERAL_CHUNKS, VALUES};
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::catalog::rule::problem::{FEW, LAST, STATE};
use crate::contract::catalog::{Function, laws};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Instance, Rule};

/// The exclusion of fast gates, which leave no trace of the correction.
const SLOW: Rule = Rule {
    of: &[GATES.0],
    says: "gates are neither model nor fast: of few chunks they leave no trace of w h, and u would be right for v_new",
    breaks: &|case| matches!(case.word(GATES.0), Some("model" | "fast")),
};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_chunk_delta_h",
    title: "the states at the chunks' starts, corrected values, the last state",
    formulas: &[
        "h_0 = h0; before the first chunk; 0 where state is zero",
        "v_new_i = u_i - h_c^T w_i; token i of chunk c",
        "h_c = e^(g_cumsum_last) h_(c-1) + sum_i e^(g_cumsum_last - g_cumsum_i) k_i v_new_i^T; over the tokens i of chunk c - 1; without gates the factors are 1; head h reads q and k of head floor(h / (H / Hg))",
        "ht = e^(g_cumsum_last) h_c + sum_i e^(g_cumsum_last - g_cumsum_i) k_i v_new_i^T; of the last chunk c",
    ],
    words: &[GATES, STATE],
    outputs: &["h", "v_new", "ht"],
    domain: Domain::of(&SEVERAL_CHUNKS)
        .values(VALUES)
        .without(&[FEW, LAST, SLOW])
        .uncomputed(&[ONE_TOKEN])
        .relations(&[
            laws::doubled([
                &[Step::Times(&["u", "h0"], 2.0)],
                &[Step::Times(&["h", "v_new", "ht"], 2.0)],
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
    let v = x.values(t)?;
    let sums = x.sums(t)?;
    let [w, u] = x.w_u(t, v, sums)?;
    let h0 = x.initial(t)?;
    let h = t.output("h", x.state_axes())?;
    let v_new = t.output("v_new", x.rows(x.sizes.value_size))?;
    let ht = t.output("ht", x.last_axes())?;
    let golden = x.states(t, [w, u], sums, h0);
    let wide = Arc::new(Wide {
        k: t.wide(x.k),
        w: t.wide(w),
        u: t.wide(u),
        sums: sums.map(|sums| t.wide(sums)),
        h0: h0.map(|h0| t.wide(h0)),
    });
    let oracle = wide.states(x);
    let part = |part: fn(States<f64>) -> Vec<f64>| {
        known::mistakes(MISTAKES, (&wide, &x), move |wide, x| part(wide.states(*x)))
    };
    let in_gates = match sums {
        Some(sums) => {
            let zeros = || vec![0.0; x.sizes.state_shape(StateLayout::KeyMajor).iter().product()];
            let initial = h0.map_or_else(zeros, |h0| t.wide(h0));
            let start = (initial, StateLayout::KeyMajor);
            x.gated_chunks().of_states(t, [x.k, u, w, sums], start)
        }
        None => Default::default(),
    };
    let lists = [
        part(|found| found.h),
        part(|found| found.vn),
        part(|found| found.last),
    ];
    let outputs = [
        (h, golden.h, oracle.h),
        (v_new, golden.vn, oracle.vn),
        (ht, golden.last, oracle.last),
    ];
    let lists = lists.into_iter().zip(in_gates);
    for ((output, golden, oracle), (mut mistakes, in_gates)) in outputs.into_iter().zip(lists) {
        mistakes.extend(in_gates);
        t.check_or(output, (golden, oracle), mistakes)?;
    }
    Ok(())
}

/// The inputs in f64.
#[derive(Clone)]
struct Wide {
    k: Vec<f64>,
    w: Vec<f64>,
    u: Vec<f64>,
    sums: Option<Vec<f64>>,
    h0: Option<Vec<f64>>,
}

impl Wide {
    fn states(&self, x: Chunks) -> States<f64> {
        let (sums, h0) = (self.sums.as_deref(), self.h0.as_deref());
        chunk_delta_h(x.sizes, x.bt, &self.k, &self.w, &self.u, sums, h0)
    }
}

const MISTAKES: &[KnownMistake<Wide, Chunks>] = &[
    KnownMistake {
        name: "correction-missing",
        explanation: "v_new lacks the correction - w h",
        applies: |_, _| true,
        change: |wide, _| wide.w.fill(0.0),
    },
    KnownMistake {
        name: "correction-sign",
        explanation: "the correction w h is added, not subtracted",
        applies: |_, _| true,
        change: |wide, _| wide.w.iter_mut().for_each(|w| *w = -*w),
    },
    KnownMistake {
        name: "gates-ignored",
        explanation: "nothing decays",
        applies: |wide, _| wide.sums.is_some(),
        change: |wide, _| wide.sums = None,
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |wide, _| wide.h0.is_some(),
        change: |wide, _| wide.h0 = None,
    },
    KnownMistake {
        name: "head-map",
        explanation: OTHER_HEADS,
        applies: |_, x| x.grouped(),
        change: |wide, x| (x.sizes, wide.k) = x.other_heads(&wide.k),
    },
];
