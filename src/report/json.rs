//! The JSON report: schema `deltanet-check/report/1`, in `schema/report-1.schema.json`.
//!
//! The report is the serialized form of `report::model`. Floats that are not finite are the strings `"NaN"`, `"inf"` and
//! `"-inf"`. Within one version of the schema nothing is removed or changes its meaning.

use std::io;

use crate::report::model::RunReport;

/// Returns the report as text that ends in a newline.
pub fn render(report: &RunReport) -> io::Result<String> {
    let mut text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
    text.push('\n');
    Ok(text)
}
