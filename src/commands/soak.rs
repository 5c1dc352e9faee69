//! `soak`, and `--seeds`: the tests with one seed after another, on fresh inputs and fresh designs. What passes is counted, what does not
//! is told in full as it happens.

mod done;

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::hung;
use super::run::{Demand, warn};
use super::trials::Trials;
use crate::args::{RunArgs, SoakArgs, TrialArgs};
use crate::device::{Device, Watch, check_watch};
use crate::exit::{Exit, Stop};
use crate::run::{Armed, BindingUsage, Ends, Setup, threads};
use crate::select::Selected;
use crate::trial::{Finished, Plan, Progress, run_until};
use crate::verdict::TrialReport;

use done::Done;

/// When no other seed begins.
#[derive(Clone, Copy)]
enum Until {
    /// After so many.
    Seeds(u64),
    /// After so many seconds.
    Seconds(f64),
}

/// Runs the command.
///
/// # Errors
/// Something that a run needs is not usable.
pub fn run(args: &SoakArgs) -> Result<Exit, Stop> {
    rounds(&args.trials, Until::Seconds(60.0 * args.minutes))
}

/// Runs the tests with as many seeds as `--seeds` says.
///
/// # Errors
/// Something that a run needs is not usable.
pub fn seeds(args: &RunArgs) -> Result<Exit, Stop> {
    rounds(&args.trials, Until::Seeds(args.seeds.unwrap_or(1).into()))
}

fn rounds(args: &TrialArgs, until: Until) -> Result<Exit, Stop> {
    let what = "the result of many seeds";
    let table = !args.told.json(what)?;
    let place = args.told.json_file(what)?;
    let first = args.seed()?;
    let mut setup = Setup::new(args.sources.sources(), first)?;
    let device = args.device.spec()?.open()?;
    let watch = Watch::default().with_sanitizer(args.sanitize.spec());
    check_watch(&*device, &watch)?;
    let armed = Armed::now();
    let done = Mutex::new(Done::open(first, table, place)?);
    let mut usage = BindingUsage::default();
    let held = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let hung = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &done);
        for round in 0.. {
            let over = match until {
                Until::Seeds(count) => round >= count,
                Until::Seconds(limit) => round > 0 && held().elapsed() >= limit,
            };
            if over {
                break;
            }
            let seed = first.wrapping_add(round);
            setup.registry.redesign(seed);
            let hung = one(args, &setup, (&*device, &watch), seed, &done, &mut usage)?;
            held().seed_ends()?;
            if hung.is_some() {
                return Ok(hung);
            }
        }
        Ok::<Option<String>, Stop>(None)
    })?;
    held().end(true)?;
    if let Some(advice) = hung {
        warn(&[advice]);
        return Ok(Exit::Failed);
    }
    // A binding may have no case of one seed and some of another.
    warn(&usage.check(&setup.bindings)?);
    let demand = Demand {
        all: false,
        least: args.min_tests,
    };
    let ran = held().ran();
    let all_passed = held().all_passed();
    Ok(match demand.is_met(ran) && all_passed {
        true => Exit::Passed,
        false => Exit::Failed,
    })
}

/// Runs one seed. Returns what to do where a test hung and the run stops.
fn one(
    args: &TrialArgs,
    setup: &Setup,
    (device, watch): (&dyn Device, &Watch),
    seed: u64,
    done: &Mutex<Done>,
    usage: &mut BindingUsage,
) -> Result<Option<String>, Stop> {
    let held = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let selected = setup.select(args.selection())?;
    let ways = setup.ways(args.selection(), &selected)?;
    usage.add(&setup.bindings, &selected, &ways);
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
    // Each with its place among what is selected.
    let mut places: Vec<usize> = Vec::new();
    let mut left_out: Vec<(usize, TrialReport)> = Vec::new();
    // Reasons of the cases that nobody asks for.
    let mut not_run: Vec<String> = Vec::new();
    for (at, (one, way)) in selected.iter().zip(&ways).enumerate() {
        match way {
            Ok(way) => {
                plans.push(trials.plan(one, *way, threads));
                places.push(at);
            }
            Err(reason) if args.require_all => {
                left_out.push((at, trials.skipped(one, reason)));
            }
            Err(reason) => not_run.push(reason.clone()),
        }
    }
    if plans.len() + left_out.len() == 0 {
        return Err(setup.nothing_runs());
    }
    held().seed_begins(seed, plans.len(), not_run);
    for (at, report) in left_out {
        held().trial_ends(at, report)?;
    }
    let mut trouble = Ok(());
    let mut hung: Option<&Selected<'_>> = None;
    let mut finished_plans = 0;
    let stops = |finished: &Finished| hung::stops(args, finished);
    run_until(&plans, jobs, stops, |position, progress| {
        if let Progress::Finished(finished) = progress {
            finished_plans += 1;
            if stops(&finished) {
                hung.get_or_insert(&selected[places[position]]);
            }
            let told = held().trial_ends(places[position], finished.report);
            trouble = std::mem::replace(&mut trouble, Ok(())).and(told);
        }
    });
    trouble?;
    let left = plans.len() - finished_plans;
    Ok(hung.map(|hung| hung::advice(hung, left, &args.emulator_line(seed))))
}
