//! The flags that say how the result of a run is told, and where it is written.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::exit::Stop;
use crate::report::{self, Look, ReportFile};

use super::Color;

/// How the result is told.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = RunFormat::Table)]
    pub format: RunFormat,

    /// Write a report to this file as well, in the format of its extension: .json, .xml (JUnit), .md or .html; may be given several times. It
    /// is written as the run goes on
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
}

/// How the result of a run is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For reading
    Table,
    /// For programs: schema/report-1.schema.json
    Json,
    /// For programs that follow the run: a line for each test as it ends
    Jsonl,
    /// For what shows test results: JUnit's XML
    Junit,
    /// For the summary of a job
    Markdown,
    /// For a browser: one file that needs no other
    Html,
}

impl RunFormat {
    /// The format of a whole report; none of a table and of a stream.
    pub fn whole(self) -> Option<report::Format> {
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
    /// The files that are written.
    ///
    /// # Errors
    /// A name says no format.
    pub fn files(&self) -> Result<Vec<ReportFile>, Stop> {
        let file = |path: &PathBuf| {
            let format = report::Format::among(&report::Format::ALL, "--report", path);
            let format = format.map_err(Stop::usage)?;
            Ok(ReportFile::new(path.clone(), format))
        };
        self.report.iter().map(file).collect()
    }

    /// Whether the result is printed as JSON, by what knows that and tables alone.
    ///
    /// # Errors
    /// Another format is asked for.
    pub fn json(&self, what: &str) -> Result<bool, Stop> {
        match self.format {
            RunFormat::Table => Ok(false),
            RunFormat::Json => Ok(true),
            other => {
                let name = other.to_possible_value();
                let name = name.map_or(String::new(), |value| value.get_name().to_owned());
                Err(Stop::usage(format!(
                    "{what} cannot be printed as {name}: take --format table or json"
                )))
            }
        }
    }

    /// The one file that JSON is written to, by what writes that alone.
    ///
    /// # Errors
    /// There are several, or it is to hold something else.
    pub fn json_file(&self, what: &str) -> Result<Option<&Path>, Stop> {
        let Some((path, others)) = self.report.split_first() else {
            return Ok(None);
        };
        if !others.is_empty() {
            let says = format!("{what} writes one report: give --report once");
            return Err(Stop::usage(says));
        }
        let format = report::Format::among(&[report::Format::Json], "--report", path);
        format.map_err(Stop::usage)?;
        Ok(Some(path))
    }
}

/// How text on standard output looks: as wide as its terminal, or as COLUMNS says.
pub fn look(color: Color) -> Look {
    let terminal = io::stdout().is_terminal();
    let given = std::env::var("COLUMNS").ok();
    let given = given
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns > 0);
    Look {
        color: color.wanted(),
        blocks: terminal && speaks_utf8(),
        width: given.or_else(|| terminal.then(width).flatten()),
    }
}

/// The columns of the terminal that is standard output.
fn width() -> Option<usize> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0).then_some(size.ws_col.into())
    }
    #[cfg(not(unix))]
    None
}

/// Whether the locale's characters are those of Unicode.
fn speaks_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut set = names.iter().filter_map(|name| std::env::var(name).ok());
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
