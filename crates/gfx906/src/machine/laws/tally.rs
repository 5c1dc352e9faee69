//! Counts, breaches and exceptions of a law, and its verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use super::Law;
use super::exceptions::{EXCEPTIONS, Exception, UNREACHED};
use super::subject::{Subject, subjects};

/// The counts of one law.
pub struct Tally {
    law: Law,
    cases: usize,
    stopped: usize,
    rows: BTreeSet<&'static str>,
    forms: BTreeSet<String>,
    breaches: BTreeMap<String, (usize, String)>,
    used: BTreeSet<usize>,
    excepted: usize,
}

impl Tally {
    /// Creates an empty tally.
    pub fn new(law: Law) -> Tally {
        Tally {
            law,
            cases: 0,
            stopped: 0,
            rows: BTreeSet::new(),
            forms: BTreeSet::new(),
            breaches: BTreeMap::new(),
            used: BTreeSet::new(),
            excepted: 0,
        }
    }

    /// Returns true if a subject has had enough rounds: the usual number, and more while no round has reached the subject or has shown the
    /// exception that is made for it.
    pub fn enough(&self, subject: &Subject, round: u64, usual: u64) -> bool {
        let rounds = super::rounds(usual);
        let waits = |(n, e): (usize, &Exception)| {
            e.law == self.law && e.matches(subject) && !self.used.contains(&n)
        };
        let waiting = || EXCEPTIONS.iter().enumerate().any(waits);
        let reached = || round >= 10 * rounds || self.forms.contains(&subject.name());
        let shown = || round >= 100 * rounds || !waiting();
        round >= rounds && reached() && shown()
    }

    /// Counts a case in which the instruction stopped the wave with the same reason on both sides. Such a case says little.
    pub fn stopped(&mut self, subject: &Subject) {
        self.stopped += 1;
        // Some rows always stop the wave: s_endpgm, s_barrier.
        if super::stops(subject.row) {
            self.reached(subject);
        }
    }

    fn reached(&mut self, subject: &Subject) {
        self.rows.insert(subject.row.mnemonic);
        self.forms.insert(subject.name());
    }

    /// Counts a case, with the breach that it found.
    pub fn case(&mut self, subject: &Subject, breach: Option<String>) {
        self.cases += 1;
        self.reached(subject);
        let Some(breach) = breach else { return };
        let applies = |e: &Exception| e.law == self.law && e.matches(subject);
        if let Some(n) = EXCEPTIONS.iter().position(applies) {
            self.used.insert(n);
            self.excepted += 1;
            return;
        }
        let entry = self.breaches.entry(subject.name()).or_insert((0, breach));
        entry.0 += 1;
    }

    /// Prints the counts. Fails on breaches, on exceptions that no row needs any more, and on rows that the law should have reached.
    pub fn verdict(self) {
        let mut unreached = Vec::new();
        let mut stale = Vec::new();
        let all = || subjects().filter(|s| self.law.applies(s));
        for subject in all() {
            let name = subject.name();
            let reached = self.forms.contains(&name);
            let listed = UNREACHED
                .iter()
                .any(|e| e.law == self.law && e.matches(&subject));
            if !reached && !listed {
                unreached.push(name);
            } else if reached && listed {
                stale.push(format!("{name}: is reached, and listed as out of reach"));
            }
        }
        for (n, e) in EXCEPTIONS.iter().enumerate() {
            if e.law == self.law && !self.used.contains(&n) {
                stale.push(format!(
                    "{}: keeps the law, and is listed as breaking it",
                    e.rows
                ));
            }
        }
        for e in UNREACHED.iter().filter(|e| e.law == self.law) {
            if !all().any(|s| e.matches(&s)) {
                stale.push(format!(
                    "{}: no row that the law applies to, and listed as out of reach",
                    e.rows
                ));
            }
        }
        let mut report = format!(
            "law {:<9} {:>4} rows, {:>4} forms, {:>7} cases ({} more stopped), {} exceptions ({} cases)",
            format!("{:?}:", self.law).to_lowercase(),
            self.rows.len(),
            self.forms.len(),
            self.cases,
            self.stopped,
            self.used.len(),
            self.excepted,
        );
        // The report goes to stderr directly, because the test harness hides the output of passing tests.
        let _ = writeln!(std::io::stderr(), "{report}");
        for (name, (count, first)) in &self.breaches {
            report += &format!("\n  {name}: {count} cases, the first: {first}");
        }
        for name in &unreached {
            report += &format!("\n  {name}: not reached");
        }
        for text in &stale {
            report += &format!("\n  stale exception: {text}");
        }
        let fine = self.breaches.is_empty() && unreached.is_empty() && stale.is_empty();
        assert!(fine, "{report}");
    }
}
