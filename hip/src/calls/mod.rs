//! What exported functions do, by subject: a function of HIP is a row of `api.rs` and a function here.

pub mod context;
pub mod device;
pub mod event;
pub mod fatbin;
pub mod function;
pub mod launch;
pub mod memory;
pub mod module;
mod record;
pub mod stream;
pub mod symbol;
