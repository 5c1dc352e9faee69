//! `bench`: the times of kernels on a card, beside those of the model.

use serde_json::json;

use crate::args::{BenchArgs, DeviceChoice, Format, rerun_flags};
use crate::device::{Device, Spec};
use crate::exit::{Exit, Stop};
use crate::profile::{
    Assumptions, ConstantName, Measurement, Timing, measured_text, profile_case, rows_text,
};
use crate::run::{Setup, parse_seed};
use crate::text::print;
use crate::trial::{Plan, PreparedCaseSlot, not_passed};

/// Runs the command.
///
/// # Errors
/// There is no card, a file is not usable, or a case did not pass.
pub fn run(args: &BenchArgs) -> Result<Exit, Stop> {
    if args.device.target.device != DeviceChoice::Hip {
        return Err(Stop::usage(
            "`bench` measures on a card: add `--device hip`; what the model says alone is `deltanet-check profile`",
        ));
    }
    let selection = &args.selection;
    let lists = [&selection.phase, &selection.test, &selection.kernel];
    if lists.iter().all(|list| list.is_empty()) && args.sources.kernels.bind.is_empty() {
        return Err(Stop::usage(
            "nothing to measure is named: give --test, --phase, --kernel or --bind",
        ));
    }
    let seed = parse_seed(&args.seed)?;
    let sources = args.sources.sources();
    let setup = Setup::for_selection(sources, seed, selection.selection(false))?;
    let (selected, bindings) = setup.runnable(selection.selection(false))?;
    let assumptions = args.card.assumptions(Timing::Event)?;
    let card = args.device.spec()?.open()?;
    let settings = [args.limits.words(), args.device.words()];
    let flags = rerun_flags(&args.sources.sources(), &settings);
    let emulator = Spec::EMULATOR.open()?;
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for (entry, binding) in selected.iter().zip(bindings) {
        let plan = Plan {
            limits: args.limits.limits(),
            flags: &flags,
            ..setup.plan(&*card, entry, binding, seed)
        };
        match measure(args, &plan, &*emulator, &assumptions) {
            Ok(launches) => measured.extend(launches),
            Err(stop) => failed.push(stop),
        }
    }
    if !measured.is_empty() {
        show(args, &*card, &assumptions, &measured)?;
    }
    Stop::join(failed)?;
    Ok(Exit::Passed)
}

/// Measures and models the launches of a case.
fn measure(
    args: &BenchArgs,
    plan: &Plan<'_>,
    emulator: &dyn Device,
    assumptions: &Assumptions,
) -> Result<Vec<Measurement>, Stop> {
    let inputs = PreparedCaseSlot::new();
    let plan = &Plan {
        shared: Some(&inputs),
        ..*plan
    };
    let id = &plan.case.id;
    // The seconds of each launch, for each time that it was measured.
    let mut seconds_of_launches: Vec<Vec<f64>> = Vec::new();
    for time in 0..=args.times {
        let finished = plan.run();
        if let Some(why) = not_passed(&finished) {
            return Err(Stop::failed(format!(
                "{id} did not pass and is not measured: {why}; `{}` says more",
                finished.report.rerun
            )));
        }
        let launches = &finished.report.launches;
        seconds_of_launches.resize(launches.len(), Vec::new());
        for (times, launch) in seconds_of_launches.iter_mut().zip(launches) {
            let seconds = launch.kernel_seconds.filter(|seconds| *seconds > 0.0);
            let seconds = seconds.ok_or_else(|| {
                Stop::failed(format!(
                    "{id}: the card gives no time for {}",
                    launch.kernel
                ))
            })?;
            // The first time also loads code, and wakes the card.
            if time > 0 {
                times.push(seconds);
            }
        }
    }
    let modelled = Plan {
        device: emulator,
        threads: 0,
        ..*plan
    };
    let profiled = profile_case(assumptions, &modelled)?;
    let launches = profiled.launches.into_iter().zip(seconds_of_launches);
    Ok(launches
        .map(|(launch, seconds)| Measurement::new(id.clone(), seconds, launch))
        .collect())
}

fn show(
    args: &BenchArgs,
    card: &dyn Device,
    assumptions: &Assumptions,
    measured: &[Measurement],
) -> Result<(), Stop> {
    let device = card.describe();
    let clock = assumptions.card.value(ConstantName::Clock);
    let printed = match args.format {
        _ if args.row => print(&rows_text(assumptions, measured)),
        Format::Table => print(&format!(
            "measured {} times on {}; modelled at {clock} MHz (docs/profile.md)\n\n{}",
            args.times,
            device.description,
            measured_text(measured)
        )),
        Format::Json => print(&format!(
            "{:#}\n",
            json!({
                "schema": "deltanet-check/bench/1",
                "device": device,
                "clock_mhz": clock,
                "times": args.times,
                "measured": measured,
            })
        )),
    };
    Ok(printed?)
}
