//! `profile`: what kernels would cost on an MI50.

use serde_json::json;

use super::exec;
use crate::args::{Format, ProfileArgs};
use crate::device::Spec;
use crate::exit::{Exit, Stop};
use crate::profile::{
    Card, Counts, Profiled, SCHEMA, constants_text, held_text, ledger, of_case, of_charged, text,
};
use crate::run::{Setup, seed};
use crate::text::{print, shown};
use crate::trial::Plan;

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
            show(args, card, &[profiled])?;
            Ok(Exit::Passed)
        }
        None => of_tests(args, card),
    }
}

/// Profiles the cases that are selected. One that does not pass is told, and the others are profiled all the same.
fn of_tests(args: &ProfileArgs, card: Card) -> Result<Exit, Stop> {
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
        show(args, card, &profiles)?;
    }
    match failed.into_iter().reduce(|all, next| Stop {
        message: format!("{}\nerror: {}", all.message, next.message),
        ..all
    }) {
        Some(stop) => Err(stop),
        None => Ok(Exit::Passed),
    }
}

fn show(args: &ProfileArgs, card: Card, profiles: &[Profiled]) -> Result<(), Stop> {
    match args.format {
        Format::Table => print(&text(card, profiles)),
        Format::Json => print(&format!(
            "{:#}\n",
            json!({ "schema": SCHEMA, "clock_mhz": card.clock, "profiles": profiles })
        )),
    }
}
