//! The flags of a run of the tests, with one seed or many.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};

use super::{
    Color, DeviceArgs, FleetArgs, LimitArgs, ReportArgs, SanitizeArgs, SelectionArgs, SourceArgs,
    TraceArgs, file_words, pair, rerun_flags, shell_words,
};
use crate::diagnose::Depth;
use crate::exit::Stop;
use crate::run::{Selection, parse_seed};

/// The flags that runs with one seed, runs with many seeds and self-tests share.
#[derive(Debug, Clone, Args)]
pub struct TrialArgs {
    /// Flags that select the cases.
    #[command(flatten, next_help_heading = "Which tests run")]
    pub selection: SelectionArgs,

    /// Count a test as failed if it did not run because its kernels are missing, or because no binding
    /// takes its cases
    #[arg(long, help_heading = "Which tests run")]
    pub require_all: bool,

    /// Count the run as failed if fewer than N tests ran, whatever their verdicts
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u32).range(1..),
        help_heading = "Which tests run"
    )]
    pub min_tests: Option<u32>,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random`
    /// to draw one [default: 0]
    #[arg(long, value_name = "N|random", help_heading = "Which tests run")]
    pub seed: Option<String>,

    /// Flags that choose the device.
    #[command(flatten, next_help_heading = "Where they run")]
    pub device: DeviceArgs,

    /// Flags that name the files.
    #[command(flatten, next_help_heading = "What is tested")]
    pub sources: SourceArgs,

    /// Flags of the result: its format, and the files of the report.
    #[command(flatten, next_help_heading = "Reports")]
    pub output: ReportArgs,

    /// Number of tests that run at the same time [default: one per core; on a card 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u16).range(1..),
        help_heading = "How they run"
    )]
    pub jobs: Option<u16>,

    /// Go on after a test that hung on --device hip; without this flag the run stops there
    #[arg(long, help_heading = "How they run")]
    pub keep_going: bool,

    /// Limits of each launch.
    #[command(flatten, next_help_heading = "How they run")]
    pub limits: LimitArgs,

    /// Flags of the sanitizer.
    #[command(flatten, next_help_heading = "What is looked for")]
    pub sanitize: SanitizeArgs,

    /// Run every test N times; outputs that are not bit-identical fail [default: 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u16).range(1..),
        help_heading = "What is looked for"
    )]
    pub repeat: Option<u16>,

    /// Check the laws of each contract as well. They need no reference: they compare outputs for scaled,
    /// permuted and padded inputs, and check equations between inputs and outputs
    #[arg(long, help_heading = "What is looked for")]
    pub relations: bool,
}

/// The values of `--explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Explain {
    /// No experiments
    Off,
    /// Known mistakes of the contract, then experiments
    Quick,
    /// Experiments only
    Blind,
}

impl Explain {
    /// Returns the depth of the diagnosis of failures; none without experiments.
    pub fn depth(self) -> Option<Depth> {
        match self {
            Explain::Off => None,
            Explain::Quick => Some(Depth::Full),
            Explain::Blind => Some(Depth::Blind),
        }
    }
}

/// The flags of a test run.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("trace", |arg| arg.conflicts_with_all(["seeds", "self_test", "relations"])))]
#[command(mut_arg("min_tests", |arg| arg.conflicts_with_all(["self_test", "list", "partition"])))]
pub struct RunArgs {
    /// The flags of the run: tests, kernels and device.
    #[command(flatten)]
    pub trials: TrialArgs,

    /// Flags that relate the run to other runs.
    #[command(flatten)]
    pub fleet: FleetArgs,

    /// Stop after N failures: the tests that run then still end, the others are not run, and the reports
    /// are those of a run that was interrupted
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u32).range(1..),
        conflicts_with_all = ["seeds", "self_test", "list", "known"],
        help_heading = "How they run"
    )]
    pub max_fail: Option<u32>,

    /// Stop after the first failure: --max-fail 1
    #[arg(
        long,
        conflicts_with_all = ["max_fail", "seeds", "self_test", "list", "known"],
        help_heading = "How they run"
    )]
    pub fail_fast: bool,

    /// Begin no further test after so many seconds: the tests that run then still end, the others are not run, and the
    /// reports are those of a run that was interrupted
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = value_parser!(u32).range(1..),
        conflicts_with_all = ["seeds", "self_test", "list", "known"],
        help_heading = "How they run"
    )]
    pub max_time: Option<u32>,

    /// Look for the cause of failures, by experiments with kernels and reference: known mistakes first, or
    /// experiments only. A passing test costs nothing
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value_t = Explain::Quick,
        conflicts_with_all = ["self_test", "list"],
        help_heading = "How they run"
    )]
    pub explain: Explain,

    /// Print the ids of the selected cases, one a line, and run nothing
    #[arg(long, conflicts_with_all = ["self_test", "relations"], help_heading = "Which tests run")]
    pub list: bool,

    /// Run with this many seeds, from --seed on. Each seed draws other inputs, and other cases of the
    /// tests that take their cases from a design. A trial that does not pass is printed when its seed
    /// ends
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u32).range(1..),
        conflicts_with_all = ["list", "self_test", "dump", "counters", "color", "verbose"],
        help_heading = "Which tests run"
    )]
    pub seeds: Option<u32>,

    /// Write inputs, outputs and references of every test into this directory as .npy
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "relations",
        help_heading = "What is observed"
    )]
    pub dump: Option<PathBuf>,

    /// The command `self-test` under its former name
    #[arg(
        long,
        hide = true,
        conflicts_with_all = ["counters", "dump", "relations", "repeat", "sanitize"]
    )]
    pub self_test: bool,

    /// Count the work of the emulator by test and kernel: instructions by kind, active lanes, bytes,
    /// barriers
    #[arg(long, help_heading = "What is observed")]
    pub counters: bool,

    /// Flags of the trace.
    #[command(flatten, next_help_heading = "What is observed")]
    pub trace: TraceArgs,

    /// Colours of the output
    #[arg(long, value_enum, default_value_t = Color::Auto, help_heading = "Reports")]
    pub color: Color,

    /// Show more: a row for every test of every phase, with relative RMS, ULP, wave instructions and
    /// kernel time, and an explanation of the columns
    #[arg(short, long, help_heading = "Reports")]
    pub verbose: bool,
}

