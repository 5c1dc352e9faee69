//! A test run, from the flags to the exit code.

mod demand;
mod failed;
pub(super) mod known;
mod ledger;
mod narrow;
mod show;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::bind::candidates;
use super::hung;
use super::trials::Trials;
use crate::args::{RunArgs, RunFormat};
use crate::device::{self, Watch};
use crate::exit::{Exit, Stop};
use crate::report::RunPlan;
use crate::run::{Armed, BindingUsage, Setup, threads};
use crate::select::Selected;
use crate::text::{print, quoted, shown};
use crate::trial::{Dump, Finished, Plan, Progress, run_until};
use crate::verdict::EnvironmentReport;

pub(super) use demand::{Demand, exit, warn};
use failed::FailedTests;
use ledger::Ledger;
use show::Show;

/// Does what the flags of a test run say.
pub fn run(args: &RunArgs) -> Result<Exit, Stop> {
    let mut args = args.clone();
    let failed = FailedTests::read(&mut args)?;
    let args = &args;
    let seed = args.trials.seed()?;
    let setup = Setup::new(args.trials.sources.sources(), seed)?;
    let wanted = args.trials.selection();
    let selected = match &failed {
        Some(failed) => {
            failed.check_built_in(&setup)?;
            failed.select(args, &setup)?
        }
        None => setup.select(wanted)?,
    };
    // What every part of a run must agree on is a matter of all selected cases.
    let whole = selected.clone();
    let (selected, partition) = narrow::narrow(args, selected)?;
    let known = known::read(args.fleet.known.as_deref(), Some(&setup.registry))?;
    if args.list {
        return list(args, &selected);
    }
    // Whoever selects tests or takes a part of them is told which kernels those lack.
    let whole_run = args.everything() && partition.is_none();
    if whole_run && !args.trials.require_all && setup.is_foreign()? {
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
    let flags = args.trials.rerun_flags();
    // Before anything runs: what a binding says must fit every case that it is for.
    let ways = setup.ways(wanted, &selected)?;
    // The run of the report has had its bindings checked.
    if failed.is_none() && !setup.bindings.is_empty() {
        let mut usage = BindingUsage::default();
        usage.add(&setup.bindings, &whole, &setup.ways(wanted, &whole)?);
        warn(&usage.check(&setup.bindings)?);
    }
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
        environment: EnvironmentReport {
            settings: Some(failed::settings(args, &setup)?),
            ..setup.environment()?
        },
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
    let mut finished_plans = vec![false; plans.len()];
    let mut hung: Option<&Selected<'_>> = None;
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &ledger);
        let stops = |finished: &Finished| hung::stops(&args.trials, finished);
        run_until(&plans, jobs, stops, |position, progress| match progress {
            Progress::Started => held().starts(&plans[position].case.id),
            Progress::Finished(finished) => {
                finished_plans[position] = true;
                if stops(&finished) {
                    hung.get_or_insert(&selected[positions[position]]);
                }
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
    let mut left = 0;
    if let Some(hung) = hung {
        let reason = hung::reason(hung);
        let not_run = (0..plans.len()).filter(|&position| !finished_plans[position]);
        for position in not_run.map(|position| positions[position]) {
            let report = trials.skipped(&selected[position], &reason);
            held().ends(position, report);
            left += 1;
        }
    }
    let report = held().close(true)?;
    let demand = Demand {
        all: args.trials.require_all,
        least: args.trials.min_tests,
    };
    let exit = match known {
        Some(known) => known::exit(&known, &known::written(&report)?, demand, taken)?,
        None => exit(&report.totals, demand),
    };
    if let Some(hung) = hung {
        let line = match &args.fleet.failed {
            Some(path) => format!(
                "deltanet-check --failed {} --device emulator",
                quoted(&path.to_string_lossy())
            ),
            None => args.trials.emulator_line(seed),
        };
        warn(&[hung::advice(hung, left, &line)]);
        return Ok(Exit::Failed);
    }
    // Whether anything ran at all is a question about all parts together, which `merge` answers.
    Ok(match exit {
        Exit::NothingSelected if report.partition.is_some() => Exit::Passed,
        exit => exit,
    })
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
