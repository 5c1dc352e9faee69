//! What has been profiled so far, as it is told and written.

use super::super::written::{Told, Written};
use crate::exit::Stop;
use crate::profile::{Failed, ProfileReport, Profiled, page, text};
use crate::run::Ends;
use crate::text::print;

/// Where and how it is told.
pub(super) struct Telling {
    /// Files.
    pub(super) written: Written,
    /// True if JSON is printed instead of tables.
    pub(super) json: bool,
}

/// Names and what they stand for.
type About = Vec<(&'static str, String)>;

/// What there is so far.
pub(super) struct Found {
    report: ProfileReport,
    /// What a page says beside it.
    about: About,
    told: Telling,
}

impl Found {
    /// Before anything has run; where there is to be a report, it says so.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(report: ProfileReport, about: About, told: Telling) -> Result<Found, Stop> {
        let mut found = Found::of(report, told);
        found.about = about;
        found.grow()?;
        Ok(found)
    }

    /// The same, of which nothing is written yet.
    pub(super) fn of(report: ProfileReport, told: Telling) -> Found {
        Found {
            report,
            about: Vec::new(),
            told,
        }
    }

    /// What a page says beside it.
    pub(super) fn about(&mut self, about: About) {
        self.about = about;
    }

    /// A case is profiled.
    pub(super) fn profiled(&mut self, profiled: Profiled) {
        self.report.profiles.push(profiled);
    }

    /// A case did not pass.
    pub(super) fn failed(&mut self, id: String, message: String) {
        self.report.failed.push(Failed { id, message });
    }

    /// Writes the files that are due.
    ///
    /// # Errors
    /// One cannot be written.
    pub(super) fn grow(&mut self) -> Result<(), Stop> {
        let (report, about) = (&self.report, &self.about);
        self.told.written.grow(&Told {
            json: &|| report.json(),
            page: &|| page(report, about.clone()),
        })
    }
}

impl Ends for Found {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        self.report.complete = complete;
        let (report, about) = (&self.report, &self.about);
        let written = self.told.written.finish(&Told {
            json: &|| report.json(),
            page: &|| page(report, about.clone()),
        });
        // What did not pass is told as an error.
        if complete && report.profiles.is_empty() {
            return written;
        }
        let text = match self.told.json {
            true => report
                .json()
                .map_err(|error| Stop::setup(error.to_string())),
            false => Ok(text(report)),
        };
        written.and(text.and_then(|text| print(&text)))
    }
}
