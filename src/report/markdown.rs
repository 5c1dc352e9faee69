//! Markdown for the summary of a job, and GitHub's annotations.

use std::fmt::Write as _;

use crate::report::model::{RunReport, Totals, Verdict};

use super::groups::{Group, groups};
use super::table::not_run;
use super::{failure, plain};

/// The largest number of groups of failures that are shown in full, because GitHub limits the size of a summary.
const SHOWN: usize = 50;
/// The largest number of ids of a group's other failures.
const IDS: usize = 20;
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
    let bad = groups(report.trials().filter(|trial| trial.verdict.is_bad()));
    if !bad.is_empty() {
        text += "\n### What did not pass\n";
    }
    for group in bad.iter().take(SHOWN) {
        let trial = group.first;
        let heading = format!(
            "{} <code>{}</code>: {}",
            trial.verdict.word(),
            html(&trial.id),
            html(&failure::headline(trial))
        );
        let mut told = failure::text(trial);
        if !group.others.is_empty() {
            let ids = group.others.iter().take(IDS);
            let ids: Vec<String> = ids.map(|trial| plain::line(&trial.id)).collect();
            told += &format!("\nand {} more:\n{}\n", group.others.len(), ids.join("\n"));
            let rest = group.others.len() - ids.len();
            if rest > 0 {
                told += &format!("and {rest} others: the JSON report has them all\n");
            }
        }
        let heading = match group.others.len() {
            0 => heading,
            1 => format!("{heading} (and 1 more case)"),
            others => format!("{heading} (and {others} more cases)"),
        };
        // The fence is longer than every run of backticks in the text, so that the text cannot end it.
        let fence = "`".repeat(longest_run(&told, '`').max(2) + 1);
        let _ = write!(
            text,
            "\n<details><summary>{heading}</summary>\n\n{fence}text\n{told}{fence}\n\n</details>\n"
        );
    }
    if bad.len() > SHOWN {
        let more: usize = bad.iter().skip(SHOWN).map(Group::count).sum();
        let _ = writeln!(text, "\nand {more} more: the JSON report has them all");
    }
    text
}

/// Returns workflow commands by which GitHub marks the trials that did not pass, one for each group.
pub fn annotations(report: &RunReport) -> String {
    let bad = report.trials().filter(|trial| trial.verdict.is_bad());
    let command = |group: &Group<'_>| {
        let trial = group.first;
        let title = format!("{} {}", trial.verdict.word(), trial.id);
        let (reason, problem) = (failure::headline(trial), failure::first_problem(trial));
        let mut message = vec![reason];
        if problem != message[0] {
            message.push(problem);
        }
        message.extend(match group.others.len() {
            0 => None,
            1 => Some("and 1 more case".to_owned()),
            others => Some(format!("and {others} more cases")),
        });
        message.push(trial.rerun.clone());
        let message = data(&message.join("\n"));
        format!("::error title={}::{message}\n", property(&title))
    };
    groups(bad).iter().take(ANNOTATED).map(command).collect()
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