impl TrialArgs {
    /// Returns the selection of cases.
    pub fn selection(&self) -> Selection<'_> {
        self.selection.selection(self.require_all)
    }

    /// Returns the number of trials that run at the same time.
    pub fn jobs(&self) -> usize {
        self.device.jobs(self.jobs)
    }

    /// Returns the seed that `--seed` names.
    ///
    /// # Errors
    /// The text is no seed.
    pub fn seed(&self) -> Result<u64, Stop> {
        Ok(parse_seed(self.seed.as_deref().unwrap_or("0"))?)
    }

    /// Returns the flags that decide verdicts, as the words of a command line. Flags that name files,
    /// select cases or set the seed are not among them.
    pub fn setting_words(&self) -> Vec<String> {
        // The pattern names every field, so that a new flag does not compile before it is handled here.
        let TrialArgs {
            selection: _,
            require_all,
            min_tests: _,
            seed: _,
            device,
            sources: _,
            output: _,
            jobs: _,
            keep_going: _,
            limits,
            sanitize,
            repeat,
            relations,
        } = self;
        let mut words = limits.words();
        words.extend(device.words());
        words.extend(sanitize.words());
        words.extend(repeat.iter().flat_map(|times| pair("--repeat", times)));
        words.extend(relations.then(|| "--relations".to_owned()));
        words.extend(require_all.then(|| "--require-all".to_owned()));
        words
    }

    /// Returns the command line that runs the selected tests on the emulator, with a seed.
    pub fn emulator_line(&self, seed: u64) -> String {
        self.line_on_emulator(pair("--seed", &seed))
    }

    /// Returns the command line that runs on the emulator the selected tests that did not pass in the run of
    /// a report.
    pub fn failed_line(&self, report: &Path) -> String {
        self.line_on_emulator(pair("--failed", &report.to_string_lossy()))
    }

    fn line_on_emulator(&self, origin: [String; 2]) -> String {
        let on_emulator = TrialArgs {
            device: DeviceArgs::EMULATOR,
            ..self.clone()
        };
        let words = [
            self.selection.words(),
            file_words(&self.sources.sources()),
            on_emulator.setting_words(),
            origin.to_vec(),
            pair("--device", &"emulator").to_vec(),
        ];
        format!("deltanet-check{}", shell_words(&words.concat()))
    }

    /// Returns the flags of a command line that runs a trial again.
    pub fn rerun_flags(&self) -> String {
        let sources = self.sources.sources();
        let settings = self.setting_words();
        // Laws need several launches of a trial, so `--dump` has no single launch to write.
        match self.relations {
            true => shell_words(&[file_words(&sources), settings].concat()),
            false => rerun_flags(&sources, &[settings]),
        }
    }
}

impl RunArgs {
    /// Returns true if all built-in tests run. A table then summarizes the tests that are not documented.
    pub fn runs_all_tests(&self) -> bool {
        let trials = &self.trials;
        let (selection, sources) = (&trials.selection, &trials.sources);
        selection.is_empty()
            && self.fleet.failed.is_none()
            && sources.registry.is_none()
            && sources.kernels.bind.is_empty()
    }

    /// Returns the number of failures after which the run stops, if it does.
    pub fn failure_limit(&self) -> Option<usize> {
        match self.fail_fast {
            true => Some(1),
            false => self.max_fail.map(|limit| limit as usize),
        }
    }

    /// Returns the time after which the run begins no further test, if it has a limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.max_time
            .map(|seconds| Duration::from_secs(seconds.into()))
    }

    /// Returns the number of trials that run at the same time. It is one for a trace, which shows the
    /// trials one after another.
    pub fn jobs(&self) -> usize {
        match self.trace.trace {
            Some(_) => 1,
            None => self.trials.jobs(),
        }
    }
}
