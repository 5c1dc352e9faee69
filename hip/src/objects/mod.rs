//! What handles and addresses of a program stand for.

pub mod event;
pub mod memory;
pub mod module;
pub mod programs;
pub mod shape;
pub mod stream;
