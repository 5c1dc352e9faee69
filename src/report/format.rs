//! Formats of a whole report, and the streams and files that reports are written to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::can_grow;
use crate::report::model::RunReport;
use crate::text::shown;

use super::{Event, Growing, Reporter, html, json, junit, markdown};

/// The format of a whole report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, for programs.
    Json,
    /// JUnit's XML, for services that show test results.
    Junit,
    /// Markdown, for the summary of a CI job.
    Markdown,
    /// HTML in one file, for a browser.
    Html,
}

/// The extensions that name a format.
const EXTENSIONS: [(&str, Format); 5] = [
    ("json", Format::Json),
    ("xml", Format::Junit),
    ("md", Format::Markdown),
    ("html", Format::Html),
    ("htm", Format::Html),
];

/// An error: a file's name does not end like the formats that a command writes.
#[derive(Debug, thiserror::Error)]
#[error("{flag} {path}: its name must end in {ends}")]
pub struct OtherFormat {
    flag: &'static str,
    path: String,
    ends: String,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Json, Format::Junit, Format::Markdown, Format::Html];

    /// Returns the format that a file's extension names; none if it names no format.
    fn of(path: &Path) -> Option<Format> {
        let extension = path
            .extension()
            .map(|end| end.to_string_lossy().to_lowercase());
        let known = EXTENSIONS
            .iter()
            .find(|(end, _)| extension.as_deref() == Some(end));
        if let Some((_, format)) = known {
            return Some(*format);
        }
        // GitHub names the file of a step's summary.
        if std::env::var_os("GITHUB_STEP_SUMMARY").is_some_and(|place| place == path) {
            return Some(Format::Markdown);
        }
        // The user cannot choose the name of a pipe or a device.
        (!can_grow(path)).then_some(Format::Json)
    }

    /// Returns the format that a file's extension names, which is one of those that a command writes.
    ///
    /// # Errors
    /// The extension names another format, or none.
    pub fn among(known: &[Format], flag: &'static str, path: &Path) -> Result<Format, OtherFormat> {
        let named = Format::of(path).filter(|format| known.contains(format));
        named.ok_or_else(|| {
            let ends: Vec<&str> = known.iter().map(|format| format.extension()).collect();
            let ends = match ends.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => ends.concat(),
            };
            let path = shown(path);
            OtherFormat { flag, path, ends }
        })
    }

    fn extension(self) -> &'static str {
        match self {
            Format::Json => ".json",
            Format::Junit => ".xml (JUnit)",
            Format::Markdown => ".md",
            Format::Html => ".html",
        }
    }

    /// Renders the report as text that ends in a newline.
    ///
    /// # Errors
    /// The report cannot be written in the format.
    pub fn render(self, report: &RunReport) -> io::Result<String> {
        match self {
            Format::Json => json::render(report),
            Format::Junit => junit::render(report),
            Format::Markdown => Ok(markdown::render(report)),
            Format::Html => html::render(report),
        }
    }
}

/// Writes the report to a stream when the run is over.
pub struct Stream<W>(pub W, pub Format);

impl<W: Write + Send> Reporter for Stream<W> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else {
            return Ok(());
        };
        self.0.write_all(self.1.render(report)?.as_bytes())?;
        self.0.flush()
    }
}

/// Writes the report to a file as it grows.
pub struct ReportFile {
    file: Growing,
    format: Format,
}

impl ReportFile {
    /// Makes a report file. Nothing is written yet.
    pub fn new(path: PathBuf, format: Format) -> ReportFile {
        ReportFile {
            file: Growing::new(path),
            format,
        }
    }

    fn write(&mut self, report: &RunReport) -> io::Result<()> {
        self.file.write(|| self.format.render(report))
    }
}

impl Reporter for ReportFile {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            // A file that cannot be written is an error before the first trial.
            Event::RunStarted(plan) if self.file.grows() => self.write(&plan.nothing_yet()),
            // Another reporter may have asked for this state.
            Event::RunStands(report) if self.wants_state() => self.write(report),
            Event::RunFinished(report) => self.write(report),
            _ => Ok(()),
        }
    }

    fn wants_state(&self) -> bool {
        self.file.is_due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_formats() {
        for (path, format) in [
            ("a/report.json", Format::Json),
            ("r.XML", Format::Junit),
            ("r.md", Format::Markdown),
            ("r.html", Format::Html),
            ("/dev/null", Format::Json),
        ] {
            assert_eq!(Format::of(Path::new(path)), Some(format), "{path}");
        }
        for path in ["report", "report.txt", "dir/"] {
            assert_eq!(Format::of(Path::new(path)), None, "{path}");
        }
    }
}
