//! The flags of `bench`.

use clap::{Args, value_parser};

use super::{DeviceArgs, Format, LimitArgs, SelectionArgs, SourceArgs};
use crate::profile::CLOCK;

/// Measure kernels on a real card, and say what the model of `profile` makes of the same launches.
///
/// Takes the cases that --test, --phase and --kernel choose, and needs `--device hip`: on the emulator nothing can be measured, and `profile` has
/// the model alone. A case that does not pass is not measured. Times are between HIP events around a launch, with what launching itself takes.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Where kernels are measured.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// How often each case is measured, after a first time that does not count
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u16).range(1..))]
    pub times: u16,

    /// Clock of the card in MHz, for the model; owners run it at 1606 and less
    #[arg(long, value_name = "MHZ", default_value_t = CLOCK, value_parser = super::clock)]
    pub clock: f64,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
