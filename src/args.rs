//! Flags of the command line, and the settings that they become. The rooms below take these settings and
//! know no flag. This file has flags that several commands share; the files of `args/` have the rest.

mod bench;
mod bind;
mod calibrate;
mod code;
mod debug;
mod device;
mod exec;
mod explain;
mod export;
mod fleet;
mod generate;
mod hip;
mod judge;
mod measure;
mod model;
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
use gfx906::observe::sanitize::{Checks, UnknownCheck};

use crate::device::{Budget, Limits, Sanitize, TraceSpec};
use crate::files::allowed_by_flags;
use crate::report::model::Severity;
use crate::run::Sources;
use crate::text::quoted;

pub use bench::BenchArgs;
pub use bind::{BindArgs, ContractsArgs};
pub use calibrate::CalibrateArgs;
pub use code::{DisasmArgs, InspectArgs, IsaArgs, LintArgs};
pub use debug::DebugArgs;
pub use device::{DeviceArgs, DeviceChoice, TargetArgs};
pub use exec::ExecArgs;
pub use explain::ExplainArgs;
pub use export::ExportArgs;
pub use fleet::{CompareArgs, FleetArgs, MergeArgs};
pub use generate::{CompletionsArgs, ManArgs};
pub use hip::HipArgs;
pub use judge::JudgeArgs;
pub use measure::{AuditArgs, TolerancesArgs};
pub use model::{CardArgs, ModelArgs};
pub use mutate::MutateArgs;
pub use profile::ProfileArgs;
pub use report::{ReportArgs, RunFormat, look};
pub use run::{Explain, RunArgs, TrialArgs};
pub use self_test::SelfTestArgs;
pub use settings::ReportedFile;
pub use soak::SoakArgs;
pub use sources::{KernelArgs, SelectionArgs, SourceArgs};
pub use vectors::{FamilyChoice, VectorsArgs};

/// The flags that limit a launch and order its waves.
#[derive(Debug, Clone, Args)]
pub struct LimitArgs {
    /// Budget of a launch on the emulator, after which the launch is a hang: wave instructions (2e9),
    /// CPU seconds (90s), or both (2e9,90s); a kind that is not named has no limit [default: 1e9,30s;
    /// for --kernels at most 8192 times what the built-in kernels take]
    #[arg(long, value_name = "N|Ns")]
    pub budget: Option<Budget>,

    /// Number of instructions that a wave runs on the emulator before another wave of its work-group has
    /// its turn [default: 128]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub turn: Option<u32>,

    /// Order in which work-groups begin and waves take turns on the emulator: in-order, reverse, random
    /// or random=SEED [default: in-order; each case of a design has an order of its own]
    #[arg(long, value_name = "ORDER")]
    pub schedule: Option<Schedule>,
}

/// A reason why a flag does not take a value.
#[derive(Debug, thiserror::Error)]
enum ArgError {
    #[error("a clock is 1 to 10000 MHz")]
    Clock,
    #[error("a trace is text, not .{0}: name a .txt file")]
    TraceFormat(&'static str),
    #[error("`{0}` is no time: give minutes, more than 0, as in 0.5")]
    Minutes(String),
    #[error("not a number")]
    Number,
    #[error("not a finite number from 0 up")]
    Limit,
    #[error("`{0}` is no part: write K/N with K from 1 to N, as in 2/8")]
    Part(String),
    #[error("`{0}` is no percentage from 0 to 100")]
    Percent(String),
}

/// Parses a clock of a card in MHz.
fn parse_clock(text: &str) -> Result<f64, ArgError> {
    let parsed = text.parse::<f64>().ok();
    let in_range = parsed.filter(|mhz| (1.0..=10_000.0).contains(mhz));
    in_range.ok_or(ArgError::Clock)
}

impl LimitArgs {
    /// Returns the limits of a launch in a test run.
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

    /// Returns the flags as the words of a command line.
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

/// A severity up to which findings do not count as failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WarnedSeverity {
    /// Findings that are right on hardware as this card's
    Portability,
    /// All findings
    #[value(alias = "all")]
    Mistake,
}

/// The flags of the sanitizer.
#[derive(Debug, Clone, Args)]
pub struct SanitizeArgs {
    /// Look on the emulator for mistakes that values do not show: some of memory, init, race, sync,
    /// wait, hazard, separated by commas, or all (docs/sanitizer.md). A finding counts as a failure
    #[arg(
        long,
        value_name = "CHECKS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        value_parser = parse_checks
    )]
    pub sanitize: Option<Checks>,

    /// Print the sanitizer's findings, and do not count them as failures: all of them, or those of
    /// the severity portability (docs/sanitizer.md)
    #[arg(
        long,
        value_name = "SEVERITY",
        requires = "sanitize",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "mistake"
    )]
    pub sanitize_warn: Option<WarnedSeverity>,
}

impl SanitizeArgs {
    /// Returns the checks that the flags select; none without `--sanitize`.
    pub fn spec(&self) -> Option<Sanitize> {
        Some(Sanitize {
            checks: self.sanitize?,
            warn: self.warns(),
        })
    }

