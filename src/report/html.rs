//! The HTML report, one file that needs no other file and no network: overview, filter and search, pictures of failures.

mod chart;
mod frame;
mod overview;
mod svg;

use std::collections::HashMap;
use std::io;

use askama::Template;

use crate::report::model::number::Real;
use crate::report::model::{
    Damage, Level, OutputReport, Problem, RelationReport, RunReport, TrialReport, Verdict, WrongRow,
};
use crate::tensor::Axis;

use super::failure::Detail;
use super::groups::{Group, groups};
use super::look::{Lines, Look, MAP};
use super::picture;
use super::table::rows::headroom;
use super::{counters, failure, plain};
use overview::{Costs, Overview};

pub use chart::Chart;
pub use frame::Frame;

/// Returns the report as text that ends in a newline.
pub(super) fn render(report: &RunReport) -> io::Result<String> {
    let mut text = page(report).render().map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    frame: Frame,
    causes: Vec<CauseView>,
    overview: Overview,
    costs: Option<Costs>,
    chips: Vec<(&'static str, &'static str, usize)>,
    phases: Vec<PhaseView>,
    counters: Option<String>,
    levels: Vec<(usize, &'static str)>,
}

/// A group of failures with one cause, on the first screen.
struct CauseView {
    class: &'static str,
    verdict: &'static str,
    /// The anchor of the first failure's section.
    link: String,
    id: String,
    /// The number of the other failures in words.
    others: Option<String>,
    lines: Vec<(String, Vec<String>)>,
    /// Map of the first wrong output, for the first cause only.
    map: Option<String>,
}

struct PhaseView {
    number: u32,
    title: String,
    note: Option<String>,
    open: bool,
    trials: Vec<TrialView>,
}

struct TrialView {
    /// The anchor of the trial's section.
    link: String,
    id: String,
    title: String,
    shape: String,
    verdict: &'static str,
    class: String,
    /// The words that a search looks through.
    words: String,
    rows: Vec<RowView>,
    /// The description of the trial's problem, where there is one.
    diagnosis: Option<DiagnosisView>,
}

/// An output in the table.
struct RowView {
    name: String,
    max_diff: String,
    tolerance: String,
    ceiling: String,
    headroom: String,
    oracle: String,
    time: String,
}

struct DiagnosisView {
    lines: Vec<(String, Vec<String>)>,
    pictures: Vec<Picture>,
}

/// The pictures of an output.
struct Picture {
    name: String,
    axes: Option<String>,
    map: Option<String>,
    histogram: String,
    counted: String,
    series: Vec<(String, String)>,
    rows: Vec<RowsView>,
}

/// Elements of a line beside their reference values.
struct RowsView {
    place: String,
    cells: Vec<CellView>,
}

struct CellView {
    at: String,
    got: String,
    want: String,
    difference: String,
    wrong: bool,
}

fn page(report: &RunReport) -> Page {
    let progress = match report.complete {
        true => "complete".to_owned(),
        false => format!(
            "not complete: {} of {} tests",
            report.totals.total(),
            report.selected
        ),
    };
    let counts = overview::WORDS.map(|(verdict, word)| (report.totals.of(verdict), word));
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let state = format!(
        "{progress}: {}; {}; {}",
        counts.join(", "),
        plain::seconds(report.seconds),
        report.device.description
    );
    let good = report.complete && report.totals.pass + report.totals.skip == report.totals.total();
    let badge = match good {
        true => ("pass", "passed"),
        false => ("fail", "not passed"),
    };
    let chips =
        Verdict::ALL.map(|verdict| (class(verdict), verdict.word(), report.totals.of(verdict)));
    Page {
        frame: Frame::new("deltanet-check", badge, state, facts(report)),
        causes: causes(report),
        overview: overview::overview(report),
        costs: overview::costs(report),
        chips: chips.into_iter().filter(|(.., count)| *count > 0).collect(),
        phases: phases(report),
        counters: counters::tables(report, None),
        levels: Level::ALL
            .iter()
            .enumerate()
            .map(|(at, level)| (at, picture::words(*level)))
            .collect(),
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Error => "error",
        Verdict::Skip => "skip",
        Verdict::Unsupported => "unsupported",
    }
}

fn facts(report: &RunReport) -> Vec<(&'static str, String)> {
    let (environment, object) = (&report.environment, &report.code_object);
    let host = &environment.host;
    let name = host.name.as_deref().unwrap_or("unnamed");
    let mut facts = vec![
        ("device", report.device.description.clone()),
        (
            "code object",
            format!("{}, sha256 {}", object.path, object.sha256),
        ),
    ];
    facts.extend(object.build.clone().map(|build| ("built by", build)));
    if let Some(registry) = &environment.registry {
        facts.push((
            "registry",
            format!("{}, sha256 {}", registry.path, registry.sha256),
        ));
    }
    facts.extend([
        ("seed", report.seed.to_string()),
        ("started", environment.started.clone()),
        (
            "host",
            format!(
                "{name}, {} {}, {} threads",
                host.os, host.architecture, host.threads
            ),
        ),
        ("command", environment.command.join(" ")),
        ("time", plain::seconds(report.seconds)),
    ]);
    facts
}

/// Labels of the lines that tell the reason and the place of a failure, and the most lines of each failure on the first screen.
const TELLING: [&str; 11] = [
    "why", "error", "finding", "at", "in", "cure", "wrong", "law", "first", "worst", "where",
];
const TELLING_LINES: usize = 9;

/// Returns the failures by cause: the first with its lines and its map, the others with a reason or a place.
fn causes(report: &RunReport) -> Vec<CauseView> {
    let links: HashMap<*const TrialReport, String> = report
        .trials()
        .enumerate()
        .map(|(at, trial)| (std::ptr::from_ref(trial), link(at)))
        .collect();
    let groups = groups(report.trials().filter(|trial| trial.verdict.is_bad()));
    let view = |(at, group): (usize, &Group<'_>)| {
        let trial = group.first;
        let lines = if at == 0 {
            let mut lines = failure::describe(trial, Detail::WHOLE, Look::default());
            // Lines without a label go on with the line before.
            let mut telling = false;
            lines.retain(|(label, _)| {
                telling = TELLING.contains(label) || (label.is_empty() && telling);
                telling
            });
            lines.truncate(TELLING_LINES);
            grouped(lines)
        } else {
            let mut reasons = failure::reasons(trial).into_iter();
            let (label, line) = match reasons.next() {
                Some(reason) => ("why", reason),
                None if trial.verdict == Verdict::Error => ("error", failure::place(trial)),
                None => ("wrong", failure::place(trial)),
            };
            vec![(label.into(), vec![line])]
        };
        let others = group.count() - 1;
        let cases = if others == 1 { "case" } else { "cases" };
        let of_outputs = trial.outputs.iter().map(|output| output.damage.as_ref());
        let of_laws = trial.relations.iter().map(|law| law.damage.as_ref());
        let mut damages = of_outputs.chain(of_laws).flatten();
        let map = damages.find_map(|damage| damage.map.as_ref());
        CauseView {
            class: class(trial.verdict),
            verdict: trial.verdict.word(),
            link: links[&std::ptr::from_ref(trial)].clone(),
            id: plain::line(&trial.id),
            others: (others > 0).then(|| format!("and {others} more {cases}")),
            lines,
            map: map.filter(|_| at == 0).map(svg::map),
        }
    };
    groups.iter().enumerate().map(view).collect()
}

/// Returns the anchor of a trial's section, from the trial's place in the report.
fn link(at: usize) -> String {
    format!("trial-{at}")
}

fn phases(report: &RunReport) -> Vec<PhaseView> {
    let mut phases = Vec::new();
    let mut links = (0..).map(link);
    for phase in &report.phases {
        let bad = phase.trials.iter().any(|trial| trial.verdict.is_bad());
        phases.push(PhaseView {
            number: phase.number,
            title: plain::line(&phase.title),
            note: phase.note.as_deref().map(plain::line),
            open: bad || report.phases.len() == 1,
            trials: phase.trials.iter().zip(&mut links).map(trial).collect(),
        });
    }
    phases
}

fn trial((trial, link): (&TrialReport, String)) -> TrialView {
    let kernels: Vec<&str> = trial
        .launches
        .iter()
        .map(|launch| launch.kernel.as_str())
        .collect();
    let words =
        [&trial.id, &trial.title, &trial.shape, &kernels.join(" ")].map(|text| plain::line(text));
    let mut rows: Vec<RowView> = trial
        .outputs
        .iter()
        .map(|output| row(trial, output))
        .collect();
    if rows.is_empty() {
        rows.push(RowView {
            name: String::new(),
            max_diff: "-".into(),
            tolerance: "-".into(),
            ceiling: "-".into(),
            headroom: "-".into(),
            oracle: "-".into(),
            time: String::new(),
        });
    }
    if let Some(first) = rows.first_mut() {
        first.time = plain::seconds(trial.seconds);
    }
    let tell = trial.verdict != Verdict::Pass || !trial.findings.is_empty();
    TrialView {
        link,
        id: plain::line(&trial.id),
        title: plain::line(&trial.title),
        shape: plain::line(&trial.shape),
        verdict: trial.verdict.word(),
        class: class(trial.verdict).into(),
        words: words.join(" ").to_lowercase(),
        rows,
        diagnosis: tell.then(|| diagnose(trial)),
    }
}

fn row(trial: &TrialReport, output: &OutputReport) -> RowView {
    let several = trial.outputs.len() > 1;
    RowView {
        name: if several {
            plain::line(&output.name)
        } else {
            String::new()
        },
        max_diff: plain::error(output.golden.max_abs),
        tolerance: plain::tolerance(output),
        ceiling: plain::limit(output.tolerance.ceiling),
        headroom: headroom(output),
        oracle: plain::error(output.oracle.max_abs),
        time: String::new(),
    }
}

fn diagnose(trial: &TrialReport) -> DiagnosisView {
    let outputs = trial.outputs.iter();
    let outputs =
        outputs.filter_map(|output| Some(drawn(of_output(output), output.damage.as_ref()?)));
    let laws = trial.relations.iter();
    let laws = laws.filter_map(|law| Some(drawn(of_law(law)?, law.damage.as_ref()?)));
    DiagnosisView {
        lines: grouped(failure::describe(trial, Detail::WHOLE, Look::default())),
        pictures: outputs.chain(laws).collect(),
    }
}

/// Groups lines that belong together under their label. Pictures are left out, because they are drawn otherwise.
fn grouped(lines: Lines) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (label, line) in lines {
        if label == MAP || label == "along" {
            continue;
        }
        match groups.last_mut() {
            Some((last, lines)) if last == label || label.is_empty() => lines.push(line),
            _ => groups.push((label.to_owned(), vec![line])),
        }
    }
    groups
}

