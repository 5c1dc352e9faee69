//! Objects behind the handles and addresses of a program.

pub mod advice;
pub mod array;
pub mod copy3d;
pub mod event;
pub mod graph;
pub mod memory;
pub mod memory_type;
pub mod module;
pub mod pending_frees;
pub mod pool;
pub mod programs;
pub mod shape;
pub mod stream;
pub mod texture;
pub mod virtual_memory;
pub mod work;
