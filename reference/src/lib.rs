//! The golden references of the Delta-Net operations.
//!
//! Every operation exists once, generic over [`Real`]. In `f32` it is the golden reference: it repeats the kernel's own order of
//! operations, so that a correct kernel agrees to the last bits. In `f64` it is the oracle: the same formula on the same inputs (see
//! [`widen`]), which gives the mathematically right result.
//!
//! - [`operators`]: the document's operators, each with a file and a kernel of its own;
//! - [`pipelines`]: the document's sequences of launches, with every intermediate result;
//! - [`rule`]: the gated delta rule as models use it, in every convention, token by token and by chunks;
//! - [`gdr`]: the operators that a model runs around the rule, in bf16 and f32.
//!
//! Matrices are row-major slices. If a slice has another length than its documented shape, the function panics with the names of operator
//! and tensor, because the caller has made a mistake.
#![deny(missing_docs)]

pub mod gdr;
pub mod operators;
pub mod pipelines;
pub mod rule;

#[cfg(test)]
mod differences;
mod lanes;
mod real;
mod shape;

pub use real::{Real, widen};