/// An output that is drawn: its name, type and axes, and the limits that are the same for all its elements.
struct DrawnOutput<'a> {
    name: String,
    element: &'a str,
    axes: &'a [Axis],
    /// The tolerance and the ceiling, if all elements have the same tolerance.
    limits: Option<[f64; 2]>,
}

fn of_output(output: &OutputReport) -> DrawnOutput<'_> {
    DrawnOutput {
        name: plain::line(&output.name),
        element: &output.element,
        axes: &output.axes,
        limits: output
            .alike()
            .then_some([output.golden.allowed, output.tolerance.ceiling]),
    }
}

fn of_law(law: &RelationReport) -> Option<DrawnOutput<'_>> {
    match law.problem.as_ref()? {
        Problem::RelationBroken {
            relation,
            output,
            element,
            axes,
            ..
        } => Some(DrawnOutput {
            name: format!("{} by {}", plain::line(output), plain::line(relation)),
            element,
            axes,
            limits: None,
        }),
        _ => None,
    }
}

fn drawn(of: DrawnOutput<'_>, damage: &Damage) -> Picture {
    let histogram = &damage.histogram;
    let mut counted = format!("{} without error", histogram.exact);
    if histogram.not_finite > 0 {
        counted += &format!(", {} NaN or infinite", histogram.not_finite);
    }
    let caption = |series: &crate::report::model::Series| {
        let axis = &series.axis;
        format!(
            "Largest error along {} ({})",
            plain::line(&axis.name),
            axis.length
        )
    };
    Picture {
        axes: damage.map.as_ref().map(picture::axes),
        map: damage.map.as_ref().map(svg::map),
        histogram: svg::histogram(histogram, of.limits),
        counted,
        series: damage
            .series
            .iter()
            .map(|series| (caption(series), svg::series(series, of.limits)))
            .collect(),
        rows: damage.rows.iter().map(|row| numbers(&of, row)).collect(),
        name: of.name,
    }
}

