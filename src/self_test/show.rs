//! The self-test as a table and as JSON.

use comfy_table::{Table, presets};
use serde_json::json;

use super::result::ReasonCounts;
use super::{CaseResult, PlantedBugResult, SelfTest, TestResult};
use crate::binding::Reason;
use crate::report::fit;

/// Renders the result as a table of at most `columns` columns, or as JSON.
pub fn text(verbose: bool, as_json: bool, columns: Option<usize>, result: &SelfTest) -> String {
    match as_json {
        true => json(result),
        false => table(verbose, columns, result),
    }
}

fn table(verbose: bool, columns: Option<usize>, result: &SelfTest) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "",
        "test",
        "wrong on purpose",
        "cases",
        "what gives it away",
    ]);
    for test in &result.tests {
        table.add_rows(rows(test, verbose));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    fit(&mut table, columns);
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    format!(
        "device  {}\nseed    {}\n\n{}\n{}",
        result.device,
        result.seed,
        lines.concat(),
        summary(result)
    )
}

/// Returns the rows of a test: its planted bugs, and the outputs that no kernel computed. Without
/// `verbose`, such outputs have a row only if a case did not reject them.
fn rows(test: &TestResult, verbose: bool) -> Vec<[String; 5]> {
    let cases = test.cases.len();
    let row = |word: &str, what: &str, by: usize, of: usize, how: &str| {
        [word, &test.id, what, &format!("{by}/{of}"), how].map(String::from)
    };
    let word = |ok: bool| if ok { "caught" } else { "MISSED" };
    let mut rows = Vec::new();
    let is_rejected = |case: &&CaseResult| case.no_launch_rejected_by.is_some();
    let rejected = test.cases.iter().filter(is_rejected).count();
    if verbose || rejected < cases {
        let first = test.cases.first();
        let how = first.and_then(|case| case.no_launch_rejected_by.as_deref());
        rows.push(row(
            word(rejected == cases),
            "no kernel launched at all",
            rejected,
            cases,
            how.unwrap_or("-"),
        ));
    }
    // A pass of the right kernels proves that zeros and echoes are rejected.
    let problems: Vec<&str> = test
        .cases
        .iter()
        .filter_map(|case| case.honest_problem.as_deref())
        .collect();
    let rejected = cases - problems.len();
    if verbose || rejected < cases {
        rows.push(row(
            word(rejected == cases),
            "all zeros, inputs echoed",
            rejected,
            cases,
            problems
                .first()
                .copied()
                .unwrap_or("checked in every trial"),
        ));
    }
    rows.extend(test.planted.iter().map(|bug| {
        let counts = bug.due || bug.caught.is_some();
        let word = match counts {
            true => word(bug.caught.is_some()),
            false => "not by it",
        };
        let reason = reason(bug);
        let how = reason.as_deref().or(bug.caught.as_deref());
        let how = how.unwrap_or("-");
        row(word, &bug.name, bug.caught_by, bug.tried, how)
    }));
    rows
}

/// Returns the reason that a diagnosis found, with the right reasons if it is none of them.
fn reason(bug: &PlantedBugResult) -> Option<String> {
    let cause = bug.reason.as_ref()?;
    let right: Vec<String> = bug.right_reasons.iter().map(Reason::to_string).collect();
    let note = match bug.reason_is_right() {
        Some(false) => format!(" [not right: {}]", right.join(", ")),
        _ => String::new(),
    };
    Some(format!("{}: {}{note}", cause.kind, cause.text))
}

/// Renders how many reasons were right, by the kind of the right reason.
fn reasons(result: &SelfTest) -> String {
    let kinds = result.reasons();
    let mut text = String::from("\nreasons         bugs  right  wrong  none\n");
    let mut all = ReasonCounts::default();
    let line = |kind: &str, counts: &ReasonCounts| {
        let ReasonCounts { bugs, right, wrong } = counts;
        let none = bugs - right - wrong;
        format!("{kind:<14} {bugs:>5}  {right:>5}  {wrong:>5} {none:>5}\n")
    };
    for (kind, counts) in &kinds {
        text.push_str(&line(kind, counts));
        all.bugs += counts.bugs;
        all.right += counts.right;
        all.wrong += counts.wrong;
    }
    text + &line("all", &all)
}

fn summary(result: &SelfTest) -> String {
    let complaints = result.complaints();
    let mut text = String::new();
    if !result.complete {
        let (done, all) = (result.tests.len(), result.selected);
        text.push_str(&format!("interrupted: {done} of {all} tests\n\n"));
    }
    if !complaints.is_empty() {
        text.push_str("Missed\n");
        for line in &complaints {
            text.push_str(&format!("  {line}\n"));
        }
        text.push('\n');
    }
    let (planted, caught) = result.planted();
    let cases: Vec<_> = result.tests.iter().flat_map(|test| &test.cases).collect();
    let without_launch = cases
        .iter()
        .filter(|case| case.no_launch_rejected_by.is_some())
        .count();
    let zeros = cases
        .iter()
        .filter(|case| case.honest_problem.is_none())
        .count();
    let all = cases.len();
    text.push_str(&format!(
        "planted bugs             {caught}/{planted} caught\n"
    ));
    text.push_str(&format!(
        "no launch at all         {without_launch}/{all} rejected\n"
    ));
    text.push_str(&format!(
        "all zeros, input echoed  {zeros}/{all} rejected\n"
    ));
    if result.diagnosed {
        text.push_str(&reasons(result));
    }
    text
}

/// Renders the result as JSON.
pub fn json(result: &SelfTest) -> String {
    let tests: Vec<_> = result
        .tests
        .iter()
        .map(|test| {
            let cases: Vec<_> = test
                .cases
                .iter()
                .map(|case| {
                    json!({
                        "id": case.id,
                        "honest_problem": case.honest_problem,
                        "no_launch_rejected_by": case.no_launch_rejected_by,
                        "zeros_and_echoes_rejected": case.honest_problem.is_none(),
                        "planted_caught": case.caught,
                    })
                })
                .collect();
            let planted: Vec<_> = test
                .planted
                .iter()
                .map(|bug| {
                    json!({
                        "name": bug.name,
                        "due": bug.due,
                        "caught": bug.caught.is_some(),
                        "by": bug.caught,
                        "reason": bug.reason,
                        "right_reasons": bug.right_reasons.iter().map(Reason::to_string).collect::<Vec<_>>(),
                        "wrong_values": bug.wrong_values,
                        "reason_is_right": bug.reason_is_right(),
                        "cases": bug.caught_by,
                    })
                })
                .collect();
            json!({ "id": test.id, "phase": test.phase, "cases": cases, "planted": planted })
        })
        .collect();
    let (planted, caught) = result.planted();
    let document = json!({
        "schema": "deltanet-check/self-test/1",
        "version": env!("CARGO_PKG_VERSION"),
        "complete": result.complete,
        "selected": result.selected,
        "device": result.device,
        "seed": result.seed,
        "planted": planted,
        "caught": caught,
        "complaints": result.complaints(),
        "tests": tests,
    });
    format!("{document:#}\n")
}
