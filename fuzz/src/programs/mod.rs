//! Random programs for the machine, generated from the instruction table. A program has any row in any form, on registers that exist and at
//! addresses that mostly lie in memory, and branches, bounded loops and barriers. A seed or a fuzzer's bytes determine the program.

mod choices;
mod encode;
mod generate;
mod run;
mod tally;

pub use choices::Choices;
pub use generate::{RandomProgram, generate};
pub use run::{End, Machine, RunResult};
pub use tally::{Rows, Tally};

/// A message about a difference between two runs of a program that should be equal, or about an exceeded bound.
#[derive(Debug)]
pub struct Difference(pub String);

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Difference {}
