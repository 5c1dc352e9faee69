//! Allocation, freeing, copies, fills and queries of memory.

pub mod array;
pub mod batch;
pub mod copy;
pub mod device;
pub mod driver;
pub mod free;
pub mod host;
pub mod pitched;
pub mod pool;
pub mod query;
pub mod range;
pub mod set;
pub mod virtual_memory;
