//! Every flag and subcommand, declared once.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{audit, bind, contracts, disasm, exec, export, inspect, isa, vectors};
use crate::device::{Budget, Limits};
use crate::exit::{Exit, Stop};
use crate::tolerances::{self, TolerancesArgs};
use crate::trial;

/// Runs compiled gfx906 (AMD MI50) Delta-Net kernels and judges what they compute.
///
/// Without arguments every test runs on the best device of this machine.
#[derive(Debug, Parser)]
#[command(
    name = "deltanet-check",
    version,
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    /// What to do instead of running the tests.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The test run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What the program does beside running the tests.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run any kernel of any code object
    Exec(exec::ExecArgs),
    /// List what a code object holds
    Inspect(inspect::InspectArgs),
    /// Print code as text
    Disasm(disasm::DisasmArgs),
    /// Say how much of the instruction set runs
    Isa(isa::IsaArgs),
    /// Run kernels of the gated delta rule on tensors that somebody else made
    Vectors(vectors::VectorsArgs),
    /// Write inputs, references and outputs of tests as safetensors
    Export(export::ExportArgs),
    /// List the contracts that kernels can be bound to, or say what the tensors of one are
    Contracts(contracts::ContractsArgs),
    /// Print the beginnings of a binding for each kernel of a code object
    Bind(bind::BindArgs),
    /// Measure how far honest kernels are from their references, and what the tolerances leave
    Tolerances(TolerancesArgs),
    /// Measure how far the documented pipeline is from the gated delta rule, and what each of its departures costs
    Audit(audit::AuditArgs),
    /// Run the one test that standard input describes, for another deltanet-check
    #[command(name = trial::CHILD, hide = true)]
    Trial,
}

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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Run every test N times; outputs that are not bit-identical fail
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub repeat: u16,

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

/// The flags of a run without any.
impl Default for RunArgs {
    fn default() -> RunArgs {
        RunArgs {
            phase: Vec::new(),
            test: Vec::new(),
            list: false,
            seed: "0".into(),
            device: DeviceArgs::default(),
            kernels: None,
            registry: None,
            bind: Vec::new(),
            kernel: Vec::new(),
            require_all: false,
            format: Format::Table,
            report: None,
            dump: None,
            jobs: None,
            limits: LimitArgs::default(),
            repeat: 1,
            self_test: false,
            counters: false,
            trace: TraceArgs::default(),
            color: Color::Auto,
            verbose: false,
        }
    }
}

/// The flags that say when a kernel hangs, and how waves take turns.
#[derive(Debug, Clone, Default, Args)]
pub struct LimitArgs {
    /// What a launch on the emulator may use up before it counts as a hang: wave instructions (2e9), CPU seconds (90s), or both
    /// (2e9,90s); what is not named has no limit [default: 1e9,30s; kernels of --kernels: at most 1024 times what the built-in ones take]
    #[arg(long, value_name = "N|Ns")]
    pub budget: Option<Budget>,

    /// Instructions that a wave runs before another of its work-group has its turn, on the emulator [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub turn: Option<u32>,
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
        }
    }

    /// The flags as one would type them again.
    pub fn again(&self) -> String {
        let mut flags = String::new();
        if let Some(budget) = self.budget {
            let instructions = budget.instructions.map(|n| n.to_string());
            let seconds = budget.seconds.map(|s| format!("{s}s"));
            let parts: Vec<String> = instructions.into_iter().chain(seconds).collect();
            flags.push_str(&format!(" --budget {}", parts.join(",")));
        }
        if let Some(turn) = self.turn {
            flags.push_str(&format!(" --turn {turn}"));
        }
        flags
    }
}

/// The flags that say where kernels run.
#[derive(Debug, Clone, Args)]
pub struct DeviceArgs {
    /// Where the kernels run
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,

    /// With --device hip: the number of the card among those that the HIP runtime shows [default: the first gfx906]
    #[arg(long, value_name = "N")]
    pub hip_device: Option<u32>,

    /// With --device hip: run the tests in this process; a test that faults or hangs the card then ends the whole run
    #[arg(long)]
    pub no_isolate: bool,

    /// With --device hip: seconds after which a test's process is stopped, and the test counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,

    /// Give each test a process of its own on the emulator as well: how that is tested where there is no card.
    #[arg(long, hide = true, conflicts_with = "no_isolate")]
    pub isolate: bool,
}

/// Seconds a test may take in a process of its own, if nobody says.
const TIMEOUT: u32 = 60;

/// The flags of a run without any.
impl Default for DeviceArgs {
    fn default() -> DeviceArgs {
        DeviceArgs {
            device: DeviceChoice::Auto,
            hip_device: None,
            no_isolate: false,
            timeout: TIMEOUT,
            isolate: false,
        }
    }
}

/// The flags of a trace.
#[derive(Debug, Clone, Default, Args)]
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
    #[arg(long, value_name = "LINES", requires = "trace", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub trace_limit: u64,
}

/// Where kernels can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// The best this machine has
    Auto,
    /// The in-process gfx906 emulator
    Emulator,
    /// A real card through the HIP runtime
    Hip,
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

/// Parses the command line, does what it says, and returns the code to leave with.
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Passed
            };
            // A closed pipe is the reader's choice, not an error.
            let _ = error.print();
            return exit;
        }
    };
    match dispatch(&cli) {
        Ok(exit) => exit,
        Err(stop) => {
            let prefix = if stop.rendered { "" } else { "error: " };
            let _ = writeln!(std::io::stderr(), "{prefix}{}", stop.message);
            stop.exit
        }
    }
}

fn dispatch(cli: &Cli) -> Result<Exit, Stop> {
    match &cli.command {
        Some(Command::Exec(args)) => exec::run(args),
        Some(Command::Inspect(args)) => inspect::run(args),
        Some(Command::Disasm(args)) => disasm::run(args),
        Some(Command::Isa(args)) => isa::run(args),
        Some(Command::Vectors(args)) => vectors::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Tolerances(args)) => tolerances::run(args),
        Some(Command::Contracts(args)) => contracts::run(args),
        Some(Command::Bind(args)) => bind::run(args),
        Some(Command::Audit(args)) => audit::run(args),
        Some(Command::Trial) => trial::serve(),
        None => crate::run::run(&cli.run),
    }
}
