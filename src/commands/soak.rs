//! `soak`, and `--seeds`: the tests with one seed after another, on fresh inputs and fresh designs. What passes is counted, what does not
//! is told in full as it happens.

use std::time::Instant;

use serde_json::json;

use crate::args::{Format, RunArgs, SoakArgs, again};
use crate::device::NOTHING;
use crate::exit::{Exit, Stop};
use crate::report::{Progress as Bar, failure_text};
use crate::run::{Setup, seed, threads};
use crate::text::print;
use crate::trial::{Plan, Progress, Variant, run_all};
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
    let refused = [
        ("--list", args.run.list),
        ("--self-test", args.run.self_test),
        ("--dump", args.run.dump.is_some()),
        ("--trace", args.run.trace.trace.is_some()),
        ("--counters", args.run.counters),
        ("--seeds", args.run.seeds.is_some()),
    ];
    if let Some((flag, _)) = refused.iter().find(|(_, given)| *given) {
        return Err(Stop::usage(format!(
            "`soak` takes no `{flag}`: run one seed with it instead"
        )));
    }
    rounds(&args.run, Until::Seconds(60.0 * args.minutes))
}

/// Runs the tests with as many seeds as `--seeds` says.
///
/// # Errors
/// Something that a run needs is not usable.
pub fn seeds(args: &RunArgs) -> Result<Exit, Stop> {
    rounds(args, Until::Seeds(args.seeds.unwrap_or(1).into()))
}

fn rounds(args: &RunArgs, until: Until) -> Result<Exit, Stop> {
    let started = Instant::now();
    let table = args.format == Format::Table;
    let mut setup = Setup::new(args.sources())?;
    let first = seed(&args.seed)?;
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
        let (trials, failures) = one(args, &setup, seed)?;
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
    if let Some(path) = &args.report {
        let written = crate::files::write_atomically(path, report.as_bytes());
        written.map_err(|error| Stop::setup(error.to_string()))?;
    }
    if table {
        let word = match done.failures.len() {
            0 => "all passed".into(),
            count => format!("{count} did not pass"),
        };
        print(&format!(
            "{} seeds from {first} on, {} trials in {:.0} s: {word}\n",
            done.seeds.len(),
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

/// One seed: how many trials ran, and those that did not pass.
fn one(args: &RunArgs, setup: &Setup, seed: u64) -> Result<(usize, Vec<TrialReport>), Stop> {
    let (selected, ways) = setup.runnable(args.selection())?;
    let device = args.device.spec()?.open()?;
    let flags = again(&args.sources(), Some(&args.limits), &args.device);
    let jobs = args.jobs();
    let plans: Vec<Plan<'_>> = selected
        .iter()
        .zip(&ways)
        .map(|(one, way)| Plan {
            device: &*device,
            threads: threads(jobs, selected.len()),
            limits: args.limits.limits(),
            twin: setup.twin(args.limits.budget),
            program: setup.program(),
            variant: Variant::Honest,
            phase: one.phase.number,
            test: one.test,
            case: one.case,
            seed,
            repeat: args.repeat,
            watch: &NOTHING,
            dump: None,
            given: None,
            bound: *way,
            relations: false,
            shared: None,
            flags: &flags,
        })
        .collect();
    let bar = Bar::of_steps(plans.len());
    let mut failures: Vec<(usize, TrialReport)> = Vec::new();
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
    Ok((plans.len(), failures.collect()))
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
