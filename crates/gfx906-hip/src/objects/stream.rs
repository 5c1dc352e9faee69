//! Streams.

use crate::card::COMPUTE_UNITS;
use crate::queue::LaneId;

/// Mask with a bit for each compute unit.
pub type Units = [u32; COMPUTE_UNITS.div_ceil(32) as usize];

/// Mask of all compute units.
pub const ALL_UNITS: Units = {
    let mut units = [u32::MAX; COMPUTE_UNITS.div_ceil(32) as usize];
    units[units.len() - 1] >>= COMPUTE_UNITS.next_multiple_of(32) - COMPUTE_UNITS;
    units
};

/// Stream of the program.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// Flags of the stream's creation.
    pub flags: u32,
    /// Priority, from the greatest (-1) to the least (1).
    pub priority: i32,
    /// Lane that holds the stream's work.
    pub lane: LaneId,
    /// Compute units of the stream, which have no effect.
    pub units: Units,
}
