//! A file that is written as what is in it grows.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::files::{can_grow, write_atomically};

/// A file that grows: whole, every time. What is no regular file is written when all is over.
pub struct Growing {
    path: PathBuf,
    grows: bool,
    next: Instant,
}

/// The least time between two writings.
const PAUSE: Duration = Duration::from_millis(500);
/// Writing takes at most one part in so many of the time of a run.
const SHARE: u32 = 25;

impl Growing {
    /// A file of which nothing is written yet.
    pub fn new(path: PathBuf) -> Growing {
        Growing {
            grows: can_grow(&path),
            path,
            next: Instant::now(),
        }
    }

    /// Whether it can be written before all is over.
    pub fn grows(&self) -> bool {
        self.grows
    }

    /// Whether it would be written now.
    pub fn is_due(&self) -> bool {
        self.grows && Instant::now() >= self.next
    }

    /// Writes it.
    ///
    /// # Errors
    /// The text cannot be made, or the file cannot be written.
    pub fn write(&mut self, text: impl FnOnce() -> io::Result<String>) -> io::Result<()> {
        let begun = Instant::now();
        write_atomically(&self.path, text()?.as_bytes())?;
        self.next = Instant::now() + PAUSE.max(begun.elapsed() * SHARE);
        Ok(())
    }
}
