//! Random programs for the machine, made from the instruction table: any row in any form, on registers that are there, at addresses
//! that mostly lie in memory; branches, bounded loops, barriers; deterministic by seed, or by a fuzzer's bytes.

mod choices;
mod encode;
mod generate;
mod run;
mod tally;

pub use choices::Choices;
pub use generate::{Program, generate};
pub use run::{End, Machine, Result};
pub use tally::{Rows, Tally};
