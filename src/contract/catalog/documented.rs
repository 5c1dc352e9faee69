//! Contracts of the document: attention matrix, chunks, the carried state.

mod attention;
mod chunk;
mod deltanet;
mod mistakes;
mod state;

use super::{Function, exchanged, laws, triangular, values};

/// The contracts, by subject.
pub const FAMILIES: &[&[Function]] = &[
    attention::FUNCTIONS,
    chunk::FUNCTIONS,
    state::FUNCTIONS,
    deltanet::FUNCTIONS,
];
