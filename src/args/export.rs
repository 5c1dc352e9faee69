//! The flags of `export`.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::DeviceArgs;

/// Write inputs, references and outputs of tests as safetensors.
///
/// Tensors are `input.NAME`, `output.NAME` (what the device left), `golden.NAME` (in the kernel's type and order) and
/// `oracle.NAME` (f64). The metadata has the test, its shape and seed, and the axes of each tensor.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The test by id or alias, or a glob for several; may be given several times
    #[arg(long, value_name = "ID", required = true)]
    pub test: Vec<String>,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// The file to write, or a directory for one file a test
    #[arg(long, value_name = "FILE.safetensors|DIR")]
    pub out: PathBuf,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Run this code object instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub kernels: Option<PathBuf>,

    /// Launch the kernels as this file says (docs/bindings.md); may be given several times
    #[arg(long, value_name = "FILE.toml")]
    pub bind: Vec<PathBuf>,

    /// Take tests from this file instead of the built-in phases.toml
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,

    /// How many tests run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}
