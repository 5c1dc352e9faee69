//! The flags of `soak`.

use clap::Args;

use super::TrialArgs;

/// Run the tests with one seed after another until time is up.
#[derive(Debug, Args)]
pub struct SoakArgs {
    /// For how many minutes to begin with another seed
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub minutes: f64,

    /// The settings of the run: tests, kernels and device.
    #[command(flatten)]
    pub trials: TrialArgs,
}

fn minutes(text: &str) -> Result<f64, String> {
    let parsed = text.parse::<f64>().ok();
    parsed
        .filter(|minutes| minutes.is_finite() && *minutes > 0.0)
        .ok_or_else(|| format!("`{text}` is no time: give minutes, more than 0, as in 0.5"))
}
