//! The JSON report: schema `deltanet-check/report/2`, in `schema/report-2.schema.json`.
//!
//! It is the run's data as `verdict` declares it. Floats that are not finite are the strings `"NaN"`, `"inf"` and
//! `"-inf"`. Within one version of the schema nothing is removed or changes its meaning.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::files::write_atomically;
use crate::verdict::RunReport;

use super::{Event, Reporter};

/// The report as text, ending in a newline.
pub fn render(report: &RunReport) -> io::Result<String> {
    let mut text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
    text.push('\n');
    Ok(text)
}

/// Writes the report to a stream when the run is over.
pub struct Json<W>(pub W);

impl<W: Write + Send> Reporter for Json<W> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else {
            return Ok(());
        };
        self.0.write_all(render(report)?.as_bytes())?;
        self.0.flush()
    }
}

/// Writes the report to a file when the run is over: whole or not at all.
pub struct JsonFile(pub PathBuf);

impl Reporter for JsonFile {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else {
            return Ok(());
        };
        write_atomically(&self.0, render(report)?.as_bytes())
    }
}
