//! Phase 11: the GDR operators, what a model computes around the gated delta rule. One family a file.

mod chunk_delta_h;
mod chunk_o;
mod chunked;
mod kkt;
mod pipeline;
mod recurrent;
mod sequences;
mod sigmoid_gating;
mod solve_tril;
mod wy;

use super::Function;

/// The functions of phase 11, by family.
pub const FAMILIES: &[&[Function]] = &[
    recurrent::FUNCTIONS,
    sigmoid_gating::FUNCTIONS,
    kkt::FUNCTIONS,
    solve_tril::FUNCTIONS,
    wy::FUNCTIONS,
    chunk_delta_h::FUNCTIONS,
    chunk_o::FUNCTIONS,
    pipeline::FUNCTIONS,
];
