//! The profiles so far, as they are printed and written.

use super::super::report_files::{Renderers, ReportFiles};
use crate::exit::Stop;
use crate::interrupt::RunResults;
use crate::profile::{CaseProfile, ProfileReport, UnprofiledCase, page, text};
use crate::text::print;

/// The outputs of the command: the files of its report, and the format of standard output.
pub(super) struct Output {
    /// Files of the report.
    pub(super) files: ReportFiles,
    /// True if JSON is printed instead of tables.
    pub(super) json: bool,
}

/// Lines of a page about the command: names, and their texts.
type About = Vec<(&'static str, String)>;

/// The profiles so far.
pub(super) struct ProfileState {
    report: ProfileReport,
    /// Lines of the page about the command.
    about: About,
    output: Output,
}

impl ProfileState {
    /// Returns the state before anything has run, and writes it to the files of the report.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn open(
        report: ProfileReport,
        about: About,
        output: Output,
    ) -> Result<ProfileState, Stop> {
        let mut state = ProfileState::new(report, output);
        state.about = about;
        state.grow()?;
        Ok(state)
    }

    /// Returns the state before anything has run. It writes nothing.
    pub(super) fn new(report: ProfileReport, output: Output) -> ProfileState {
        ProfileState {
            report,
            about: Vec::new(),
            output,
        }
    }

    /// Sets the lines of the page about the command.
    pub(super) fn set_about(&mut self, about: About) {
        self.about = about;
    }

    /// Adds the profile of a case.
    pub(super) fn add_profile(&mut self, profiled: CaseProfile) {
        self.report.profiles.push(profiled);
    }

    /// Adds a case that did not pass.
    pub(super) fn add_failure(&mut self, id: String, message: String) {
        self.report.failed.push(UnprofiledCase { id, message });
    }

    /// Writes the files that are due.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn grow(&mut self) -> Result<(), Stop> {
        let (report, about) = (&self.report, &self.about);
        self.output.files.grow(&Renderers {
            json: &|| report.json(),
            page: &|| page(report, about.clone()),
        })
    }
}

impl RunResults for ProfileState {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        self.report.complete = complete;
        let (report, about) = (&self.report, &self.about);
        let written = self.output.files.finish(&Renderers {
            json: &|| report.json(),
            page: &|| page(report, about.clone()),
        });
        // Cases that did not pass are printed as errors elsewhere.
        if complete && report.profiles.is_empty() {
            return written;
        }
        let text = match self.output.json {
            true => report
                .json()
                .map_err(|error| Stop::setup(error.to_string())),
            false => Ok(text(report)),
        };
        written.and(text.and_then(|text| Ok(print(&text)?)))
    }
}
