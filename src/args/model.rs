//! The flags of the model of an MI50's time, which several commands share.

use std::path::PathBuf;

use clap::Args;

use crate::files::FileError;
use crate::profile::{Assumptions, Card, Timing};

/// The flags of the modelled card.
#[derive(Clone, Debug, Args)]
pub struct CardArgs {
    /// Clock of the card in MHz, for the model [default: 1725, the peak]; owners' cards ran at 0.74 to 0.92
    /// of it under load
    #[arg(long, value_name = "MHZ", value_parser = super::parse_clock)]
    pub clock: Option<f64>,

    /// Constants of the modelled card, in the format of src/profile/card.toml; constants that the file lacks
    /// are those of the program
    #[arg(long, value_name = "FILE.toml")]
    pub card: Option<PathBuf>,

    /// Model data that were just used and fit into the 4 MB of the L2, instead of data in memory
    #[arg(long)]
    pub hot: bool,
}

impl CardArgs {
    /// Returns the modelled card.
    ///
    /// # Errors
    /// The file of the card cannot be used.
    pub fn card(&self) -> Result<Card, FileError> {
        let card = match &self.card {
            Some(path) => Card::from_file(path)?,
            None => Card::built_in(),
        };
        Ok(match self.clock {
            Some(clock) => card.with_clock(clock),
            None => card,
        })
    }

    /// Returns what the model assumes.
    ///
    /// # Errors
    /// The file of the card cannot be used.
    pub fn assumptions(&self, timing: Timing) -> Result<Assumptions, FileError> {
        Ok(Assumptions {
            card: self.card()?,
            timing,
            hot: self.hot,
        })
    }

    /// Returns true if no flag is given.
    pub fn is_empty(&self) -> bool {
        self.clock.is_none() && self.card.is_none() && !self.hot
    }
}

/// The flags of the model.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// Flags of the card.
    #[command(flatten)]
    pub card: CardArgs,

    /// Measurements that the modelled times are compared with: stream or graph (from launch to launch),
    /// event (HIP events around a launch), trace (a profiler's begin to end) [default: stream]
    #[arg(long, value_name = "stream|graph|event|trace")]
    pub timing: Option<Timing>,
}

impl ModelArgs {
    /// Returns what the model assumes.
    ///
    /// # Errors
    /// The file of the card cannot be used.
    pub fn assumptions(&self) -> Result<Assumptions, FileError> {
        self.card.assumptions(self.timing.unwrap_or_default())
    }

    /// Returns true if no flag is given.
    pub fn is_empty(&self) -> bool {
        self.card.is_empty() && self.timing.is_none()
    }
}
