//! The machine: waves, work-groups, memory, LDS, dispatch.

pub(crate) mod access;
mod budget;
mod cooperative;
mod dispatch;
mod dpp;
mod env;
#[cfg(test)]
mod field_laws;
mod forms;
mod gpu;
mod group;
mod gws;
mod handler;
mod hang;
mod kernarg;
mod lane;
mod launch;
#[cfg(test)]
mod laws;
mod lds;
mod level;
pub mod memory;
mod modifiers;
mod observer;
mod op;
mod plan;
mod poison;
mod program;
#[cfg(test)]
mod programs;
mod region;
mod registers;
mod renewed;
#[cfg(test)]
pub(crate) mod rig;
mod schedule;
mod setup;
pub mod shapes;
mod single;
pub(crate) mod sources;
mod spin;
mod stepper;
mod time;
mod traffic;
mod trap;
mod wave;
mod words;

pub use crate::isa::Kind;
pub use dispatch::start_threads;
pub(crate) use dpp::source_lane;
pub use env::Env;
pub use gpu::{DEVICE_MEMORY, Gpu, GpuError};
pub(crate) use handler::levels;
pub use lane::{Lane, LaneSignature, Slot};
pub use launch::{Counters, Launch, LaunchError, Limits, Manner, Patience, TURN};
pub use lds::Lds;
pub use level::Level;
pub use memory::{AddressSpace, PRIVATE_BASE, PRIVATE_LIMIT, Region, SHARED_BASE, SHARED_LIMIT};
pub use observer::{DispatchStart, Group, Nobody, Observer};
pub use op::{Handler, Handlers, Op};
pub use plan::Plan;
pub use poison::Poison;
pub use program::{CodeCache, Module};
pub use region::{PAGE, ReadBeyond};
pub use registers::LANES;
pub use schedule::{Schedule, UnknownSchedule};
pub use spin::{Holder, LastWrite, Poll, Spin, Writer};
pub use stepper::{SavedLaunch, Stepper, StepperState, WaveStatus};
pub use time::Time;
pub use traffic::{MemoryPath, Traffic};
pub use trap::{
    AddressProblem, Fault, FaultArgument, FreedAllocation, Nearest, StepResult, Stop, Trap,
    TrapKind, WrappedIndex,
};
pub use wave::Wave;
pub use words::Words;
