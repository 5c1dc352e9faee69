//! The flags of the commands that measure: `tolerances`, `audit`.

use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};

use super::{DeviceArgs, Format, SelectionArgs, SourceArgs};
use crate::audit::REGIMES;

/// The flags of `tolerances`.
#[derive(Debug, Args)]
pub struct TolerancesArgs {
    /// Number of seeds, which are 0, 1, 2 ...
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u32).range(1..))]
    pub seeds: u32,

    /// Flags that select the cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Flags that name the files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Flags that choose the device.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Number of trials that run at the same time [default: one per core; on a card 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Measure how far the documented pipeline is from the gated delta rule, with each departure alone and
/// with all.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Number of heads that are drawn for each gate regime
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = value_parser!(u32).range(1..=10_000))]
    pub draws: u32,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Measure only this gate regime; may be given several times
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(REGIMES.map(|regime| regime.name))
    )]
    pub regime: Vec<String>,

    /// Number of heads that run at the same time [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
