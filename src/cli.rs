//! The subcommands, and the call of each command's function. Their flags are in `args.rs`.

mod generate;

use std::env;
use std::io::Write;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::args::{
    AuditArgs, BenchArgs, BindArgs, CalibrateArgs, Color, CompareArgs, CompletionsArgs,
    ContractsArgs, DebugArgs, DisasmArgs, ExecArgs, ExplainArgs, ExportArgs, HipArgs, InspectArgs,
    IsaArgs, JudgeArgs, LintArgs, ManArgs, MergeArgs, MutateArgs, ProfileArgs, RunArgs,
    SelfTestArgs, SoakArgs, TolerancesArgs, VectorsArgs,
};
use crate::commands::{
    audit, bench, bind, calibrate, compare_reports, contracts, debug, disasm, exec, explain,
    export, hip, inspect, isa, judge, lint, merge, mutate, profile, run, soak, tolerances, vectors,
};
use crate::exit::{Exit, Stop};
use crate::{document, files, self_test, trial};

const EXAMPLES: &str = "\
Examples:
  deltanet-check                                   every test, on the emulator
  deltanet-check --phase 1-8 -v                    the documented phases, with every column
  deltanet-check --kernels my.co --bind my.toml    kernels of your own (docs/own-kernels.md)
  deltanet-check --test gemm_nt_tiled --dump out   one test, its tensors as .npy
  deltanet-check --report run.html --phase 1-8     a report for a browser (docs/reports.md); .xml: JUnit for CI
  deltanet-check --sanitize --phase 9-11           look for races, missing waits and wild accesses

Exit codes: 0 all tests that ran passed, 1 a test did not pass, 2 bad command line, 3 something is not
usable, 4 nothing to run, 130 and 143 interrupted by SIGINT and SIGTERM";

/// Runs compiled gfx906 (AMD MI50) Delta-Net kernels and judges what they compute.
///
/// Without arguments every test runs on the emulator; `--device hip` runs the tests on a card.
#[derive(Debug, Parser)]
#[command(
    name = "deltanet-check",
    version,
    args_conflicts_with_subcommands = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// The subcommand; without one the tests run.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The flags of a test run.
    #[command(flatten)]
    pub run: RunArgs,

    /// Let launch files, bindings, contracts and registries name files below this folder, and overwrite
    /// them; may be given several times, as may folders in DELTANET_CHECK_ALLOW_PATH [default: new files
    /// below their own folder only]
    #[arg(long, value_name = "DIR", global = true)]
    pub allow_path: Vec<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run any kernel of any code object
    Exec(ExecArgs),
    /// Say what one element of an output came from, and where this departs from the reference
    Explain(ExplainArgs),
    /// Debug kernels in an editor, forwards and backwards (Debug Adapter Protocol)
    Debug(DebugArgs),
    /// List the kernels of a code object
    Inspect(InspectArgs),
    /// Print code as text
    Disasm(DisasmArgs),
    /// Look for missing waits and wait states on every path through the code
    Lint(LintArgs),
    /// Say how much of the instruction set runs
    Isa(IsaArgs),
    /// Run kernels of the gated delta rule on tensors from elsewhere, and judge what they compute
    Vectors(VectorsArgs),
    /// Write inputs, references and outputs of tests as safetensors
    Export(ExportArgs),
    /// Judge outputs that another program computed from the inputs that `export` wrote
    Judge(JudgeArgs),
    /// List the contracts that kernels can be bound to, or describe one with its tensors
    Contracts(ContractsArgs),
    /// Print the beginnings of a binding for each kernel of a code object
    Bind(BindArgs),
    /// Run an unchanged HIP program on the emulator
    Hip(HipArgs),
    /// Say what kernels would cost on an MI50, modelled from the instructions that run on the emulator
    Profile(ProfileArgs),
    /// Measure kernels on a real card, beside the interval of the model
    Bench(BenchArgs),
    /// Measure the constants of the model of `profile` on a real card
    Calibrate(CalibrateArgs),
    /// Measure how far the built-in kernels are from their references, and how much of the tolerances is
    /// left
    Tolerances(TolerancesArgs),
    /// Measure how far the documented pipeline is from the gated delta rule, and what each of its
    /// departures costs
    Audit(AuditArgs),
    /// Change one instruction of the kernels at a time, and report the mutants that survive the tests
    Mutate(MutateArgs),
    /// Run the tests with one seed after another until time is up
    Soak(SoakArgs),
    /// Test the tests: run the planted bugs and demand that each is caught
    SelfTest(SelfTestArgs),
    /// Put reports of the parts of a run together
    Merge(MergeArgs),
    /// Compare two reports, or two of `profile`, test by test: verdicts, errors, instructions, traffic,
    /// model intervals
    Compare(CompareArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Write manual pages: one of the program, one of each command
    Man(ManArgs),
    /// Run the trial that standard input describes, for another deltanet-check
    #[command(name = trial::CHILD, hide = true)]
    Trial,
}

/// Parses the command line, runs its command, and returns the exit code.
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
    let color = match &cli.command {
        Some(Command::Vectors(args)) => args.color,
        Some(_) => Color::Auto,
        None => cli.run.color,
    };
    document::color_complaints(color.is_enabled_on(&std::io::stderr()));
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
    let mut others: Vec<PathBuf> = Vec::new();
    if let Some(folders) = env::var_os("DELTANET_CHECK_ALLOW_PATH") {
        others.extend(env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()));
    }
    if let Some(Command::Trial) = &cli.command {
        // The program that started this one has checked the names.
        others.push("/".into());
    }
    files::allow(&cli.allow_path, &others).map_err(Stop::setup)?;
    match &cli.command {
        Some(Command::Exec(args)) => exec::run(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Debug(args)) => debug::run(args),
        Some(Command::Inspect(args)) => inspect::run(args),
        Some(Command::Disasm(args)) => disasm::run(args),
        Some(Command::Lint(args)) => lint::run(args),
        Some(Command::Isa(args)) => isa::run(args),
        Some(Command::Vectors(args)) => vectors::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Judge(args)) => judge::run(args),
        Some(Command::Hip(args)) => hip::run(args),
        Some(Command::Profile(args)) => profile::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Calibrate(args)) => calibrate::run(args),
        Some(Command::Tolerances(args)) => tolerances::run(args),
        Some(Command::Contracts(args)) => contracts::run(args),
        Some(Command::Bind(args)) => bind::run(args),
        Some(Command::Audit(args)) => audit::run(args),
        Some(Command::Mutate(args)) => mutate::run(args),
        Some(Command::Soak(args)) => soak::run(args),
        Some(Command::SelfTest(args)) => {
            args.check()?;
            self_test::run(&args.trials, &args.bug, args.explain.depth(), args.verbose)
        }
        Some(Command::Merge(args)) => merge::run(args),
        Some(Command::Compare(args)) => compare_reports::run(args),
        Some(Command::Completions(args)) => generate::completions(args),
        Some(Command::Man(args)) => generate::man(args),
        Some(Command::Trial) => Ok(trial::serve().map(|()| Exit::Passed)?),
        None if cli.run.self_test => self_test::run(&cli.run.trials, &[], None, cli.run.verbose),
        None if cli.run.seeds.is_some() => soak::seeds(&cli.run),
        None => run::run(&cli.run),
    }
}
