//! The flags of `bench`.

use clap::{Args, value_parser};

use super::{CardArgs, DeviceArgs, Format, LimitArgs, SelectionArgs, SourceArgs};

/// Measure kernels on a real card, beside the time that the model of `profile` gives for the same launches.
///
/// The command takes the cases that --test, --phase and --kernel select. It needs `--device hip`: the
/// emulator has no times to measure, and `profile` prints the model alone. A case that does not pass is
/// not measured. HIP events around a launch give its time, which includes the overhead of launching.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Flags that select the cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Flags that name the files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Flags that choose the device.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random`
    /// to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Number of times that each case is measured, after a first time that does not count
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u16).range(1..))]
    pub times: u16,

    /// Flags of the modelled card.
    #[command(flatten)]
    pub card: CardArgs,

    /// Print each launch as a row of docs/data/mi50-measured.tsv, to be sent to the project
    #[arg(long, conflicts_with = "format")]
    pub row: bool,

    /// Limits of each launch.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
