//! What the documented pipeline's departures from the gated delta rule cost.
//!
//! The pipeline is the reference that phase 8 holds the compiled kernels to; the rule is the token-by-token definition
//! that phases 9 and 10 hold theirs to. Neither is judged: the audit says how far apart they are.

mod inputs;
mod measure;
mod subjects;

pub use inputs::{CHUNK, REGIMES, Regime, SIZE, TOKENS};
pub use measure::{Cost, Spread, measure};
pub use subjects::Subject;
