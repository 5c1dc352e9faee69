//! The contracts of the whole rule.

mod decode;
mod ggml;
mod sequential;

use super::Function;
use super::problem::laws::{COLUMNS, HANDED_ON, NEGATED, PADDED, SCALED, SCALED_WITH_SNAPSHOTS};
use super::problem::{
    CHUNKED, Chunks, DIMS, FEW, GATE_KIND, GATES, HEADS, KEYS, LAWS, LAYOUT, MAP, ONE_QUERY, RULE,
    STATE, STRENGTHS, VALUES, WIDE, problem, read_convention,
};
use crate::contract::catalog::laws::{self, HEADS_REVERSED, HEADS_WITHIN_GROUPS, SEQUENCES};
use crate::contract::catalog::sizes;
use crate::contract::relation::{Relation, Step};
use crate::contract::{DeviceResult, Domain, Factor, Formula, Instance, Rule, Values};

/// The largest tensors.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "HV", "K", "V"],
];

/// True for cases of ggml's operator that write every snapshot.
pub const ALL_WRITTEN: fn(&Values) -> bool = |case| {
    case.get("snapshots")
        .zip(case.get("T"))
        .is_some_and(|(kept, tokens)| kept <= tokens)
};

/// Cases whose keys have one channel and are 1 or -1, so that the state is the value, or the value negated.
const ONE_CHANNEL: Rule = Rule {
    of: &["K"],
    says: "K = 1: where every key is 1 the final state is v itself",
    breaks: &|case| case.get("K") == Some(1),
};

/// The gated delta rule, token by token. S is a matrix [K, V] of each value head.
const RECURRENCE: &[Formula] = &[
    "S_0 = initial; a matrix [K, V] of each value head; 0 where state is zero",
    "f_t = e^(g_t); the factor on the state; gate_kind negated: e^(-g_t), factor: g_t",
    "d_t = beta_t (v_t - f_t S_(t-1)^T k_t); the error against the decayed state",
    "S_t = f_t S_(t-1) + k_t d_t^T; the gated delta rule",
    "o_t = scale S_t^T q_t; scale = 1 / sqrt(K)",
    "final = S_T; the state after the last token",
];

/// Laws that the rule keeps in several launches.
const IN_PIECES: &[Relation] = &[
    SCALED,
    NEGATED,
    SEQUENCES,
    HEADS_REVERSED,
    HEADS_WITHIN_GROUPS,
    COLUMNS,
];

