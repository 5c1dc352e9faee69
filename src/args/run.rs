//! The flags of a run of the tests, with one seed or many.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::{
    Color, DeviceArgs, FleetArgs, Format, LimitArgs, SanitizeArgs, SelectionArgs, SourceArgs,
    TraceArgs, again,
};
use crate::run::Selection;

/// What runs, and where: the same for one seed as for many.
#[derive(Debug, Clone, Args)]
pub struct TrialArgs {
    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Count tests that did not run as failed: kernels that are missing, cases that no binding is for
    #[arg(long)]
    pub require_all: bool,

    /// Seed of the inputs, and of the cases of tests that take them from a design: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the JSON report to this file as well
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// How many tests run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// What the sanitizer looks for.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// Run every test N times; outputs that are not bit-identical fail
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    pub repeat: u16,

    /// Try the laws of each contract, too, which need no reference: what the kernels make of scaled, permuted, padded inputs, and equations
    /// between inputs and outputs
    #[arg(long)]
    pub relations: bool,
}

/// The flags of a test run.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("trace", |arg| arg.conflicts_with_all(["seeds", "self_test", "relations"])))]
pub struct RunArgs {
    /// What runs, and where.
    #[command(flatten)]
    pub trials: TrialArgs,

    /// What other runs have to do with it.
    #[command(flatten)]
    pub fleet: FleetArgs,

    /// Print the ids that --test takes, one a line, and run nothing
    #[arg(long, conflicts_with_all = ["self_test", "relations"])]
    pub list: bool,

    /// Run with so many seeds, from --seed on: other inputs, and other cases of the tests that take them from a design. What does not pass
    /// is told as it happens
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..), conflicts_with_all = ["list", "self_test", "dump", "counters", "color", "verbose"])]
    pub seeds: Option<u32>,

    /// Write inputs, outputs and references of every test into this directory as .npy
    #[arg(long, value_name = "DIR", conflicts_with = "relations")]
    pub dump: Option<PathBuf>,

    /// Test the tests: run the planted bugs and demand that each is caught
    #[arg(long, conflicts_with_all = ["counters", "relations", "sanitize"])]
    pub self_test: bool,

    /// Count what the emulator does: instructions by kind, lanes that are on, bytes, barriers; per test and kernel
    #[arg(long)]
    pub counters: bool,

    /// What is traced.
    #[command(flatten)]
    pub trace: TraceArgs,

    /// When to colour the output (NO_COLOR is honoured)
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Say more: relative RMS, ULP, wave instructions and time of the kernels of each test; with --self-test the rejected trivial outputs
    #[arg(short, long)]
    pub verbose: bool,
}

impl TrialArgs {
    /// The cases that they select.
    pub fn selection(&self) -> Selection<'_> {
        self.selection.selection(self.require_all)
    }

    /// How many trials run at once.
    pub fn jobs(&self) -> usize {
        self.device.jobs(self.jobs)
    }

    /// Those that a line needs that runs one of the trials again.
    pub fn again(&self) -> String {
        again(&self.sources.sources(), Some(&self.limits), &self.device) + &self.sanitize.again()
    }
}

impl RunArgs {
    /// How many trials run at once: one where a trace shows them one after another.
    pub fn jobs(&self) -> usize {
        match self.trace.trace {
            Some(_) => 1,
            None => self.trials.jobs(),
        }
    }
}
