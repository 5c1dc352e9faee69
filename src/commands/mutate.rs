//! `mutate`: changes one instruction of the kernels at a time, and says which changes no test notices.

mod found;

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::written::Written;
use crate::args::{Format, MutateArgs};
use crate::exit::{Exit, Stop};
use crate::mutate::{Campaign, MutationReport, Options, merge, read};
use crate::run::{Armed, Setup, kernel_globs, seed};
use crate::text::shown;

use found::{Found, Telling};

/// The largest report that is read.
const MAX_REPORT: u64 = 1 << 30;

/// Runs the command.
///
/// # Errors
/// What a campaign needs is not usable, the honest kernels do not pass, or a mutant could not be judged.
pub fn run(args: &MutateArgs) -> Result<Exit, Stop> {
    let told = Telling {
        written: Written::to(&args.report)?,
        json: args.format == Format::Json,
        verbose: args.verbose,
    };
    let report = if args.merge.is_empty() {
        campaign(args, told)?
    } else {
        let parts = args.merge.iter().map(|path| {
            let bytes = crate::files::read(path, MAX_REPORT)
                .map_err(|error| Stop::setup(format!("report: {error}")))?;
            Ok((shown(path), read(&shown(path), &bytes)?))
        });
        let whole = merge(parts.collect::<Result<_, Stop>>()?)?;
        Found::of(whole, told).finish()?
    };
    let below = args.fail_under.is_some_and(|bar| {
        let score = report.counts().score();
        score.is_none_or(|score| score < bar)
    });
    Ok(if below { Exit::Failed } else { Exit::Passed })
}

/// Runs a campaign, and tells it.
fn campaign(args: &MutateArgs, told: Telling) -> Result<MutationReport, Stop> {
    let seed = seed(&args.seed)?;
    let setup = Setup::new(args.sources.sources(), seed)?;
    let (selected, ways) = setup.runnable(args.selection.selection(false))?;
    let device = args.device.spec()?.open()?;
    if !device.observes() {
        return Err(Stop::usage(format!(
            "`mutate` needs the emulator, and this is {}: add `--device emulator`",
            device.describe().description
        )));
    }
    let kernels = (!args.selection.kernel.is_empty()).then(|| kernel_globs(&args.selection.kernel));
    let options = Options {
        operators: args.operators(),
        per_kernel: args.per_kernel,
        seed,
        jobs: args.device.jobs(args.jobs),
        limits: args.limits.limits(),
        part: args.partition,
        kernels: kernels.transpose()?,
        doubt: args.doubt,
        sanitize: args.sanitize.spec(),
        words: [
            args.selection.phase.clone(),
            args.selection.test.clone(),
            args.selection.kernel.clone(),
        ],
    };
    let campaign = Campaign {
        setup: &setup,
        device: &*device,
        selected: &selected,
        ways: &ways,
        options: &options,
    };
    let armed = Armed::now();
    let found = Mutex::new(Found::open(campaign.nothing_yet(), told)?);
    let held = || found.lock().unwrap_or_else(PoisonError::into_inner);
    let ran = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &found);
        campaign.run(|news| held().take(news))
    });
    if let Err(stop) = ran {
        held().keep();
        return Err(stop);
    }
    held().finish()
}
