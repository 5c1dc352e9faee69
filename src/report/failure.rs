//! The text of one trial: the reason, the problems with their diagnosis, and the line that runs the trial again.

use crate::report::model::{
    CauseReport, DiagnosisReport, FindingReport, LaunchReport, OutputReport, Problem, Severity,
    TrialReport, Verdict,
};
use crate::text::kernel_label;

use super::look::{Lines, Look, RERUN};
use super::{picture, plain, problem};

/// The label of a reason.
pub(super) const WHY: &str = "why";
/// The flag that shows the parts which a brief text leaves out.
const VERBOSE: &str = "-v";

/// The parts of a trial that its text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detail {
    /// Lines of an error's text.
    errors: usize,
    /// Lines about launches.
    launches: usize,
    /// Findings of the sanitizer in full.
    findings: usize,
    /// Broken laws and wrong outputs that are shown in full with their pictures, and in a line each.
    parts: [usize; 2],
    /// True if the origins of a value that is not finite are shown.
    origins: bool,
    /// Lines of a map. If it is 0 there are no pictures, and no metrics.
    map: usize,
}

impl Detail {
    /// Everything.
    pub(super) const WHOLE: Detail = Detail {
        errors: usize::MAX,
        launches: usize::MAX,
        findings: 8,
        parts: [usize::MAX; 2],
        origins: true,
        map: usize::MAX,
    };
    /// The parts for which a summary has room, the most first.
    pub(super) const BRIEF: [Detail; 5] = [
        Detail::brief(24),
        Detail::brief(12),
        Detail::brief(8),
        Detail {
            origins: false,
            ..Detail::brief(8)
        },
        Detail {
            errors: 6,
            findings: 1,
            origins: false,
            ..Detail::brief(0)
        },
    ];

    const fn brief(map: usize) -> Detail {
        Detail {
            errors: 10,
            launches: 3,
            findings: 2,
            parts: [1, 3],
            origins: true,
            map,
        }
    }
}

/// Returns one trial in full, under its id.
pub fn text(trial: &TrialReport) -> String {
    text_as(trial, Look::default())
}

/// Returns one trial in full, in a given look.
pub(super) fn text_as(trial: &TrialReport, look: Look) -> String {
    let word = trial.verdict.word();
    let (id, title) = (plain::line(&trial.id), plain::line(&trial.title));
    let heading = format!("{word} {id}: {title} (seed {})\n", trial.seed);
    look.fitted(&heading, 2) + &look.labelled(&describe(trial, Detail::WHOLE, look))
}

/// Returns the lines about one trial, each with its label. The reason stands first.
pub(super) fn describe(trial: &TrialReport, detail: Detail, look: Look) -> Lines {
    let reasons = reasons(trial);
    let mut lines: Lines = reasons.iter().map(|text| (WHY, text.clone())).collect();
    let smallest = trial.diagnosis.as_ref();
    let smallest = smallest.and_then(|diagnosis| diagnosis.smallest.as_ref());
    lines.extend(smallest.map(|smallest| ("smallest", plain::line(&smallest.case))));
    let origins = trial
        .diagnosis
        .iter()
        .flat_map(|diagnosis| &diagnosis.origins);
    if detail.origins {
        let origins = origins.map(|origin| format!("{}; {}", origin.text, origin.place));
        let origins = origins.map(|text| plain::line(&text));
        let origins = origins.filter(|text| !reasons.iter().any(|reason| reason.contains(text)));
        lines.extend(origins.map(|text| ("origin", text)));
    }
    if let Some(text) = &trial.error {
        let not_run = matches!(trial.verdict, Verdict::Skip | Verdict::Unsupported);
        let label = if not_run { "reason" } else { "error" };
        let text = plain::lines(text).into_iter().map(|line| (label, line));
        lines.extend(at_most(detail.errors, text.collect(), "lines"));
    }
    if let Some(found) = &trial.problem {
        lines.extend(problem::explain(found, None, &trial.launches));
    }
    lines.extend(
        trial
            .findings
            .iter()
            .take(detail.findings)
            .flat_map(finding),
    );
    if trial.findings.len() > detail.findings {
        let more = trial.findings.len() - detail.findings;
        lines.push((
            "finding",
            format!("and {more} more: the JSON report has them all"),
        ));
    }
    lines.extend(at_most(
        detail.launches,
        launches(&trial.launches),
        "launches",
    ));
    lines.extend(parts(trial, &reasons, detail, look));
    lines.extend(smallest.map(|smallest| (RERUN, plain::line(&smallest.rerun))));
    lines.push((RERUN, plain::line(&trial.rerun)));
    lines
}

