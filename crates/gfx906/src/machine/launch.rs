//! Launches: their parameters, limits and results.

use thiserror::Error;

use super::schedule::Schedule;
use super::time::Time;
use super::trap::Trap;

/// Default number of instructions of a turn, small enough that waves of a group meet each other's unfinished work, as on a card.
pub const TURN: u32 = 128;

/// Limits of a launch. A launch that exceeds them counts as a hang.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wave instructions of the whole dispatch.
    pub instructions: u64,
    /// Seconds of processor time, summed over all threads that run the launch.
    pub seconds: f64,
    /// Instructions that a wave runs before another wave of its group gets a turn. This is not a limit, but it scales the time of a wave
    /// that waits for another in a loop.
    pub turn: u32,
    /// Order in which groups and waves run.
    pub schedule: Schedule,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            instructions: 20_000_000_000,
            seconds: 60.0,
            turn: TURN,
            schedule: Schedule::InOrder,
        }
    }
}

/// Callback for a launch that takes long.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Wall-clock seconds before the callback is called.
    pub seconds: f64,
    /// Callback, called once per launch on one of its threads with the kernel's name and the number of wave instructions so far.
    pub tell: fn(&str, u64),
}

/// Settings that a GPU applies to every launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Callback for launches that take long.
    pub patience: Option<Patience>,
    /// Source of the time that kernels read.
    pub time: Time,
    /// True for a cooperative launch: all groups are resident and take turns.
    pub cooperative: bool,
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Work-groups.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// Explicit arguments, laid out by the metadata.
    pub kernarg: &'a [u8],
    /// Limits after which the launch counts as a hang.
    pub limits: Limits,
    /// Number of host threads; 0 means all cores.
    pub threads: usize,
}

impl<'a> Launch<'a> {
    /// Creates a launch on all cores with the default limits.
    pub fn new(grid: [u32; 3], block: [u32; 3], kernarg: &'a [u8]) -> Launch<'a> {
        Launch {
            grid,
            block,
            dynamic_lds: 0,
            kernarg,
            limits: Limits::default(),
            threads: 0,
        }
    }
}

/// Counters of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Wave instructions.
    pub instructions: u64,
    /// Waves.
    pub waves: u64,
    /// Work-groups.
    pub work_groups: u64,
    /// Wall-clock seconds on the host.
    pub seconds: f64,
}

/// Reason why a launch did not complete.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The launch could not start.
    #[error("{0}")]
    Invalid(String),
    /// The host lacks the memory for the launch.
    #[error("{0}")]
    NoMemory(String),
    /// A wave stopped before its end.
    #[error("{0}")]
    Trap(Box<Trap>),
}
