//! `soak`, and `--seeds`: the tests with one seed after another, on fresh inputs and fresh designs. A trial that passes is counted; of the trials
//! that do not pass, one for each cause is printed in full when its seed ends.

mod state;

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::hung;
use super::run::{Demand, warn};
use super::trials::Trials;
use crate::args::{RunArgs, SoakArgs, TrialArgs};
use crate::device::{Device, Watch, check_watch};
use crate::exit::{Exit, Stop};
use crate::interrupt::{ArmedSignals, RunResults};
use crate::report::model::TrialReport;
use crate::run::{BindingUsage, SelectedCase, Setup, threads};
use crate::trial::{FinishedTrial, Plan, Progress, run_until};

use state::SoakState;

/// The limit after which no other seed begins.
#[derive(Clone, Copy)]
enum Limit {
    /// Number of seeds.
    Seeds(u64),
    /// Seconds since the beginning.
    Seconds(f64),
}

/// Runs the command.
///
/// # Errors
/// Something that a run needs is not usable.
pub fn run(args: &SoakArgs) -> Result<Exit, Stop> {
    run_seeds(&args.trials, Limit::Seconds(60.0 * args.minutes))
}

/// Runs the tests with the number of seeds that `--seeds` gives.
///
/// # Errors
/// Something that a run needs is not usable.
pub fn seeds(args: &RunArgs) -> Result<Exit, Stop> {
    run_seeds(&args.trials, Limit::Seeds(args.seeds.unwrap_or(1).into()))
}

fn run_seeds(args: &TrialArgs, limit: Limit) -> Result<Exit, Stop> {
    let what = "the result of many seeds";
    let table = !args.output.is_json(what)?;
    let path = args.output.json_file(what)?;
    let first = args.seed()?;
    let mut setup = Setup::new(args.sources.sources(), first)?;
    let device = args.device.spec()?.open()?;
    let watch = Watch::default().with_sanitizer(args.sanitize.spec());
    check_watch(&*device, &watch)?;
    let armed = ArmedSignals::now();
    let state = Mutex::new(SoakState::open(first, table, path)?);
    let mut usage = BindingUsage::default();
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let hung = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        for round in 0.. {
            let ends = match limit {
                Limit::Seeds(count) => round >= count,
                Limit::Seconds(seconds) => round > 0 && lock().elapsed() >= seconds,
            };
            if ends {
                break;
            }
            let seed = first.wrapping_add(round);
            setup.redesign(seed);
            let hung = run_seed(args, &setup, (&*device, &watch), seed, &state, &mut usage)?;
            lock().end_seed()?;
            if hung.is_some() {
                return Ok(hung);
            }
        }
        Ok::<Option<String>, Stop>(None)
    })?;
    lock().end(true)?;
    if let Some(advice) = hung {
        warn(&[advice]);
        return Ok(Exit::Failed);
    }
    // The cases of a design depend on the seed, so that a binding may be used with one seed and not with another.
    warn(&usage.check(&setup.bindings, args.selection())?);
    let demand = Demand {
        require_all: false,
        min_tests: args.min_tests,
    };
    let ran = lock().ran();
    let all_passed = lock().all_passed();
    Ok(match demand.is_met(ran) && all_passed {
        true => Exit::Passed,
        false => Exit::Failed,
    })
}

/// Runs one seed. If a test hung and the run stops, returns the advice for the user.
fn run_seed(
    args: &TrialArgs,
    setup: &Setup,
    (device, watch): (&dyn Device, &Watch),
    seed: u64,
    state: &Mutex<SoakState>,
    usage: &mut BindingUsage,
) -> Result<Option<String>, Stop> {
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let selected = setup.select(args.selection())?;
    let bindings = setup.bind_cases(args.selection(), &selected)?;
    let running = selected.iter().zip(&bindings);
    setup.check_references(
        running.filter_map(|(entry, binding)| Some((entry, binding.as_ref().ok()?))),
        args.relations,
    )?;
    usage.add(&setup.bindings, &selected, &bindings);
    let flags = args.rerun_flags();
    let trials = Trials {
        args,
        setup,
        device,
        seed,
        watch,
        flags: &flags,
    };
    let jobs = args.jobs();
    let threads = threads(jobs, selected.len());
    let mut plans: Vec<Plan<'_>> = Vec::new();
    // The position of each plan among the selected cases.
    let mut positions: Vec<usize> = Vec::new();
    let mut skipped: Vec<(usize, TrialReport)> = Vec::new();
    // Reasons of the cases that do not run and are not required.
    let mut not_run: Vec<String> = Vec::new();
    for (position, (entry, binding)) in selected.iter().zip(&bindings).enumerate() {
        match binding {
            Ok(binding) => {
                plans.push(trials.plan(entry, *binding, threads));
                positions.push(position);
            }
            Err(reason) if args.require_all => {
                skipped.push((position, trials.skipped(entry, reason)));
            }
            Err(reason) => not_run.push(reason.to_string()),
        }
    }
    if plans.len() + skipped.len() == 0 {
        return Err(setup.nothing_runs().into());
    }
    lock().begin_seed(seed, plans.len(), not_run);
    for (position, report) in skipped {
        lock().end_trial(position, report)?;
    }
    let mut result = Ok(());
    let mut hung: Option<&SelectedCase<'_>> = None;
    let mut finished_plans = 0;
    let stops = |finished: &FinishedTrial| hung::stops_run(args, finished);
    run_until(&plans, jobs, stops, |position, progress| {
        if let Progress::Finished(finished) = progress {
            finished_plans += 1;
            if stops(&finished) {
                hung.get_or_insert(&selected[positions[position]]);
            }
            let ended = lock().end_trial(positions[position], finished.report);
            result = std::mem::replace(&mut result, Ok(())).and(ended);
        }
    });
    result?;
    let left = plans.len() - finished_plans;
    Ok(hung.map(|hung| hung::advice(hung, left, &args.emulator_line(seed))))
}
