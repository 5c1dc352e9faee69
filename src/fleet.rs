//! The work on reports of many machines and many runs: parts of a run, merged reports, comparisons and known failures.
//!
//! Reports are read as JSON values, so that a report keeps fields that the commands here do not know.

pub mod compare;
pub mod known;
pub mod merge;
mod partition;
mod profile;
pub mod report;

pub use partition::Part;
pub use report::Report;
