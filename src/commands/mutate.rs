//! `mutate`: changes one instruction of the kernels at a time, and says which changes no test notices.

use super::written::Written;
use crate::args::{Format, MutateArgs};
use crate::exit::{Exit, Stop};
use crate::mutate::{Accepted, Campaign, MutationReport, Options, apply, merge, page, read, table};
use crate::run::{Setup, kernel_globs, seed};
use crate::text::{print, shown};

/// The largest report that is read.
const MAX_REPORT: u64 = 1 << 30;

/// Runs the command.
pub fn run(args: &MutateArgs) -> Result<Exit, Stop> {
    let written = Written::to(&args.report)?;
    let accepted = args.accepted.as_deref().map(Accepted::read).transpose()?;
    let mut report = if args.merge.is_empty() {
        campaign(args)?
    } else {
        let parts = args.merge.iter().map(|path| {
            let bytes = crate::files::read(path, MAX_REPORT)
                .map_err(|error| Stop::setup(format!("report: {error}")))?;
            Ok((shown(path), read(&shown(path), &bytes)?))
        });
        merge(parts.collect::<Result<_, Stop>>()?)?
    };
    if let Some(accepted) = &accepted {
        apply(&mut report, accepted);
    }
    let json = || {
        let text = serde_json::to_string_pretty(&report);
        text.map(|text| text + "\n")
            .map_err(|error| Stop::setup(format!("the report cannot be written as JSON: {error}")))
    };
    written.write(json, || page(&report))?;
    print(&match args.format {
        Format::Table => table(&report, args.verbose),
        Format::Json => json()?,
    })?;
    let below = args.fail_under.is_some_and(|bar| {
        let score = report.counts().score();
        score.is_none_or(|score| score < bar)
    });
    Ok(if below || !report.stale.is_empty() {
        Exit::Failed
    } else {
        Exit::Passed
    })
}

fn campaign(args: &MutateArgs) -> Result<MutationReport, Stop> {
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
    Campaign {
        setup: &setup,
        device: &*device,
        selected: &selected,
        ways: &ways,
        options: &options,
    }
    .run()
}
