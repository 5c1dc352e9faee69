//! The flags of `mutate`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};

use super::{ArgError, DeviceArgs, Format, LimitArgs, SanitizeArgs, SelectionArgs, SourceArgs};
use crate::mutate::Operator;

/// The help of `--kernel`, which selects the mutated kernels as well as the tests.
const KERNEL_HELP: &str = "Change only the kernels whose name matches this glob, on the tests that \
                           launch them; may be given several times";

/// Change one instruction of the kernels at a time, and report which tests kill the mutant.
#[derive(Debug, Args)]
#[command(mut_arg("kernel", |arg| arg.help(KERNEL_HELP)))]
pub struct MutateArgs {
    /// Flags that name the files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Flags that select the cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Number of mutants to draw of each kernel; 0: all of its mutants
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub per_kernel: usize,

    /// Take only the mutants of these operators
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(Operator::ALL.map(Operator::name))
    )]
    pub operator: Vec<String>,

    /// Seed of the inputs and of the draw: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Do part K of N of the campaign; `--merge` makes one report of all parts
    #[arg(long, value_name = "K/N", value_parser = parse_part)]
    pub partition: Option<(usize, usize)>,

    /// Run nothing: make one report of these reports, which are the parts of one campaign
    #[arg(
        long,
        value_name = "REPORT.json",
        num_args = 1..,
        conflicts_with_all = [
            "partition", "kernels", "bind", "registry", "phase", "test", "kernel", "seed",
            "per_kernel", "operator", "doubt"
        ]
    )]
    pub merge: Vec<PathBuf>,

    /// Run also the mutants that a rule proves to be equivalent, and stop at the first of them that a
    /// test kills
    #[arg(long)]
    pub doubt: bool,

    /// Flags of the sanitizer. A finding kills the mutant, for example one about a wait that the mutant
    /// weakens.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// Leave with code 1 if the score is below this
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fail_under: Option<f64>,

    /// Flags that choose the device.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Limits of each launch.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Number of mutants that run at the same time [default: one per core; on a card 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the report to this file as well, in the format of its extension: .json or .html; may be
    /// given several times. The file grows as the command goes on
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,

    /// Show every mutant that survived, and every instruction that no test executes
    #[arg(short, long)]
    pub verbose: bool,
}

impl MutateArgs {
    /// Returns the operators that the flags name; all operators if they name none.
    pub fn operators(&self) -> Vec<Operator> {
        let selected = |operator: &Operator| {
            self.operator.is_empty() || self.operator.iter().any(|name| name == operator.name())
        };
        Operator::ALL.into_iter().filter(selected).collect()
    }
}

/// Parses a part `K/N` of a campaign.
fn parse_part(text: &str) -> Result<(usize, usize), ArgError> {
    let parsed = text.split_once('/');
    let parsed = parsed.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parsed
        .filter(|&(k, n): &(usize, usize)| (1..=n).contains(&k))
        .ok_or_else(|| ArgError::Part(text.into()))
}

fn parse_percent(text: &str) -> Result<f64, ArgError> {
    let parsed = text.trim_end_matches('%').trim().parse::<f64>().ok();
    parsed
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| ArgError::Percent(text.into()))
}
