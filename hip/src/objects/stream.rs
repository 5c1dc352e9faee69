//! Streams.

use crate::card::COMPUTE_UNITS;
use crate::queue::LaneId;

/// A bit for each compute unit.
pub type Units = [u32; COMPUTE_UNITS.div_ceil(32) as usize];

/// All compute units.
pub const ALL_UNITS: Units = {
    let mut units = [u32::MAX; COMPUTE_UNITS.div_ceil(32) as usize];
    units[units.len() - 1] >>= COMPUTE_UNITS.next_multiple_of(32) - COMPUTE_UNITS;
    units
};

/// A stream that the program made.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// What it was made with.
    pub flags: u32,
    /// From the greatest (-1) to the least (1).
    pub priority: i32,
    /// Where its work waits.
    pub lane: LaneId,
    /// The compute units that it was made for, a bit each, which changes nothing here.
    pub units: Units,
}
