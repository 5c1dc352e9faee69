//! The contracts: what kernels are to compute, one subject a file, each reading like the document's mathematics.
//!
//! A function draws inputs and says what each output should be; it launches nothing. Each file lists its functions in a table, which
//! is how registry and bindings find them.

mod documented;
mod elementwise;
mod exchanged;
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

/// Every contract, by subject.
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
