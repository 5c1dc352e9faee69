//! What known failures make of a run.

use std::io::Write as _;
use std::path::Path;

use serde_json::to_value;

use super::Demand;
use crate::exit::{Exit, Stop};
use crate::fleet::Report;
use crate::fleet::known::Known;
use crate::fleet::report::totals;
use crate::registry::Registry;
use crate::select::everything;
use crate::text::print;
use crate::verdict::{RunReport, Verdict};

/// The known failures of a file, which must be of tests that there are.
pub(in crate::commands) fn read(
    path: Option<&Path>,
    registry: Option<&Registry>,
) -> Result<Option<Known>, Stop> {
    let Some(path) = path else { return Ok(None) };
    let known = Known::read(path)?;
    if let Some(registry) = registry {
        let ids: Vec<&str> = everything(registry)
            .map(|one| one.case.id.as_str())
            .collect();
        known.check(&ids)?;
    }
    Ok(Some(known))
}

/// A report as one reads it from its file.
pub(super) fn written(report: &RunReport) -> Result<Report, Stop> {
    let value = to_value(report).map_err(|error| Stop::setup(error.to_string()))?;
    Ok(Report {
        name: "this run".into(),
        value,
    })
}

/// Tells which failures are known and which known ones did not happen, and how that ends. Beside JSON it is told on standard error.
pub(in crate::commands) fn exit(
    known: &Known,
    report: &Report,
    demand: Demand,
    json: bool,
) -> Result<Exit, Stop> {
    let outcome = known.hold(report.trials());
    let mut text: String = outcome
        .lines
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let mut totals = totals(report.trials());
    let bad = totals.total() - totals.pass - totals.skip;
    if bad > 0 {
        text.push_str(&format!(
            "known failures   {} of {bad} that did not pass\n",
            outcome.known
        ));
    }
    if json {
        let _ = std::io::stderr().write_all(text.as_bytes());
    } else if !text.is_empty() {
        print(&format!("\n{text}"))?;
    }
    for line in &outcome.stale {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    if !outcome.stale.is_empty() {
        return Ok(Exit::Failed);
    }
    // All that is known counts as if it had passed.
    if outcome.known == bad {
        for verdict in [Verdict::Fail, Verdict::Error, Verdict::Unsupported] {
            totals.pass += totals.of(verdict);
        }
        (totals.fail, totals.error, totals.unsupported) = (0, 0, 0);
    }
    Ok(super::exit(&totals, demand))
}
