//! A HIP runtime whose device is an emulated MI50: HIP programs for gfx906 run on it as they are, without a card.
//!
//! `scripts/build-hip.sh` makes `libamdhip64.so` of this crate. [`api`] is the table of everything that it exports.
#![deny(missing_docs)]

pub mod api;
pub mod boundary;
mod context;
mod device;
pub mod error;
mod event;
mod fatbin;
mod function;
mod handles;
mod hostcall;
mod image;
mod launch;
mod memory;
mod module;
mod printf;
mod properties;
mod record;
mod runtime;
mod stream;
mod symbol;
pub mod table;
mod tell;
