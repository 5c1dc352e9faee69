//! The seeds and trials that have run, as they are printed and written.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::exit::Stop;
use crate::files::check_place;
use crate::interrupt::RunResults;
use crate::report::model::{TrialReport, Verdict};
use crate::report::{Growing, Progress as Bar, Signature, grouped_text};
use crate::text::{not_run, print};

/// The seeds and trials that have run.
pub(super) struct SoakState {
    first: u64,
    /// True if lines are printed, and not JSON.
    lines: bool,
    file: Option<Growing>,
    started: Instant,
    bar: Option<Bar>,
    /// The seeds that have begun.
    seeds: Vec<u64>,
    trials: usize,
    /// Reasons of the cases that did not run, of all seeds.
    not_run: Vec<String>,
    /// Cases of the last seed that did not run.
    skipped: usize,
    /// Trials before the last seed.
    before: usize,
    /// Reports of the trials that did not pass, by the number of the seed and the position among the selected cases.
    failures: BTreeMap<(usize, usize), TrialReport>,
    /// Signatures of the failures that have been printed in full.
    told: HashSet<Signature>,
}

impl SoakState {
    /// Returns the state before the first seed, and writes it to the file of the report.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn open(first: u64, lines: bool, path: Option<&Path>) -> Result<SoakState, Stop> {
        path.map_or(Ok(()), check_place).map_err(Stop::setup)?;
        let mut state = SoakState {
            first,
            lines,
            file: path.map(|path| Growing::new(path.to_owned())),
            started: Instant::now(),
            bar: None,
            seeds: Vec::new(),
            trials: 0,
            not_run: Vec::new(),
            skipped: 0,
            before: 0,
            failures: BTreeMap::new(),
            told: HashSet::new(),
        };
        if state.file.as_ref().is_some_and(Growing::grows) {
            state.write(false)?;
        }
        Ok(state)
    }

    /// Returns the seconds since the beginning.
    pub(super) fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Returns true if every trial so far has passed.
    pub(super) fn all_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the number of trials that ran.
    pub(super) fn ran(&self) -> usize {
        let skipped = |trial: &&TrialReport| trial.verdict == Verdict::Skip;
        self.trials - self.failures.values().filter(skipped).count()
    }

    /// Begins a seed with a number of trials that run, and the reasons of the cases that do not run.
    pub(super) fn begin_seed(&mut self, seed: u64, trials: usize, not_run: Vec<String>) {
        self.seeds.push(seed);
        self.skipped = not_run.len();
        self.not_run.extend(not_run);
        self.before = self.trials;
        self.bar = Some(Bar::of_steps(trials));
    }

    /// Takes the report of the case at a position among the selected cases.
    ///
    /// # Errors
    /// The file of the report cannot be written.
    pub(super) fn end_trial(&mut self, position: usize, report: TrialReport) -> Result<(), Stop> {
        if let Some(bar) = self
            .bar
            .as_ref()
            .filter(|_| report.verdict != Verdict::Skip)
        {
            bar.step(&report.id);
        }
        self.trials += 1;
        if report.verdict != Verdict::Pass {
            self.failures.insert((self.seeds.len(), position), report);
        }
        match &self.file {
            Some(file) if file.is_due() => self.write(false),
            _ => Ok(()),
        }
    }

    /// Ends the seed: prints its failures and a line about it.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn end_seed(&mut self) -> Result<(), Stop> {
        self.bar = None;
        if !self.lines {
            return Ok(());
        }
        let Some(seed) = self.seeds.last() else {
            return Ok(());
        };
        let failures = self.failures.range((self.seeds.len(), 0)..);
        let failures: Vec<&TrialReport> = failures.map(|(_, failure)| failure).collect();
        let failed = failures.len();
        if failed > 0 {
            print(&format!("{}\n", grouped_text(failures, &mut self.told)))?;
        }
        let passed = self.trials - self.before - failed;
        let failed = match failed {
            0 => String::new(),
            count => format!(", {count} not"),
        };
        let skipped = match self.skipped {
            0 => String::new(),
            count => format!(", {count} not run"),
        };
        Ok(print(&format!(
            "seed {seed}: {passed} passed{failed}{skipped}\n"
        ))?)
    }

    fn write(&mut self, complete: bool) -> Result<(), Stop> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let written = file.write(|| Ok(self.json(complete)));
        self.file = Some(file);
        written.map_err(Stop::setup)
    }

    fn json(&self, complete: bool) -> String {
        let failures: Vec<&TrialReport> = self.failures.values().collect();
        let report = json!({
            "schema": "deltanet-check/soak/1",
            "complete": complete,
            "seeds": self.seeds,
            "trials": self.trials,
            "seconds": self.elapsed(),
            "failures": failures,
        });
        format!("{report:#}\n")
    }

    fn summary(&self, complete: bool) -> String {
        let word = match self.failures.len() {
            _ if self.trials == 0 => "nothing has run".into(),
            0 => "all passed".into(),
            count => format!("{count} did not pass"),
        };
        let seeds = match self.seeds.len() {
            1 => "1 seed".into(),
            count => format!("{count} seeds"),
        };
        let end = if complete { "" } else { "; interrupted" };
        let all = self.trials + self.not_run.len();
        let not_run = not_run(all, self.not_run.iter());
        let not_run = not_run.map_or(String::new(), |line| format!("not run: {line}\n"));
        format!(
            "{seeds} from {} on, {} trials in {:.0} s: {word}{end}\n{not_run}",
            self.first,
            self.trials,
            self.elapsed()
        )
    }
}

impl RunResults for SoakState {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        // A seed that was interrupted is printed as well.
        let printed = match self.bar {
            Some(_) => self.end_seed(),
            None => Ok(()),
        };
        // The file and standard output must have the same text, which holds the time.
        let json = self.json(complete);
        let written = match &mut self.file {
            Some(file) => file.write(|| Ok(json.clone())).map_err(Stop::setup),
            None => Ok(()),
        };
        let shown = print(&match self.lines {
            true => self.summary(complete),
            false => json,
        });
        written.and(printed)?;
        Ok(shown?)
    }
}
