//! The flags of `profile`.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};

use super::{ExecArgs, Format, LimitArgs, SelectionArgs, SourceArgs};
use crate::profile::CLOCK;

/// Say what kernels would cost on an MI50: an interval and its limiter, modelled from the instructions that run on the emulator.
///
/// Takes the cases that --test, --phase and --kernel choose, or a launch file of `exec`. Every figure that is told is counted or derived from a
/// count; docs/profile.md says how, and how far the model is off what others measured.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Profile the launches of this file, as `exec` runs them
    #[arg(value_name = "LAUNCH.json", conflicts_with_all = ["phase", "test", "kernel", "kernels", "bind", "registry", "seed"])]
    pub file: Option<PathBuf>,

    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Clock of the card in MHz; owners run it at 1606 and less
    #[arg(long, value_name = "MHZ", default_value_t = CLOCK, value_parser = super::clock)]
    pub clock: f64,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Host threads that run work-groups on the emulator [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the result to this file as well, in the format of its extension: .json or .html; may be given several times. It is written as the command goes on
    #[arg(long, value_name = "FILE", conflicts_with_all = ["counts", "constants"])]
    pub report: Vec<PathBuf>,

    /// Run nothing: model the counts in this file, and say how far off what was measured they are
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["file", "phase", "test", "kernel", "constants"])]
    pub counts: Option<PathBuf>,

    /// Run nothing: print what the model takes to be so of the card, with units and sources
    #[arg(long, conflicts_with_all = ["file", "phase", "test", "kernel"])]
    pub constants: bool,
}

impl ProfileArgs {
    /// What `exec` is to do with the launch file.
    pub fn exec(&self, file: &Path) -> ExecArgs {
        ExecArgs::alone(file, self.jobs, self.limits.clone())
    }
}