/// Returns the lines about broken laws and wrong outputs. Reasons that the text has already are left out, and so are all
/// suppositions if experiments have found the cause.
fn parts(trial: &TrialReport, reasons: &[String], detail: Detail, look: Look) -> Lines {
    let diagnosed = trial.diagnosis.is_some();
    let [mut whole, mut short] = detail.parts;
    let mut more = 0;
    let mut lines = Lines::new();
    let laws = trial.relations.iter().filter_map(|law| {
        let told = problem::explain(law.problem.as_ref()?, None, &trial.launches);
        let pictures = law.damage.as_ref();
        let pictures = pictures.map(|damage| picture::lines(damage, detail.map, look));
        let told: Lines = told
            .into_iter()
            .chain(pictures.unwrap_or_default())
            .collect();
        Some(("law", plain::line(&law.name), told))
    });
    let outputs = trial.outputs.iter().filter_map(|output| {
        output.problem.as_ref()?;
        let told = output_lines(output, &trial.launches, true, detail.map, look);
        let known = |(label, text): &(&str, String)| {
            let text = of_output_named(trial, output, text);
            *label == WHY && (diagnosed || reasons.contains(&text))
        };
        let told = told.into_iter().filter(|line| !known(line)).collect();
        Some(("output", plain::line(&output.name), told))
    });
    for (label, name, told) in laws.chain(outputs) {
        let wrong = told.iter().find(|(label, _)| *label == "wrong");
        match (whole, short, wrong) {
            (0, 0, _) => more += 1,
            (0, _, Some((_, wrong))) => {
                short -= 1;
                lines.push((label, format!("{name}: {wrong}")));
            }
            _ => {
                whole = whole.saturating_sub(1);
                lines.extend(told);
            }
        }
    }
    if more > 0 {
        lines.push(("output", format!("and {more} more: {VERBOSE} shows them")));
    }
    lines
}

/// Returns the first lines of a list, and a line with the number of the others.
fn at_most(most: usize, mut lines: Lines, what: &str) -> Lines {
    // A line about the rest takes the place of one line.
    if lines.len() > most {
        let rest = lines.len() - most;
        lines.truncate(most);
        lines.push(("", format!("and {rest} more {what}: {VERBOSE} shows them")));
    }
    lines
}

/// Returns the causes that experiments have found.
pub(super) fn causes(trial: &TrialReport) -> &[CauseReport] {
    let diagnosis = trial.diagnosis.as_ref();
    diagnosis.map_or(&[], |diagnosis| &diagnosis.causes)
}

/// Returns the reasons of a failure: the causes that experiments have found, or else the best supposition about a wrong
/// output. A supposition is no reason if experiments were made and did not find it, or if the kernel has done something that it may not do.
pub(super) fn reasons(trial: &TrialReport) -> Vec<String> {
    let causes = causes(trial);
    if !causes.is_empty() {
        return causes.iter().map(cause).collect();
    }
    if trial.error.is_some() || trial.problem.is_some() || !trial.findings.is_empty() {
        return Vec::new();
    }
    if let Some(diagnosis) = &trial.diagnosis {
        return vec![not_found(diagnosis) + &small_error(trial)];
    }
    let mut supposed = trial.outputs.iter().filter_map(|output| {
        let told = problem::explain(output.problem.as_ref()?, Some(output), &[]);
        let mut reasons = told.into_iter().filter(|(label, _)| *label == WHY);
        let (_, text) = reasons.next()?;
        Some(of_output_named(trial, output, &text))
    });
    let supposed = supposed.next();
    supposed
        .or_else(|| unwritten_besides(trial))
        .into_iter()
        .collect()
}