fn numbers(of: &DrawnOutput<'_>, row: &WrongRow) -> RowsView {
    let first = row.index.last().copied().unwrap_or(0);
    let lines = row.got.iter().zip(&row.want).zip(&row.allowed).enumerate();
    let cell =
        |(at, ((&Real(got), &Real(want)), &Real(allowed))): (usize, ((&Real, &Real), &Real))| {
            let same = got == want && got.is_sign_negative() == want.is_sign_negative();
            let difference = if same { 0.0 } else { got - want };
            CellView {
                at: (first + at).to_string(),
                got: plain::value_of(of.element, got),
                want: plain::value_of(of.element, want),
                difference: plain::error(difference),
                wrong: difference.is_nan() || difference.abs() > allowed,
            }
        };
    let axes = of.axes.split_last().map_or(&[][..], |(_, leading)| leading);
    let leading = row
        .index
        .split_last()
        .map_or(&[][..], |(_, leading)| leading);
    let across = of.axes.last().map_or("element", |axis| axis.name.as_str());
    let place = match leading.is_empty() {
        true => format!("by {}", plain::line(across)),
        false => format!(
            "{}, by {}",
            plain::place(axes, leading),
            plain::line(across)
        ),
    };
    RowsView {
        place,
        cells: lines.map(cell).collect(),
    }
}
