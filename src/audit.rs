//! The cost of the documented pipeline's departures from the gated delta rule.
//!
//! The pipeline is the reference of the compiled kernels in phase 8; the rule is the token-by-token
//! definition, which is the reference in phases 9 and 10. The audit judges neither, it measures how far
//! apart they are.

mod inputs;
mod measure;
mod subjects;

pub use inputs::{CHUNK, REGIMES, Regime, SIZE, TOKENS};
pub use measure::{Cost, Spread, measure};
pub use subjects::Subject;
