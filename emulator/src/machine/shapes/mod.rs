//! Shapes: how whole families of instructions run. Each fetches operands, calls a pure function, and writes back.

pub mod atomic;
pub mod control;
mod dpp;
pub mod flat;
pub mod lanes;
pub mod lds;
pub mod mubuf;
pub(crate) mod rows;
mod salu;
mod scratch;
mod select;
pub mod smem;
#[cfg(test)]
mod tests;
pub mod transfer;
mod valu;

pub use salu::{salu, saveexec, wrexec};
pub use transfer::Element;
pub use valu::{cmpx, valu, write_lanes};
