//! Flags, and what they stand for: rooms below take that, and know no flag. Here are those that several commands share; those of one
//! command are in the files below.

mod bench;
mod bind;
mod code;
mod device;
mod exec;
mod export;
mod fleet;
mod generate;
mod hip;
mod judge;
mod measure;
mod mutate;
mod profile;
mod report;
mod run;
mod soak;
mod sources;
mod vectors;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};
use gfx906::machine::Schedule;
use gfx906::observe::sanitize::Checks;

use crate::device::{Budget, Limits, Sanitize, TraceSpec};
use crate::run::Sources;
use crate::text::quoted;

pub use bench::BenchArgs;
pub use bind::{BindArgs, ContractsArgs};
pub use code::{DisasmArgs, InspectArgs, IsaArgs, LintArgs};
pub use device::{DeviceArgs, DeviceChoice, TargetArgs};
pub use exec::ExecArgs;
pub use export::ExportArgs;
pub use fleet::{CompareArgs, FleetArgs, MergeArgs};
pub use generate::{CompletionsArgs, ManArgs};
pub use hip::HipArgs;
pub use judge::JudgeArgs;
pub use measure::{AuditArgs, TolerancesArgs};
pub use mutate::MutateArgs;
pub use profile::ProfileArgs;
pub use report::{ReportArgs, RunFormat, look};
pub use run::{RunArgs, TrialArgs};
pub use soak::SoakArgs;
pub use sources::{KernelArgs, SelectionArgs, SourceArgs};
pub use vectors::{FamilyChoice, VectorsArgs};

/// The flags that say when a kernel hangs, and how waves take turns.
#[derive(Debug, Clone, Args)]
pub struct LimitArgs {
    /// What a launch on the emulator may use up before it counts as a hang: wave instructions (2e9), CPU seconds (90s), or both
    /// (2e9,90s); what is not named has no limit [default: 1e9,30s; kernels of --kernels: at most 1024 times what the built-in ones take]
    #[arg(long, value_name = "N|Ns")]
    pub budget: Option<Budget>,

    /// Instructions that a wave runs before another of its work-group has its turn, on the emulator [default: 128]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub turn: Option<u32>,

    /// In which order work-groups begin and waves take turns, on the emulator: in-order, reverse, random or random=SEED [default: in-order;
    /// cases of a design each have one of their own]
    #[arg(long, value_name = "ORDER")]
    pub schedule: Option<Schedule>,
}

/// A clock that a card may have.
fn clock(text: &str) -> Result<f64, String> {
    let parsed = text.parse::<f64>().ok();
    let fine = parsed.filter(|mhz| (1.0..=10_000.0).contains(mhz));
    fine.ok_or_else(|| "a clock is 1 to 10000 MHz".to_owned())
}

impl LimitArgs {
    /// What they say of a launch in a test run.
    pub fn limits(&self) -> Limits {
        let default = Limits::default();
        let (instructions, seconds) = match self.budget {
            Some(budget) => (budget.instructions, budget.seconds),
            None => (default.instructions, default.seconds),
        };
        Limits {
            instructions,
            seconds,
            turn: self.turn,
            schedule: self.schedule,
        }
    }

    /// The flags as one would type them again.
    fn again(&self) -> String {
        let mut flags = String::new();
        if let Some(budget) = self.budget {
            flags.push_str(&format!(" --budget {budget}"));
        }
        if let Some(turn) = self.turn {
            flags.push_str(&format!(" --turn {turn}"));
        }
        if let Some(schedule) = self.schedule {
            flags.push_str(&format!(" --schedule {schedule}"));
        }
        flags
    }
}

/// The flags of the sanitizer.
#[derive(Debug, Clone, Args)]
pub struct SanitizeArgs {
    /// Look for mistakes that values do not show, on the emulator: some of memory, init, race, sync, wait, hazard with commas between them,
    /// or all (docs/sanitizer.md). What is found counts as a failure
    #[arg(long, value_name = "CHECKS", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_parser = checks)]
    pub sanitize: Option<Checks>,

    /// Only tell what the sanitizer finds
    #[arg(long, requires = "sanitize")]
    pub sanitize_warn: bool,
}

impl SanitizeArgs {
    /// What they ask for.
    pub fn spec(&self) -> Option<Sanitize> {
        Some(Sanitize {
            checks: self.sanitize?,
            warn: self.sanitize_warn,
        })
    }

    /// The flags as one would type them again.
    pub fn again(&self) -> String {
        match self.sanitize {
            Some(Checks::ALL) => " --sanitize".to_owned(),
            Some(checks) => format!(" --sanitize={checks}"),
            None => String::new(),
        }
    }
}

/// A list of checks, or all of them.
fn checks(list: &str) -> Result<Checks, String> {
    match list {
        "all" => Ok(Checks::ALL),
        list => list.parse(),
    }
}

/// The flags of a trace.
#[derive(Debug, Clone, Args)]
pub struct TraceArgs {
    /// Write each instruction that the emulator runs and the registers that it wrote to this file (-: standard output);
    /// everything then runs on one thread
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Trace only the kernel of this name, or those that match this glob
    #[arg(long, value_name = "NAME", requires = "trace")]
    pub trace_kernel: Option<String>,

    /// Trace only this work-group, or those in the box between two
    #[arg(long, value_name = "X,Y,Z[-X,Y,Z]", requires = "trace")]
    pub trace_group: Option<String>,

    /// Trace only these waves of a work-group
    #[arg(long, value_name = "N[-M]", requires = "trace")]
    pub trace_wave: Option<String>,

    /// Trace only instructions at these addresses, in hex as `disasm` prints them, ends included
    #[arg(long, value_name = "START[-END]", requires = "trace")]
    pub trace_pc: Option<String>,

    /// Trace at most so many instructions
    #[arg(long, value_name = "LINES", requires = "trace", default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    pub trace_limit: u64,
}

impl TraceArgs {
    /// What they ask to be traced; nothing without `--trace`.
    pub fn spec(&self) -> Option<TraceSpec> {
        Some(TraceSpec {
            path: self.trace.clone()?,
            kernel: self.trace_kernel.clone(),
            groups: self.trace_group.clone(),
            waves: self.trace_wave.clone(),
            pcs: self.trace_pc.clone(),
            limit: self.trace_limit,
        })
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading
    Table,
    /// For programs
    Json,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether standard output is coloured.
    pub fn wanted(self) -> bool {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !unwanted && io::stdout().is_terminal(),
        }
    }
}

/// The flags that select registry, kernels, bindings, limits and device, as one would type them again.
pub fn again(sources: &Sources<'_>, limits: Option<&LimitArgs>, device: &DeviceArgs) -> String {
    let one = |flag: &str, path: &Path| format!(" {flag} {}", quoted(&path.to_string_lossy()));
    let mut flags = String::new();
    flags.extend(sources.kernels.map(|path| one("--kernels", path)));
    flags.extend(sources.registry.map(|path| one("--registry", path)));
    flags.extend(sources.bind.iter().map(|path| one("--bind", path)));
    flags.extend(limits.map(LimitArgs::again));
    flags + &device.target.again()
}
