//! A test run, from the flags to the exit code.

pub(super) mod known;
mod ledger;
mod narrow;
mod show;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::bind::candidates;
use super::trials::Trials;
use crate::args::{RunArgs, RunFormat};
use crate::device::{self, Watch};
use crate::exit::{Exit, Stop};
use crate::report::RunPlan;
use crate::run::{Armed, Setup, seed, threads};
use crate::select::Selected;
use crate::text::{print, shown};
use crate::trial::{Dump, Plan, Progress, run_all};
use crate::verdict::Totals;

use ledger::Ledger;
use show::Show;

/// Does what the flags of a test run say.
pub fn run(args: &RunArgs) -> Result<Exit, Stop> {
    let seed = seed(&args.trials.seed)?;
    let setup = Setup::new(args.trials.sources.sources(), seed)?;
    let wanted = args.trials.selection();
    let (selected, partition) = narrow::narrow(args, seed, setup.select(wanted)?)?;
    let known = known::read(args.fleet.known.as_deref(), Some(&setup.registry))?;
    if args.list {
        return list(args, &selected);
    }
    if setup.is_foreign()? && !args.trials.require_all {
        let message = candidates::foreign(&setup.registry, setup.program());
        return Err(Stop::nothing(message));
    }
    let device = args.trials.device.spec()?.open()?;
    let trace = args.trace.spec();
    let taken = args.trials.told.format != RunFormat::Table;
    let watch = Watch::open(args.counters, trace.as_ref(), setup.kernels(), taken)?
        .with_sanitizer(args.trials.sanitize.spec());
    device::check_watch(&*device, &watch)?;
    let jobs = args.jobs();
    let flags = args.trials.again();
    // Before anything runs: what a binding says must fit every case that it is for.
    let ways = setup.ways(wanted, &selected)?;
    if let Some(dir) = &args.dump {
        prepare(dir)?;
    }
    let trials = Trials {
        args: &args.trials,
        setup: &setup,
        device: &*device,
        seed,
        watch: &watch,
        flags: &flags,
    };
    let threads = threads(jobs, selected.len());
    let running = selected.iter().zip(&ways);
    let running = running.filter_map(|(one, way)| Some((one, way.as_ref().ok()?)));
    let plans: Vec<Plan<'_>> = running
        .map(|(one, way)| Plan {
            dump: args.dump.as_deref().map(Dump::Npy),
            ..trials.plan(one, *way, threads)
        })
        .collect();

    let positions: Vec<usize> = (0..ways.len()).filter(|&at| ways[at].is_ok()).collect();
    let skipped = selected.iter().zip(&ways).map(|(one, way)| {
        let reason = way.as_ref().err()?;
        Some(trials.skipped(one, reason))
    });
    let plan = RunPlan {
        environment: setup.environment()?,
        device: device.describe(),
        code_object: setup.program().report.clone(),
        seed: Some(seed),
        trials: plans.len(),
    };
    let show = Show::new(args)?;
    let armed = Armed::now();
    let ledger = Ledger::open(show, plan, partition, &selected, skipped.collect())?;
    let ledger = Mutex::new(ledger);
    let held = || ledger.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &ledger);
        run_all(&plans, jobs, |position, progress| match progress {
            Progress::Started => held().starts(&plans[position].case.id),
            Progress::Finished(finished) => {
                let mut ledger = held();
                let dumped = finished.dump_error.map(Stop::setup).map_or(Ok(()), Err);
                ledger.ends(positions[position], finished.report);
                ledger.note(dumped);
            }
        });
        if let Some(tracing) = &watch.trace {
            held().note(tracing.finish());
        }
    });
    let report = held().close(true)?;
    let all = args.trials.require_all;
    if let Some(known) = known {
        return known::exit(&known, &known::written(&report)?, all, taken);
    }
    // A part may be empty where there are more machines than tests.
    if report.partition.is_some() && selected.is_empty() {
        return Ok(Exit::Passed);
    }
    Ok(exit(&report.totals, all))
}

/// A run has passed if something ran, and all of it passed; what did not run counts if all is required.
pub(super) fn exit(totals: &Totals, all: bool) -> Exit {
    let ran = totals.total() - totals.skip;
    match (totals.pass, totals.skip) {
        (pass, skip) if pass == ran && pass > 0 && (skip == 0 || !all) => Exit::Passed,
        (0, 1..) if ran == 0 && !all => Exit::NothingSelected,
        _ => Exit::Failed,
    }
}

/// Prints the ids that `--test` takes.
fn list(args: &RunArgs, selected: &[Selected<'_>]) -> Result<Exit, Stop> {
    let json = args.trials.told.json("the list of tests")?;
    let text = match json {
        false => selected
            .iter()
            .map(|one| format!("{}\n", one.case.id))
            .collect::<String>(),
        true => {
            let tests: Vec<_> = selected
                .iter()
                .map(|one| {
                    serde_json::json!({
                        "id": one.case.id,
                        "aliases": one.test.aliases,
                        "phase": one.phase.number,
                        "phase_title": one.phase.title,
                        "phase_note": one.phase.note,
                        "title": one.test.title,
                        "shape": one.case.values.to_string(),
                        "documented": one.test.documented,
                    })
                })
                .collect();
            format!(
                "{:#}\n",
                serde_json::json!({ "schema": "deltanet-check/list/1", "tests": tests })
            )
        }
    };
    print(&text)?;
    Ok(Exit::Passed)
}

/// Makes sure that tensors can be written before anything runs.
fn prepare(dir: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(dir).map_err(|error| {
        Stop::setup(format!(
            "cannot create {}: {error}; name a directory",
            shown(dir)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn only_a_pass_is_a_pass() {
        for other in Verdict::ALL {
            let mut totals = Totals::default();
            totals.add(Verdict::Pass);
            totals.add(other);
            let fine = matches!(other, Verdict::Pass | Verdict::Skip);
            assert_eq!(exit(&totals, false) == Exit::Passed, fine, "{other:?}");
            let all = exit(&totals, true) == Exit::Passed;
            assert_eq!(all, other == Verdict::Pass, "{other:?}");
        }
    }

    /// A code object with none of the kernels has not passed.
    #[test]
    fn a_run_of_skips_alone_has_selected_nothing() {
        let mut totals = Totals::default();
        totals.add(Verdict::Skip);
        assert_eq!(exit(&totals, false), Exit::NothingSelected);
        assert_eq!(exit(&totals, true), Exit::Failed);
    }
}
