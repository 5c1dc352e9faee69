//! The contracts: what kernels are to compute, one subject a file, each reading like the document's mathematics.
//!
//! A function draws inputs and says what each output should be; it launches nothing. Each file lists its functions in a table, which
//! is how registry and bindings find them.

mod exchanged;
pub(crate) mod gdn;
mod phase0;
mod phase1;
mod phase10;
mod phase11;
mod phase2;
mod phase3;
mod phase4;
mod phase5;
mod phase6;
mod phase7;
mod phase8;
mod phase9;

use crate::contract::Function;

/// Every function, by phase.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    [
        phase0::FUNCTIONS,
        phase1::FUNCTIONS,
        phase2::FUNCTIONS,
        phase3::FUNCTIONS,
        phase4::FUNCTIONS,
        phase5::FUNCTIONS,
        phase6::FUNCTIONS,
        phase7::FUNCTIONS,
        phase8::FUNCTIONS,
        phase9::FUNCTIONS,
        phase10::FUNCTIONS,
    ]
    .into_iter()
    .chain(phase11::FAMILIES.iter().copied())
    .flatten()
}
