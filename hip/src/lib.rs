//! A HIP runtime whose device is an emulated MI50: HIP programs for gfx906 run on it as they are, without a card.
//!
//! `scripts/build-hip.sh` makes `libamdhip64.so` of this crate. [`api`] is the table of everything that it exports.
#![deny(missing_docs)]

pub mod api;
pub mod boundary;
mod calls;
mod card;
mod entry;
pub mod error;
mod handles;
mod host;
mod hostcall;
mod image;
mod objects;
mod printf;
mod properties;
mod recording;
mod runtime;
mod settings;
pub mod table;
mod tell;
