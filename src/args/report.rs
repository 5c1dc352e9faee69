//! The flags that choose the format of a run's result, and the files that it is written to.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::exit::Stop;
use crate::report::{self, Look, ReportFile};

use super::Color;

/// The flags of the result: its format on standard output, and the files of the report.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// Format of the result
    #[arg(long, value_enum, default_value_t = RunFormat::Table)]
    pub format: RunFormat,

    /// Write a report to this file as well, in the format of its extension: .json, .xml (JUnit), .md or
    /// .html; may be given several times. The file grows as the run goes on
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
}

/// Format of the result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// Text for a reader
    Table,
    /// JSON for programs: schema/report-1.schema.json
    Json,
    /// JSON for programs that follow the run: a line for each test as it ends
    Jsonl,
    /// JUnit's XML, for tools that show test results
    Junit,
    /// Markdown for the summary of a job
    Markdown,
    /// A page for a browser: one file that needs no other
    Html,
}

impl RunFormat {
    /// Returns the format of a report that is written at the end; nothing for a table and for a stream
    /// of lines.
    pub fn whole_report(self) -> Option<report::Format> {
        match self {
            RunFormat::Table | RunFormat::Jsonl => None,
            RunFormat::Json => Some(report::Format::Json),
            RunFormat::Junit => Some(report::Format::Junit),
            RunFormat::Markdown => Some(report::Format::Markdown),
            RunFormat::Html => Some(report::Format::Html),
        }
    }
}

impl ReportArgs {
    /// Returns the files of the report.
    ///
    /// # Errors
    /// The extension of a file names no format.
    pub fn files(&self) -> Result<Vec<ReportFile>, Stop> {
        let file = |path: &PathBuf| {
            let format = report::Format::among(&report::Format::ALL, "--report", path);
            let format = format.map_err(Stop::usage)?;
            Ok(ReportFile::new(path.clone(), format))
        };
        self.report.iter().map(file).collect()
    }

    /// Returns true if the result is printed as JSON, for commands that print only JSON and tables.
    /// `result` names the command's result in messages.
    ///
    /// # Errors
    /// The flags ask for another format.
    pub fn is_json(&self, result: &str) -> Result<bool, Stop> {
        match self.format {
            RunFormat::Table => Ok(false),
            RunFormat::Json => Ok(true),
            format => {
                let name = format.to_possible_value();
                let name = name.map_or(String::new(), |value| value.get_name().to_owned());
                Err(Stop::usage(format!(
                    "{result} cannot be printed as {name}: take --format table or json"
                )))
            }
        }
    }

    /// Returns the file for the JSON report, for commands that write only one such file. `result` names
    /// the command's result in messages.
    ///
    /// # Errors
    /// The flags name several files, or a file of another format.
    pub fn json_file(&self, result: &str) -> Result<Option<&Path>, Stop> {
        let Some((path, others)) = self.report.split_first() else {
            return Ok(None);
        };
        if !others.is_empty() {
            let message = format!("{result} goes into one report: give --report once");
            return Err(Stop::usage(message));
        }
        let format = report::Format::among(&[report::Format::Json], "--report", path);
        format.map_err(Stop::usage)?;
        Ok(Some(path))
    }
}

/// Returns the look of text on standard output. COLUMNS sets its width; the default is the width of the
/// terminal.
pub fn look(color: Color) -> Look {
    let terminal = io::stdout().is_terminal();
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns > 0);
    Look {
        color: color.is_enabled(),
        blocks: terminal && locale_is_utf8(),
        width: columns.or_else(|| terminal.then(terminal_width).flatten()),
    }
}

/// Returns the number of columns of the terminal on standard output.
fn terminal_width() -> Option<usize> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0).then_some(size.ws_col.into())
    }
    #[cfg(not(unix))]
    None
}

/// Returns true if the locale's encoding is UTF-8.
fn locale_is_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut values = names.iter().filter_map(|name| std::env::var(name).ok());
    let locale = values.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
