//! Streams.

use crate::queue::LaneId;

/// A stream that the program made.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// What it was made with.
    pub flags: u32,
    /// From the greatest (-1) to the least (1).
    pub priority: i32,
    /// Where its work waits.
    pub lane: LaneId,
}
