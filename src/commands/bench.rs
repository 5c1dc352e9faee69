//! `bench`: what kernels take on a card, beside what the model says of them.

use serde_json::json;

use crate::args::{BenchArgs, DeviceChoice, Format, rerun_flags};
use crate::device::{Device, Spec};
use crate::exit::{Exit, Stop};
use crate::profile::{Card, HELD, Held, held_text, of_case};
use crate::run::{Setup, seed};
use crate::text::print;
use crate::trial::{Plan, Slot, not_passed};

/// Runs the command.
///
/// # Errors
/// There is no card, what is to be measured is not usable, or a case did not pass.
pub fn run(args: &BenchArgs) -> Result<Exit, Stop> {
    if args.device.target.device != DeviceChoice::Hip {
        return Err(Stop::usage(
            "`bench` measures on a card: add `--device hip`; what the model says alone is `deltanet-check profile`",
        ));
    }
    let chosen = &args.selection;
    let lists = [&chosen.phase, &chosen.test, &chosen.kernel];
    if lists.iter().all(|list| list.is_empty()) && args.sources.kernels.bind.is_empty() {
        return Err(Stop::usage(
            "nothing to measure is named: give --test, --phase, --kernel or --bind",
        ));
    }
    let seed = seed(&args.seed)?;
    let setup = Setup::new(args.sources.sources(), seed)?;
    let (selected, ways) = setup.runnable(chosen.selection(false))?;
    let card = args.device.spec()?.open()?;
    let settings = [args.limits.words(), args.device.words()];
    let flags = rerun_flags(&args.sources.sources(), &settings);
    let emulator = Spec::EMULATOR.open()?;
    let (mut held, mut failed) = (Vec::new(), Vec::new());
    for (one, way) in selected.iter().zip(ways) {
        let plan = Plan {
            limits: args.limits.limits(),
            flags: &flags,
            ..setup.plan(&*card, one, way, seed)
        };
        match measure(args, &plan, &*emulator) {
            Ok(found) => held.extend(found),
            Err(stop) => failed.push(stop),
        }
    }
    if !held.is_empty() {
        show(args, &*card, &held)?;
    }
    match failed.into_iter().reduce(|all, next| Stop {
        message: format!("{}\nerror: {}", all.message, next.message),
        ..all
    }) {
        Some(stop) => Err(stop),
        None => Ok(Exit::Passed),
    }
}

/// The launches of a case, measured and modelled.
fn measure(args: &BenchArgs, plan: &Plan<'_>, emulator: &dyn Device) -> Result<Vec<Held>, Stop> {
    let inputs = Slot::new();
    let plan = &Plan {
        shared: Some(&inputs),
        ..*plan
    };
    let id = &plan.case.id;
    // By launch, what it took each time.
    let mut took: Vec<Vec<f64>> = Vec::new();
    for time in 0..=args.times {
        let finished = plan.run();
        if let Some(why) = not_passed(&finished) {
            return Err(failed(format!(
                "{id} did not pass and is not measured: {why}; `{}` says more",
                finished.report.rerun
            )));
        }
        let launches = &finished.report.launches;
        took.resize(launches.len(), Vec::new());
        for (all, launch) in took.iter_mut().zip(launches) {
            let seconds = launch.kernel_seconds.filter(|seconds| *seconds > 0.0);
            let seconds = seconds.ok_or_else(|| {
                failed(format!(
                    "{id}: the card gives no time for {}",
                    launch.kernel
                ))
            })?;
            // The first time also loads code, and wakes the card.
            if time > 0 {
                all.push(seconds);
            }
        }
    }
    let modelled = Plan {
        device: emulator,
        threads: 0,
        ..*plan
    };
    let profiled = of_case(Card { clock: args.clock }, &modelled)?;
    let launches = profiled.launches.into_iter().zip(&mut took);
    Ok(launches
        .map(|(launch, took)| {
            took.sort_by(f64::total_cmp);
            let measured = [
                ("least".to_owned(), took[0]),
                (format!("median of {}", args.times), took[took.len() / 2]),
            ];
            let name = format!("{id} {}", launch.kernel);
            Held::of(name, args.clock, launch.model, measured)
        })
        .collect())
}

fn failed(message: String) -> Stop {
    Stop {
        exit: Exit::Failed,
        message,
        rendered: false,
    }
}

fn show(args: &BenchArgs, card: &dyn Device, held: &[Held]) -> Result<(), Stop> {
    let device = card.describe();
    match args.format {
        Format::Table => print(&format!(
            "measured on {}; modelled at {} MHz (docs/profile.md)\n\n{}",
            device.description,
            args.clock,
            held_text(held)
        )),
        Format::Json => print(&format!(
            "{:#}\n",
            json!({ "schema": HELD, "device": device, "clock_mhz": args.clock, "held": held })
        )),
    }
}
