//! `exec`: any kernel of any code object, on buffers and arguments from a launch file.

mod buffers;
mod check;
mod json;
mod launch;
mod summary;
mod value;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, LaunchError, Limits, Module};

use self::buffers::Placed;
use self::launch::{ArgSpec, LaunchFile, LaunchSpec, Source};
use self::summary::{Outcome, Summary};
use super::{load_code_object, no_kernel, print};
use crate::cli::{Format, LimitArgs, TraceArgs};
use crate::device::{Tracing, Watch, emulator};
use crate::exit::{Exit, Stop};
use crate::files;
use crate::text::shown;

/// Run any kernel of any code object, as a launch file says.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
The launch file:
  { \"code_object\": \"x.co\",
    \"buffers\": { \"in\":  {\"file\": \"in.npy\"},
                 \"out\": {\"bytes\": 4096, \"fill\": \"poison\", \"save\": \"out.bin\"} },
    \"launches\": [ {\"kernel\": \"k\", \"grid\": [4,1,1], \"block\": [64,1,1], \"dynamic_lds\": 0,
                   \"args\": [\"$in\", \"$out\", {\"i32\": 5}, {\"f32\": 1.0}, {\"raw\": \"00ff\"}]} ],
    \"limits\": {\"instructions\": 1000000000, \"seconds\": 60, \"turn\": 128} }

Paths are relative to the launch file. A name that ends in .npy is a NumPy array, any other raw little-endian bytes.
A buffer has `file`, or `bytes` and `fill` (poison or zero); `save` with either. `dtype` names the elements of a saved
.npy; without it they are those of the .npy that was read, or f32.
Arguments are \"$buffer\", or one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 raw. `grid` counts work-groups.
`limits` are wave instructions and CPU seconds of a launch, and what `--turn` says; `--budget` and `--turn` come before them.
Launches run in order on the same buffers, up to the first that traps. Buffers are saved after a trap, too.

Exit codes: 0 ran, 1 trapped or hung, 3 something is not usable (then nothing ran).")]
pub struct ExecArgs {
    /// What to run
    #[arg(value_name = "LAUNCH.json")]
    pub file: PathBuf,

    /// How the summary is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Host threads that run work-groups [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// What is traced.
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// Runs the command.
///
/// # Errors
/// The launch file, the code object, a buffer or a place to save to is not usable, or they do not fit each other.
pub fn run(args: &ExecArgs) -> Result<Exit, Stop> {
    let file = launch::read(&args.file)?;
    let object = load_code_object(&file.code_object)?;
    let name = shown(&args.file);
    check_all(&file, &object).with_context(|| name.clone())?;
    check_places(args, &file).with_context(|| name.clone())?;
    let kernels = object.kernels.iter().map(|kernel| kernel.name.as_str());
    let watch = Watch {
        counters: true,
        trace: Tracing::open(&args.trace, kernels, args.format == Format::Json)?,
    };
    warn_unused(&name, &file);
    warn_small_blocks(&name, &file, &object);

    let gpu = Gpu::new();
    let placed = file
        .buffers
        .iter()
        .map(|buffer| buffers::place(&gpu, buffer))
        .collect::<Result<Vec<_>, _>>()?;
    let module = gpu
        .load(&object)
        .with_context(|| shown(&file.code_object))?;
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

    let summary = Summary {
        code_object: shown(&file.code_object),
        launches,
        saved,
    };
    match args.format {
        Format::Table => print(&summary.as_table())?,
        Format::Json => print(&format!("{:#}\n", summary.as_json()))?,
    }
    Ok(if summary.word() == "ran" {
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
fn check_all(file: &LaunchFile, object: &CodeObject) -> anyhow::Result<()> {
    for (index, spec) in file.launches.iter().enumerate() {
        let place = || format!("launches[{index}]");
        let kernel = object.kernel(&spec.kernel);
        let kernel = kernel
            .with_context(|| no_kernel(object, &spec.kernel))
            .with_context(place)?;
        check::check(spec, kernel, &file.buffers).with_context(place)?;
    }
    file.buffers.iter().try_for_each(buffers::check_save)
}

/// Nothing that is written takes the place of something that is read, or of something else that is written.
fn check_places(args: &ExecArgs, file: &LaunchFile) -> anyhow::Result<()> {
    let mut taken = vec![
        (files::identity(&args.file), "the launch file".to_owned()),
        (
            files::identity(&file.code_object),
            "the code object".to_owned(),
        ),
    ];
    for buffer in &file.buffers {
        if let Source::File(path) = &buffer.source {
            taken.push((
                files::identity(path),
                format!("the input of buffer `{}`", buffer.name),
            ));
        }
    }
    let mut written: Vec<(&Path, String)> = Vec::new();
    if let Some(path) = args
        .trace
        .trace
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        written.push((path, "`--trace`".to_owned()));
    }
    for buffer in &file.buffers {
        let save = buffer.save.as_deref();
        written.extend(save.map(|path| (path, format!("buffer `{}`", buffer.name))));
    }
    for (path, who) in written {
        // Devices and pipes keep nothing.
        if path.exists() && !path.is_file() && !path.is_dir() {
            continue;
        }
        let place = files::identity(path);
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == place) {
            anyhow::bail!(
                "{who}: {} is {what}: name another file to write to",
                shown(path)
            );
        }
        taken.push((place, format!("where {who} is written")));
    }
    Ok(())
}

/// Tells of blocks that are smaller than their kernels were compiled for: they run, and often compute nonsense.
fn warn_small_blocks(name: &str, file: &LaunchFile, object: &CodeObject) {
    for (index, spec) in file.launches.iter().enumerate() {
        let kernel = object.kernel(&spec.kernel);
        if let Some(warning) = kernel.and_then(|kernel| check::small_block(spec, kernel)) {
            // a warning that cannot be written is no reason to stop
            let _ = writeln!(
                std::io::stderr(),
                "warning: {name}: launches[{index}]: {warning}"
            );
        }
    }
}

fn warn_unused(name: &str, file: &LaunchFile) {
    let used = |index| {
        let mut args = file.launches.iter().flat_map(|spec| &spec.args);
        args.any(|arg| matches!(arg, ArgSpec::Buffer(used) if *used == index))
    };
    for (_, buffer) in file
        .buffers
        .iter()
        .enumerate()
        .filter(|(index, _)| !used(*index))
    {
        // a warning that cannot be written is no reason to stop
        let _ = writeln!(
            std::io::stderr(),
            "warning: {name}: no launch uses buffer `{}`",
            buffer.name
        );
    }
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
    let launch = Launch {
        grid: spec.grid,
        block: spec.block,
        dynamic_lds: spec.dynamic_lds,
        kernarg: &check::kernarg(spec, kernel, &addresses),
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
