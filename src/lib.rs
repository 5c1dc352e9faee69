//! The harness of `deltanet-check`: it runs compiled gfx906 kernels on a device, judges what they
//! wrote against the golden references, and says where and why they differ.
#![deny(missing_docs)]

pub mod allocator;
pub mod args;
pub mod audit;
pub mod binding;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod contract;
pub mod custom;
pub mod device;
pub mod diagnose;
pub mod document;
pub mod exit;
pub mod files;
pub mod interrupt;
pub mod mutate;
pub mod panics;
pub mod profile;
pub mod program;
pub mod registry;
pub mod report;
pub mod run;
pub mod self_test;
pub mod tensor;
pub mod text;
pub mod trial;
