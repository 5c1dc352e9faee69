//! The gated delta rule itself, as against the documented pipeline.

mod recurrence;

pub use recurrence::{Recurrence, RecurrenceInputs, recurrence};
