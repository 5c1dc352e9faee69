//! The flags of `self-test`.

use clap::Args;

use super::{Explain, TrialArgs};
use crate::exit::Stop;

/// Test the tests: run the planted bugs and demand that each is caught
///
/// The kernels without a planted bug must pass, outputs that no kernel computed must be rejected, and
/// each planted bug of a test must be caught.
#[derive(Debug, Args)]
#[command(
    mut_arg("min_tests", |arg| arg.hide(true)),
    mut_arg("relations", |arg| arg.hide(true)),
    mut_arg("repeat", |arg| arg.hide(true)),
    mut_arg("sanitize", |arg| arg.hide(true)),
    mut_arg("sanitize_warn", |arg| arg.hide(true))
)]
pub struct SelfTestArgs {
    /// The flags of the run: tests, kernels and device.
    #[command(flatten)]
    pub trials: TrialArgs,

    /// Tell the reason that a diagnosis by experiment finds for each planted bug
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value_t = Explain::Off,
        help_heading = "How they run"
    )]
    pub explain: Explain,

    /// Run only the planted bugs of this name; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "Which tests run")]
    pub bug: Vec<String>,

    /// Show the rejected trivial outputs as well
    #[arg(short, long, help_heading = "Reports")]
    pub verbose: bool,
}

impl SelfTestArgs {
    /// Checks that the command line has no flag that does not apply to planted bugs.
    ///
    /// # Errors
    /// The command line has such a flag.
    pub fn check(&self) -> Result<(), Stop> {
        let flags = [
            ("--min-tests", self.trials.min_tests.is_some()),
            ("--relations", self.trials.relations),
            ("--repeat", self.trials.repeat.is_some()),
            ("--sanitize", self.trials.sanitize.spec().is_some()),
        ];
        match flags.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Stop::usage(format!(
                "self-test takes no {flag}: planted bugs are judged by values"
            ))),
            None => Ok(()),
        }
    }
}
