//! Random programs for the machine, made from the instruction table: any row in any form, on registers that are there, at addresses
//! that mostly lie in memory; branches, bounded loops, barriers; deterministic by seed, or by a fuzzer's bytes.

mod choices;
mod encode;
mod generate;
mod run;
mod tally;

pub use choices::Choices;
pub use generate::{RandomProgram, generate};
pub use run::{End, Machine, Result};
pub use tally::{Rows, Tally};

/// A difference between two runs of a program that should be the same, or a broken bound, in words.
#[derive(Debug)]
pub struct Difference(pub String);

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Difference {}