    /// Returns the heaviest findings that do not count as failures.
    pub fn warns(&self) -> Severity {
        match self.sanitize_warn {
            None => Severity::Hint,
            Some(WarnedSeverity::Portability) => Severity::Portability,
            Some(WarnedSeverity::Mistake) => Severity::Mistake,
        }
    }

    /// Returns the flags as the words of a command line.
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
        words.extend(sanitize_warn.map(|severity| match severity {
            WarnedSeverity::Mistake => "--sanitize-warn".to_owned(),
            WarnedSeverity::Portability => "--sanitize-warn=portability".to_owned(),
        }));
        words
    }
}

/// Parses the path of a text file. Its extension must not be that of a report or an array.
fn parse_text_file(path: &str) -> Result<PathBuf, ArgError> {
    let extension = Path::new(path).extension().unwrap_or_default();
    match ["json", "xml", "md", "html", "htm", "npy", "safetensors"]
        .iter()
        .find(|known| extension.eq_ignore_ascii_case(known))
    {
        Some(extension) => Err(ArgError::TraceFormat(extension)),
        None => Ok(path.into()),
    }
}

/// Parses a list of checks, or `all`.
fn parse_checks(list: &str) -> Result<Checks, UnknownCheck> {
    match list {
        "all" => Ok(Checks::ALL),
        list => list.parse(),
    }
}

/// The flags of a trace.
#[derive(Debug, Clone, Args)]
pub struct TraceArgs {
    /// Write each instruction that the emulator runs, with the registers that it wrote, to this file (-:
    /// standard output); everything then runs on one thread
    #[arg(long, value_name = "FILE", value_parser = parse_text_file)]
    pub trace: Option<PathBuf>,

    /// Trace only the kernels whose name is this, or matches this glob
    #[arg(long, value_name = "NAME", requires = "trace")]
    pub trace_kernel: Option<String>,

    /// Trace only this work-group, or the work-groups in the box between two of them
    #[arg(long, value_name = "X,Y,Z[-X,Y,Z]", requires = "trace")]
    pub trace_group: Option<String>,

    /// Trace only these waves of a work-group
    #[arg(long, value_name = "N[-M]", requires = "trace")]
    pub trace_wave: Option<String>,

    /// Trace only instructions at these addresses, in hex as `disasm` prints them, ends included
    #[arg(long, value_name = "START[-END]", requires = "trace")]
    pub trace_pc: Option<String>,

    /// Trace at most this many instructions
    #[arg(
        long,
        value_name = "LINES",
        requires = "trace",
        default_value_t = 100_000,
        value_parser = value_parser!(u64).range(1..)
    )]
    pub trace_limit: u64,
}

impl TraceArgs {
    /// Returns the settings of the trace; none without `--trace`.
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

/// Format of a printed result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a reader
    Table,
    /// JSON for programs
    Json,
}

/// Choice of colours in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// NO_COLOR, CLICOLOR_FORCE and CLICOLOR decide, in this order; if none does, a terminal has
    /// colours, unless TERM is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Returns true if TERM says that the terminal can only print lines.
fn is_dumb_terminal() -> bool {
    std::env::var("TERM").is_ok_and(|name| name == "dumb")
}

impl Color {
    /// Returns true if standard output is coloured.
    pub fn is_enabled(self) -> bool {
        self.is_enabled_on(&io::stdout())
    }

    /// Returns true if a stream is coloured.
    pub fn is_enabled_on(self, stream: &impl IsTerminal) -> bool {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if variable("NO_COLOR").is_some() => false,
            Color::Auto if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Color::Auto if variable("CLICOLOR").is_some_and(|value| value == "0") => false,
            Color::Auto => stream.is_terminal() && !is_dumb_terminal(),
        }
    }
}

/// Returns the flags that name files, and folders that files may name, as the words of a command line.
pub fn file_words(sources: &Sources<'_>) -> Vec<String> {
    let path_words = |flag: &str, path: &Path| pair(flag, &path.to_string_lossy());
    let mut words = Vec::new();
    words.extend(
        sources
            .kernels
            .iter()
            .flat_map(|path| path_words("--kernels", path)),
    );
    words.extend(
        sources
            .registry
            .iter()
            .flat_map(|path| path_words("--registry", path)),
    );
    words.extend(
        sources
            .bind
            .iter()
            .flat_map(|path| path_words("--bind", path)),
    );
    let contracts = sources.contract.iter();
    words.extend(contracts.flat_map(|path| path_words("--contract", path)));
    let allowed = allowed_by_flags().iter();
    words.extend(allowed.flat_map(|path| path_words("--allow-path", path)));
    words
}

/// Returns the flags of a command line that runs a case again and writes its tensors. `settings` are the
/// flags that decide its verdict.
pub fn rerun_flags(sources: &Sources<'_>, settings: &[Vec<String>]) -> String {
    let mut words = file_words(sources);
    words.extend(settings.concat());
    words.extend(pair("--dump", &"DIR"));
    shell_words(&words)
}

/// Quotes the words for a shell, and puts a space before each.
pub fn shell_words(words: &[String]) -> String {
    let words = words.iter().map(|word| format!(" {}", quoted(word)));
    words.collect()
}
