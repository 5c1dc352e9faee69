//! What a campaign has found so far, as it is told and written.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use super::super::written::{Told, Written};
use crate::args::{Color, look};
use crate::exit::Stop;
use crate::mutate::{MutantReport, MutationReport, News, page, table};
use crate::run::Ends;
use crate::text::print;

/// Where and how it is told.
pub(super) struct Telling {
    /// Files.
    pub(super) written: Written,
    /// True if JSON is printed instead of a table.
    pub(super) json: bool,
    /// Whether the table has everything.
    pub(super) verbose: bool,
}

/// What there is so far.
pub(super) struct Found {
    /// All but the mutants.
    report: MutationReport,
    mutants: BTreeMap<(usize, usize), MutantReport>,
    /// When the campaign began; none of parts that are put together.
    started: Option<Instant>,
    told: Telling,
    /// The first thing that went wrong beside the campaign.
    trouble: Option<Stop>,
}

fn json(report: &MutationReport) -> io::Result<String> {
    let text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
    Ok(text + "\n")
}

impl Found {
    /// Before anything has run; where there is to be a report, it says so.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(report: MutationReport, told: Telling) -> Result<Found, Stop> {
        let mut found = Found {
            started: Some(Instant::now()),
            ..Found::of(report, told)
        };
        found.grow(false)?;
        Ok(found)
    }

    /// A whole report.
    pub(super) fn of(mut report: MutationReport, told: Telling) -> Found {
        let mutants = std::mem::take(&mut report.mutants).into_iter();
        Found {
            mutants: mutants
                .enumerate()
                .map(|(at, one)| ((0, at), one))
                .collect(),
            report,
            started: None,
            told,
            trouble: None,
        }
    }

    /// Something has happened.
    pub(super) fn take(&mut self, news: News) {
        match news {
            News::Drawn(report) => self.report = *report,
            News::Judged(place, mutant) => drop(self.mutants.insert(place, *mutant)),
        }
        let written = self.grow(false);
        self.note(written);
    }

    /// Writes what there is: the campaign stopped.
    pub(super) fn keep(&mut self) {
        let written = self.grow(true);
        self.note(written);
    }

    /// Tells all of it.
    ///
    /// # Errors
    /// Something cannot be told or written, now or before.
    pub(super) fn finish(&mut self) -> Result<MutationReport, Stop> {
        let report = self.report(true);
        let told = self.tell(&report);
        self.note(told);
        self.trouble.take().map_or(Ok(report), Err)
    }

    fn note(&mut self, told: Result<(), Stop>) {
        if let Err(stop) = told {
            self.trouble.get_or_insert(stop);
        }
    }

    /// Writes the files that are due, or all of them.
    fn grow(&mut self, all: bool) -> Result<(), Stop> {
        if !all && !self.told.written.is_due() {
            return Ok(());
        }
        let report = self.report(false);
        let told = Told {
            json: &|| json(&report),
            page: &|| page(&report),
        };
        match all {
            true => self.told.written.finish(&told),
            false => self.told.written.grow(&told),
        }
    }

    fn tell(&mut self, report: &MutationReport) -> Result<(), Stop> {
        let told = Told {
            json: &|| json(report),
            page: &|| page(report),
        };
        let written = self.told.written.finish(&told);
        let text = match self.told.json {
            true => json(report).map_err(|error| Stop::setup(error.to_string())),
            false => Ok(table(report, self.told.verbose, look(Color::Never).width)),
        };
        written.and(text.and_then(|text| print(&text)))
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

impl Ends for Found {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        let report = self.report(complete);
        self.tell(&report)
    }
}
