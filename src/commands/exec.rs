//! `exec`: any kernel of any code object, on buffers and arguments from a launch file.

mod argument;
mod around;
mod array;
mod buffer;
mod buffers;
mod check;
mod elements;
mod expect;
mod json;
mod judgement;
mod launch;
mod outcome;
mod places;
pub(super) mod recorded;
mod shapes;
mod summary;
mod trap;
mod triton;
mod value;
mod variables;
mod warnings;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use gfx906::code_object::CodeObject;

use self::buffers::{PlacedBuffer, SavedFile};
pub(super) use self::launch::KEYS as LAUNCH_KEYS;
use self::launch::{LaunchFile, LaunchSpec};
use self::outcome::Outcome;
use self::summary::Summary;
use super::{load_program, no_kernel};
use crate::args::{ExecArgs, Format};
use crate::device::emulator::Emulator;
use crate::device::{
    Device, Ledger, Limits, Session, SetupError, Spec, Target, Watch, check_watch,
};
use crate::exit::{Exit, Stop};
use crate::program::Program;
use crate::report::model::Verdict;
use crate::text::{print, shown};

/// Runs the command.
///
/// # Errors
/// The launch file, the code object, a buffer, the device or a place to save to is not usable, or they do not fit each other.
pub fn run(args: &ExecArgs) -> Result<Exit, Stop> {
    let (summary, exit) = perform(args, None).map(|done| (done.summary, done.exit))?;
    print(&summary)?;
    Ok(exit)
}

/// Reads a launch file, and runs nothing.
///
/// # Errors
/// The file cannot be read, or something in it is wrong.
pub fn check(path: &Path) -> anyhow::Result<()> {
    launch::read(path).map(drop)
}

/// The result of a launch file.
pub(super) struct Execution {
    /// Its code object.
    pub(super) program: Program,
    /// The text to print.
    pub(super) summary: String,
    /// The code to leave with.
    pub(super) exit: Exit,
}

/// Runs a launch file; where there is a ledger, what its launches cost is told there, and nothing else of them is observed.
///
/// # Errors
/// Those of [`run`].
pub(super) fn perform(args: &ExecArgs, ledger: Option<&Arc<Ledger>>) -> Result<Execution, Stop> {
    let device = device(args.target.target()?)?;
    perform_on(args, launch::read(&args.file)?, &*device, ledger)
}

/// A launch file that was read.
pub(super) struct LaunchDescription(LaunchFile);

impl LaunchDescription {
    /// Reads a launch file, or an editor's file that has one as its only configuration.
    pub(super) fn read(path: &Path) -> anyhow::Result<LaunchDescription> {
        launch::read_configuration(path).map(LaunchDescription)
    }

    /// Parses the JSON of a launch file, whose paths are relative to a directory.
    pub(super) fn parse(json: &[u8], directory: &Path) -> anyhow::Result<LaunchDescription> {
        launch::parse(json, directory).map(LaunchDescription)
    }

    /// Returns the path of the code object.
    pub(super) fn code_object(&self) -> &Path {
        &self.0.code_object
    }

    /// Runs the launches on a device.
    ///
    /// # Errors
    /// Those of [`run`].
    pub(super) fn perform_on(
        self,
        args: &ExecArgs,
        device: &dyn Device,
    ) -> Result<Execution, Stop> {
        perform_on(args, self.0, device, None)
    }
}

