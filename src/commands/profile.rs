//! `profile`: the modelled cost of kernels on an MI50.

mod state;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use super::exec;
use super::report_files::ReportFiles;
use crate::args::{Format, ProfileArgs, rerun_flags};
use crate::device::Spec;
use crate::exit::{Exit, Stop};
use crate::interrupt::{ArmedSignals, RunResults};
use crate::profile::{
    Assumptions, ProfileReport, constants_text, ledger, profile_case, profile_launches,
};
use crate::report::model::CodeObjectReport;
use crate::run::{Setup, parse_seed};
use crate::text::{print, shown};
use crate::trial::Plan;

use state::{Output, ProfileState};

/// Runs the command.
///
/// # Errors
/// A file is not usable, or nothing is selected.
pub fn run(args: &ProfileArgs) -> Result<Exit, Stop> {
    if args.constants {
        print(&constants_text(&args.model.card.card()?))?;
        return Ok(Exit::Passed);
    }
    let assumptions = args.model.assumptions()?;
    let output = Output {
        files: ReportFiles::open(&args.report)?,
        json: args.format == Format::Json,
    };
    match &args.file {
        Some(file) => profile_file(args, file, output, &assumptions),
        None => profile_tests(args, output, &assumptions),
    }
}

/// Profiles a launch file. Nothing is known of it before its end.
fn profile_file(
    args: &ProfileArgs,
    file: &Path,
    output: Output,
    assumptions: &Assumptions,
) -> Result<Exit, Stop> {
    let armed = ArmedSignals::now();
    let state = Mutex::new(ProfileState::new(
        ProfileReport::nothing_yet(assumptions, 1),
        output,
    ));
    let ledger = ledger(&assumptions.card);
    let execution = thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        exec::perform(&args.exec_args(file), Some(&ledger))
    })?;
    let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.set_about(about(&execution.program.report, None));
    let id = shown(file);
    if execution.exit != Exit::Passed {
        let message = format!("{id} did not pass and is not profiled");
        state.add_failure(id, message);
        state.end(true)?;
        print(&execution.summary)?;
        return Ok(execution.exit);
    }
    let charged = ledger.take();
    let profiled = profile_launches(assumptions, &execution.program, id, None, &charged)?;
    state.add_profile(profiled);
    state.end(true)?;
    Ok(Exit::Passed)
}

/// Profiles the selected cases. A case that does not pass is reported, and the other cases are profiled all the same.
fn profile_tests(
    args: &ProfileArgs,
    output: Output,
    assumptions: &Assumptions,
) -> Result<Exit, Stop> {
    let selection = &args.selection;
    if [&selection.phase, &selection.test, &selection.kernel]
        .iter()
        .all(|list| list.is_empty())
        && args.sources.kernels.bind.is_empty()
    {
        return Err(Stop::usage(
            "nothing to profile is named: give --test, --phase, --kernel or --bind, or a launch file",
        ));
    }
    let seed = parse_seed(&args.seed)?;
    let sources = args.sources.sources();
    let setup = Setup::for_selection(sources, seed, selection.selection(false))?;
    let (selected, bindings) = setup.runnable(selection.selection(false))?;
    let device = Spec::EMULATOR.open()?;
    let report = ProfileReport::nothing_yet(assumptions, selected.len());
    let about = about(&setup.program().report, Some(seed));
    let flags = rerun_flags(&args.sources.sources(), &[args.limits.words()]);
    let armed = ArmedSignals::now();
    let state = Mutex::new(ProfileState::open(report, about, output)?);
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let mut failed = Vec::new();
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        for (entry, binding) in selected.iter().zip(bindings) {
            let plan = Plan {
                threads: args.jobs.map_or(0, usize::from),
                limits: args.limits.limits(),
                flags: &flags,
                ..setup.plan(&*device, entry, binding, seed)
            };
            match profile_case(assumptions, &plan) {
                Ok(profiled) => lock().add_profile(profiled),
                Err(error) => {
                    lock().add_failure(entry.case.id.clone(), error.to_string());
                    failed.push(error.into());
                }
            }
            lock().grow()?;
        }
        Ok::<(), Stop>(())
    })?;
    lock().end(true)?;
    Stop::join(failed)?;
    Ok(Exit::Passed)
}

/// Returns the lines of a page about the command: names, and their texts.
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
