//! A launch: what is asked for, what it may use up, and what comes of it.

use thiserror::Error;

use super::schedule::Schedule;
use super::time::Time;
use super::trap::Trap;

/// Instructions of a turn, unless somebody says otherwise: few enough that waves of a group meet each other's unfinished work, as on
/// a card.
pub const TURN: u32 = 128;

/// Limits of a launch. A launch that exceeds them counts as a hang.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wave instructions of the whole dispatch.
    pub instructions: u64,
    /// Seconds of processor time, of all threads that run it together.
    pub seconds: f64,
    /// Instructions that a wave runs before another of its group has its turn. It is no limit, but goes where they go: who
    /// waits for another wave in a loop waits for as many.
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
    /// Seconds on the clock after which.
    pub seconds: f64,
    /// Is told once a launch, on one of its threads: the kernel, and the wave instructions so far.
    pub tell: fn(&str, u64),
}

/// Settings that a GPU applies to every launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Callback for launches that take long.
    pub patience: Option<Patience>,
    /// Source of the time that kernels read.
    pub time: Time,
    /// All groups are resident and take turns: a cooperative launch.
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
    /// The explicit arguments, laid out as the metadata says.
    pub kernarg: &'a [u8],
    /// Limits after which the launch counts as a hang.
    pub limits: Limits,
    /// Host threads; 0: all cores.
    pub threads: usize,
}

impl<'a> Launch<'a> {
    /// A launch of so many work-groups of so many work-items, on all cores, with the limits that a launch has by default.
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
    /// Seconds on the host.
    pub seconds: f64,
}

/// Reason why a launch did not complete.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// It could not start.
    #[error("{0}")]
    Invalid(String),
    /// The host has not the memory that it takes.
    #[error("{0}")]
    NoMemory(String),
    /// It stopped within.
    #[error("{0}")]
    Trap(Box<Trap>),
}
