//! The HTML page of a campaign: scores, and the disassembly with the outcomes of mutants. It needs no other file and no network.

mod pictures;

use std::collections::BTreeMap;
use std::io;

use askama::Template;

use super::report::{Counts, FunctionReport, MutantOutcome, MutantReport, MutationReport};
use super::show::percent;
use crate::report::Frame;
use crate::text::{demangled, escaped};

/// The largest number of instructions in all functions together at which every function is listed in full.
const WHOLE: usize = 20_000;

#[derive(Template)]
#[template(path = "mutation.html")]
struct Page {
    frame: Frame,
    functions: Vec<FunctionView>,
    chips: Vec<Chip>,
    legend: Vec<(&'static str, &'static str)>,
    not_launched: String,
}

struct Chip {
    class: &'static str,
    count: usize,
    checked: bool,
}

struct FunctionView {
    name: String,
    code: usize,
    covered: usize,
    cases: usize,
    mutants: usize,
    killed: usize,
    survived: usize,
    score: String,
    bar: String,
    strip: String,
    left_out: Option<String>,
    lines: Vec<LineView>,
}

struct LineView {
    offset: String,
    text: String,
    /// The source line of the instruction; empty if the line before has the same.
    source: String,
    class: Option<&'static str>,
    mutants: Vec<MutantView>,
}

struct MutantView {
    class: &'static str,
    words: String,
    operator: String,
    is: String,
    told: Vec<String>,
}

