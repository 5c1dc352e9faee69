//! What is computed for a whole wave at once, where that is faster than a lane at a time: the same bits as the scalar functions give, or
//! false, and these decide.
//!
//! Functions say in their declaration which of these is theirs; `tests/many.rs` compares them.

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
