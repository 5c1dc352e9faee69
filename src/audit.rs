//! The errors of the documented pipeline against the gated delta rule, for each of its departures.
//!
//! The pipeline is the reference of the compiled kernels in phase 8. The rule is the token-by-token
//! definition, which is the reference in phases 9 and 10. The audit judges neither of them; it measures
//! how far apart they are.

mod inputs;
mod measure;
mod pipelines;

pub use inputs::{CHUNK, REGIMES, Regime, SIZE, TOKENS};
pub use measure::{ErrorSpread, PipelineErrors, measure};
pub use pipelines::AuditedPipeline;
