//! Markdown for the summary of a job, and GitHub's annotations.

use std::fmt::Write as _;

use crate::report::model::{RunReport, Totals, TrialReport, Verdict};

use super::table::not_run;
use super::{failure, plain};

/// The largest number of failures that are shown in full, because GitHub limits the size of a summary.
const SHOWN: usize = 50;
/// The largest number of annotations that GitHub shows for a step.
const ANNOTATED: usize = 10;

/// Returns the report as text.
pub(super) fn render(report: &RunReport) -> String {
    let mut text = format!("## deltanet-check: {}\n\n", verdict(report));
    let object = &report.code_object;
    let _ = writeln!(
        text,
        "{} on {}, seed {}, {}\n",
        cell(&object.path),
        cell(&report.device.description),
        report.seed,
        plain::seconds(report.seconds)
    );
    text += "| phase | passed | failed | in error | skipped | unsupported |\n";
    text += "|:--|--:|--:|--:|--:|--:|\n";
    for phase in &report.phases {
        let mut totals = Totals::default();
        phase
            .trials
            .iter()
            .for_each(|trial| totals.add(trial.verdict));
        text += &row(&format!("{}: {}", phase.number, phase.title), &totals);
    }
    text += &row("all tests", &report.totals);
    if report.documented.total() > 0 {
        text += &row("documented tests", &report.documented);
    }
    if let Some(line) = not_run(report) {
        let _ = writeln!(text, "\nNot run: {}", cell(&line));
    }
    let bad: Vec<&TrialReport> = report
        .trials()
        .filter(|trial| trial.verdict.is_bad())
        .collect();
    if !bad.is_empty() {
        text += "\n### What did not pass\n";
    }
    for trial in bad.iter().take(SHOWN) {
        let heading = format!(
            "{} <code>{}</code>: {}",
            trial.verdict.word(),
            html(&trial.id),
            html(&failure::headline(trial))
        );
        let told = failure::text(trial);
        // The fence is longer than every run of backticks in the text, so that the text cannot end it.
        let fence = "`".repeat(longest_run(&told, '`').max(2) + 1);
        let _ = write!(
            text,
            "\n<details><summary>{heading}</summary>\n\n{fence}text\n{told}{fence}\n\n</details>\n"
        );
    }
    if bad.len() > SHOWN {
        let more = bad.len() - SHOWN;
        let _ = writeln!(text, "\nand {more} more: the JSON report has them all");
    }
    text
}

/// Returns workflow commands by which GitHub marks the trials that did not pass.
pub fn annotations(report: &RunReport) -> String {
    let bad = report.trials().filter(|trial| trial.verdict.is_bad());
    let command = |trial: &TrialReport| {
        let title = format!("{} {}", trial.verdict.word(), trial.id);
        let message = format!("{}\n{}", failure::headline(trial), trial.rerun);
        format!("::error title={}::{}\n", property(&title), data(&message))
    };
    bad.take(ANNOTATED).map(command).collect()
}

fn verdict(report: &RunReport) -> String {
    let ran = report.totals.total() - report.totals.skip;
    let passed = format!("{}/{ran} passed", report.totals.pass);
    match report.complete {
        true => passed,
        false => format!(
            "{passed}, not complete: {} of {} tests",
            report.totals.total(),
            report.selected
        ),
    }
}

fn row(what: &str, totals: &Totals) -> String {
    let numbers = Verdict::ALL.map(|verdict| match totals.of(verdict) {
        0 => String::new(),
        count if verdict.is_bad() => format!("**{count}**"),
        count => count.to_string(),
    });
    format!("| {} | {} |\n", cell(what), numbers.join(" | "))
}

/// Escapes foreign text for a table, so that none of it is markup.
fn cell(text: &str) -> String {
    let mut plain = String::new();
    for c in plain::line(text).chars() {
        if "\\`*_{}[]<>#|~&".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn html(text: &str) -> String {
    let plain = plain::line(text);
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn longest_run(text: &str, of: char) -> usize {
    let runs = text.split(|c| c != of).map(str::len);
    runs.max().unwrap_or(0)
}
