//! The catalogue of contracts: one subject a file, each close to the document's mathematics.
//!
//! A contract draws inputs and computes the expected values of each output; it does not launch kernels. Each file lists its contracts
//! in a table, in which the registry and bindings find them.

mod documented;
mod elementwise;
mod exchanged;
mod gates;
mod known;
mod laws;
mod matrix;
mod operators;
pub(crate) mod rule;
mod sizes;
mod triangular;
mod values;
mod words;

use crate::contract::Function;

pub use words::meaning;

/// Returns every contract, by subject.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    [
        elementwise::FUNCTIONS,
        triangular::FUNCTIONS,
        matrix::FUNCTIONS,
    ]
    .into_iter()
    .chain(documented::FAMILIES.iter().copied())
    .chain(rule::FAMILIES.iter().copied())
    .chain(operators::FAMILIES.iter().copied())
    .flatten()
}
