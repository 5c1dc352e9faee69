//! KnownFailures failures (`--known`), and the exit code of a run that has some.

use std::io::Write as _;
use std::path::Path;

use serde_json::to_value;

use super::Demand;
use crate::exit::{Exit, Stop};
use crate::registry::Registry;
use crate::report::known::KnownFailures;
use crate::report::model::{RunReport, Verdict};
use crate::report::saved::{Report, totals};
use crate::run::all_cases;
use crate::text::print;

/// Reads the known failures of a file. With a registry, each must belong to a test of the registry.
pub(in crate::commands) fn read(
    path: Option<&Path>,
    registry: Option<&Registry>,
) -> Result<Option<KnownFailures>, Stop> {
    let Some(path) = path else { return Ok(None) };
    let known = KnownFailures::read(path)?;
    if let Some(registry) = registry {
        let ids: Vec<&str> = all_cases(registry)
            .map(|entry| entry.case.id.as_str())
            .collect();
        known.check(&ids)?;
    }
    Ok(Some(known))
}

/// Converts a report into the form that reading its file gives.
pub(super) fn reread(report: &RunReport) -> Result<Report, Stop> {
    let value = to_value(report).map_err(Stop::setup)?;
    Ok(Report {
        name: "this run".into(),
        value,
    })
}

/// Prints which failures are known, and which known failures did not happen, and returns the exit code. Beside JSON the text goes to standard
/// error.
pub(in crate::commands) fn exit_code(
    known: &KnownFailures,
    report: &Report,
    demand: Demand,
    json: bool,
) -> Result<Exit, Stop> {
    let held = known.hold(report.trials());
    let mut text: String = held.lines.iter().map(|line| format!("{line}\n")).collect();
    let mut totals = totals(report.trials());
    let bad = totals.total() - totals.pass - totals.skip;
    if bad > 0 {
        text.push_str(&format!(
            "known failures   {} of {bad} that did not pass\n",
            held.known
        ));
    }
    if json {
        let _ = std::io::stderr().write_all(text.as_bytes());
    } else if !text.is_empty() {
        print(&format!("\n{text}"))?;
    }
    for line in &held.stale {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    if !held.stale.is_empty() {
        return Ok(Exit::Failed);
    }
    // A known failure counts as a pass.
    if held.known == bad {
        for verdict in [Verdict::Fail, Verdict::Error, Verdict::Unsupported] {
            totals.pass += totals.of(verdict);
        }
        (totals.fail, totals.error, totals.unsupported) = (0, 0, 0);
    }
    Ok(super::exit_code(&totals, demand))
}
