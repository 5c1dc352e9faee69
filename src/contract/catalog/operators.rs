//! The GDR operators, which a model computes around the gated delta rule. Each file has one family.

mod chunk_delta_h;
mod chunk_o;
mod chunked;
mod conv;
mod convert;
mod cumsum;
mod elementwise;
mod gating;
mod index;
mod kkt;
pub(super) mod known;
mod lengths;
mod norm;
mod pipeline;
mod recurrent;
mod reduce;
mod sequences;
mod sigmoid_gating;
mod solve_tril;
mod split;
mod wy;

use super::Function;

/// The contracts, by family.
pub const FAMILIES: &[&[Function]] = &[
    elementwise::FUNCTIONS,
    reduce::FUNCTIONS,
    convert::FUNCTIONS,
    norm::FUNCTIONS,
    cumsum::FUNCTIONS,
    index::FUNCTIONS,
    split::FUNCTIONS,
    conv::FUNCTIONS,
    gating::FUNCTIONS,
    recurrent::FUNCTIONS,
    sigmoid_gating::FUNCTIONS,
    kkt::FUNCTIONS,
    solve_tril::FUNCTIONS,
    wy::FUNCTIONS,
    chunk_delta_h::FUNCTIONS,
    chunk_o::FUNCTIONS,
    pipeline::FUNCTIONS,
];
