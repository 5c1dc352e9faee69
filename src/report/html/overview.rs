//! The overview of a page: verdicts and errors by phase, and the cost of each kernel.

use std::collections::HashMap;

use crate::report::model::{PhaseReport, RunReport, Totals, TrialReport, Verdict};
use crate::text::kernel_label;

use super::super::plain;
use super::svg;

/// The most kernels in the table of costs.
const KERNELS: usize = 10;

/// Words for trials with each verdict.
pub(super) const WORDS: [(Verdict, &str); 5] = [
    (Verdict::Pass, "passed"),
    (Verdict::Fail, "failed"),
    (Verdict::Error, "in error"),
    (Verdict::Skip, "skipped"),
    (Verdict::Unsupported, "unsupported"),
];

/// The table of verdicts by phase.
pub(super) struct Overview {
    /// Headings of the counts. A verdict without trials has no column, but passes and failures always have one.
    pub(super) columns: Vec<&'static str>,
    pub(super) sums: Vec<Sum>,
    /// True if outputs were compared, so that rows have a picture of their errors.
    pub(super) drawn: bool,
}

/// A line of the overview.
pub(super) struct Sum {
    pub(super) link: Option<u32>,
    pub(super) name: String,
    pub(super) counts: Vec<Count>,
    pub(super) seconds: String,
    /// Picture of the errors as shares of their tolerances.
    pub(super) errors: String,
}

/// The number of trials with one verdict.
pub(super) struct Count {
    pub(super) number: usize,
    pub(super) bad: bool,
}

/// Returns the overview of a run.
pub(super) fn overview(report: &RunReport) -> Overview {
    let shown: Vec<(Verdict, &'static str)> = WORDS
        .into_iter()
        .filter(|(verdict, _)| {
            matches!(verdict, Verdict::Pass | Verdict::Fail) || report.totals.of(*verdict) > 0
        })
        .collect();
    let counts = |totals: Totals| -> Vec<Count> {
        let count = |&(verdict, _): &(Verdict, &str)| Count {
            number: totals.of(verdict),
            bad: verdict.is_bad() && totals.of(verdict) > 0,
        };
        shown.iter().map(count).collect()
    };
    let shares: Vec<svg::Shares> = report
        .phases
        .iter()
        .map(|phase| svg::Shares::new(used(&phase.trials)))
        .collect();
    let tallest = shares.iter().map(svg::Shares::tallest).max().unwrap_or(0);
    let phase = |(phase, shares): (&PhaseReport, &svg::Shares)| {
        let mut totals = Totals::default();
        phase
            .trials
            .iter()
            .for_each(|trial| totals.add(trial.verdict));
        Sum {
            link: Some(phase.number),
            name: format!("{}: {}", phase.number, plain::line(&phase.title)),
            counts: counts(totals),
            seconds: plain::seconds(phase.trials.iter().map(|trial| trial.seconds).sum()),
            errors: shares.draw(tallest),
        }
    };
    let mut sums: Vec<Sum> = report.phases.iter().zip(&shares).map(phase).collect();
    let all = [
        ("all tests", report.totals),
        ("documented tests", report.documented),
    ];
    let all = all.into_iter().filter(|(_, totals)| totals.total() > 0);
    sums.extend(all.map(|(name, totals)| Sum {
        link: None,
        name: name.into(),
        counts: counts(totals),
        seconds: String::new(),
        errors: String::new(),
    }));
    Overview {
        columns: shown.iter().map(|(_, word)| *word).collect(),
        sums,
        drawn: tallest > 0,
    }
}

/// Returns the larger of the two errors of each output, as a share of its tolerance. A NaN in one of them is a NaN in both.
fn used(trials: &[TrialReport]) -> impl Iterator<Item = f64> {
    let outputs = trials.iter().flat_map(|trial| &trial.outputs);
    outputs.map(|output| output.golden.used.max(output.oracle.used))
}

/// The table of kernels by cost.
pub(super) struct Costs {
    pub(super) kernels: Vec<KernelView>,
    /// The number of kernels that the table leaves out.
    pub(super) more: usize,
    /// True if a device counted wave instructions.
    pub(super) counted: bool,
}

/// A kernel with all its launches.
pub(super) struct KernelView {
    pub(super) name: String,
    pub(super) launches: usize,
    pub(super) instructions: u64,
    pub(super) seconds: String,
    pub(super) share: String,
    pub(super) bar: String,
}

/// The launches of a kernel.
#[derive(Clone, Copy, Default)]
struct Launches {
    count: usize,
    instructions: u64,
    /// Time on the device where the device measured it, or else the wall time of the launches.
    seconds: f64,
}

/// Returns the kernels that cost most: by wave instructions, or by time where no device counted instructions. None if nothing was launched.
pub(super) fn costs(report: &RunReport) -> Option<Costs> {
    let mut kernels: HashMap<&str, Launches> = HashMap::new();
    for launch in report.trials().flat_map(|trial| &trial.launches) {
        let kernel = kernels.entry(&launch.kernel).or_default();
        kernel.count += 1;
        kernel.instructions += launch.wave_instructions.unwrap_or(0);
        let seconds = launch.kernel_seconds.unwrap_or(launch.seconds);
        kernel.seconds += if seconds.is_finite() { seconds } else { 0.0 };
    }
    let counted = kernels.values().any(|kernel| kernel.instructions > 0);
    let cost = |kernel: &Launches| match counted {
        true => kernel.instructions as f64,
        false => kernel.seconds,
    };
    let all: f64 = kernels.values().map(cost).sum();
    let mut sorted: Vec<(&str, Launches)> = kernels.into_iter().collect();
    sorted.sort_by(|(a, x), (b, y)| cost(y).total_cmp(&cost(x)).then(a.cmp(b)));
    let most = cost(&sorted.first()?.1);
    let view = |&(name, launches): &(&str, Launches)| KernelView {
        name: kernel_label(name),
        launches: launches.count,
        instructions: launches.instructions,
        seconds: plain::seconds(launches.seconds),
        share: format!(
            "{:.1} %",
            100.0 * cost(&launches) / all.max(f64::MIN_POSITIVE)
        ),
        bar: svg::bar(cost(&launches) / most.max(f64::MIN_POSITIVE)),
    };
    Some(Costs {
        kernels: sorted.iter().take(KERNELS).map(view).collect(),
        more: sorted.len().saturating_sub(KERNELS),
        counted,
    })
}
