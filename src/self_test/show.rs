//! The self-test as a table and as JSON.

use comfy_table::{Table, presets};
use serde_json::json;

use super::SelfTest;
use crate::report::fit;

/// Renders the result for people, in at most `columns` columns, or as JSON.
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
        let cases = test.cases.len();
        let silent = test
            .cases
            .iter()
            .filter(|case| case.silent.is_some())
            .count();
        let honest = test
            .cases
            .iter()
            .filter(|case| case.honest.is_none())
            .count();
        let row = |word: &str, what: &str, by: usize, of: usize, how: &str| {
            [word, &test.id, what, &format!("{by}/{of}"), how].map(String::from)
        };
        let word = |ok: bool| if ok { "caught" } else { "MISSED" };
        if verbose || silent < cases {
            let how = test
                .cases
                .first()
                .and_then(|case| case.silent.as_deref())
                .unwrap_or("-");
            table.add_row(row(
                word(silent == cases),
                "no kernel launched at all",
                silent,
                cases,
                how,
            ));
        }
        if verbose || honest < cases {
            let how = test
                .cases
                .iter()
                .find_map(|case| case.honest.as_deref())
                .unwrap_or("checked in every trial");
            table.add_row(row(
                word(honest == cases),
                "all zeros, inputs echoed",
                honest,
                cases,
                how,
            ));
        }
        for plant in &test.planted {
            let how = plant.caught.as_deref().unwrap_or("-");
            let here = plant.due || plant.caught.is_some();
            table.add_row(row(
                if here {
                    word(plant.caught.is_some())
                } else {
                    "not by it"
                },
                &plant.name,
                plant.by,
                plant.tried,
                how,
            ));
        }
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
    let silent = cases.iter().filter(|case| case.silent.is_some()).count();
    let honest = cases.iter().filter(|case| case.honest.is_none()).count();
    let all = cases.len();
    text.push_str(&format!(
        "planted bugs             {caught}/{planted} caught\n"
    ));
    text.push_str(&format!(
        "no launch at all         {silent}/{all} rejected\n"
    ));
    text.push_str(&format!(
        "all zeros, input echoed  {honest}/{all} rejected\n"
    ));
    text
}

/// The result for programs.
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
                        "honest_problem": case.honest,
                        "no_launch_rejected_by": case.silent,
                        "zeros_and_echoes_rejected": case.honest.is_none(),
                        "planted_caught": case.caught,
                    })
                })
                .collect();
            let planted: Vec<_> = test
                .planted
                .iter()
                .map(|plant| {
                    json!({
                        "name": plant.name,
                        "due": plant.due,
                        "caught": plant.caught.is_some(),
                        "by": plant.caught,
                        "cases": plant.by,
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
