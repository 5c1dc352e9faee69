//! Memory: allocated, freed, copied, filled, asked about.

pub mod copy;
pub mod device;
pub mod free;
pub mod host;
pub mod pitched;
pub mod query;
pub mod set;
