//! `profile`: what kernels would cost on an MI50.

mod found;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use serde_json::json;

use super::exec;
use super::written::Written;
use crate::args::{Format, ProfileArgs, rerun_flags};
use crate::device::Spec;
use crate::exit::{Exit, Stop};
use crate::profile::{
    Card, Counts, HELD, ProfileReport, constants_text, held_text, ledger, of_case, of_charged,
};
use crate::run::{Armed, Ends, Setup, seed};
use crate::text::{print, shown};
use crate::trial::Plan;
use crate::verdict::CodeObjectReport;

use found::{Found, Telling};

/// Runs the command.
///
/// # Errors
/// What is to be profiled is not usable, or nothing is selected.
pub fn run(args: &ProfileArgs) -> Result<Exit, Stop> {
    if args.constants {
        print(&constants_text())?;
        return Ok(Exit::Passed);
    }
    if let Some(path) = &args.counts {
        let held = Counts::read(path)?.held();
        print(&match args.format {
            Format::Table => held_text(&held),
            Format::Json => format!("{:#}\n", json!({ "schema": HELD, "held": held })),
        })?;
        return Ok(Exit::Passed);
    }
    let card = Card { clock: args.clock };
    let told = Telling {
        written: Written::to(&args.report)?,
        json: args.format == Format::Json,
    };
    match &args.file {
        Some(file) => of_file(args, file, told, card),
        None => of_tests(args, told, card),
    }
}

/// Profiles a launch file, of which nothing is known before its end.
fn of_file(args: &ProfileArgs, file: &Path, told: Telling, card: Card) -> Result<Exit, Stop> {
    let armed = Armed::now();
    let found = Mutex::new(Found::of(ProfileReport::nothing_yet(card, 1), told));
    let ledger = ledger();
    let done = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &found);
        exec::perform(&args.exec(file), Some(&ledger))
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.about(about(&done.program.report, None));
    let id = shown(file);
    if done.exit != Exit::Passed {
        let message = format!("{id} did not pass and is not profiled");
        found.failed(id, message);
        found.end(true)?;
        print(&done.summary)?;
        return Ok(done.exit);
    }
    let charged = ledger.take();
    let profiled = of_charged(card, &done.program, id, None, &charged)?;
    found.profiled(profiled);
    found.end(true)?;
    Ok(Exit::Passed)
}

/// Profiles the cases that are selected. One that does not pass is told, and the others are profiled all the same.
fn of_tests(args: &ProfileArgs, told: Telling, card: Card) -> Result<Exit, Stop> {
    let chosen = &args.selection;
    if [&chosen.phase, &chosen.test, &chosen.kernel]
        .iter()
        .all(|list| list.is_empty())
        && args.sources.kernels.bind.is_empty()
    {
        return Err(Stop::usage(
            "nothing to profile is named: give --test, --phase, --kernel or --bind, or a launch file",
        ));
    }
    let seed = seed(&args.seed)?;
    let setup = Setup::new(args.sources.sources(), seed)?;
    let (selected, ways) = setup.runnable(chosen.selection(false))?;
    let device = Spec::EMULATOR.open()?;
    let report = ProfileReport::nothing_yet(card, selected.len());
    let about = about(&setup.program().report, Some(seed));
    let flags = rerun_flags(&args.sources.sources(), &[args.limits.words()]);
    let armed = Armed::now();
    let found = Mutex::new(Found::open(report, about, told)?);
    let held = || found.lock().unwrap_or_else(PoisonError::into_inner);
    let mut failed = Vec::new();
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &found);
        for (one, way) in selected.iter().zip(ways) {
            let plan = Plan {
                threads: args.jobs.map_or(0, usize::from),
                limits: args.limits.limits(),
                flags: &flags,
                ..setup.plan(&*device, one, way, seed)
            };
            match of_case(card, &plan) {
                Ok(profiled) => held().profiled(profiled),
                Err(stop) => {
                    held().failed(one.case.id.clone(), stop.message.clone());
                    failed.push(stop);
                }
            }
            held().grow()?;
        }
        Ok::<(), Stop>(())
    })?;
    held().end(true)?;
    match failed.into_iter().reduce(|all, next| Stop {
        message: format!("{}\nerror: {}", all.message, next.message),
        ..all
    }) {
        Some(stop) => Err(stop),
        None => Ok(Exit::Passed),
    }
}

/// What a page says beside the profiles.
fn about(object: &CodeObjectReport, seed: Option<u64>) -> Vec<(&'static str, String)> {
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let started = humantime::format_rfc3339_seconds(SystemTime::now());
    let object = format!("{}, sha256 {}", object.path, object.sha256);
    let mut about = vec![("code object", object)];
    about.extend(seed.map(|seed| ("seed", seed.to_string())));
    about.push(("written", started.to_string()));
    about.push(("command", command.collect::<Vec<_>>().join(" ")));
    about
}
