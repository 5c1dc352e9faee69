//! Mutation testing: how much a PASS says. A campaign changes one instruction of a kernel at a time, in memory, and runs the tests that execute
//! the instruction. At least one of these tests should not pass any more.
//!
//! The score is the share of killed mutants among all judged ones: killed / (killed + missed + within-tolerance + not-infected). Only mutants that
//! a rule proves equivalent are not among the judged ones.

mod campaign;
mod coverage;
mod equivalent;
mod merge;
mod operators;
mod page;
mod report;
mod sample;
mod show;
mod sites;

pub use campaign::{Campaign, News, Options};
pub use merge::{merge, read};
pub use operators::Operator;
pub use page::page;
pub use report::{MutantReport, MutationReport};
pub use show::table;
