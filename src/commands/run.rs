//! A test run, from the flags to the exit code.

mod demand;
mod failed;
pub(super) mod known;
mod ledger;
mod limit;
mod output;
mod partition;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::bind::candidates;
use super::hung;
use super::trials::Trials;
use crate::args::{RunArgs, RunFormat};
use crate::device::{self, Watch};
use crate::diagnose::diagnose_failures;
use crate::exit::{Exit, Stop};
use crate::interrupt::ArmedSignals;
use crate::report::RunPlan;
use crate::report::model::EnvironmentReport;
use crate::run::{BindingUsage, SelectedCase, Setup, threads};
use crate::text::{print, shown};
use crate::trial::{Dump, FinishedTrial, Plan, Progress, run_until};

pub(super) use demand::{Demand, exit_code, warn};
use failed::FailedTests;
use ledger::Ledger;
use limit::RunLimits;
use output::RunOutput;

/// Runs the tests that the flags select.
pub fn run(given: &RunArgs) -> Result<Exit, Stop> {
    let mut args = given.clone();
    let failed = FailedTests::read(&mut args)?;
    let args = &args;
    let seed = args.trials.seed()?;
    let selection = args.trials.selection();
    let sources = args.trials.sources.sources();
    // Known failures and a report of failures name cases of any test.
    let mut setup = match failed.is_none() && args.fleet.known.is_none() {
        true => Setup::for_selection(sources, seed, selection)?,
        false => Setup::new(sources, seed)?,
    };
    setup.registry.add_described(selection.test);
    if let Some(failed) = &failed {
        let ids: Vec<String> = failed.ids().map(str::to_owned).collect();
        setup.registry.add_described(&ids);
    }
    let selected = match &failed {
        Some(failed) => {
            failed.check_built_in(&setup)?;
            failed.select(args, &setup)?
        }
        None => setup.select(selection)?,
    };
    // Bindings are checked against all selected cases, so that every part of a run accepts or refuses the same bindings.
    let all_selected = selected.clone();
    let (selected, partition) = partition::take_part(args, selected)?;
    let known = known::read(args.fleet.known.as_deref(), Some(&setup.registry))?;
    if args.list {
        return list(args, &selected);
    }
    // A run of selected tests, or of a part, reports the missing kernels test by test instead.
    let whole_run = args.runs_all_tests() && partition.is_none();
    if whole_run && !args.trials.require_all && setup.is_foreign()? {
        let message = candidates::foreign(&setup.registry, setup.program());
        return Err(Stop::nothing(message));
    }
    let device = args.trials.device.spec()?.open()?;
    let trace = args.trace.spec();
    let stdout_is_report = args.trials.output.format != RunFormat::Table;
    let watch = Watch::open(
        args.counters,
        trace.as_ref(),
        setup.kernels(),
        stdout_is_report,
    )?
    .with_sanitizer(args.trials.sanitize.spec());
    device::check_watch(&*device, &watch)?;
    let jobs = args.jobs();
    let flags = args.trials.rerun_flags();
    // A binding must fit all of its cases, which is checked before anything runs.
    let bindings = setup.bind_cases(selection, &selected)?;
    let mut usage = BindingUsage::default();
    // The run that wrote the report of `--failed` has checked the bindings.
    if failed.is_none() && !setup.bindings.is_empty() {
        usage.add(
            &setup.bindings,
            &all_selected,
            &setup.bind_cases(selection, &all_selected)?,
        );
        warn(&usage.check(&setup.bindings, selection)?);
    }
    let running = selected.iter().zip(&bindings);
    setup.check_references(
        running.filter_map(|(entry, binding)| Some((entry, binding.as_ref().ok()?))),
        args.trials.relations,
    )?;
    if let Some(dir) = &args.dump {
        create_dump_directory(dir)?;
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
    let running = selected.iter().zip(&bindings);
    let running = running.filter_map(|(entry, binding)| Some((entry, binding.as_ref().ok()?)));
    let plans: Vec<Plan<'_>> = running
        .map(|(entry, binding)| Plan {
            dump: args.dump.as_deref().map(Dump::Npy),
            ..trials.plan(entry, *binding, threads)
        })
        .collect();

    // The position of each plan among the selected cases.
    let positions: Vec<usize> = (0..bindings.len())
        .filter(|&position| bindings[position].is_ok())
        .collect();
    let skipped = selected.iter().zip(&bindings).map(|(entry, binding)| {
        let reason = binding.as_ref().err()?;
        Some(trials.skipped(entry, reason))
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
    let output = RunOutput::new(args)?;
    let armed = ArmedSignals::now();
    let ledger = Ledger::open(output, plan, partition, &selected, skipped.collect())?;
    let ledger = Mutex::new(ledger);
    let lock = || ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let mut finished_plans = vec![false; plans.len()];
    let mut hung: Option<&SelectedCase<'_>> = None;
    let limits = RunLimits::new(args.failure_limit(), args.time_limit());
    let mut causes = Vec::new();
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &ledger);
        let hangs = |finished: &FinishedTrial| hung::stops_run(&args.trials, finished);
        let stops = |finished: &FinishedTrial| limits.are_reached_by(finished) || hangs(finished);
        run_until(&plans, jobs, stops, |position, progress| match progress {
            Progress::Started => lock().start_trial(&plans[position].case.id),
            Progress::Finished(finished) => {
                finished_plans[position] = true;
                if hangs(&finished) {
                    hung.get_or_insert(&selected[positions[position]]);
                }
                let mut ledger = lock();
                let dumped = finished.dump_error.map(Stop::setup).map_or(Ok(()), Err);
                ledger.end_trial(positions[position], finished.report);
                ledger.keep_error(dumped);
            }
        });
        if let Some(depth) = args.explain.depth() {
            let failed = positions
                .iter()
                .zip(&plans)
                .filter_map(|(&position, plan)| {
                    let report = lock().failure(position)?;
                    Some((position, (plan, report)))
                });
            let (at, failures): (Vec<usize>, Vec<_>) = failed.unzip();
            diagnose_failures(&failures, depth, jobs, &setup, |number, diagnosis| {
                causes.extend(diagnosis.causes.iter().map(|cause| cause.text.clone()));
                lock().explain(at[number], diagnosis);
            });
        }
        if let Some(tracing) = &watch.trace {
            lock().keep_error(tracing.finish().map_err(Stop::from));
        }
    });
    let mut left = 0;
    if let Some(hung) = hung {
        let reason = hung::reason(hung);
        let not_run = (0..plans.len()).filter(|&position| !finished_plans[position]);
        for position in not_run.map(|position| positions[position]) {
            let report = trials.skipped(&selected[position], &reason);
            lock().end_trial(position, report);
            left += 1;
        }
    }
    let not_run = finished_plans.iter().filter(|finished| !**finished).count();
    let stopped = hung.is_none() && not_run > 0;
    let report = lock().close(!stopped)?;
    if stopped {
        warn(&[limits.message(not_run)]);
        return Ok(Exit::Failed);
    }
    let demand = Demand {
        require_all: args.trials.require_all,
        min_tests: args.trials.min_tests,
    };
    let exit = match known {
        Some(known) => {
            let report = known::reread(&report)?;
            known::exit_code(&known, &report, demand, stdout_is_report)?
        }
        None => exit_code(&report.totals, demand),
    };
    if let Some(hung) = hung {
        let line = match &args.fleet.failed {
            // The report has the other flags.
            Some(path) => given.trials.failed_line(path),
            None => args.trials.emulator_line(seed),
        };
        warn(&[hung::advice(hung, left, &line)]);
        return Ok(Exit::Failed);
    }
    if exit == Exit::Failed {
        warn(&usage.unused_inputs(&setup.bindings, &causes));
    }
    // A part may be empty; `merge` fails if all parts together are empty.
    Ok(match exit {
        Exit::NothingSelected if report.partition.is_some() => Exit::Passed,
        exit => exit,
    })
}

/// Prints the ids that `--test` takes.
fn list(args: &RunArgs, selected: &[SelectedCase<'_>]) -> Result<Exit, Stop> {
    let json = args.trials.output.is_json("the list of tests")?;
    let text = match json {
        false => selected
            .iter()
            .map(|entry| format!("{}\n", entry.case.id))
            .collect::<String>(),
        true => {
            let tests: Vec<_> = selected
                .iter()
                .map(|entry| {
                    serde_json::json!({
                        "id": entry.case.id,
                        "aliases": entry.test.aliases,
                        "phase": entry.phase.number,
                        "phase_title": entry.phase.title,
                        "phase_note": entry.phase.note,
                        "title": entry.test.title,
                        "shape": entry.case.values.to_string(),
                        "documented": entry.test.documented,
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

/// Creates the directory of `--dump` before anything runs.
fn create_dump_directory(dir: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(dir).map_err(|error| {
        Stop::setup(format!(
            "cannot create {}: {error}; name a directory",
            shown(dir)
        ))
    })
}