/// Renders the HTML page of a campaign.
///
/// # Errors
/// The template cannot be rendered.
pub fn page(report: &MutationReport) -> io::Result<String> {
    let counts = report.counts();
    let survived = survivors(&counts);
    let good = report.complete && survived == 0;
    let class = if good { "pass" } else { "fail" };
    let lines = report.functions.iter();
    let whole = lines.map(|function| function.listing.len()).sum::<usize>() <= WHOLE;
    let names = report.not_launched.iter().map(|name| demangled(name));
    let badge = match counts.score() {
        Some(score) => format!("score {}", percent(Some(score))),
        None => "nothing judged".into(),
    };
    let page = Page {
        frame: Frame::new(
            "deltanet-check mutate",
            (class, badge),
            state(report),
            facts(report),
        ),
        functions: report
            .functions
            .iter()
            .map(|one| function(report, one, whole))
            .collect(),
        chips: chips(report, survived > 0),
        legend: pictures::LEGEND.to_vec(),
        not_launched: escaped(&names.collect::<Vec<_>>().join(", ")),
    };
    let mut text = page.render().map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn survivors(counts: &Counts) -> usize {
    counts.missed + counts.within_tolerance + counts.not_infected
}

fn state(report: &MutationReport) -> String {
    let counts = report.counts();
    let end = match report.complete {
        true => String::new(),
        false => format!(
            "not complete: {} of {} mutants; ",
            report.mutants.len(),
            report.drawn
        ),
    };
    let part = if report.is_part() {
        "; a part of a campaign"
    } else {
        ""
    };
    format!(
        "{end}{} killed of {}; {} missed, {} within tolerance, {} not infected; {} equivalent{part}",
        counts.killed,
        counts.judged(),
        counts.missed,
        counts.within_tolerance,
        counts.not_infected,
        counts.equivalent
    )
}

fn facts(report: &MutationReport) -> Vec<(&'static str, String)> {
    let (object, asked) = (&report.code_object, &report.asked);
    let mut facts = vec![
        ("device", report.device.clone()),
        (
            "code object",
            format!("{}, sha256 {}", object.path, object.sha256),
        ),
        ("seed", asked.seed.to_string()),
        ("cases", asked.cases.to_string()),
    ];
    let operators = asked.operators.iter().map(ToString::to_string);
    facts.push(("operators", operators.collect::<Vec<_>>().join(", ")));
    let asked = [
        ("phases", &asked.phases),
        ("tests", &asked.tests),
        ("kernels", &asked.kernels),
    ];
    let asked = asked.into_iter().filter(|(_, words)| !words.is_empty());
    facts.extend(asked.map(|(label, words)| (label, words.join(", "))));
    facts.push(("parts", report.parts.join(", ")));
    facts.push(("time", format!("{:.0} s", report.seconds)));
    facts
}

/// Returns a checkbox for each outcome. The survivors' boxes are checked if a mutant survived; otherwise all are.
fn chips(report: &MutationReport, survived: bool) -> Vec<Chip> {
    let mut found: BTreeMap<&'static str, (usize, bool)> = BTreeMap::new();
    for mutant in &report.mutants {
        let entry = found.entry(mutant.outcome.name()).or_default();
        *entry = (entry.0 + 1, !survived || mutant.outcome.survived());
    }
    let chips = found.into_iter().map(|(class, (count, checked))| Chip {
        class,
        count,
        checked,
    });
    chips.collect()
}

fn function(report: &MutationReport, function: &FunctionReport, whole: bool) -> FunctionView {
    let mut mutants: BTreeMap<u64, Vec<&MutantReport>> = BTreeMap::new();
    let own = report
        .mutants
        .iter()
        .filter(|mutant| mutant.function == function.name);
    for mutant in own {
        mutants.entry(mutant.offset).or_default().push(mutant);
    }
    let counts = Counts::of(mutants.values().flatten().copied());
    let executed = executed(report, function);
    let survived = survivors(&counts);
    let short = !whole && survived == 0;
    let name = escaped(&demangled(&function.name));
    let mut lines: Vec<LineView> = Vec::new();
    let mut source = None;
    for (line, &executed) in function.listing.iter().zip(&executed) {
        let here = mutants.get(&line.offset).map_or(&[][..], Vec::as_slice);
        if short && here.is_empty() {
            continue;
        }
        let other = line.source.is_some() && line.source != source;
        lines.push(LineView {
            offset: format!("{:#x}", line.offset),
            text: line.text.clone(),
            source: match &line.source {
                Some(place) if other => escaped(place),
                _ => String::new(),
            },
            class: (!executed).then_some("uncovered"),
            mutants: here.iter().map(|one| mutant(&name, one)).collect(),
        });
        source.clone_from(&line.source);
    }
    FunctionView {
        code: function.instructions,
        covered: function.covered,
        cases: function.cases,
        mutants: mutants.values().map(Vec::len).sum(),
        killed: counts.killed,
        survived,
        score: percent(counts.score()),
        bar: pictures::bar(&counts),
        strip: pictures::strip(&function.listing, &executed, &mutants),
        left_out: short.then(|| "only instructions that were changed are listed".into()),
        lines,
        name,
    }
}

/// Returns for each line of a listing whether a test executes it.
fn executed(report: &MutationReport, function: &FunctionReport) -> Vec<bool> {
    let mut executed = vec![true; function.listing.len()];
    let own = report.uncovered.iter();
    for run in own.filter(|run| run.function == function.name) {
        let first = function
            .listing
            .partition_point(|line| line.offset < run.offset);
        let lines = executed.iter_mut().skip(first).take(run.instructions);
        lines.for_each(|executed| *executed = false);
    }
    executed
}

fn mutant(function: &str, mutant: &MutantReport) -> MutantView {
    let source = mutant.source.as_deref().map_or_else(String::new, escaped);
    let operator = mutant.operator.to_string();
    let class = mutant.outcome.name();
    let words = [function, &mutant.was, &mutant.is, &operator, &source];
    MutantView {
        class,
        words: words.join(" ").to_lowercase(),
        is: mutant.is.clone(),
        told: told(mutant).iter().map(|line| escaped(line)).collect(),
        operator,
    }
}

/// Describes the outcome of a mutant in lines of text.
fn told(mutant: &MutantReport) -> Vec<String> {
    let ran = format!(
        "ran in {} of {} cases that execute it",
        mutant.ran, mutant.executed_by
    );
    match &mutant.outcome {
        MutantOutcome::Killed { test, how, .. } => vec![format!("{test}: {how}")],
        MutantOutcome::Missed { saw } | MutantOutcome::NotInfected { saw } => {
            let saw = saw.iter().map(|saw| format!("saw {saw}"));
            [ran].into_iter().chain(saw).collect()
        }
        MutantOutcome::WithinTolerance { test } => vec![ran, format!("differs in {test}")],
        MutantOutcome::Equivalent { rule } => vec![format!("by the rule {rule}")],
        MutantOutcome::NotJudged => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{killed, report};
    use super::super::report::{Line, UncoveredStretch};
    use super::*;

    /// Makes a function of instructions of four bytes.
    fn of(instructions: u64) -> FunctionReport {
        let line = |at| Line {
            offset: 4 * at,
            text: "s_nop 0".into(),
            source: Some("a.hip:3".into()),
        };
        FunctionReport {
            name: "kernel".into(),
            sha256: "00".into(),
            instructions: 5,
            covered: 3,
            cases: 1,
            listing: (0..instructions).map(line).collect(),
        }
    }

    fn campaign() -> MutationReport {
        let missed = MutantOutcome::Missed {
            saw: vec!["v1 = <&>".into()],
        };
        let mut report = report(
            "1/1",
            vec![(0, killed()), (4, missed), (4, MutantOutcome::NotJudged)],
        );
        report.functions.push(of(5));
        report.uncovered.push(UncoveredStretch {
            function: "kernel".into(),
            offset: 8,
            instructions: 2,
            text: "s_nop 0".into(),
            path: String::new(),
        });
        report
    }

    #[test]
    fn instructions_that_nothing_executes_are_known_by_their_run() {
        let report = campaign();
        let executed = executed(&report, &report.functions[0]);
        assert_eq!(executed, [true, true, false, false, true]);
    }

    #[test]
    fn a_page_has_every_mutant_and_loads_nothing() {
        let page = page(&campaign()).expect("written");
        assert!(!page.contains("://"), "nothing is loaded");
        assert_eq!(page.matches("class=\"item mutant\"").count(), 3);
        assert!(page.contains("saw v1 = &#60;&#38;&#62;"), "it is escaped");
        // The reader is looking for mutants that survived.
        assert!(page.contains("value=\"missed\" checked"));
        assert!(page.contains("value=\"killed\">"));
        assert_eq!(page.matches("a.hip:3").count(), 1, "a source line once");
        for class in ["survived", "killed", "uncovered", "executed"] {
            let cell = format!("<rect class=\"{class}\"");
            assert!(page.contains(&cell), "{class}");
        }
    }
}
