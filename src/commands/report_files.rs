//! The files of `--report`, which are rewritten as a result grows, as JSON or as a page.

use std::io;
use std::path::PathBuf;

use crate::exit::Stop;
use crate::files::check_place;
use crate::report::{Format, Growing};

/// Functions that render a result in the formats of the files.
pub(super) struct Renderers<'a> {
    /// Renders the result as JSON, for programs.
    pub(super) json: &'a dyn Fn() -> io::Result<String>,
    /// Renders the result as a page, for a browser.
    pub(super) page: &'a dyn Fn() -> io::Result<String>,
}

/// The files of a report, which were found to be writable.
pub(super) struct ReportFiles(Vec<(Growing, Format)>);

impl ReportFiles {
    /// Checks before anything runs that the files can be written.
    ///
    /// # Errors
    /// The extension of a file names neither format, or the file cannot be written.
    pub(super) fn open(paths: &[PathBuf]) -> Result<ReportFiles, Stop> {
        let file = |path: &PathBuf| {
            let format = Format::among(&[Format::Json, Format::Html], "--report", path);
            let format = format.map_err(Stop::usage)?;
            check_place(path).map_err(Stop::setup)?;
            Ok((Growing::new(path.clone()), format))
        };
        paths
            .iter()
            .map(file)
            .collect::<Result<_, _>>()
            .map(ReportFiles)
    }

    /// Returns true if it is time to write one of the files again.
    pub(super) fn is_due(&self) -> bool {
        self.0.iter().any(|(file, _)| file.is_due())
    }

    /// Writes the result so far to the files that it is time to write.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn grow(&mut self, renderers: &Renderers<'_>) -> Result<(), Stop> {
        let due = self.0.iter_mut().filter(|(file, _)| file.is_due());
        write(due, renderers)
    }

    /// Writes all files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn finish(&mut self, renderers: &Renderers<'_>) -> Result<(), Stop> {
        write(self.0.iter_mut(), renderers)
    }
}

/// Writes every file that can be written, and returns the error of the first that cannot.
fn write<'f>(
    files: impl Iterator<Item = &'f mut (Growing, Format)>,
    renderers: &Renderers<'_>,
) -> Result<(), Stop> {
    let mut result = Ok(());
    for (file, format) in files {
        let written = file.write(|| match format {
            Format::Html => (renderers.page)(),
            _ => (renderers.json)(),
        });
        result = result.and(written.map_err(Stop::setup));
    }
    result
}
