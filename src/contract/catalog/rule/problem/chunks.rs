//! Inputs of the rule whose tokens are divided into chunks.

use deltanet_reference::rule::Convention;

use super::{Problem, problem, tokens};
use crate::contract::{DeviceResult, Instance, axes};
use crate::tensor::Axis;

/// Inputs of the rule whose tokens are divided into chunks.
pub struct Chunks {
    /// The inputs.
    pub p: Problem,
    /// Tokens of a chunk.
    pub c: usize,
    /// Chunks of a sequence.
    pub count: usize,
}

impl Chunks {
    /// Draws and uploads all inputs of a case with chunks of C tokens.
    pub fn new(t: &mut Instance<'_>, convention: Convention) -> DeviceResult<Chunks> {
        let p = problem(t, convention)?;
        let c = t.dim("C");
        let count = p.sizes.tokens.div_ceil(c);
        Ok(Chunks { p, c, count })
    }

    /// Returns the axes of `[B, T, HV, width]`.
    pub fn rows(&self, width: usize) -> Vec<Axis> {
        tokens(self.p.sizes, self.p.sizes.value_heads, width)
    }

    /// Returns the axes of `[B, chunks, HV, K, V]`.
    pub fn state_axes(&self) -> Vec<Axis> {
        let s = self.p.sizes;
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ])
    }
}
