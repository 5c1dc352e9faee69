//! The machine: waves, work-groups, memory, LDS, dispatch.

mod handler;

pub use handler::{Handler, Handlers};
