//! `profile`: what kernels would cost on an MI50.

use std::time::SystemTime;

use serde_json::json;

use super::exec;
use super::written::Written;
use crate::args::{Format, ProfileArgs};
use crate::device::Spec;
use crate::exit::{Exit, Stop};
use crate::profile::{
    Card, Counts, Profiled, SCHEMA, constants_text, held_text, ledger, of_case, of_charged, page,
    text,
};
use crate::run::{Setup, seed};
use crate::text::{print, shown};
use crate::trial::Plan;
use crate::verdict::CodeObjectReport;

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
        match args.format {
            Format::Table => print(&held_text(&held))?,
            Format::Json => print(&format!(
                "{:#}\n",
                json!({ "schema": SCHEMA, "held": held })
            ))?,
        }
        return Ok(Exit::Passed);
    }
    let card = Card { clock: args.clock };
    let written = Written::to(&args.report)?;
    match &args.file {
        Some(file) => {
            let ledger = ledger();
            let done = exec::perform(&args.exec(file), Some(&ledger))?;
            if done.exit != Exit::Passed {
                print(&done.summary)?;
                return Ok(done.exit);
            }
            let charged = ledger.take();
            let profiled = of_charged(card, &done.program, shown(file), None, &charged)?;
            let about = about(&done.program.report, None);
            show(args, &written, card, &[profiled], about)?;
            Ok(Exit::Passed)
        }
        None => of_tests(args, &written, card),
    }
}

/// Profiles the cases that are selected. One that does not pass is told, and the others are profiled all the same.
fn of_tests(args: &ProfileArgs, written: &Written<'_>, card: Card) -> Result<Exit, Stop> {
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
    let (mut profiles, mut failed) = (Vec::new(), Vec::new());
    for (one, way) in selected.iter().zip(ways) {
        let plan = Plan {
            threads: args.jobs.map_or(0, usize::from),
            limits: args.limits.limits(),
            ..setup.plan(&*device, one, way, seed)
        };
        match of_case(card, &plan) {
            Ok(profiled) => profiles.push(profiled),
            Err(stop) => failed.push(stop),
        }
    }
    if !profiles.is_empty() {
        let about = about(&setup.program().report, Some(seed));
        show(args, written, card, &profiles, about)?;
    }
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

fn show(
    args: &ProfileArgs,
    written: &Written<'_>,
    card: Card,
    profiles: &[Profiled],
    about: Vec<(&'static str, String)>,
) -> Result<(), Stop> {
    let json = || {
        let value = json!({ "schema": SCHEMA, "clock_mhz": card.clock, "profiles": profiles });
        format!("{value:#}\n")
    };
    written.write(|| Ok(json()), || page(card, profiles, about.clone()))?;
    print(&match args.format {
        Format::Table => text(card, profiles),
        Format::Json => json(),
    })
}
