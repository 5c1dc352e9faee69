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
mod self_test;
mod settings;
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
pub use self_test::SelfTestArgs;
pub use settings::FileOfReport;
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

    /// Returns the flags as one would type them again, word by word.
    pub fn words(&self) -> Vec<String> {
        let LimitArgs {
            budget,
            turn,
            schedule,
        } = self;
        let mut words = Vec::new();
        words.extend(budget.iter().flat_map(|budget| pair("--budget", budget)));
        words.extend(turn.iter().flat_map(|turn| pair("--turn", turn)));
        words.extend(schedule.iter().flat_map(|order| pair("--schedule", order)));
        words
    }
}

/// Returns a flag and its value.
fn pair(flag: &str, value: &impl ToString) -> [String; 2] {
    [flag.to_owned(), value.to_string()]
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

    /// Returns the flags as one would type them again, word by word.
    pub fn words(&self) -> Vec<String> {
        let SanitizeArgs {
            sanitize,
            sanitize_warn,
        } = self;
        let mut words = Vec::new();
        words.extend(sanitize.map(|checks| match checks {
            Checks::ALL => "--sanitize".to_owned(),
            checks => format!("--sanitize={checks}"),
        }));
        words.extend(sanitize_warn.then(|| "--sanitize-warn".to_owned()));
        words
    }
}

/// A file for text, whose name promises no report.
fn text_place(path: &str) -> Result<PathBuf, String> {
    let end = Path::new(path).extension().unwrap_or_default();
    match ["json", "xml", "md", "html", "htm", "npy", "safetensors"]
        .iter()
        .find(|known| end.eq_ignore_ascii_case(known))
    {
        Some(end) => Err(format!("a trace is text, not .{end}: name a .txt file")),
        None => Ok(path.into()),
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
    #[arg(long, value_name = "FILE", value_parser = text_place)]
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
    /// On a terminal that is not dumb (TERM), as NO_COLOR, CLICOLOR_FORCE and CLICOLOR say, in this order
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Returns true where the terminal says that it can only print lines.
fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|name| name == "dumb")
}

impl Color {
    /// Whether standard output is coloured.
    pub fn wanted(self) -> bool {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if variable("NO_COLOR").is_some() => false,
            Color::Auto if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Color::Auto if variable("CLICOLOR").is_some_and(|value| value == "0") => false,
            Color::Auto => io::stdout().is_terminal() && !is_dumb(),
        }
    }
}

/// Returns the flags that select kernels, registry and bindings, word by word.
pub fn file_words(sources: &Sources<'_>) -> Vec<String> {
    let named = |flag: &str, path: &Path| pair(flag, &path.to_string_lossy());
    let mut words = Vec::new();
    words.extend(
        sources
            .kernels
            .iter()
            .flat_map(|path| named("--kernels", path)),
    );
    words.extend(
        sources
            .registry
            .iter()
            .flat_map(|path| named("--registry", path)),
    );
    words.extend(sources.bind.iter().flat_map(|path| named("--bind", path)));
    words
}

/// Returns the flags that a line needs which runs a case again and writes its tensors. `settings` are the flags that decide its verdict.
pub fn rerun_flags(sources: &Sources<'_>, settings: &[Vec<String>]) -> String {
    let mut words = file_words(sources);
    words.extend(settings.concat());
    words.extend(pair("--dump", &"DIR"));
    typed(&words)
}

/// Puts words behind a command, each as a shell takes it.
pub fn typed(words: &[String]) -> String {
    let words = words.iter().map(|word| format!(" {}", quoted(word)));
    words.collect()
}
