//! The gated delta rule as models use it: its steps, the whole of it, and ggml's layer around it.

mod chunked;
mod ggml;
mod gradients;
mod packed;
pub(crate) mod problem;
mod steps;
mod whole;

use super::Function;

/// The contracts, by subject.
pub const FAMILIES: &[&[Function]] = &[
    steps::FUNCTIONS,
    whole::FUNCTIONS,
    packed::FUNCTIONS,
    gradients::FUNCTIONS,
    ggml::FUNCTIONS,
];
