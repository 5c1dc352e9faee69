//! Failures of input and output, for tests.

use std::fs::File;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Name of the environment variable that makes the N-th step of input or output of a process fail: the opening of a file, a read of a whole
/// file, the creation of a temporary one, a write, a write to the disk, a renaming.
pub const VARIABLE: &str = "DELTANET_CHECK_FAIL_IO";

/// Counts a step.
///
/// # Errors
/// The step is the one that the variable names.
pub(super) fn step() -> io::Result<()> {
    static FAILS: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let wanted = || std::env::var(VARIABLE).ok()?.parse().ok();
    let fails = *FAILS.get_or_init(|| wanted().unwrap_or(0));
    if fails != 0 && COUNT.fetch_add(1, Relaxed) + 1 == fails {
        return Err(io::Error::other("input or output that a test makes fail"));
    }
    Ok(())
}

/// A file whose writes are steps. A write that fails has written half of its bytes, as on a disk without room.
pub(super) struct Steps<'a>(pub &'a mut File);

impl Write for Steps<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = step() {
            self.0.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
