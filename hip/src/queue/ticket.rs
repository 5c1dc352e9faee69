//! The end of a task, for whoever waits for it.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Stands for a task: whether it has ended, and when.
#[derive(Debug, Default)]
pub struct Ticket {
    ended: OnceLock<Instant>,
}

impl Ticket {
    /// Of a task that has not ended.
    pub fn new() -> Arc<Ticket> {
        Arc::default()
    }

    /// Whether the task has ended.
    pub fn is_done(&self) -> bool {
        self.ended.get().is_some()
    }

    /// When it ended.
    pub fn ended(&self) -> Option<Instant> {
        self.ended.get().copied()
    }

    /// Says that it has ended.
    pub(super) fn end(&self) {
        // A task ends once.
        let _ = self.ended.set(Instant::now());
    }
}
