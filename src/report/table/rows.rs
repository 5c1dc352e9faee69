//! The rows of a phase: a line for each output.

use comfy_table::{Attribute, Cell, CellAlignment, Color, Table as Grid};

use super::{Options, STYLE, plain};
use crate::report::model::{OutputReport, PhaseReport, Problem, TrialReport, Verdict};
use crate::text::shortened;

const HEADER: [&str; 9] = [
    "status",
    "name",
    "shape",
    "max_diff",
    "tolerance",
    "ceiling",
    "headroom",
    "f64 error",
    "time",
];
const VERBOSE_HEADER: [&str; 3] = ["rel RMS", "max ULP", "wave instr"];
/// The column of kernel times. It exists only where a device has measured its kernels.
pub(super) const KERNEL_TIME: &str = "kernels";

/// The legend of the columns.
pub(super) const LEGEND: [(&str, &str); 10] = [
    (
        "max_diff",
        "largest absolute difference from the golden reference: the kernel's type and order of operations",
    ),
    (
        "tolerance",
        "what the element of the largest error is allowed: scaled, with its relative share, its ulp as a number",
    ),
    (
        "ceiling",
        "the document's own tolerance, which judges nothing",
    ),
    (
        "headroom",
        "how much of the tolerance the larger of the two errors takes up",
    ),
    (
        "f64 error",
        "largest absolute difference from the formula in f64",
    ),
    ("time", "of the test: references, launches and judgement"),
    (
        "rel RMS",
        "sqrt(sum (got-want)^2 / sum want^2) against the golden reference",
    ),
    (
        "max ULP",
        "largest distance in units in the last place of the output's type",
    ),
    ("wave instr", "instructions that waves ran, of all launches"),
    (KERNEL_TIME, "time of the kernels on the device"),
];

/// Returns the table of a phase's trials that are shown. `timed` is true if a device has measured kernels.
pub(super) fn grid(
    options: Options,
    phase: &PhaseReport,
    timed: bool,
    shown: impl Fn(&TrialReport) -> bool,
) -> Grid {
    let mut grid = Grid::new();
    grid.load_style(STYLE);
    if options.look.color {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    let verbose: &[&str] = if options.verbose {
        &VERBOSE_HEADER
    } else {
        &[]
    };
    let timed = timed && options.verbose;
    let last = timed.then_some(&KERNEL_TIME);
    grid.set_header(HEADER.iter().chain(verbose).chain(last));
    // Skipped trials are listed below by their reasons.
    let ran = phase
        .trials
        .iter()
        .filter(|trial| trial.verdict != Verdict::Skip)
        .filter(|trial| shown(trial));
    for trial in ran {
        let mut row = |output, first| {
            let mut cells = cells(options, trial, output, first);
            if timed {
                cells.push(Cell::new(if first {
                    kernel_time(trial)
                } else {
                    String::new()
                }));
            }
            grid.add_row(cells);
        };
        if trial.outputs.is_empty() {
            row(None, true);
        }
        for (n, output) in trial.outputs.iter().enumerate() {
            row(Some(output), n == 0);
        }
    }
    for (n, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if n >= 3 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid
}

fn cells(
    options: Options,
    trial: &TrialReport,
    output: Option<&OutputReport>,
    first: bool,
) -> Vec<Cell> {
    // A problem of no output (a guard, an input) shows in the first row.
    let blamed = trial.outputs.len() > 1
        && trial
            .outputs
            .iter()
            .any(|output| output.verdict == trial.verdict);
    let verdict = match output {
        Some(output) if blamed || !first => output.verdict,
        _ => trial.verdict,
    };
    let name = name(trial);
    let name = match output {
        Some(output) if trial.outputs.len() > 1 => format!("{name}: {}", output.name),
        _ => name.to_string(),
    };
    let number = |of: fn(&OutputReport) -> String| output.map_or("-".to_string(), of);
    // In a pipe a name is whole, so that it can be searched.
    let fitting = |name: String| match options.look.width {
        Some(_) => shortened(&name),
        None => name,
    };
    let once = |text: String| if first { text } else { String::new() };
    let mut cells = vec![
        Cell::new(verdict.word())
            .fg(color(verdict))
            .add_attribute(Attribute::Bold),
        Cell::new(fitting(plain::line(&name))),
        Cell::new(fitting(plain::line(&trial.shape))),
        Cell::new(number(|output| plain::error(output.golden.max_abs))),
        Cell::new(number(plain::tolerance)),
        Cell::new(number(|output| plain::limit(output.tolerance.ceiling))),
        Cell::new(number(headroom)),
        Cell::new(number(|output| plain::error(output.oracle.max_abs))),
        Cell::new(once(plain::seconds(trial.seconds))),
    ];
    if options.verbose {
        let count = |count: Option<u64>| count.map_or("-".to_string(), |count| count.to_string());
        cells.push(Cell::new(number(|output| {
            plain::error(output.golden.relative_rms)
        })));
        cells.push(Cell::new(
            output.map_or("-".to_string(), |output| count(output.golden.max_ulp)),
        ));
        cells.push(Cell::new(once(count(trial.wave_instructions))));
    }
    cells
}

fn color(verdict: Verdict) -> Color {
    match verdict {
        Verdict::Pass => Color::DarkGreen,
        Verdict::Fail | Verdict::Error => Color::DarkRed,
        Verdict::Skip | Verdict::Unsupported => Color::DarkYellow,
    }
}

/// Returns the time that the kernels of a trial took on the device, where the device measured it.
fn kernel_time(trial: &TrialReport) -> String {
    let times = trial
        .launches
        .iter()
        .filter_map(|launch| launch.kernel_seconds);
    let all: Vec<f64> = times.collect();
    if all.is_empty() {
        return "-".into();
    }
    plain::seconds(all.iter().sum())
}

/// Returns the share of the tolerance that the larger of the two errors uses up.
pub(in crate::report) fn headroom(output: &OutputReport) -> String {
    if output.tolerance.is_exact() && output.verdict == Verdict::Pass {
        return "exact".into();
    }
    if let Some(Problem::RelativeRms { found, allowed, .. }) = &output.problem {
        return plain::used(found / allowed);
    }
    let limit = &output.tolerance;
    if let (Some(ulp), true) = (limit.ulp, limit.absolute == 0.0 && limit.relative == 0.0) {
        let [golden, oracle] = [output.golden.max_ulp, output.oracle.max_ulp];
        let most = golden
            .zip(oracle)
            .map(|(golden, oracle)| golden.max(oracle));
        return most.map_or("-".into(), |most| format!("{most} of {ulp} ulp"));
    }
    // A NaN in one of them is a NaN in both, so that `max` does not hide it.
    plain::used(output.golden.used.max(output.oracle.used))
}

/// Returns the id without the shape at its end, because the next column has the shape.
fn name(trial: &TrialReport) -> &str {
    match trial.id.rsplit_once(':') {
        Some((name, shape)) if shape.replace(',', " ") == trial.shape => name,
        _ => &trial.id,
    }
}
