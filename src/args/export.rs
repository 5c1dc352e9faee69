//! The flags of `export`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, value_parser};

use super::{DeviceArgs, SelectionArgs, SourceArgs};

/// Write inputs, references and outputs of tests as safetensors.
///
/// Tensors are `input.NAME`, `output.NAME` (what the device left), `golden.NAME` (in the kernel's type and order) and
/// `oracle.NAME` (f64). The metadata has the test, its shape and seed, and the axes of each tensor.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tests").args(["phase", "test", "kernel"]).required(true).multiple(true)))]
pub struct ExportArgs {
    /// Which tests: one of these flags at least.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// The file to write, or a directory for one file a test
    #[arg(long, value_name = "FILE.safetensors|DIR")]
    pub out: PathBuf,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// How many tests run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}
