//! HIP runtime whose device is an emulated MI50. HIP programs for gfx906 run on it unchanged, without a card.
//!
//! `scripts/build-hip.sh` makes `libamdhip64.so` of this crate. [`api`] is the table of all exported functions.
#![deny(missing_docs)]
#![warn(clippy::mod_module_files)]

pub mod api;
pub mod boundary;
mod calls;
mod card;
mod diagnostics;
mod entry;
pub mod error;
pub mod extension;
mod generation;
mod handles;
mod heap;
mod host;
mod hostcall;
mod image;
mod leaks;
mod non_finite;
mod objects;
mod oob;
mod printf;
mod process;
mod properties;
mod queue;
mod recording;
mod runtime;
mod sanitize;
mod settings;
pub mod table;
