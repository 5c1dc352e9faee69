//! Shapes: handlers of whole families of instructions. Each fetches operands, calls a pure function, and writes the results.

pub mod addresses;
pub mod atomic;
pub mod control;
pub mod divergence;
mod element;
pub mod exchange;
pub mod flat;
mod gather;
pub mod image;
pub mod indexing;
#[cfg(test)]
mod lane_tests;
pub mod lanes;
pub mod lds;
pub mod mubuf;
mod one_offset;
pub mod resource;
pub(crate) mod rows;
mod salu;
mod scratch;
mod select;
pub mod smem;
mod span;
#[cfg(test)]
mod tests;
pub mod to_lds;
pub mod transfer;
pub mod typed;
mod valu;

pub use element::Element;
pub use salu::{salu, saveexec, wrexec};
pub use valu::{cmpx, shape_of, valu, valu_or_clamped};
