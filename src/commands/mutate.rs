//! `mutate`: changes one instruction of the kernels at a time, and reports the mutants that survive the tests.

mod state;

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::report_files::ReportFiles;
use crate::args::{Format, MutateArgs};
use crate::exit::{Exit, Stop};
use crate::interrupt::ArmedSignals;
use crate::mutate::{Campaign, MutationReport, Options, merge, read};
use crate::run::{Setup, kernel_globs, parse_seed};
use crate::text::shown;

use state::{CampaignState, Output};

/// The largest report that is read.
const MAX_REPORT: u64 = 1 << 30;

/// Runs the command.
///
/// # Errors
/// A file or the device is not usable, the unchanged kernels do not pass, or a mutant could not be judged.
pub fn run(args: &MutateArgs) -> Result<Exit, Stop> {
    let output = Output {
        files: ReportFiles::open(&args.report)?,
        json: args.format == Format::Json,
        verbose: args.verbose,
    };
    let report = if args.merge.is_empty() {
        run_campaign(args, output)?
    } else {
        let parts = args.merge.iter().map(|path| {
            let bytes = crate::files::read(path, MAX_REPORT)
                .map_err(|error| Stop::setup(format!("report: {error}")))?;
            Ok((shown(path), read(&shown(path), &bytes)?))
        });
        let merged = merge(parts.collect::<Result<_, Stop>>()?)?;
        CampaignState::from_report(merged, output).finish()?
    };
    let below = args.fail_under.is_some_and(|limit| {
        let score = report.counts().score();
        score.is_none_or(|score| score < limit)
    });
    Ok(if below { Exit::Failed } else { Exit::Passed })
}

/// Runs a campaign, and prints and writes its report.
fn run_campaign(args: &MutateArgs, output: Output) -> Result<MutationReport, Stop> {
    let seed = parse_seed(&args.seed)?;
    let selection = args.selection.selection(false);
    let setup = Setup::for_selection(args.sources.sources(), seed, selection)?;
    let (selected, bindings) = setup.runnable(args.selection.selection(false))?;
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
        ways: &bindings,
        options: &options,
    };
    let armed = ArmedSignals::now();
    let state = Mutex::new(CampaignState::open(campaign.nothing_yet(), output)?);
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let ran = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        campaign.run(|news| lock().apply(news))
    });
    if let Err(error) = ran {
        lock().write_files();
        return Err(error.into());
    }
    lock().finish()
}
