//! The gated delta rule, end to end.

mod chunked;
mod ggml;
mod recurrent;
mod sequential;

use super::Function;
use super::problem::{
    CHUNKED, DIMS, FEW, GATE_KIND, GATES, HEADS, KEYS, LAYOUT, MAP, RULE, STATE, STRENGTHS, VALUES,
    WIDE,
};
use crate::contract::{Domain, Factor};

/// The tensors whose size counts.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "HV", "K", "V"],
];

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_recurrent",
        title: "the fused recurrence, all tokens in one launch",
        dims: DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        domain: RULE,
        run: recurrent::run,
    },
    Function {
        name: "gdn_chained",
        title: "the recurrence in two launches, the state handed on: the same as in one",
        dims: &["B", "T", "first", "H", "HV", "K", "V"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        domain: Domain::of(&[
            Factor::One("B", &[1, 2]),
            Factor::Together(&["T", "first"], &[&[2, 1], &[33, 16], &[65, 64], &[65, 1]]),
            HEADS,
            Factor::One("K", &[1, 33, 64, 100]),
            Factor::One("V", &[1, 16, 65]),
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .conventions(&[GATE_KIND])
        .without(&[FEW, WIDE]),
        run: recurrent::run,
    },
    Function {
        name: "gdn_decode",
        title: "the recurrence token by token: the same as a prefill",
        dims: &["T", "H", "HV", "K", "V"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: &[&["T", "HV", "K"], &["T", "HV", "V"], &["HV", "K", "V"]],
        domain: Domain::of(&[
            Factor::One("T", &[1, 2, 9]),
            HEADS,
            Factor::One("K", &[1, 33, 64, 100]),
            Factor::One("V", &[1, 16, 65]),
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .conventions(&[GATE_KIND])
        .without(&[FEW, WIDE]),
        run: recurrent::run,
    },
    Function {
        name: "gdn_chunked",
        title: "the chunk pipeline",
        dims: &["B", "T", "H", "HV", "K", "V", "C"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        domain: Domain::of(&CHUNKED)
            .values(&[KEYS, STRENGTHS, VALUES])
            .conventions(&[GATE_KIND])
            .without(&[FEW, WIDE]),
        run: chunked::run,
    },
    Function {
        name: "gdn_sequential",
        title: "the sequential rule: error from the undecayed state, output read with k",
        dims: &["B", "T", "H", "K", "V"],
        integers: &[],
        words: &[STATE],
        outputs: &["o", "final"],
        largest: &[&["B", "T", "H", "V"], &["B", "H", "K", "V"]],
        domain: Domain::of(&[
            Factor::One("B", &[1, 3]),
            Factor::One("T", &[1, 2, 17, 65]),
            Factor::One("H", &[1, 3, 5]),
            Factor::One("K", &[1, 33, 64, 200]),
            Factor::One("V", &[1, 16, 65]),
        ])
        .values(&[KEYS, STRENGTHS])
        .without(&[FEW]),
        run: sequential::sequential,
    },
    Function {
        name: "gdn_error_correction",
        title: "the sequential rule, the same pair written twice: the second time changes nothing",
        dims: &["B", "H", "K", "V"],
        integers: &[],
        words: &[],
        outputs: &["final"],
        largest: &[&["B", "H", "K", "V"]],
        domain: Domain::of(&[
            Factor::One("B", &[1, 3]),
            Factor::One("H", &[1, 3, 5]),
            // Of one channel the state is the value.
            Factor::One("K", &[5, 33, 64, 200]),
            Factor::One("V", &[1, 16, 65]),
        ]),
        run: sequential::error_correction,
    },
    Function {
        name: "ggml_gated_delta_net",
        title: "ggml's GATED_DELTA_NET: its layouts, its inputs, snapshots of the state",
        dims: &["S", "Hk", "H", "T", "N", "snapshots"],
        integers: &[],
        words: &[("gate", &["head", "key"])],
        outputs: &["o", "states"],
        largest: &[&["S", "H", "T", "N"], &["S", "S", "H", "N", "snapshots"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 16, 33, 100]),
            Factor::Together(&["Hk", "H"], &[&[3, 3], &[3, 6], &[2, 6], &[1, 4]]),
            Factor::One("T", &[1, 2, 17, 33]),
            Factor::One("N", &[1, 3]),
            // More than there are tokens, too.
            Factor::One("snapshots", &[1, 2, 5]),
        ])
        .values(&[ggml::DECAY, KEYS, STRENGTHS])
        .without(&[FEW]),
        run: ggml::run,
    },
];
