//! The flags of `calibrate`.

use std::path::PathBuf;

use clap::Args;

use super::TargetArgs;

/// Measure the constants of the model of `profile` on a real card: its clock under load, the latencies of its memories, the rates of
/// reads and writes, and the times of launches.
///
/// The command needs `--device hip` and 512 MB of the card's memory. `profile --card FILE.toml` takes the
/// file that --out names.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Flags that name the card.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Write the constants to this file, for `--card`
    #[arg(long, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
}
