//! Functions for a whole wave at once, which are faster than one lane at a time. They compute the same bits as the scalar functions, or
//! return false; the caller then uses the scalar function.
//!
//! A scalar function's declaration names its function for the whole wave; `tests/many.rs` compares the two.

mod bytes;
mod halves;
#[cfg(target_arch = "x86_64")]
mod host;
mod picks;
mod rows;
mod singles;
mod vector;

pub(super) use bytes::*;
pub(super) use halves::*;
pub(super) use picks::*;
pub use singles::widen_halves;
pub(super) use singles::*;
