//! The document's sequences of launches (phases 6 to 8), step by step.
//!
//! Layouts are the document's: K, V and Q are `S` x `C` (a row for each channel, a column for each token), gates and betas have `C`
//! elements, the state is `S` x `S`. The formulas are the documented ones, taken literally. They are not the gated delta rule:
//! [`crate::rule`] has the rule, and `deltanet-check audit` measures the distance between the two.

mod attn_pre;
mod deltanet;
mod intra_chunk;
mod output_with_state;
mod solve_causal_identity;
mod state_update;

pub use attn_pre::{AttnPreResults, attn_pre};
pub use deltanet::{DeltanetInputs, DeltanetResults, deltanet};
pub use intra_chunk::{IntraChunkResults, intra_chunk};
pub use output_with_state::{OutputWithStateResults, output_with_state};
pub use solve_causal_identity::{SolveCausalIdentityResults, solve_causal_identity};
pub use state_update::{StateUpdateResults, state_update};
