//! Files that a result is written to, as JSON or as a page.

use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Stop;
use crate::files::{check_place, write_atomically};
use crate::report::Format;
use crate::text::shown;

/// Places that were tried.
pub(super) struct Written<'a>(Vec<(&'a Path, Format)>);

fn broken(error: io::Error) -> Stop {
    Stop::setup(error.to_string())
}

impl<'a> Written<'a> {
    /// Tries the places before anything runs.
    ///
    /// # Errors
    /// A name says no format of these two, or nothing can be written there.
    pub(super) fn to(paths: &'a [PathBuf]) -> Result<Written<'a>, Stop> {
        let place = |path: &'a PathBuf| {
            let format = Format::of(path).ok();
            let known = format.filter(|format| matches!(format, Format::Json | Format::Html));
            let format = known.ok_or_else(|| {
                let path = shown(path);
                Stop::usage(format!(
                    "--report {path}: its name must end in .json or .html"
                ))
            })?;
            check_place(path).map_err(broken)?;
            Ok((path.as_path(), format))
        };
        paths
            .iter()
            .map(place)
            .collect::<Result<_, _>>()
            .map(Written)
    }

    /// Writes all of them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn write(
        &self,
        json: impl Fn() -> Result<String, Stop>,
        html: impl Fn() -> io::Result<String>,
    ) -> Result<(), Stop> {
        for (path, format) in &self.0 {
            let text = match format {
                Format::Html => html().map_err(broken)?,
                _ => json()?,
            };
            write_atomically(path, text.as_bytes()).map_err(broken)?;
        }
        Ok(())
    }
}
