//! The gated delta rule as models use it: its steps, and the whole of it.

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
];
