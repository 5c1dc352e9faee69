//! A file that is rewritten as its content grows.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::files::{can_grow, write_atomically};

/// A file that grows. Each writing replaces the whole file. A path that is no regular file is written only at the end.
pub struct Growing {
    path: PathBuf,
    grows: bool,
    next: Instant,
}

/// The least time between the end of a writing and the next writing.
const PAUSE: Duration = Duration::from_millis(500);
/// Writing takes at most one part in `SHARE` of a run's time.
const SHARE: u32 = 25;

impl Growing {
    /// Makes a growing file. Nothing is written yet.
    pub fn new(path: PathBuf) -> Growing {
        Growing {
            grows: can_grow(&path),
            path,
            next: Instant::now(),
        }
    }

    /// Returns true if the file can be written before the end of the run.
    pub fn grows(&self) -> bool {
        self.grows
    }

    /// Returns true if it is time to write the file again.
    pub fn is_due(&self) -> bool {
        self.grows && Instant::now() >= self.next
    }

    /// Writes the file.
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
