//! The flags of a run that several machines share, and of the commands for its reports.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::Format;
use crate::report::compare::Condition;
use crate::run::Part;

/// The flags that relate a run to other runs: parts beside it, and reports of earlier runs.
#[derive(Debug, Clone, Args)]
pub struct FleetArgs {
    /// Run only part K of N; the hash of a test's id chooses its part, and `merge` puts the reports of
    /// all parts together (docs/ci.md)
    #[arg(long, value_name = "K/N", conflicts_with_all = ["seeds", "self_test"])]
    pub partition: Option<Part>,

    /// Run only the tests that did not pass in the run of this report
    #[arg(long, value_name = "REPORT.json", conflicts_with_all = ["seeds", "self_test"])]
    pub failed: Option<PathBuf>,

    /// Do not count the failures that this file lists; a listed failure that does not happen any more is
    /// an error (docs/ci.md)
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["seeds", "self_test", "list"])]
    pub known: Option<PathBuf>,
}

/// Put reports of the parts of a run together
///
/// The parts must belong to one run (same version, seed, code object and device), and none may be
/// missing. Without `-o` the command only judges them together. The exit code is that of the whole run.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Reports that --report wrote
    #[arg(value_name = "REPORT.json", required = true)]
    pub reports: Vec<PathBuf>,

    /// Write the report of the whole run to this file, in the format of its extension: .json, .xml
    /// (JUnit), .md or .html
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Do not count the failures that this file lists; a listed failure that does not happen any more is
    /// an error
    #[arg(long, value_name = "FILE.toml")]
    pub known: Option<PathBuf>,

    /// Count tests that did not run as failed
    #[arg(long)]
    pub require_all: bool,

    /// Count the run as failed if fewer than N tests ran in all parts together
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub min_tests: Option<u32>,
}

/// Compare two reports, or two of `profile`, test by test: verdicts, errors, instructions, traffic,
/// model intervals
///
/// The exit code is 1 if a test that passed does not pass any more, or if a condition of --fail-if holds.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The report to compare with
    #[arg(value_name = "OLD.json")]
    pub old: PathBuf,

    /// The report of the run in question
    #[arg(value_name = "NEW.json")]
    pub new: PathBuf,

    /// Fail if this condition holds: 'instructions > +5%' for any test, 'total traffic > +1%' for all
    /// together, or 'error > 0.5' for the new value. Metrics: error, rms, instructions,
    /// vector-instructions, traffic, read, written, lds, scratch, barriers, vgprs, sgprs, spills, code,
    /// kernel-seconds, seconds, those of profiles (docs/ci.md), or a place in a test's report, as
    /// launches/*/counters/barriers. May be given several times
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,

    /// Count a test as failed if only OLD has it
    #[arg(long)]
    pub require_all: bool,

    /// Show this many tests for each metric, those with the largest changes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u16))]
    pub top: u16,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
