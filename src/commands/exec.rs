//! `exec`: any kernel of any code object, on buffers and arguments from a launch file.

mod argument;
mod array;
mod buffer;
mod buffers;
mod check;
mod elements;
mod expect;
mod json;
mod judgement;
mod launch;
mod places;
pub(super) mod recorded;
mod shapes;
mod summary;
mod trap;
mod triton;
mod value;
mod variables;
mod warnings;

use anyhow::Context as _;
use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, LaunchError, Limits, Module};

use self::buffers::Placed;
use self::launch::{LaunchFile, LaunchSpec};
use self::summary::{Outcome, Summary};
use super::{load_code_object, no_kernel};
use crate::args::{ExecArgs, Format};
use crate::device::{Watch, emulator};
use crate::exit::{Exit, Stop};
use crate::text::{print, shown};
use crate::verdict::Verdict;

/// Runs the command.
///
/// # Errors
/// The launch file, the code object, a buffer or a place to save to is not usable, or they do not fit each other.
pub fn run(args: &ExecArgs) -> Result<Exit, Stop> {
    let mut file = launch::read(&args.file)?;
    let object = load_code_object(&file.code_object)?;
    let name = shown(&args.file);
    check_all(&mut file, &object).with_context(|| name.clone())?;
    let variables = variables::read(&file.variables, &object).with_context(|| name.clone())?;
    places::check(args, &file).with_context(|| name.clone())?;
    let kernels = object.kernels.iter().map(|kernel| kernel.name.as_str());
    let (trace, json) = (args.trace.spec(), args.format == Format::Json);
    let watch = Watch::open(true, trace.as_ref(), kernels, json)?;
    warnings::unused(&name, &file);
    warnings::small_blocks(&name, &file, &object);

    let gpu = Gpu::new();
    let placed = file
        .buffers
        .iter()
        .map(|buffer| buffers::place(&gpu, buffer))
        .collect::<Result<Vec<_>, _>>()?;
    check::pointers(&file, &placed).with_context(|| name.clone())?;
    let expected = judgement::prepare(&gpu, &file, &placed).with_context(|| name.clone())?;
    let before = judgement::before(&gpu, &file, &placed, &expected)?;
    let module = gpu
        .load(&object)
        .with_context(|| shown(&file.code_object))?;
    let addresses: Vec<u64> = placed.iter().map(|placed| placed.address).collect();
    variables::write(&gpu, &module, &variables, &addresses)?;
    let threads = args.jobs.map_or(0, usize::from);
    let limits = limits(args, file.limits);
    let mut launches: Vec<(&LaunchSpec, Outcome)> = Vec::new();
    for (index, spec) in file.launches.iter().enumerate() {
        if let Some(tracing) = &watch.trace {
            tracing.lock().title(&format!("launch {index}"));
        }
        let stopped = launches
            .iter()
            .any(|(_, outcome)| matches!(outcome, Outcome::Trapped(_)));
        let outcome = if stopped {
            Outcome::NotRun
        } else {
            launch_one(
                &gpu,
                &module,
                &file,
                spec,
                &placed,
                (limits, threads),
                &watch,
            )?
        };
        launches.push((spec, outcome));
    }
    if let Some(tracing) = &watch.trace {
        tracing.finish()?;
    }
    let saved = file
        .buffers
        .iter()
        .zip(&placed)
        .map(|(buffer, placed)| buffers::save(&gpu, buffer, placed));
    let saved = saved
        .filter_map(Result::transpose)
        .collect::<Result<Vec<_>, _>>()?;

    let mut summary = Summary {
        code_object: shown(&file.code_object),
        launches,
        saved,
        judged: Vec::new(),
        expected: expected.len(),
    };
    if summary.word() == "ran" {
        for one in &expected {
            let (report, little) = one.judge(&gpu, &placed, &before)?;
            if let Some(little) = little {
                warnings::warn(&name, &little);
            }
            summary.judged.push(report);
        }
    }
    match args.format {
        Format::Table => print(&summary.as_table())?,
        Format::Json => print(&format!("{:#}\n", summary.as_json()))?,
    }
    let failed = summary.verdict() == Some(Verdict::Fail);
    Ok(if summary.word() == "ran" && !failed {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

/// What the flags say, and where they say nothing the launch file.
fn limits(args: &ExecArgs, of_file: Limits) -> Limits {
    let mut limits = of_file;
    if let Some(budget) = args.limits.budget {
        limits.instructions = budget.instructions.unwrap_or(u64::MAX);
        limits.seconds = budget.seconds.unwrap_or(f64::INFINITY);
    }
    limits.turn = args.limits.turn.unwrap_or(limits.turn);
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

fn launch_one(
    gpu: &Gpu,
    module: &Module,
    file: &LaunchFile,
    spec: &LaunchSpec,
    placed: &[Placed],
    (limits, threads): (Limits, usize),
    watch: &Watch,
) -> Result<Outcome, Stop> {
    let addresses: Vec<u64> = placed.iter().map(|placed| placed.address).collect();
    let Some(kernel) = module.kernel(&spec.kernel) else {
        return Err(Stop::setup(format!(
            "{}: no kernel `{}`",
            shown(&file.code_object),
            spec.kernel
        )));
    };
    let kernarg =
        check::kernarg(spec, kernel, &addresses).map_err(|error| Stop::setup(error.to_string()))?;
    let launch = Launch {
        grid: spec.grid,
        block: spec.block,
        dynamic_lds: spec.dynamic_lds,
        kernarg: &kernarg,
        limits,
        threads,
    };
    match emulator::launch(gpu, module, &kernel.name, &launch, watch) {
        Ok((counters, counted)) => Ok(Outcome::Ran(counters, counted.unwrap_or_default())),
        Err(LaunchError::Trap(trap)) => Ok(Outcome::Trapped(trap)),
        Err(LaunchError::Invalid(problem) | LaunchError::NoMemory(problem)) => {
            Err(Stop::setup(problem))
        }
    }
}
