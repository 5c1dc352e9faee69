//! The steps of the rule. Each is a contract whose inputs are the reference's results of the steps before it.

mod chunk;
mod producers;

use super::Function;
use super::problem::{
    CHUNKED, FEW, GATE_KIND, GATES, KEYS, LAST, LAYOUT, MAP, ONE_PRODUCT, ONE_QUERY,
    SEVERAL_CHUNKS, STATE, STRENGTHS, SUMS, VALUES, WIDE,
};
use crate::contract::catalog::{laws, values};
use crate::contract::relation::{Closeness, Relation, Step};
use crate::contract::{Domain, Factor, Rule};

/// Dimensions of a step of the chunk pipeline.
const CHUNK_DIMS: &[&str] = &["B", "T", "H", "HV", "K", "V", "C"];
/// The largest tensors.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "T", "HV", "C"],
    &["B", "HV", "K", "V"],
];

/// The exclusion of gates that are all 0, whose sums are zeros.
pub const NO_SUMS: Rule = Rule {
    of: &[GATES.0],
    says: "gates are not none: zeros alone would be right",
    breaks: &|case| case.word(GATES.0) == Some("none"),
};
/// Cases of one token, whose results are zeros or the initial state.
pub const ONE_TOKEN: Rule = Rule {
    of: &["T"],
    says: "T = 1: below the diagonal of one token there is nothing, and the state before it is the first",
    breaks: &|case| case.get("T") == Some(1),
};
/// The exclusion of fast gates, which leave no trace of the correction.
pub const SLOW: Rule = Rule {
    of: &[GATES.0],
    says: "gates are neither model nor fast: of few chunks they leave no trace of w h, and u would be right for vn",
    breaks: &|case| matches!(case.word(GATES.0), Some("model" | "fast")),
};

/// The exclusion of far reach from outputs of one element, which may be subnormal or 0.
const ONE_ELEMENT: Rule = Rule {
    of: &["T", "HV", producers::REACH.0],
    says: "T = HV = 1 is of usual reach: where the only element is subnormal or 0, its relative error says nothing",
    breaks: &|case| {
        let one = |name| case.get(name) == Some(1);
        one("T") && one("HV") && case.word(producers::REACH.0) == Some("far")
    },
};

