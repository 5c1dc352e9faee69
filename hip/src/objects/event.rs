//! Events.

use std::time::Instant;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Whether it may be asked for its time.
    pub timed: bool,
    /// When it was recorded last.
    pub recorded: Option<Instant>,
}
