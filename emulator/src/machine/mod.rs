//! The machine: waves, work-groups, memory, LDS, dispatch.

mod dispatch;
mod forms;
mod gpu;
mod group;
mod handler;
mod kernarg;
mod lane;
#[cfg(test)]
mod laws;
mod lds;
mod memory;
mod op;
mod poison;
mod program;
#[cfg(test)]
mod programs;
#[cfg(test)]
pub(crate) mod rig;
mod setup;
pub mod shapes;
mod traffic;
mod trap;
mod wave;
mod words;

pub use gpu::{Counters, DEVICE_MEMORY, Gpu, GpuError, Launch, LaunchError, Limits, Module};
pub(crate) use handler::levels;
pub use handler::{Handler, Handlers, Level, Outcome};
pub use lane::Lane;
pub use lds::Lds;
pub use memory::{AddressSpace, Region};
pub use op::{Op, Plan, Shape, Slot};
pub use poison::Poison;
pub use program::Kind;
pub use traffic::{Traffic, Way};
pub use trap::{Fault, Nearest, Stop, Trap, TrapKind};
pub use wave::{Env, LANES, Wave};
pub use words::Words;

/// The flat addresses from here to `SHARED_LIMIT` reach LDS.
pub const SHARED_BASE: u64 = 1 << 48;
/// The last flat address that reaches LDS.
pub const SHARED_LIMIT: u64 = SHARED_BASE | 0xffff_ffff;
/// The flat addresses from here to `PRIVATE_LIMIT` reach the lane's scratch.
pub const PRIVATE_BASE: u64 = 2 << 48;
/// The last flat address that reaches scratch.
pub const PRIVATE_LIMIT: u64 = PRIVATE_BASE | 0xffff_ffff;
