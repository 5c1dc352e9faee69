//! The gated delta rule, end to end.

mod chunked;
mod ggml;
mod recurrent;
mod sequential;

use crate::contract::Domain;
use super::Function;
use super::problem::{DIMS, GATES, LAYOUT, MAP, RULE, STATE};

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
        domain: Domain::of(&[]),
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
        domain: Domain::of(&[]),
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
        domain: Domain::of(&[]),
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
        domain: Domain::of(&[]),
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
        domain: Domain::of(&[]),
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
        domain: Domain::of(&[]),
        run: ggml::run,
    },
];