/// Returns words for elements that were never written, of another output than the first wrong one: the same mistake may be plainer there.
fn unwritten_besides(trial: &TrialReport) -> Option<String> {
    let mut wrong = trial
        .outputs
        .iter()
        .filter(|output| output.problem.is_some());
    wrong.next();
    wrong.find_map(|output| match output.problem.as_ref()? {
        Problem::PoisonLeft {
            count,
            total,
            pattern,
            ..
        } => {
            let (name, part) = (plain::line(&output.name), plain::part(*count, *total));
            let pattern = pattern.as_ref();
            let places = pattern.map_or(String::new(), |pattern| {
                format!("; {}", plain::line(pattern))
            });
            Some(format!("of `{name}`, {part} were never written{places}"))
        }
        _ => None,
    })
}

/// Returns the words for experiments that have found no cause.
fn not_found(diagnosis: &DiagnosisReport) -> String {
    let launches = match diagnosis.launches {
        0 => return "not looked for: the case is too long for experiments".into(),
        1 => "1 launch".to_owned(),
        launches => format!("{launches} launches"),
    };
    let rest = match diagnosis.cut_short {
        true => ": the case is too long for all experiments",
        false => "",
    };
    format!("not found in {launches} with changed inputs{rest}")
}

/// The multiple of a tolerance up to which an error may be the roundings of a right kernel.
const SMALL: f64 = 8.0;

/// Returns words for errors so small that the tolerance may be too tight; none for others.
fn small_error(trial: &TrialReport) -> String {
    let far_elsewhere = trial
        .diagnosis
        .as_ref()
        .is_some_and(|found| found.far_elsewhere);
    match largest_error(trial) {
        most @ 1.0..SMALL if !far_elsewhere => format!(
            "; the largest error is {most:.1} times the tolerance, which may be too tight for a right kernel that rounds otherwise"
        ),
        _ => String::new(),
    }
}

/// Returns true if the errors of a failure are larger than the roundings of a right kernel.
pub fn is_far(trial: &TrialReport) -> bool {
    let most = largest_error(trial);
    most.is_nan() || most >= SMALL
}

/// Returns the largest error of the wrong outputs of a trial as a multiple of its tolerance.
fn largest_error(trial: &TrialReport) -> f64 {
    let wrong = trial
        .outputs
        .iter()
        .filter(|output| output.problem.is_some());
    let shares = wrong
        .flat_map(|output| [&output.golden, &output.oracle])
        .map(|metrics| {
            let rms = metrics
                .rms_allowed
                .map_or(0.0, |allowed| metrics.relative_rms / allowed);
            metrics.used.max(rms)
        });
    shares.fold(
        0.0,
        |most: f64, share| if share <= most { most } else { share },
    )
}

/// Adds the name of the output to a reason if the trial has several outputs.
fn of_output_named(trial: &TrialReport, output: &OutputReport, text: &str) -> String {
    match trial.outputs.len() {
        0 | 1 => text.to_owned(),
        _ => format!("`{}`: {text}", plain::line(&output.name)),
    }
}

