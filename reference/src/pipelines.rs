//! The document's sequences of launches (phases 6 to 8), step by step.
//!
//! Layouts are the document's: K, V and Q are `S` x `C` (channel rows, token columns), gates and betas have `C` elements, the state is `S`
//! x `S`. These are the documented formulas taken literally. They are not the gated delta rule: [`crate::rule`] has the rule, and
//! `deltanet-check audit` measures the distance between the two.

mod attn_pre;
mod deltanet;
mod intra_chunk;
mod output_with_state;
mod solve_causal_identity;
mod state_update;

pub use attn_pre::{AttnPre, attn_pre};
pub use deltanet::{Deltanet, DeltanetInputs, deltanet};
pub use intra_chunk::{IntraChunk, intra_chunk};
pub use output_with_state::{OutputWithState, output_with_state};
pub use solve_causal_identity::{SolveCausalIdentity, solve_causal_identity};
pub use state_update::{StateUpdate, state_update};
