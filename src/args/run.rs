//! The flags of a run of the tests.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::{Color, DeviceArgs, Format, LimitArgs, TraceArgs};
use crate::run::{Selection, Sources};

/// The flags of a test run.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Run only these phases: numbers and ranges, as in 6 or 1-3,6
    #[arg(long, value_name = "PHASES")]
    pub phase: Vec<String>,

    /// Run only the tests with this id or alias, or matching this glob; may be given several times
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,

    /// Print the ids that --test takes, one a line, and run nothing
    #[arg(long, conflicts_with = "self_test")]
    pub list: bool,

    /// Seed of the inputs: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Run with so many seeds, from --seed on: other inputs, and other cases of the tests that take them from a design
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..), conflicts_with_all = ["list", "self_test", "dump", "trace", "counters"])]
    pub seeds: Option<u32>,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Validate this code object instead of the built-in one; its kernels bear the same names
    #[arg(long, value_name = "FILE")]
    pub kernels: Option<PathBuf>,

    /// Launch the kernels as this file says (docs/bindings.md); may be given several times. Without --phase and --test only the tests of
    /// its contracts run
    #[arg(long, value_name = "FILE.toml")]
    pub bind: Vec<PathBuf>,

    /// Run only the tests that launch a kernel whose name matches this glob; may be given several times
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub kernel: Vec<String>,

    /// Count tests that did not run as failed: kernels that are missing, cases that no binding is for
    #[arg(long)]
    pub require_all: bool,

    /// Take tests, shapes and tolerances from this file instead of the built-in phases.toml
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the JSON report to this file as well
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Write inputs, outputs and references of every test into this directory as .npy
    #[arg(long, value_name = "DIR")]
    pub dump: Option<PathBuf>,

    /// How many tests run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Run every test N times; outputs that are not bit-identical fail
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    pub repeat: u16,

    /// Try the laws of each contract, too, which need no reference: what the kernels make of scaled, permuted, padded inputs, and equations
    /// between inputs and outputs
    #[arg(long, conflicts_with_all = ["list", "self_test", "dump", "trace"])]
    pub relations: bool,

    /// Test the tests: run the planted bugs and demand that each is caught
    #[arg(long, conflicts_with_all = ["trace", "counters"])]
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

impl RunArgs {
    /// The files that it reads.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            registry: self.registry.as_deref(),
            kernels: self.kernels.as_deref(),
            bind: &self.bind,
        }
    }

    /// The cases that it selects.
    pub fn selection(&self) -> Selection<'_> {
        Selection {
            phase: &self.phase,
            test: &self.test,
            kernel: &self.kernel,
            require_all: self.require_all,
        }
    }

    /// How many trials run at once: one where a trace shows them one after another.
    pub fn jobs(&self) -> usize {
        match self.trace.trace {
            Some(_) => 1,
            None => self.device.jobs(self.jobs),
        }
    }
}