/// A step of the chunk pipeline.
const CHUNK_STEP: Function = Function {
    dims: CHUNK_DIMS,
    words: &[GATES],
    largest: LARGEST,
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_gate",
        title: "-e^A_log softplus(a + dt_bias)",
        formulas: &[
            "g = -e^A_log softplus(a + dt_bias); the natural logarithm of the factor on the state; softplus(x) = ln(1 + e^x), and x above 20",
        ],
        dims: &["T", "HV"],
        outputs: &["g"],
        largest: &[&["T", "HV"]],
        domain: Domain::of(&[
            Factor::One("T", &[1, 33, 64, 65]),
            Factor::One("HV", &[1, 3, 5, 32]),
        ])
        .values(&[producers::REACH])
        .without(&[ONE_ELEMENT]),
        run: &producers::gate,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_beta",
        title: "sigmoid(b)",
        formulas: &["beta = 1 / (1 + e^(-b))"],
        dims: &["n"],
        outputs: &["beta"],
        largest: &[&["n"]],
        domain: Domain::of(&[values::N])
            .values(&[(
                values::NAME,
                &[values::ORDINARY, "far", values::TINY, values::INFINITE],
            )])
            .without(&[values::ALONE])
            .relations(&[Relation::twice(
                "reflected",
                "sigmoid(x) and sigmoid(-x) sum to 1",
                [
                    &[Step::Times(&["b"], -1.0)],
                    &[Step::Each(&["beta"], |y| 1.0 - y)],
                ],
                Closeness::Tolerance,
            )]),
        run: &producers::beta,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_l2norm",
        title: "rows by their L2 norm",
        formulas: &[
            "y_i = x_i / norm_i; of each row i",
            "norm_i = sqrt(sum_j x[i,j]^2 + 1e-6); form max: max(sqrt(sum_j x[i,j]^2), 1e-3)",
        ],
        dims: &["rows", "D"],
        integers: &[],
        words: &[("form", &["root", "max"]), ("size", &["usual", "tiny"])],
        outputs: &["y"],
        largest: &[&["rows", "D"]],
        domain: Domain::of(&[
            Factor::One("rows", &[1, 3, 17]),
            Factor::One("D", &[1, 7, 63, 64, 65, 256]),
        ])
        .values(&[(values::NAME, &[values::ORDINARY, producers::LONG])])
        .relations(&[laws::UNIT, laws::PARALLEL]),
        run: &producers::l2norm,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_chunk_cumsum",
        title: "log gates summed within chunks",
        formulas: &[
            "G_i = sum_(j<=i) g_j; over the tokens j of the chunk of token i, in f64; natural logarithms",
            "g_j = g_j; gate_kind negated: -g_j, factor: ln(g_j)",
        ],
        outputs: &["G"],
        domain: Domain::of(&SUMS)
            .conventions(&[GATE_KIND])
            .without(&[NO_SUMS])
            .relations(&[laws::CHUNK_SUMS, laws::SEQUENCES, laws::HEADS_REVERSED]),
        run: &chunk::cumsum,
        ..CHUNK_STEP
    },
    Function {
        name: "gdn_chunk_l",
        title: "beta_i <k_i, k_j> e^(G_i - G_j) below the diagonal",
        formulas: &["L[i,j] = beta_i (k_i . k_j) e^(G_i - G_j); tokens j < i of one chunk, else 0"],
        words: &[GATES, MAP],
        outputs: &["L"],
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS])
            .without(&[FEW])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([&[Step::Times(&["beta"], 2.0)], &[Step::Times(&["L"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: &chunk::l,
        ..CHUNK_STEP
    },
    Function {
        name: "gdn_chunk_solve",
        title: "(I + L)^-1",
        formulas: &["Ai = (I + L)^-1; of each chunk"],
        outputs: &["Ai"],
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS])
            .without(&[FEW])
            .relations(&[
                laws::INVERSE_OF_CHUNKS,
                laws::SEQUENCES,
                laws::HEADS_REVERSED,
            ]),
        run: &chunk::solve,
        ..CHUNK_STEP
    },
    Function {
        name: "gdn_chunk_uw",
        title: "u and w",
        formulas: &[
            "u_i = sum_(j<=i) Ai[i,j] beta_j v_j; tokens j of the chunk of token i",
            "w_i = sum_(j<=i) Ai[i,j] beta_j e^(G_j) k_j",
        ],
        words: &[GATES, MAP],
        outputs: &["u", "w"],
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS, VALUES])
            .without(&[FEW, ONE_PRODUCT, WIDE])
            .relations(&[
                laws::doubled([&[Step::Times(&["v"], 2.0)], &[Step::Times(&["u"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: &chunk::uw,
        ..CHUNK_STEP
    },
    Function {
        name: "gdn_chunk_states",
        title: "the states before chunks, corrected values, the last state",
        formulas: &[
            "h_0 = initial; before the first chunk; 0 where state is zero",
            "vn_i = u_i - h_c^T w_i; token i of chunk c",
            "h_c = e^(G_last) h_(c-1) + sum_i e^(G_last - G_i) k_i vn_i^T; over the tokens i of chunk c - 1, last is its last token",
            "final = e^(G_last) h_c + sum_i e^(G_last - G_i) k_i vn_i^T; of the last chunk c",
        ],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["h", "vn", "final"],
        domain: Domain::of(&SEVERAL_CHUNKS)
            .values(&[KEYS, STRENGTHS, VALUES])
            .without(&[FEW, LAST, SLOW, WIDE])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([
                    &[Step::Times(&["u", "initial"], 2.0)],
                    &[Step::Times(&["h", "vn", "final"], 2.0)],
                ]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: &chunk::chunk_states,
        ..CHUNK_STEP
    },
    Function {
        name: "gdn_chunk_outputs",
        title: "outputs of chunks",
        formulas: &[
            "o_i = scale (e^(G_i) h^T q_i + sum_(j<=i) (q_i . k_j) e^(G_i - G_j) vn_j); tokens j of the chunk of token i, h before it; scale = 1 / sqrt(K)",
        ],
        words: &[GATES, MAP, STATE],
        outputs: &["o"],
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS, VALUES])
            .without(&[FEW, ONE_PRODUCT, ONE_QUERY, WIDE])
            .relations(&[
                laws::doubled([
                    &[Step::Times(&["vn", "h"], 2.0)],
                    &[Step::Times(&["o"], 2.0)],
                ]),
                laws::SEQUENCES,
                laws::HEADS_WITHIN_GROUPS,
                laws::HEADS_REVERSED,
            ]),
        run: &chunk::outputs,
        ..CHUNK_STEP
    },
];
