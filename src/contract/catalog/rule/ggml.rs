//! The gated delta net layer as llama.cpp's graph has it, in ggml's layouts: the operator from raw gates, the steps around it, and the
//! layer as a whole.

mod conv;
mod gated_norm;
mod layer;
mod projections;
mod raw;

use super::Function;
use super::problem::laws::{COLUMNS, SCALED_WITH_SNAPSHOTS};
use super::whole::ALL_WRITTEN;
use crate::contract::catalog::laws::{self, HEADS_REVERSED, HEADS_WITHIN_GROUPS, SEQUENCES};
use crate::contract::catalog::sizes;
use crate::contract::relation::Step;
use crate::contract::{Domain, Factor};

/// The epsilon of all norms of a layer, as Qwen3-Next's file gives it.
const EPSILON: f64 = 1e-6;
/// The activation after the convolution.
const ACTIVATION: (&str, &[&str]) = ("activation", &["silu", "none"]);
/// The norm of q and k.
const NORM: (&str, &[&str]) = ("norm", &["max", "none"]);

/// Sizes of the convolution: one channel, no power of two, more than a work-group; fewer tokens than the state has places, and more.
const CONV_SIZES: [Factor; 4] = [
    Factor::One("D", &[1, 7, 64, 300]),
    Factor::One("W", &[2, 3, 4]),
    Factor::One("T", &[1, 2, 5, 17]),
    Factor::One("N", &[1, 3]),
];
/// The largest tensors of the convolution.
const CONV_LARGEST: &[&[&str]] = &[&["N", "D", "T"], &["N", "D", "W"]];

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "ggml_gated_delta_net_raw",
        title: "ggml's operator with gates, write strengths and norms made inside",
        formulas: &[
            "S_0 = state; a matrix [K, V] of each value head, which reads q and k of head h % Hk; K = V = S",
            "f_t = e^(ssm_a softplus(alpha_t + ssm_dt)); the factor on the state; ssm_a is -e^A_log already; softplus(x) = ln(1 + e^x), and x above 20",
            "b_t = 1 / (1 + e^(-beta_t))",
            "nq_t = q_t / max(sqrt(sum_i q_t[i]^2), 1e-6); norm none: q_t",
            "nk_t = k_t / max(sqrt(sum_i k_t[i]^2), 1e-6); norm none: k_t",
            "d_t = b_t (v_t - f_t S_(t-1)^T nk_t)",
            "S_t = f_t S_(t-1) + nk_t d_t^T; the gated delta rule",
            "o_t = S_t^T nq_t / sqrt(S)",
            "states[i] = S_(T-i); the state after the last token, then those after the tokens before it, counted from i = 0; a slot without a token keeps its content",
        ],
        dims: &["S", "Hk", "H", "T", "N", "snapshots"],
        words: &[NORM],
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
        .values(&[projections::REACH, projections::KEYS])
        .without(&[projections::ONE_QUERY, projections::FAR, raw::UNIT_ROWS])
        .relations(&[
            SCALED_WITH_SNAPSHOTS,
            SEQUENCES.when(ALL_WRITTEN),
            HEADS_REVERSED.when(ALL_WRITTEN),
            HEADS_WITHIN_GROUPS.when(ALL_WRITTEN),
            COLUMNS.when(ALL_WRITTEN),
        ]),
        run: &raw::run,
        ..Function::EMPTY
    },
    Function {
        name: "ggml_ssm_conv",
        title: "ggml's SSM_CONV: the convolution over a state and tokens that are joined already",
        formulas: &[
            "y[t,c] = activation(sum_j ssm_conv1d[c,j] sx[c,t+j]); of each sequence; silu(x) = x / (1 + e^(-x))",
        ],
        dims: &["D", "W", "T", "N"],
        words: &[ACTIVATION],
        outputs: &["y"],
        largest: CONV_LARGEST,
        domain: Domain::of(&CONV_SIZES)
            .values(&[conv::REACH])
            .without(&[conv::FEW, conv::ALONE])
            .relations(&[SEQUENCES]),
        run: &conv::joined,
        ..Function::EMPTY
    },
    Function {
        name: "ggml_ssm_conv_update",
        title: "the convolution of ggml's graph from its state and new tokens, and the state after them",
        formulas: &[
            "s_c = (conv_states_c, qkv_c); of each sequence and channel the W - 1 elements of its state, then its tokens",
            "y[t,c] = activation(sum_j ssm_conv1d[c,j] s_c[t+j]); silu(x) = x / (1 + e^(-x))",
            "new_conv_states_c = s_c[T..]; the last W - 1 elements",
        ],
        dims: &["D", "W", "T", "N"],
        words: &[ACTIVATION],
        outputs: &["y", "new_conv_states"],
        largest: CONV_LARGEST,
        domain: Domain::of(&CONV_SIZES)
            .values(&[conv::REACH])
            .without(&[conv::FEW, conv::ALONE, conv::COPIED, conv::COPIED_CHANNEL])
            .relations(&[SEQUENCES, conv::HANDED_ON]),
        run: &conv::apart,
        ..Function::EMPTY
    },
    Function {
        name: "ggml_gated_norm",
        title: "the RMS norm of the layer's output by heads, times its weight, times SiLU of z",
        formulas: &[
            "y[i,j] = x[i,j] / norm_i ssm_norm[j] silu(z[i,j]); of each token and head i",
            "silu(x) = x / (1 + e^(-x))",
            "norm_i = sqrt(sum_j x[i,j]^2 / S + 1e-6)",
        ],
        dims: &["S", "H", "T", "N"],
        outputs: &["y"],
        largest: &[&["S", "H", "T", "N"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 7, 63, 64, 65, 200]),
            Factor::One("H", &[1, 3, 5]),
            Factor::One("T", &[1, 2, 17]),
            Factor::One("N", &[1, 3]),
        ])
        .values(&[gated_norm::SIZE, gated_norm::REACH])
        .without(&[gated_norm::FAR])
        .relations(&[
            laws::doubled([
                &[Step::Times(&["ssm_norm"], 2.0)],
                &[Step::Times(&["y"], 2.0)],
            ]),
            SEQUENCES,
            HEADS_REVERSED,
        ]),
        run: &gated_norm::run,
        ..Function::EMPTY
    },
    Function {
        name: "ggml_delta_net_layer",
        title: "a gated delta net layer between its projections, with both its states",
        formulas: &[
            "s_c = (conv_states_c, qkv_c); of each sequence and channel the W - 1 elements of its state, then its tokens",
            "x[t,c] = silu(sum_j ssm_conv1d[c,j] s_c[t+j])",
            "silu(x) = x / (1 + e^(-x))",
            "new_conv_states_c = s_c[T..]; the last W - 1 elements",
            "q_t = x_t / max(sqrt(sum_i x_t[i]^2), 1e-6); of each key head; the first Hk S channels",
            "k_t = x_t / max(sqrt(sum_i x_t[i]^2), 1e-6); of each key head; the next Hk S channels",
            "v_t = x_t; of each value head; the last H S channels",
            "f_t = e^(ssm_a softplus(alpha_t + ssm_dt)); the factor on the state; ssm_a is -e^A_log already; softplus(x) = ln(1 + e^x), and x above 20",
            "b_t = 1 / (1 + e^(-beta_t))",
            "S_0 = state; a matrix [K, V] of each value head; K = V = S",
            "S_t = f_t S_(t-1) + k_t (b_t (v_t - f_t S_(t-1)^T k_t))^T; the gated delta rule",
            "new_state = S_T",
            "o_t = S_t^T q_t / sqrt(S)",
            "out_t = o_t / sqrt(sum_i o_t[i]^2 / S + 1e-6) ssm_norm silu(z_t); of each value head",
        ],
        dims: &["S", "Hk", "H", "W", "T", "N"],
        words: &[super::problem::MAP],
        outputs: &["out", "new_conv_states", "new_state"],
        largest: &[
            &["S", "H", "T", "N"],
            &["S", "Hk", "T", "N"],
            &["S", "S", "H", "N"],
        ],
        domain: Domain::of(&[
            Factor::One("S", &[16, 33, 64, 128]),
            Factor::Together(&["Hk", "H"], sizes::GROUPS),
            Factor::One("W", &[2, 3, 4]),
            // A decode step, fewer tokens than the convolution's state has places, and more.
            Factor::One("T", &[1, 2, 17, 129]),
            Factor::One("N", &[1, 3]),
        ])
        .values(&[projections::REACH, projections::KEYS])
        .without(&[projections::ONE_QUERY, conv::COPIED])
        .relations(&[
            laws::doubled([
                &[Step::Times(&["ssm_norm"], 2.0)],
                &[Step::Times(&["out"], 2.0)],
            ]),
            SEQUENCES,
            layer::HEADS_REVERSED,
            layer::HANDED_ON,
        ]),
        run: &layer::run,
        ..Function::EMPTY
    },
];
