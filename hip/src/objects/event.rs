//! Events.

use std::sync::Arc;

use crate::boundary::Address;
use crate::queue::Ticket;

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whether it may be asked for its time.
    pub timed: bool,
    /// What it was recorded behind last.
    pub recorded: Option<Arc<Ticket>>,
    /// Where it was recorded last in a capture: its number, and the nodes.
    pub captured: Option<(u64, Vec<Address>)>,
}
