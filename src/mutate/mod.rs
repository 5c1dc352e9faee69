//! Mutation: how much a PASS says. One instruction of the kernels is changed at a time, in memory, and the tests that execute it run: one of
//! them should not pass any more.
//!
//! The score is the share of mutants that were noticed among those that could have been: killed / (killed + missed + within-tolerance +
//! not-infected). Mutants that are proven equivalent, and those that somebody has accepted with a reason, are not among these.

mod accepted;
mod campaign;
mod coverage;
mod equivalent;
mod launches;
mod merge;
mod operators;
mod page;
mod report;
mod sample;
mod show;
mod sites;

pub use accepted::{Accepted, apply};
pub use campaign::{Campaign, News, Options};
pub use merge::{merge, read};
pub use operators::Operator;
pub use page::page;
pub use report::{MutantReport, MutationReport};
pub use show::table;
