//! `audit`: what the documented pipeline's departures from the gated delta rule cost.
//!
//! The pipeline is the reference that phase 8 holds the compiled kernels to; the rule is the token-by-token definition
//! that phases 9 and 10 hold theirs to. Neither is judged: the audit says how far apart they are.

mod inputs;
mod measure;
mod show;
mod subjects;

use clap::builder::PossibleValuesParser;

use crate::args::Format;
use crate::exit::{Exit, Stop};
use crate::run::seed;
use crate::text::print;
use crate::trial::default_jobs;

use inputs::{REGIMES, Regime};
use measure::{Cost, measure};

/// Measure how far the documented pipeline is from the gated delta rule, with each departure alone and with all.
#[derive(Debug, clap::Args)]
pub struct AuditArgs {
    /// How many heads are drawn for each regime of gates
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub draws: u32,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Only this regime of gates; may be given several times
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(REGIMES.map(|regime| regime.name)))]
    pub regime: Vec<String>,

    /// How many heads run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What was measured.
struct Audit {
    seed: u64,
    draws: u32,
    regimes: Vec<Regime>,
    /// A list for each regime.
    costs: Vec<Vec<Cost>>,
}

/// Runs the command.
///
/// # Errors
/// The seed is none, or standard output cannot be written.
pub fn run(args: &AuditArgs) -> Result<Exit, Stop> {
    let seed = seed(&args.seed)?;
    let jobs = args.jobs.map_or_else(default_jobs, usize::from);
    let wanted = |regime: &Regime| {
        args.regime.is_empty() || args.regime.iter().any(|name| name == regime.name)
    };
    let regimes: Vec<Regime> = REGIMES.into_iter().filter(wanted).collect();
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
