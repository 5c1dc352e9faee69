//! `merge`: one report of the parts of a run.

use serde::Deserialize as _;

use super::run::{self, Demand};
use crate::args::MergeArgs;
use crate::exit::{Exit, Stop};
use crate::files::{check_place, write_atomically};
use crate::report::Format;
use crate::report::known::KnownFailures;
use crate::report::merge::merge;
use crate::report::model::{RunReport, Verdict};
use crate::report::saved::{Report, Trial, totals};
use crate::text::{escaped, not_run, print};

/// Runs the command.
pub fn run(args: &MergeArgs) -> Result<Exit, Stop> {
    let output = args.output.as_deref().map(|path| {
        let format = Format::among(&Format::ALL, "--output", path).map_err(Stop::usage)?;
        check_place(path).map_err(Stop::setup)?;
        Ok::<_, Stop>((path, format))
    });
    let output = output.transpose()?;
    let known = args.known.as_deref().map(KnownFailures::read).transpose()?;
    let reports = args
        .reports
        .iter()
        .map(|path| Report::read(path))
        .collect::<Result<Vec<_>, _>>()?;
    let merged = merge(&reports)?;
    if let Some(known) = &known {
        let ids: Vec<&str> = merged.trials().map(|trial| trial.id).collect();
        known.check(&ids)?;
    }
    if let Some((path, format)) = output {
        let text = rendered(&merged, format)?;
        write_atomically(path, text.as_bytes()).map_err(Stop::setup)?;
    }
    print(&summary(reports.len(), &merged))?;
    let demand = Demand {
        require_all: args.require_all,
        min_tests: args.min_tests,
    };
    match known {
        Some(known) => run::known::exit_code(&known, &merged, demand, false),
        None => Ok(run::exit_code(&totals(merged.trials()), demand)),
    }
}

/// Renders the merged report in a format. As JSON it keeps every key of its parts.
fn rendered(merged: &Report, format: Format) -> Result<String, Stop> {
    if format == Format::Json {
        return Ok(format!("{:#}\n", merged.value));
    }
    let report = RunReport::deserialize(&merged.value).map_err(|error| {
        Stop::setup(format!(
            "the merged report is damaged ({error}): run the tests again"
        ))
    })?;
    format.render(&report).map_err(Stop::setup)
}

/// Returns the lines about the tests that did not pass, and the counts of all tests.
fn summary(reports: usize, merged: &Report) -> String {
    let bad = |trial: &Trial<'_>| !matches!(trial.verdict, Verdict::Pass | Verdict::Skip);
    let row = |trial: Trial<'_>| {
        let again = trial.value["rerun"]
            .as_str()
            .map_or_else(String::new, |line| format!("    {}\n", escaped(line)));
        format!(
            "{:<11} {}\n{again}",
            trial.verdict.word(),
            escaped(trial.id)
        )
    };
    let mut text: String = merged.trials().filter(bad).map(row).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    let totals = totals(merged.trials());
    let others = Verdict::ALL
        .into_iter()
        .filter(|&verdict| verdict != Verdict::Pass && totals.of(verdict) > 0);
    let others: Vec<String> = others
        .map(|verdict| format!(", {} {}", totals.of(verdict), verdict.word()))
        .collect();
    text.push_str(&format!("reports          {reports}\n"));
    text.push_str(&format!(
        "all tests        {}/{} passed{}\n",
        totals.pass,
        totals.total(),
        others.concat()
    ));
    let skipped = merged
        .trials()
        .filter(|trial| trial.verdict == Verdict::Skip);
    let reasons: Vec<String> = skipped
        .map(|trial| {
            trial.value["error"]
                .as_str()
                .unwrap_or("no reason")
                .to_owned()
        })
        .collect();
    if let Some(line) = not_run(totals.total(), reasons.iter()) {
        text.push_str(&format!("not run          {line}\n"));
    }
    text
}
