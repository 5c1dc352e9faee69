//! `compare`: a comparison of two reports, test by test.

use serde_json::json;

use super::table;
use crate::args::{CompareArgs, Format};
use crate::exit::{Exit, Stop};
use crate::report::compare::{Comparison, share};
use crate::report::saved::Report;
use crate::text::{escaped, print};

/// The number of tests that a list names; the other tests are counted.
const LISTED: usize = 20;

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<Exit, Stop> {
    let old = Report::read_any(&args.old)?.with_resources();
    let new = Report::read_any(&args.new)?.with_resources();
    check_kinds(&old, &new)?;
    let comparison = Comparison::new(&old, &new, &args.fail_if)?;
    let worse = comparison.worse().next().is_some();
    let missing = args.require_all && !comparison.missing.is_empty();
    let failed = worse || missing || !comparison.held.is_empty();
    match args.format {
        Format::Json => {
            let value = json!({
                "schema": "deltanet-check/compare/1",
                "old": old.name,
                "new": new.name,
                "failed": failed,
                "comparison": comparison,
            });
            print(&format!("{value:#}\n"))?;
        }
        Format::Table => print(&text(&old, &new, &comparison, usize::from(args.top)))?,
    }
    if comparison.both == 0 {
        return Err(Stop::nothing(format!(
            "no test is both in {} and in {}: compare runs of the same tests",
            old.name, new.name
        )));
    }
    Ok(if failed { Exit::Failed } else { Exit::Passed })
}

/// Checks that both are reports of runs, or both are profiles with the same assumptions.
fn check_kinds(old: &Report, new: &Report) -> Result<(), Stop> {
    if old.is_profile() != new.is_profile() {
        let (profile, run) = if old.is_profile() {
            (old, new)
        } else {
            (new, old)
        };
        return Err(Stop::setup(format!(
            "{} is a profile and {} the report of a run: compare two of a kind",
            profile.name, run.name
        )));
    }
    let clocks = [old, new].map(|report| report.at("/clock_mhz").as_f64());
    if let [Some(before), Some(after)] = clocks
        && before != after
    {
        return Err(Stop::setup(format!(
            "{} is of {before} MHz and {} of {after}: profile both at one --clock",
            old.name, new.name
        )));
    }
    for (at, what) in [
        ("/timing", "--timing"),
        ("/hot", "--hot"),
        ("/constants", "--card"),
    ] {
        if old.at(at) != new.at(at) {
            return Err(Stop::setup(format!(
                "{} and {} assume different things: profile both with the same {what}",
                old.name, new.name
            )));
        }
    }
    Ok(())
}

fn text(old: &Report, new: &Report, comparison: &Comparison, top: usize) -> String {
    let mut text = format!(
        "old  {}\nnew  {}\n{} tests in both\n",
        old.name, new.name, comparison.both
    );
    let rows = comparison.metrics.iter().map(|change| {
        let (greater, less) = (change.greater.to_string(), change.less.to_string());
        let numbers = [
            number(change.old),
            number(change.new),
            changed(change.old, change.new),
        ];
        [
            vec![change.metric.clone(), change.tests.to_string()],
            numbers.into(),
            vec![greater, less],
        ]
        .concat()
    });
    if !comparison.metrics.is_empty() {
        let header = ["metric", "tests", "old", "new", "change", "greater", "less"];
        text.push_str(&format!("\n{}", table(&header, &[1, 2, 3, 4, 5, 6], rows)));
    }
    let most = comparison.metrics.iter().flat_map(|change| {
        change.changed.iter().take(top).map(move |row| {
            let numbers = [number(row.old), number(row.new), changed(row.old, row.new)];
            [
                vec![change.metric.clone()],
                numbers.into(),
                vec![escaped(&row.test)],
            ]
            .concat()
        })
    });
    let most: Vec<Vec<String>> = most.collect();
    if !most.is_empty() {
        let header = ["changed most", "old", "new", "change", "test"];
        text.push_str(&format!("\n{}", table(&header, &[1, 2, 3], most)));
    }
    let verdicts = comparison.verdicts.iter();
    let verdicts: Vec<String> = verdicts
        .map(|(id, old, new)| format!("{} to {}  {id}", old.word(), new.word()))
        .collect();
    text.push_str(&listed("other verdicts", &verdicts));
    text.push_str(&listed("only in old", &comparison.missing));
    text.push_str(&listed("only in new", &comparison.added));
    let held = comparison.held.iter().map(|held| {
        let numbers = format!(
            "{} to {} ({})",
            number(held.old),
            number(held.new),
            changed(held.old, held.new)
        );
        format!("{}: {}: {numbers}", held.condition, held.test)
    });
    text.push_str(&listed("--fail-if", &held.collect::<Vec<_>>()));
    text
}

fn listed(title: &str, rows: &[String]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}: {}\n", rows.len());
    for row in rows.iter().take(LISTED) {
        text.push_str(&format!("  {}\n", escaped(row)));
    }
    if rows.len() > LISTED {
        text.push_str(&format!("  and {} more\n", rows.len() - LISTED));
    }
    text
}

/// A whole number as it is, another with three digits.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value}")
    } else {
        format!("{value:.3e}")
    }
}

fn changed(old: f64, new: f64) -> String {
    match share(old, new) {
        0.0 => "same".into(),
        share if share.is_finite() => format!("{:+.2} %", share * 100.0),
        share if share > 0.0 => "more".into(),
        _ => "less".into(),
    }
}
