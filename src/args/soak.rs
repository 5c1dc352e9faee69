//! The flags of `soak`.

use clap::Args;

use super::{ArgError, TrialArgs};

/// Run the tests with one seed after another until time is up.
#[derive(Debug, Args)]
pub struct SoakArgs {
    /// Minutes after which no new seed begins
    #[arg(long, value_name = "M", value_parser = parse_minutes)]
    pub minutes: f64,

    /// The flags of the run: tests, kernels and device.
    #[command(flatten)]
    pub trials: TrialArgs,
}

fn parse_minutes(text: &str) -> Result<f64, ArgError> {
    let parsed = text.parse::<f64>().ok();
    parsed
        .filter(|minutes| minutes.is_finite() && *minutes > 0.0)
        .ok_or_else(|| ArgError::Minutes(text.into()))
}