/// Returns the words for a cause, with its share of the wrong elements.
fn cause(cause: &CauseReport) -> String {
    let text = plain::line(&cause.text);
    let Some(explains) = cause.explains else {
        return text;
    };
    let of = cause.output.as_ref();
    let of = of.map_or_else(String::new, |output| {
        format!(" of `{}`", plain::line(output))
    });
    let (right, wrong) = (explains.right, explains.wrong);
    match (right == wrong, wrong) {
        (true, 1) => format!("{text} (explains the wrong element{of})"),
        (true, _) => format!("{text} (explains all {wrong} wrong elements{of})"),
        (false, _) => format!("{text} (explains {right} of {wrong} wrong elements{of})"),
    }
}

/// Returns where a trial is wrong, in a line: the first problem and its place.
pub(super) fn place(trial: &TrialReport) -> String {
    let mut outputs = trial.outputs.iter();
    let wrong = outputs.find(|output| output.problem.is_some());
    let alone = trial.error.is_none() && trial.problem.is_none() && trial.findings.is_empty();
    let (Some(output), true) = (wrong, alone) else {
        let place = trial.error.as_deref().map(place_of_error);
        return first_problem(trial) + &place.unwrap_or_default();
    };
    let told = output.problem.as_ref();
    let told = told.map(|found| problem::explain(found, Some(output), &[]));
    let told = told.unwrap_or_default();
    let line = |label: &str| {
        let found = told.iter().find(|(known, _)| *known == label);
        found.map(|(_, text)| text.as_str())
    };
    let wrong = line("wrong").unwrap_or_default();
    let pattern = line("where").map_or_else(String::new, |text| format!("; {text}"));
    format!("`{}`: {wrong}{pattern}", plain::line(&output.name))
}

/// Returns where a kernel ended by an error: the distance of an address from a tensor, and the source line, or else the instruction.
fn place_of_error(text: &str) -> String {
    // The line of an address: `address 0x7f00, right behind the end of `u` (1024 bytes at 0x7e00)`.
    let distance = part_of_error(text, "address").and_then(|text| text.split_once(", "));
    let distance = distance.map(|(_, rest)| rest.split(" (").next().unwrap_or(rest));
    let parts = [distance, site_of_error(text)].into_iter().flatten();
    let parts = parts.map(|part| format!("; {}", plain::line(part)));
    parts.collect()
}

/// Returns the source line at which a kernel ended by an error, or else its instruction. An unrolled loop has several instructions for one line.
pub(super) fn site_of_error(text: &str) -> Option<&str> {
    part_of_error(text, "source").or_else(|| part_of_error(text, "pc"))
}

/// Returns what a line of an error's text says behind its label.
pub(super) fn part_of_error<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let mut lines = text.lines().skip(1).map(str::trim);
    lines.find_map(|line| {
        let rest = line.strip_prefix(label)?;
        rest.starts_with(' ').then(|| rest.trim())
    })
}

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
            match finding.severity {
                Severity::Hint => "hint",
                Severity::Portability | Severity::Mistake => "finding",
            },
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

/// Returns the line that says most about a trial: its reason, or else its first problem.
pub(super) fn headline(trial: &TrialReport) -> String {
    let mut reasons = reasons(trial).into_iter();
    reasons.next().unwrap_or_else(|| first_problem(trial))
}

/// Returns the line with a trial's first problem.
pub(super) fn first_problem(trial: &TrialReport) -> String {
    let told = describe(trial, Detail::WHOLE, Look::default());
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
    output_lines(output, launches, documented, usize::MAX, look)
}

/// Returns the lines about one output, whose map has at most `map` lines. If that is 0 the lines have neither pictures nor metrics.
fn output_lines(
    output: &OutputReport,
    launches: &[LaunchReport],
    documented: bool,
    map: usize,
    look: Look,
) -> Lines {
    let mut lines = vec![("output", heading(output, documented))];
    if let Some(found) = &output.problem {
        lines.extend(problem::explain(found, Some(output), launches));
    }
    if map > 0 {
        lines.push(("metrics", metrics(output)));
    }
    if let Some(damage) = &output.damage {
        lines.extend(picture::lines(damage, map, look));
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
