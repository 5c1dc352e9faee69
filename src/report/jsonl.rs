//! The stream for programs: a line of JSON for each event, written as the event happens.
//!
//! `{"event": "started", ...}`, then `{"event": "trial", "trial": {...}}` for each trial in the order in which they end, and
//! `{"event": "finished", ...}` with the sums. The values are those of the JSON report.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::{Event, Reporter};
use crate::report::model::RunReport;

/// Writes the stream of JSON lines.
pub struct JsonLines<W>(pub W);

impl<W: Write> JsonLines<W> {
    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, line)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}

impl<W: Write + Send> Reporter for JsonLines<W> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => self.line(&json!({
                "event": "started",
                "schema": RunReport::SCHEMA,
                "version": env!("CARGO_PKG_VERSION"),
                "selected": plan.trials,
                "environment": plan.environment,
                "device": plan.device,
                "code_object": plan.code_object,
                "seed": plan.seed,
            })),
            Event::TrialFinished(trial) => self.line(&json!({ "event": "trial", "trial": trial })),
            Event::TrialDiagnosed(trial) => self.line(&json!({
                "event": "diagnosis",
                "id": trial.id,
                "diagnosis": trial.diagnosis,
            })),
            Event::RunFinished(report) => self.line(&json!({
                "event": "finished",
                "complete": report.complete,
                "totals": report.totals,
                "documented": report.documented,
                "seconds": report.seconds,
            })),
            Event::TrialStarted(_) | Event::RunStands(_) => Ok(()),
        }
    }
}
