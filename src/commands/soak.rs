//! `soak`, and `--seeds`: the tests with one seed after another, on fresh inputs and fresh designs. What passes is counted, what does not
//! is told in full as it happens.

use std::time::Instant;

use serde_json::json;

use super::trials::Trials;
use crate::args::{RunArgs, SoakArgs, TrialArgs};
use crate::device::{Device, Watch, check_watch};
use crate::exit::{Exit, Stop};
use crate::files::check_place;
use crate::report::{Progress as Bar, failure_text};
use crate::run::{Setup, seed, threads};
use crate::text::print;
use crate::trial::{Plan, Progress, run_all};
use crate::verdict::{TrialReport, Verdict};

/// When no other seed begins.
#[derive(Clone, Copy)]
enum Until {
    /// After so many.
    Seeds(u64),
    /// After so many seconds.
    Seconds(f64),
}

/// What has run.
#[derive(Default)]
struct Done {
    seeds: Vec<u64>,
    trials: usize,
    failures: Vec<TrialReport>,
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
    let started = Instant::now();
    let what = "the result of many seeds";
    let table = !args.told.json(what)?;
    let place = args.told.json_file(what)?;
    place
        .map_or(Ok(()), check_place)
        .map_err(|error| Stop::setup(error.to_string()))?;
    let first = seed(&args.seed)?;
    let mut setup = Setup::new(args.sources.sources(), first)?;
    let device = args.device.spec()?.open()?;
    let watch = Watch::default().with_sanitizer(args.sanitize.spec());
    check_watch(&*device, &watch)?;
    let mut done = Done::default();
    for round in 0.. {
        let over = match until {
            Until::Seeds(count) => round >= count,
            Until::Seconds(limit) => round > 0 && started.elapsed().as_secs_f64() >= limit,
        };
        if over {
            break;
        }
        let seed = first.wrapping_add(round);
        setup.registry.redesign(seed);
        let (trials, failures) = one(args, &setup, (&*device, &watch), seed)?;
        done.seeds.push(seed);
        done.trials += trials;
        if table {
            for failure in &failures {
                print(&format!("{}\n", failure_text(failure)))?;
            }
            let passed = trials - failures.len();
            let failed = match failures.len() {
                0 => String::new(),
                count => format!(", {count} not"),
            };
            print(&format!("seed {seed}: {passed} passed{failed}\n"))?;
        }
        done.failures.extend(failures);
    }
    let report = json(&done, started.elapsed().as_secs_f64());
    if let Some(path) = place {
        let written = crate::files::write_atomically(path, report.as_bytes());
        written.map_err(|error| Stop::setup(error.to_string()))?;
    }
    if table {
        let word = match done.failures.len() {
            0 => "all passed".into(),
            count => format!("{count} did not pass"),
        };
        let seeds = match done.seeds.len() {
            1 => "1 seed".into(),
            count => format!("{count} seeds"),
        };
        print(&format!(
            "{seeds} from {first} on, {} trials in {:.0} s: {word}\n",
            done.trials,
            started.elapsed().as_secs_f64()
        ))?;
    } else {
        print(&report)?;
    }
    Ok(if done.failures.is_empty() {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

/// One seed: how many trials there were, and those that did not pass.
fn one(
    args: &TrialArgs,
    setup: &Setup,
    (device, watch): (&dyn Device, &Watch),
    seed: u64,
) -> Result<(usize, Vec<TrialReport>), Stop> {
    let selected = setup.select(args.selection())?;
    let ways = setup.ways(args.selection(), &selected)?;
    let flags = args.again();
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
    let mut failures: Vec<(usize, TrialReport)> = Vec::new();
    for (one, way) in selected.iter().zip(&ways) {
        match way {
            Ok(way) => plans.push(trials.plan(one, *way, threads)),
            Err(reason) if args.require_all => {
                failures.push((plans.len(), trials.skipped(one, reason)));
            }
            Err(_) => {}
        }
    }
    let left_out = failures.len();
    if plans.len() + left_out == 0 {
        return Err(setup.nothing_runs());
    }
    let bar = Bar::of_steps(plans.len());
    run_all(&plans, jobs, |position, progress| {
        if let Progress::Finished(finished) = progress {
            bar.step(&finished.report.id);
            if finished.report.verdict != Verdict::Pass {
                failures.push((position, finished.report));
            }
        }
    });
    bar.clear();
    failures.sort_by_key(|(position, _)| *position);
    let failures = failures.into_iter().map(|(_, report)| report);
    Ok((plans.len() + left_out, failures.collect()))
}

fn json(done: &Done, seconds: f64) -> String {
    let report = json!({
        "schema": "deltanet-check/soak/1",
        "seeds": done.seeds,
        "trials": done.trials,
        "seconds": seconds,
        "failures": done.failures,
    });
    format!("{report:#}\n")
}
