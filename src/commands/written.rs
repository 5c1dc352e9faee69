//! Files that a result is written to as it grows, as JSON or as a page.

use std::io;
use std::path::PathBuf;

use crate::exit::Stop;
use crate::files::check_place;
use crate::report::{Format, Growing};

/// A result as files have it.
pub(super) struct Told<'a> {
    /// For programs.
    pub(super) json: &'a dyn Fn() -> io::Result<String>,
    /// For a browser.
    pub(super) page: &'a dyn Fn() -> io::Result<String>,
}

/// Places that were tried.
pub(super) struct Written(Vec<(Growing, Format)>);

fn broken(error: io::Error) -> Stop {
    Stop::setup(error.to_string())
}

impl Written {
    /// Tries the places before anything runs.
    ///
    /// # Errors
    /// A name says no format of these two, or nothing can be written there.
    pub(super) fn to(paths: &[PathBuf]) -> Result<Written, Stop> {
        let place = |path: &PathBuf| {
            let format = Format::among(&[Format::Json, Format::Html], "--report", path);
            let format = format.map_err(Stop::usage)?;
            check_place(path).map_err(broken)?;
            Ok((Growing::new(path.clone()), format))
        };
        paths
            .iter()
            .map(place)
            .collect::<Result<_, _>>()
            .map(Written)
    }

    /// Whether any would be written now.
    pub(super) fn is_due(&self) -> bool {
        self.0.iter().any(|(file, _)| file.is_due())
    }

    /// Writes what there is so far, where it is time to.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn grow(&mut self, told: &Told<'_>) -> Result<(), Stop> {
        let due = self.0.iter_mut().filter(|(file, _)| file.is_due());
        write(due, told)
    }

    /// Writes all of them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn finish(&mut self, told: &Told<'_>) -> Result<(), Stop> {
        write(self.0.iter_mut(), told)
    }
}

/// Writes each that can be written, and says what kept the first other from it.
fn write<'f>(
    files: impl Iterator<Item = &'f mut (Growing, Format)>,
    told: &Told<'_>,
) -> Result<(), Stop> {
    let mut done = Ok(());
    for (file, format) in files {
        let written = file.write(|| match format {
            Format::Html => (told.page)(),
            _ => (told.json)(),
        });
        done = done.and(written.map_err(broken));
    }
    done
}
