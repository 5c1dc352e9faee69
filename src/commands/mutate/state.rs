//! The mutants that a campaign has judged so far, as they are printed and written.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use super::super::report_files::{Renderers, ReportFiles};
use crate::args::{Color, look};
use crate::exit::Stop;
use crate::interrupt::RunResults;
use crate::mutate::{MutantReport, MutationReport, News, page, table};
use crate::text::print;

/// The outputs of a campaign: the files of its report, and the format of standard output.
pub(super) struct Output {
    /// Files of the report.
    pub(super) files: ReportFiles,
    /// True if JSON is printed instead of a table.
    pub(super) json: bool,
    /// True if the table lists every mutant that survived.
    pub(super) verbose: bool,
}

/// The mutants that a campaign has judged so far.
pub(super) struct CampaignState {
    /// The report without its mutants.
    report: MutationReport,
    mutants: BTreeMap<(usize, usize), MutantReport>,
    /// The start of the campaign; nothing for a report that was merged from parts.
    started: Option<Instant>,
    output: Output,
    /// The first error of an output.
    first_error: Option<Stop>,
}

fn json(report: &MutationReport) -> io::Result<String> {
    let text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
    Ok(text + "\n")
}

impl CampaignState {
    /// Returns the state before any mutant has run, and writes it to the files of the report.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn open(report: MutationReport, output: Output) -> Result<CampaignState, Stop> {
        let mut state = CampaignState {
            started: Some(Instant::now()),
            ..CampaignState::from_report(report, output)
        };
        state.grow(false)?;
        Ok(state)
    }

    /// Returns the state that a report describes.
    pub(super) fn from_report(mut report: MutationReport, output: Output) -> CampaignState {
        let mutants = std::mem::take(&mut report.mutants).into_iter();
        CampaignState {
            mutants: mutants
                .enumerate()
                .map(|(index, mutant)| ((0, index), mutant))
                .collect(),
            report,
            started: None,
            output,
            first_error: None,
        }
    }

    /// Takes news of the campaign, and writes the files that are due.
    pub(super) fn apply(&mut self, news: News) {
        match news {
            News::Drawn(report) => self.report = *report,
            News::Judged(position, mutant) => drop(self.mutants.insert(position, *mutant)),
        }
        let written = self.grow(false);
        self.keep_error(written);
    }

    /// Writes the report of a campaign that stopped with an error.
    pub(super) fn write_files(&mut self) {
        let written = self.grow(true);
        self.keep_error(written);
    }

    /// Prints and writes the whole report.
    ///
    /// # Errors
    /// An output cannot be written, now or before.
    pub(super) fn finish(&mut self) -> Result<MutationReport, Stop> {
        let report = self.report(true);
        let written = self.print_and_write(&report);
        self.keep_error(written);
        self.first_error.take().map_or(Ok(report), Err)
    }

    /// Keeps the error of a result, if it is the first.
    fn keep_error(&mut self, result: Result<(), Stop>) {
        if let Err(stop) = result {
            self.first_error.get_or_insert(stop);
        }
    }

    /// Writes the files that are due, or all of them.
    fn grow(&mut self, all: bool) -> Result<(), Stop> {
        if !all && !self.output.files.is_due() {
            return Ok(());
        }
        let report = self.report(false);
        let renderers = Renderers {
            json: &|| json(&report),
            page: &|| page(&report),
        };
        match all {
            true => self.output.files.finish(&renderers),
            false => self.output.files.grow(&renderers),
        }
    }

    fn print_and_write(&mut self, report: &MutationReport) -> Result<(), Stop> {
        let renderers = Renderers {
            json: &|| json(report),
            page: &|| page(report),
        };
        let written = self.output.files.finish(&renderers);
        let text = match self.output.json {
            true => json(report).map_err(|error| Stop::setup(error.to_string())),
            false => Ok(table(report, self.output.verbose, look(Color::Never).width)),
        };
        written.and(text.and_then(|text| Ok(print(&text)?)))
    }

    fn report(&self, complete: bool) -> MutationReport {
        let seconds = self.started.map(|started| started.elapsed().as_secs_f64());
        MutationReport {
            complete,
            seconds: seconds.unwrap_or(self.report.seconds),
            mutants: self.mutants.values().cloned().collect(),
            ..self.report.clone()
        }
    }
}

impl RunResults for CampaignState {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        let report = self.report(complete);
        self.print_and_write(&report)
    }
}
