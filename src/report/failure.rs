//! The full text of one trial: its problems with their diagnosis, and the line that runs the trial again.

use crate::report::model::{FindingReport, LaunchReport, OutputReport, TrialReport, Verdict};
use crate::text::kernel_label;

use super::look::{Lines, Look, RERUN};
use super::{picture, plain, problem};

/// Returns one trial in full, under its id.
pub fn text(trial: &TrialReport) -> String {
    text_as(trial, Look::default())
}

/// Returns one trial in full, in a given look.
pub(super) fn text_as(trial: &TrialReport, look: Look) -> String {
    let word = trial.verdict.word();
    let (id, title) = (plain::line(&trial.id), plain::line(&trial.title));
    let heading = format!("{word} {id}: {title} (seed {})\n", trial.seed);
    look.fitted(&heading, 2) + &look.labelled(&describe(trial, look))
}

/// Returns the lines about one trial, each with its label.
pub(super) fn describe(trial: &TrialReport, look: Look) -> Lines {
    let mut lines = launches(&trial.launches);
    if let Some(text) = &trial.error {
        let not_run = matches!(trial.verdict, Verdict::Skip | Verdict::Unsupported);
        let label = if not_run { "reason" } else { "error" };
        lines.extend(plain::lines(text).into_iter().map(|line| (label, line)));
    }
    if let Some(found) = &trial.problem {
        lines.extend(problem::explain(found, None, &trial.launches));
    }
    lines.extend(trial.findings.iter().take(SHOWN).flat_map(finding));
    if trial.findings.len() > SHOWN {
        let more = trial.findings.len() - SHOWN;
        lines.push((
            "finding",
            format!("and {more} more: the JSON report has them all"),
        ));
    }
    for law in &trial.relations {
        if let Some(broken) = &law.problem {
            lines.extend(problem::explain(broken, None, &trial.launches));
        }
        if let Some(damage) = &law.damage {
            lines.extend(picture::lines(damage, look));
        }
    }
    for output in trial
        .outputs
        .iter()
        .filter(|output| output.problem.is_some())
    {
        lines.extend(of_output(output, &trial.launches, true, look));
    }
    lines.push((RERUN, plain::line(&trial.rerun)));
    lines
}

/// The largest number of a trial's findings that are shown in full.
const SHOWN: usize = 8;

/// Returns the lines about a finding of the sanitizer.
fn finding(finding: &FindingReport) -> Vec<(&'static str, String)> {
    let mut place = format!(
        "{}, work-group {}, wave {}",
        kernel_label(&finding.kernel),
        plain::id(finding.work_group),
        finding.wave
    );
    match finding.lanes.as_str() {
        "" => {}
        one if one.parse::<u8>().is_ok() => place += &format!(", lane {one}"),
        many => place += &format!(", lanes {many}"),
    }
    if finding.count > 1 {
        place += &format!("; met {} times", finding.count);
    }
    let (check, kind) = (&finding.check, &finding.kind);
    let mut lines = vec![
        (
            "finding",
            plain::line(&format!("{check}: {kind}: {}", finding.what)),
        ),
        ("at", plain::line(&finding.at.to_string())),
        ("in", place),
    ];
    if let Some(other) = &finding.other {
        let mut text = plain::line(&other.did);
        if let Some(group) = other.work_group {
            text += &format!(", work-group {}", plain::id(group));
        }
        if let Some(wave) = other.wave {
            text += &format!(", wave {wave}");
        }
        if let Some(at) = &other.at {
            text += &format!(", at {}", plain::line(&at.to_string()));
        }
        lines.push(("other", text));
    }
    lines.push(("cure", plain::line(&finding.cure)));
    lines
}

/// Returns the text of findings that belong to no test.
pub fn findings(findings: &[FindingReport]) -> String {
    Look::default().labelled(&findings.iter().flat_map(finding).collect())
}

