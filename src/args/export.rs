//! The flags of `export`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, value_parser};

use super::{DeviceArgs, SelectionArgs, SourceArgs};

/// Write inputs, references and outputs of tests as safetensors.
///
/// Tensors are `input.NAME`, `output.NAME` (what the device left), `golden.NAME` (in the kernel's type
/// and order) and `oracle.NAME` (f64). The metadata has the test, its shape and seed, and the axes of
/// each tensor.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tests").args(["phase", "test", "kernel"]).required(true).multiple(true)))]
pub struct ExportArgs {
    /// Flags that select the tests; at least one of them must be given.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// The file to write, or a directory for one file per test
    #[arg(long, value_name = "FILE.safetensors|DIR")]
    pub out: PathBuf,

    /// Flags that choose the device.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Flags that name the files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Number of tests that run at the same time [default: one per core; on a card 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}
