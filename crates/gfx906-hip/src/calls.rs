//! Implementations of the exported functions, by subject. A function of HIP is a row of `api.rs` and a function of this room.

mod capture;
pub mod context;
pub mod device;
pub mod event;
pub mod fatbin;
pub mod function;
pub mod graph;
pub mod launch;
pub mod library;
pub mod link;
pub mod lookup;
pub mod memory;
pub mod module;
mod record;
pub mod rtc;
mod shared;
pub mod stream;
pub mod submit;
pub mod symbol;
pub mod texture;
mod work;
