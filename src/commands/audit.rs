//! `audit`: the error of each departure of the documented pipeline from the gated delta rule.

mod show;

use crate::args::{AuditArgs, Format};
use crate::audit::{PipelineErrors, REGIMES, Regime, measure};
use crate::exit::{Exit, Stop};
use crate::run::parse_seed;
use crate::text::print;
use crate::trial::default_jobs;

/// The measured errors, and the settings that they were measured with.
struct Audit {
    seed: u64,
    draws: u32,
    regimes: Vec<Regime>,
    /// A list of errors for each regime.
    costs: Vec<Vec<PipelineErrors>>,
}

/// Runs the command.
///
/// # Errors
/// The seed is no number, or standard output cannot be written.
pub fn run(args: &AuditArgs) -> Result<Exit, Stop> {
    let seed = parse_seed(&args.seed)?;
    let jobs = args.jobs.map_or_else(default_jobs, usize::from);
    let selected = |regime: &Regime| {
        args.regime.is_empty() || args.regime.iter().any(|name| name == regime.name)
    };
    let regimes: Vec<Regime> = REGIMES.into_iter().filter(selected).collect();
    let audit = Audit {
        seed,
        draws: args.draws,
        costs: measure(&regimes, seed, args.draws, jobs),
        regimes,
    };
    match args.format {
        Format::Table => print(&show::as_table(&audit))?,
        Format::Json => print(&format!("{:#}\n", show::as_json(&audit)))?,
    }
    Ok(Exit::Passed)
}
