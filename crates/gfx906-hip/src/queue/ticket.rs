//! End of a task, for threads and tasks that wait for it.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// State of a task: running, or ended at a time.
#[derive(Debug, Default)]
pub struct Ticket {
    ended: OnceLock<Instant>,
}

impl Ticket {
    /// Returns the ticket of a task that has not ended.
    pub fn new() -> Arc<Ticket> {
        Arc::default()
    }

    /// Returns true if the task has ended.
    pub fn is_done(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Returns the time of the task's end.
    pub fn ended(&self) -> Option<Instant> {
        self.ended.get().copied()
    }

    /// Ends the task.
    pub(super) fn end(&self) {
        // A task ends once.
        let _ = self.ended.set(Instant::now());
    }
}
