//! Events.

use std::sync::Arc;

use crate::boundary::Address;
use crate::queue::{LaneId, Ticket};

/// Event.
#[derive(Clone, Debug)]
pub struct Event {
    /// True if the event has a time.
    pub timed: bool,
    /// End of the work that the event was last recorded behind.
    pub recorded: Option<Arc<Ticket>>,
    /// Lane of the stream that the event was last recorded on.
    pub lane: LaneId,
    /// Capture that the event was last recorded in: its number, and the nodes.
    pub captured: Option<(u64, Vec<Address>)>,
}
