//! How a row of the instruction table runs: one function a feature level of the host.

use crate::isa::Inst;

/// Runs one instruction for a wave.
///
/// Unsafe to call only because it may be compiled for a feature level that the host lacks.
pub type Handler = unsafe fn(&mut Wave, &Inst);

/// The state of a wave.
pub struct Wave;

/// One instruction's handler at each feature level.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Any host.
    pub baseline: Handler,
}
