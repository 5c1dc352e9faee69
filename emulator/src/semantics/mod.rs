//! What each instruction computes: pure functions on scalars, no wave in sight.

mod mode;
pub use mode::{Mode, Round};
