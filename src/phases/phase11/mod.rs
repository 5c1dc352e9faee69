//! Phase 11: the GDR operators, what a model computes around the gated delta rule. One family a file.

mod conv;
mod convert;
mod cumsum;
mod elementwise;
mod gating;
mod index;
mod lengths;
mod mistake;
mod norm;
mod reduce;
mod split;

use super::Function;

/// The functions of phase 11, by family.
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
];