fn perform_on(
    args: &ExecArgs,
    mut file: LaunchFile,
    device: &dyn Device,
    ledger: Option<&Arc<Ledger>>,
) -> Result<Execution, Stop> {
    let program = load_program(&file.code_object)?;
    let object = &program.object;
    let name = shown(&args.file);
    check_all(&mut file, object).with_context(|| name.clone())?;
    let variables = variables::read(&file.variables, object).with_context(|| name.clone())?;
    places::check(args, &file).with_context(|| name.clone())?;
    let kernels = object.kernels.iter().map(|kernel| kernel.name.as_str());
    let (trace, json) = (args.trace.spec(), args.format == Format::Json);
    let watch = match ledger {
        Some(ledger) => Watch::costs(ledger),
        None => Watch::open(device.observes(), trace.as_ref(), kernels, json)?
            .with_sanitizer(args.sanitize.spec())
            .with_non_finite(args.first_nonfinite),
    };
    check_watch(device, &watch)?;
    warnings::unused(&name, &file);
    warnings::small_blocks(&name, &file, object);

    let threads = args.jobs.map_or(0, usize::from);
    let session = device.open(threads, limits(args, file.limits, &watch), &watch);
    let mut session = session.map_err(|error| Stop::setup(error.message))?;
    let session = &mut *session;
    let mut placed = Vec::new();
    for buffer in &file.buffers {
        placed.push(buffers::place(session, buffer)?);
    }
    check::pointers(&file, &placed).with_context(|| name.clone())?;
    let expected = judgement::prepare(session, &file, &placed).with_context(|| name.clone())?;
    let before = judgement::before(session, &file, &placed, &expected)?;
    let module = session
        .load(&program)
        .with_context(|| shown(&file.code_object))?;
    let addresses: Vec<u64> = placed.iter().map(|placed| placed.address).collect();
    variables::write(session, module, &variables, &addresses)?;
    let held = around::held(session, &file, &placed)?;
    let mut launches: Vec<(&LaunchSpec, Outcome)> = Vec::new();
    for (index, spec) in file.launches.iter().enumerate() {
        if let Some(tracing) = &watch.trace {
            tracing.lock().title(&format!("launch {index}"));
        }
        let stopped = launches
            .iter()
            .any(|(_, outcome)| outcome.error().is_some());
        let outcome = if stopped {
            Outcome::NotRun
        } else {
            let kernel = object.kernel(&spec.kernel);
            let kernel = kernel.with_context(|| no_kernel(object, &spec.kernel))?;
            outcome::launch(session, module, (spec, kernel), &placed)?
        };
        launches.push((spec, outcome));
    }
    if let Some(tracing) = &watch.trace {
        tracing.finish()?;
    }
    let mut summary = Summary {
        device: device.describe().kind,
        code_object: shown(&file.code_object),
        launches,
        findings: session.findings().to_vec(),
        first_nonfinite: watch.first_origins(),
        saved: Vec::new(),
        problem: None,
        judged: Vec::new(),
        expected: expected.len(),
    };
    summary.saved = save(session, &name, &file, &placed)?;
    // What launches cost does not depend on their results.
    if summary.word() == "ran" && ledger.is_none() {
        summary.problem = around::judge(session, &file, &placed, &held)?;
        for one in &expected {
            for (report, little) in one.judge(session, &placed, &before)? {
                if let Some(little) = little {
                    warnings::warn(&name, &little);
                }
                summary.judged.push(report);
            }
        }
    }
    let text = match args.format {
        Format::Table => summary.as_table(),
        Format::Json => format!("{:#}\n", summary.as_json()),
    };
    let found = watch.fails(&summary.findings);
    let failed = summary.verdict() == Some(Verdict::Fail) || found;
    let exit = if summary.word() == "ran" && !failed {
        Exit::Passed
    } else {
        Exit::Failed
    };
    Ok(Execution {
        program,
        summary: text,
        exit,
    })
}

/// The device, in this process: what a fault or a hang of a card ends has nothing else to run.
fn device(target: Target) -> Result<Box<dyn Device>, SetupError> {
    match target {
        Target::Emulator => Ok(Box::new(Emulator::PLAIN)),
        Target::Hip(_) => Spec {
            target,
            child: None,
        }
        .open(),
    }
}

/// Writes the buffers that have a file. A card may give nothing back after a fault: then that is told, and what happened still is.
fn save(
    session: &mut dyn Session,
    name: &str,
    file: &LaunchFile,
    placed: &[PlacedBuffer],
) -> anyhow::Result<Vec<SavedFile>> {
    let wanted = file.buffers.iter().any(|buffer| buffer.save.is_some());
    if let Err(error) = session.sync() {
        if wanted {
            let what = format!("no buffer is saved, the device gives nothing back: {error}");
            warnings::warn(name, &what);
        }
        return Ok(Vec::new());
    }
    let mut saved = Vec::new();
    for (buffer, placed) in file.buffers.iter().zip(placed) {
        saved.extend(buffers::save(session, buffer, placed)?);
    }
    Ok(saved)
}

/// Returns the limits of a launch. A flag replaces the value of the launch file.
fn limits(args: &ExecArgs, of_file: Limits, watch: &Watch) -> Limits {
    let mut limits = of_file;
    if let Some(budget) = args.limits.budget {
        (limits.instructions, limits.seconds) = (budget.instructions, budget.seconds);
    }
    let checked = watch.sanitize.is_some() || watch.costs.is_some() || watch.non_finite.is_some();
    if args.limits.budget.is_none() && checked && limits.instructions.is_some() {
        // The checks take time that is not the kernel's.
        limits.seconds = None;
    }
    limits.turn = args.limits.turn.or(limits.turn);
    limits.schedule = args.limits.schedule;
    limits
}

/// Everything that can be known to be wrong before anything runs.
fn check_all(file: &mut LaunchFile, object: &CodeObject) -> anyhow::Result<()> {
    for (index, spec) in file.launches.iter_mut().enumerate() {
        let place = || format!("launches[{index}]");
        let kernel = object.kernel(&spec.kernel);
        let kernel = kernel
            .with_context(|| no_kernel(object, &spec.kernel))
            .with_context(place)?;
        if let Some(triton) = &file.triton {
            triton
                .add_hidden(&mut spec.args, kernel)
                .with_context(place)?;
        }
        check::check(spec, kernel, &file.buffers).with_context(place)?;
    }
    file.buffers.iter().try_for_each(buffers::check_save)
}
