//! The flags of `profile`.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};

use super::{ExecArgs, Format, LimitArgs, ModelArgs, SelectionArgs, SourceArgs};

/// Say what kernels would cost on an MI50: a time, its spread and what it consists of, modelled from the
/// instructions that run on the emulator.
///
/// The command takes the cases that --test, --phase and --kernel select, or a launch file of `exec`.
/// Every figure is a count, or derived from counts. docs/profile.md explains the derivation, and says how
/// far the model is off from times that owners measured.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Profile the launches of this file, as `exec` runs them
    #[arg(
        value_name = "LAUNCH.json",
        conflicts_with_all = ["phase", "test", "kernel", "kernels", "bind", "registry", "seed"]
    )]
    pub file: Option<PathBuf>,

    /// Flags that select the cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Flags that name the files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random`
    /// to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Flags of the model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Limits of each launch.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Host threads that run work-groups on the emulator [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the result to this file as well, in the format of its extension: .json or .html; may be
    /// given several times. The file grows as the command goes on
    #[arg(long, value_name = "FILE", conflicts_with = "constants")]
    pub report: Vec<PathBuf>,

    /// Run nothing: print the constants of the card that the model uses, with units and sources
    #[arg(long, conflicts_with_all = ["file", "phase", "test", "kernel"])]
    pub constants: bool,
}

impl ProfileArgs {
    /// Returns the arguments with which `exec` runs the launch file.
    pub fn exec_args(&self, file: &Path) -> ExecArgs {
        ExecArgs::plain(file, self.jobs, self.limits.clone())
    }
}