/// Returns the line with a trial's first problem.
pub(super) fn headline(trial: &TrialReport) -> String {
    let told = describe(trial, Look::default());
    let mut lines = told.iter();
    let line = lines.find(|(label, _)| ["error", "reason", "wrong", "finding"].contains(label));
    line.map_or(String::new(), |(_, text)| text.clone())
}

/// Returns the lines about one output. With `documented`, the heading has the tolerance's ceiling.
pub(super) fn of_output(
    output: &OutputReport,
    launches: &[LaunchReport],
    documented: bool,
    look: Look,
) -> Lines {
    let mut lines = vec![("output", heading(output, documented))];
    if let Some(found) = &output.problem {
        lines.extend(problem::explain(found, Some(output), launches));
    }
    lines.push(("metrics", metrics(output)));
    if let Some(damage) = &output.damage {
        lines.extend(picture::lines(damage, look));
    }
    lines
}

/// Lists every launch by its number, or the number of launches of each kind if there are many.
fn launches(launches: &[LaunchReport]) -> Vec<(&'static str, String)> {
    const MANY: usize = 8;
    if launches.len() <= MANY {
        return launches
            .iter()
            .enumerate()
            .map(|(n, one)| ("launch", format!("{}. {}", n + 1, launch(one))))
            .collect();
    }
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for text in launches.iter().map(launch) {
        match kinds.iter_mut().find(|(kind, _)| *kind == text) {
            Some((_, count)) => *count += 1,
            None => kinds.push((text, 1)),
        }
    }
    kinds
        .into_iter()
        .map(|(text, count)| ("launch", format!("{count} x {text}")))
        .collect()
}

fn launch(launch: &LaunchReport) -> String {
    let lds = if launch.dynamic_lds == 0 {
        String::new()
    } else {
        format!(", {} bytes of dynamic LDS", launch.dynamic_lds)
    };
    let (grid, block) = (plain::triple(launch.grid), plain::triple(launch.block));
    format!(
        "{}, {grid} work-groups of {block} work-items{lds}",
        kernel_label(&launch.kernel)
    )
}

/// Returns the heading of an output: `state: f32 [row 128, column 128], tolerance 1e-5 (ceiling 1e-2)`.
fn heading(output: &OutputReport, documented: bool) -> String {
    let axes: Vec<String> = output
        .axes
        .iter()
        .map(|axis| format!("{} {}", plain::line(&axis.name), axis.length))
        .collect();
    let tolerance = &output.tolerance;
    let mut limits = Vec::new();
    let mut rule = plain::rule(tolerance);
    if tolerance.scaled && output.alike() && output.golden.allowed > tolerance.absolute {
        limits.push(format!("{rule} times the largest value"));
        rule = plain::tolerance(output);
    }
    if tolerance.relative > 0.0 {
        limits.push(format!(
            "plus {} of the value",
            plain::limit(tolerance.relative)
        ));
    }
    if documented {
        limits.push(format!("ceiling {}", plain::limit(tolerance.ceiling)));
    }
    if let Some(rms) = tolerance.relative_rms {
        limits.push(format!("relative RMS {}", plain::limit(rms)));
    }
    let name = plain::line(&output.name);
    let limits = match limits.join(", ") {
        none if none.is_empty() => none,
        limits => format!(" ({limits})"),
    };
    let axes = axes.join(", ");
    format!(
        "{name}: {} [{axes}], tolerance {rule}{limits}",
        output.element
    )
}

fn metrics(output: &OutputReport) -> String {
    let golden = &output.golden;
    let ulp = golden.max_ulp.map_or("-".into(), |ulp| ulp.to_string());
    format!(
        "max diff {}, relative RMS {}, max ULP {ulp}; against f64: max diff {}, relative RMS {}",
        plain::error(golden.max_abs),
        plain::error(golden.relative_rms),
        plain::error(output.oracle.max_abs),
        plain::error(output.oracle.relative_rms),
    )
}