/// The whole rule, token by token or in chunks.
const WHOLE: Function = Function {
    formulas: RECURRENCE,
    dims: DIMS,
    words: &[GATES, MAP, STATE, LAYOUT],
    outputs: &["o", "final"],
    largest: LARGEST,
    run: &whole,
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_recurrent",
        title: "the fused recurrence, all tokens in one launch",
        domain: RULE,
        ..WHOLE
    },
    Function {
        name: "gdn_chained",
        title: "the recurrence in two launches, the state handed on: the same as in one",
        dims: &["B", "T", "first", "H", "HV", "K", "V"],
        domain: Domain::of(&[
            sizes::TWO_SEQUENCES,
            Factor::Together(&["T", "first"], &[&[2, 1], &[33, 16], &[65, 64], &[65, 1]]),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .conventions(&[GATE_KIND])
        .without(&[FEW, WIDE])
        .relations(IN_PIECES),
        ..WHOLE
    },
    Function {
        name: "gdn_decode",
        title: "the recurrence token by token: the same as a prefill",
        dims: &["T", "H", "HV", "K", "V"],
        largest: &[&["T", "HV", "K"], &["T", "HV", "V"], &["HV", "K", "V"]],
        domain: Domain::of(&[
            Factor::One("T", &[1, 2, 9]),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .conventions(&[GATE_KIND])
        .without(&[FEW, WIDE, ONE_QUERY])
        .relations(IN_PIECES),
        ..WHOLE
    },
    Function {
        name: "gdn_decode_step",
        title: "a decode step of a layer: gates, write strengths and norms made inside, states kept",
        formulas: &[
            "S_0 = initial; a matrix [K, V] of each value head; 0 where state is zero",
            "f_t = e^(-e^A_log softplus(a_t + dt_bias)); the factor on the state; softplus(x) = ln(1 + e^x), and x above 20",
            "beta_t = 1 / (1 + e^(-b_t))",
            "nq_t = q_t / sqrt(sum_i q_t[i]^2 + 1e-6); norm max: q_t / max(sqrt(sum_i q_t[i]^2), 1e-6), mean: q_t / sqrt(sum_i q_t[i]^2 + K 1e-6)",
            "nk_t = k_t / sqrt(sum_i k_t[i]^2 + 1e-6); norm max: k_t / max(sqrt(sum_i k_t[i]^2), 1e-6), mean: k_t / sqrt(sum_i k_t[i]^2 + K 1e-6)",
            "d_t = beta_t (v_t - f_t S_(t-1)^T nk_t)",
            "S_t = f_t S_(t-1) + nk_t d_t^T; the gated delta rule",
            "o_t = scale S_t^T nq_t; scale = 1 / sqrt(K)",
            "states[i] = S_(T-i); the state after the last token, then those after the tokens before it, counted from i = 0",
        ],
        dims: &["B", "T", "H", "HV", "K", "V", "snapshots"],
        integers: &[],
        words: &[MAP, STATE, LAYOUT],
        outputs: &["o", "states"],
        largest: &[
            &["B", "T", "HV", "K"],
            &["B", "T", "HV", "V"],
            &["snapshots", "B", "HV", "K", "V"],
        ],
        domain: Domain::of(&[
            sizes::SEQUENCES,
            Factor::Together(
                &["T", "snapshots"],
                &[&[1, 1], &[2, 1], &[2, 2], &[4, 3], &[5, 4]],
            ),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[decode::REACH, decode::KEYS, VALUES])
        .conventions(&[decode::NORM])
        .without(&[ONE_QUERY, WIDE, decode::FAR])
        .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS, COLUMNS]),
        run: &decode::run,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_chunked",
        title: "the chunk pipeline",
        dims: &["B", "T", "H", "HV", "K", "V", "C"],
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS, VALUES])
            .conventions(&[GATE_KIND])
            .without(&[FEW, WIDE, ONE_QUERY])
            .relations(LAWS),
        run: &in_chunks,
        ..WHOLE
    },
    Function {
        name: "gdn_sequential",
        title: "the sequential rule: error from the undecayed state, output read with k",
        formulas: &[
            "S_0 = initial; a matrix [K, V] of each head; 0 where state is zero",
            "d_t = beta_t (v_t - S_(t-1)^T k_t); the error against the state as it was",
            "S_t = g_t S_(t-1) + k_t d_t^T; g is the factor itself",
            "o_t = S_t^T k_t; read with the key, without a scale",
            "final = S_T",
        ],
        dims: &["B", "T", "H", "K", "V"],
        words: &[STATE],
        largest: &[&["B", "T", "H", "V"], &["B", "H", "K", "V"]],
        domain: Domain::of(&[
            sizes::SEQUENCES,
            Factor::One("T", &[1, 2, 17, 129]),
            sizes::HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .without(&[FEW, WIDE, ONE_QUERY])
        .relations(&[
            SCALED,
            NEGATED,
            SEQUENCES,
            HEADS_REVERSED,
            COLUMNS,
            PADDED,
            HANDED_ON,
        ]),
        run: &sequential::sequential,
        ..WHOLE
    },
    Function {
        name: "gdn_error_correction",
        title: "the sequential rule, the same pair written twice: the second time changes nothing",
        formulas: &[
            "S_0 = 0; a matrix [K, V] of each head",
            "S_t = g_t S_(t-1) + k_t (beta_t (v_t - S_(t-1)^T k_t))^T; two tokens with one pair k, v; g = beta = 1",
            "final = S_2",
        ],
        dims: &["B", "H", "K", "V"],
        outputs: &["final"],
        largest: &[&["B", "H", "K", "V"]],
        domain: Domain::of(&[
            sizes::SEQUENCES,
            sizes::HEADS,
            Factor::One("K", &[1, 5, 18, 64, 128, 200]),
            sizes::VALUE_CHANNELS,
        ])
        .uncomputed(&[ONE_CHANNEL])
        .relations(&[
            laws::doubled([&[Step::Times(&["v"], 2.0)], &[Step::Times(&["final"], 2.0)]]),
            SEQUENCES,
            HEADS_REVERSED,
            COLUMNS,
        ]),
        run: &sequential::error_correction,
        ..Function::EMPTY
    },
    Function {
        name: "ggml_gated_delta_net",
        title: "ggml's GATED_DELTA_NET: its layouts, its inputs, snapshots of the state",
        formulas: &[
            "M_0 = state; a matrix [S, S] of each head, stored with key channels innermost",
            "d_t = beta_t (v_t - (e^(g_t) M_(t-1))^T k_t); e^(g_t) scales rows, one gate for each key channel where gate is key",
            "M_t = e^(g_t) M_(t-1) + k_t d_t^T; the gated delta rule; head h reads q and k of head h % Hk",
            "o_t = M_t^T q_t / sqrt(S); the first S * H * T * N elements of dst",
            "states[i] = M_(T-i); behind o in dst: the state after the last token first; a snapshot that there is no token for keeps what dst held",
        ],
        dims: &["S", "Hk", "H", "T", "N", "snapshots"],
        integers: &[],
        words: &[("gate", &["head", "key"])],
        outputs: &["o", "states"],
        largest: &[&["S", "H", "T", "N"], &["S", "S", "H", "N", "snapshots"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 16, 33, 128]),
            Factor::Together(&["Hk", "H"], sizes::GROUPS),
            Factor::One("T", &[1, 2, 17, 129]),
            Factor::One("N", &[1, 3]),
            // Some cases have more snapshots than tokens.
            Factor::One("snapshots", &[1, 2, 5]),
        ])
        .values(&[ggml::DECAY, KEYS, STRENGTHS])
        .without(&[FEW])
        .relations(&[
            SCALED_WITH_SNAPSHOTS,
            SEQUENCES.when(ALL_WRITTEN),
            HEADS_REVERSED.when(ALL_WRITTEN),
            HEADS_WITHIN_GROUPS.when(ALL_WRITTEN),
            COLUMNS.when(ALL_WRITTEN),
        ]),
        run: &ggml::run,
        ..Function::EMPTY
    },
];

/// Outputs and state of a call: however its tokens are split into launches, they are those of one.
fn whole(t: &mut Instance<'_>) -> DeviceResult {
    let p = problem(t, read_convention(t))?;
    let [o, last] = p.results(t)?;
    p.check(t, o, last)
}

/// The rule chunk by chunk.
fn in_chunks(t: &mut Instance<'_>) -> DeviceResult {
    let x = Chunks::new(t, read_convention(t))?;
    let [o, last] = x.p.results(t)?;
    t.allow_rounding(x.p.rounding_of_sums(t, x.c));
    x.p.check(t, o, last)
}
