//! The flags of `mutate`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};

use super::{DeviceArgs, Format, LimitArgs, SanitizeArgs, SelectionArgs, SourceArgs};
use crate::mutate::Operator;

/// Change one instruction of the kernels at a time and see which tests notice.
#[derive(Debug, Args)]
#[command(mut_arg("kernel", |arg| arg.help("Change only the kernels whose name matches this glob, on the tests that launch them; may be given several times")))]
pub struct MutateArgs {
    /// Of which files.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// How many mutants to draw of each kernel; 0: every one that there is
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub per_kernel: usize,

    /// Only these operators
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(Operator::ALL.map(Operator::name)))]
    pub operator: Vec<String>,

    /// Seed of the inputs and of the draw: a number, or `random` to draw one
    #[arg(long, value_name = "N|random", default_value = "0")]
    pub seed: String,

    /// Do part K of N of the campaign; `--merge` makes one report of all parts
    #[arg(long, value_name = "K/N", value_parser = part)]
    pub partition: Option<(usize, usize)>,

    /// Run nothing: make one report of these, of the parts of one campaign
    #[arg(long, value_name = "REPORT.json", num_args = 1.., conflicts_with_all = ["partition", "kernels", "bind", "phase", "test", "kernel", "doubt"])]
    pub merge: Vec<PathBuf>,

    /// Run the mutants too that a rule proves to be equivalent, and stop at one that a test notices
    #[arg(long)]
    pub doubt: bool,

    /// What the sanitizer looks for: what it finds in a mutant is noticed, weaker waits among them.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// Leave with code 1 where the score is below this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_under: Option<f64>,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// What launches may use up.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// How many mutants run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the report to this file as well, in the format of its extension: .json or .html; may be given several times. It is written as the command goes on
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,

    /// Show every mutant that nobody noticed, and every place that nothing executes
    #[arg(short, long)]
    pub verbose: bool,
}

impl MutateArgs {
    /// The operators that it names; all where it names none.
    pub fn operators(&self) -> Vec<Operator> {
        let wanted = |operator: &Operator| {
            self.operator.is_empty() || self.operator.iter().any(|name| name == operator.name())
        };
        Operator::ALL.into_iter().filter(wanted).collect()
    }
}

/// `K/N`.
fn part(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('/');
    let parsed = parsed.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parsed
        .filter(|&(k, n): &(usize, usize)| (1..=n).contains(&k))
        .ok_or_else(|| format!("`{text}` is no part: write K/N with K from 1 to N, as in 2/8"))
}

fn percent(text: &str) -> Result<f64, String> {
    let parsed = text.trim_end_matches('%').trim().parse::<f64>().ok();
    parsed
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| format!("`{text}` is no percentage from 0 to 100"))
}
