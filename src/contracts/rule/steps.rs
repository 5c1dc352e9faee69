//! The gated delta rule's building blocks, each alone on what the reference computed before it.

mod chunk;
mod producers;

use crate::contract::Domain;
use super::Function;
use super::problem::{GATES, LAYOUT, MAP, STATE};

/// Dimensions of a step of the chunk pipeline.
const CHUNK_DIMS: &[&str] = &["B", "T", "H", "HV", "K", "V", "C"];
/// The tensors whose size counts.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "T", "HV", "C"],
    &["B", "HV", "K", "V"],
];

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_gate",
        title: "-e^A_log softplus(a + dt_bias)",
        dims: &["T", "HV"],
        integers: &[],
        words: &[],
        outputs: &["g"],
        largest: &[&["T", "HV"]],
        domain: Domain::of(&[]),
        run: producers::gate,
    },
    Function {
        name: "gdn_beta",
        title: "sigmoid(b)",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["beta"],
        largest: &[&["n"]],
        domain: Domain::of(&[]),
        run: producers::beta,
    },
    Function {
        name: "gdn_l2norm",
        title: "rows by their L2 norm",
        dims: &["rows", "D"],
        integers: &[],
        words: &[("form", &["root", "max"]), ("size", &["usual", "tiny"])],
        outputs: &["y"],
        largest: &[&["rows", "D"]],
        domain: Domain::of(&[]),
        run: producers::l2norm,
    },
    Function {
        name: "gdn_chunk_cumsum",
        title: "log gates summed within chunks",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["G"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::cumsum,
    },
    Function {
        name: "gdn_chunk_l",
        title: "beta_i <k_i, k_j> e^(G_i - G_j) below the diagonal",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP],
        outputs: &["L"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::l,
    },
    Function {
        name: "gdn_chunk_solve",
        title: "(I + L)^-1",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["Ai"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::solve,
    },
    Function {
        name: "gdn_chunk_uw",
        title: "u and w",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP],
        outputs: &["u", "w"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::uw,
    },
    Function {
        name: "gdn_chunk_states",
        title: "the states before chunks, corrected values, the last state",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["h", "vn", "final"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::chunk_states,
    },
    Function {
        name: "gdn_chunk_outputs",
        title: "outputs of chunks",
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE],
        outputs: &["o"],
        largest: LARGEST,
        domain: Domain::of(&[]),
        run: chunk::outputs,
    },
];
