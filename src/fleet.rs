//! What many machines and many runs need of reports: parts of a run, parts put together, runs compared, failures that are known.
//!
//! Reports are read as JSON values, so that a report keeps what the commands here do not know.

pub mod compare;
pub mod known;
pub mod merge;
mod partition;
mod profile;
pub mod report;

pub use partition::Part;
pub use report::Report;
