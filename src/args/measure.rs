//! The flags of the commands that measure: `tolerances`, `audit`.

use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};

use super::{DeviceArgs, Format, SelectionArgs, SourceArgs};
use crate::audit::REGIMES;

/// The flags of `tolerances`.
#[derive(Debug, Args)]
pub struct TolerancesArgs {
    /// How many seeds: 0, 1, 2 ...
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u32).range(1..))]
    pub seeds: u32,

    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// How many trials run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Measure how far the documented pipeline is from the gated delta rule, with each departure alone and with all.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// How many heads are drawn for each regime of gates
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = value_parser!(u32).range(1..=10_000))]
    pub draws: u32,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Only this regime of gates; may be given several times
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(REGIMES.map(|regime| regime.name)))]
    pub regime: Vec<String>,

    /// How many heads run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
