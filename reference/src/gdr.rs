//! The GDR operators: operations of a model around the gated delta rule, and the rule in the model's layouts.
//!
//! Each file has one operator. Names, layouts and formulas are those of Flash Linear Attention and vLLM (see docs/the-rule.md); the name in
//! brackets is that of the project's kernel. Letters of shapes: B sequences, T tokens, H heads of q and k, HV value heads, K and V
//! channels, BT tokens of a chunk, NT chunks, N sequences of unequal length.
//!
//! bf16 tensors are passed and returned as exact numbers, and each rounding to bf16 is a call of [`bf16::round`].

pub mod bf16;
pub mod chunk_delta_h;
pub mod chunk_o;
pub mod conv;
pub mod cumsum;
pub mod fused_recurrent;
pub mod gating;
pub mod index;
pub mod kkt;
pub mod l2norm;
pub mod op;
pub mod packed_conv;
pub mod recurrent;
pub mod sigmoid_gating;
pub mod solve_tril;
pub mod split;
pub mod utils;
pub mod wy;

mod common;
