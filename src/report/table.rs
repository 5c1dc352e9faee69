//! Tables for people: one for each phase, then the trials that did not pass in full, then the sums.

mod columns;
pub(super) mod rows;

use std::collections::HashSet;
use std::io::{self, Write};

use comfy_table::{LineStyle, Table as Grid, TableStyle};

use crate::report::model::{PartitionReport, PhaseReport, RunReport, Totals, TrialReport, Verdict};
use crate::text;

use super::failure::{Detail, WHY};
use super::groups::{Group, IDS, Signature, alike, groups};
use super::look::RERUN;
use super::shared::shared;
use super::{Event, Look, Reporter, RunPlan, counters, failure, plain};

/// The style of tables: a line under the header and no borders.
pub(super) const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-'));

/// Options of tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Colours, marks and the width of lines.
    pub look: Look,
    /// True if there are columns for relative RMS, ULP and wave instructions, a row for every output, and a legend of the columns.
    pub verbose: bool,
    /// True if a phase without a documented test is one line, followed by rows for the tests that did not pass.
    pub brief: bool,
    /// True if failures are printed as they happen.
    pub live: bool,
    /// The kind of part that the run is divided into.
    pub parts: Parts,
}

/// The kinds of part that a run is divided into. Each part has a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// Phases of the registry.
    #[default]
    Phases,
    /// Files of tensors.
    Files,
}

impl Parts {
    /// Returns the word for a part, first for a heading, then for the middle of a sentence.
    fn words(self) -> [&'static str; 2] {
        match self {
            Parts::Phases => ["Phase", "phase"],
            Parts::Files => ["File", "file"],
        }
    }
}

/// Writes a header when the run starts and everything else when it is over.
pub struct Table<W> {
    out: W,
    options: Options,
    /// The signatures of the failures that were printed as they happened.
    printed: HashSet<Signature>,
}

/// The most lines about the first trial of a group.
const LINES: usize = 24;

impl<W: Write + Send> Table<W> {
    /// Makes a reporter that writes tables to a stream.
    pub fn new(out: W, options: Options) -> Table<W> {
        Table {
            out,
            options,
            printed: HashSet::new(),
        }
    }

    fn started(&mut self, plan: &RunPlan) -> io::Result<()> {
        let object = &plan.code_object;
        writeln!(self.out, "deltanet-check {}", env!("CARGO_PKG_VERSION"))?;
        self.fact("device", &plan.device.description)?;
        match self.options.look.width {
            // In short lines the hash has a line of its own.
            Some(_) => {
                self.fact("code object", &object.path)?;
                self.fact("sha256", &object.sha256)?;
            }
            None => self.fact(
                "code object",
                &format!("{}, sha256 {}", object.path, object.sha256),
            )?,
        }
        if let Some(build) = &object.build {
            self.fact("built by", build)?;
        }
        if let Some(seed) = plan.seed {
            self.fact("seed", &seed.to_string())?;
        }
        self.out.flush()
    }

    fn fact(&mut self, label: &str, text: &str) -> io::Result<()> {
        let line = format!("{label:<13}{}", plain::line(text));
        writeln!(self.out, "{}", self.options.look.fitted(&line, 13))
    }

    /// Prints a failure as soon as it has happened. Failures like earlier ones are not printed.
    fn fell(&mut self, trial: &TrialReport) -> io::Result<()> {
        if !self.options.live || !trial.verdict.is_bad() {
            return Ok(());
        }
        let new = self.printed.insert(Signature::of(trial));
        if !new && !self.options.verbose {
            return Ok(());
        }
        let word = self.paint(trial.verdict.word(), Style::Of(trial.verdict));
        let (id, what) = (plain::line(&trial.id), failure::headline(trial));
        let line = format!("{word} {id}: {what}");
        writeln!(self.out, "{}", self.options.look.fitted(&line, 5))?;
        self.out.flush()
    }

    /// Writes the tables of all phases with their columns aligned.
    fn phases(&mut self, phases: &[PhaseReport], bad: &[Group<'_>]) -> io::Result<()> {
        let hidden: HashSet<*const TrialReport> = match self.options.verbose {
            true => HashSet::new(),
            // Each group has the rows of its first trial.
            false => bad
                .iter()
                .flat_map(|group| &group.others)
                .map(|trial| std::ptr::from_ref(*trial))
                .collect(),
        };
        let ran = |phase: &&PhaseReport| {
            let mut trials = phase.trials.iter();
            trials.any(|trial| trial.verdict != Verdict::Skip)
        };
        let phases: Vec<&PhaseReport> = phases.iter().filter(ran).collect();
        let mut launches = phases
            .iter()
            .flat_map(|phase| &phase.trials)
            .flat_map(|trial| &trial.launches);
        let timed = launches.any(|launch| launch.kernel_seconds.is_some());
        let brief = |phase: &PhaseReport| {
            let documented = phase.trials.iter().any(|trial| trial.documented);
            self.options.brief && !self.options.verbose && !documented
        };
        let mut grids: Vec<Grid> = phases
            .iter()
            .map(|phase| {
                let shown = |trial: &TrialReport| {
                    let passed = trial.verdict == Verdict::Pass;
                    !(hidden.contains(&std::ptr::from_ref(trial)) || brief(phase) && passed)
                };
                rows::grid(self.options, phase, timed, shown)
            })
            .collect();
        let left_out = columns::align(&mut grids, self.options.look.room());
        let brief: Vec<bool> = phases.iter().map(|phase| brief(phase)).collect();
        let mut last = false;
        for ((grid, phase), brief) in grids.iter().zip(&phases).zip(brief) {
            let [part, _] = self.options.parts.words();
            let title = format!("{part} {}: {}", phase.number, plain::line(&phase.title));
            let title = self.paint(&title, Style::Bold);
            // Consecutive phases without a table have no empty line between them.
            let alone = brief && grid.row_count() == 0;
            let gap = if alone && last { "" } else { "\n" };
            last = alone;
            if brief {
                let sum = self.summed(phase);
                let line = self.options.look.fitted(&format!("{title}: {sum}"), 2);
                writeln!(self.out, "{gap}{line}")?;
            } else {
                writeln!(self.out, "{gap}{}", self.options.look.fitted(&title, 2))?;
                if let Some(note) = &phase.note {
                    let note = self.options.look.fitted(&plain::line(note), 0);
                    writeln!(self.out, "{note}")?;
                }
            }
            if !alone {
                writeln!(self.out, "{}", grid.trim_fmt())?;
            }
            let trials = phase.trials.iter();
            let left = trials.filter(|trial| hidden.contains(&std::ptr::from_ref(*trial)));
            match left.count() {
                0 => {}
                1 => writeln!(self.out, "and 1 more failure like these: -v shows its row")?,
                left => writeln!(
                    self.out,
                    "and {left} more failures like these: -v shows their rows"
                )?,
            }
        }
        if !left_out.is_empty() {
            let line = format!("Too narrow for: {}", left_out.join(", "));
            writeln!(self.out, "\n{}", self.options.look.fitted(&line, 2))?;
        }
        if self.options.verbose {
            let told = |name: &str| !left_out.iter().any(|out| out == name);
            self.legend(timed, told)?;
        }
        Ok(())
    }

    /// Writes the legend of the columns.
    fn legend(&mut self, timed: bool, told: impl Fn(&str) -> bool) -> io::Result<()> {
        writeln!(self.out)?;
        for (name, says) in rows::LEGEND {
            if told(name) && (timed || name != rows::KERNEL_TIME) {
                let line = format!("{name:<13}{says}");
                writeln!(self.out, "{}", self.options.look.fitted(&line, 13))?;
            }
        }
        Ok(())
    }

    /// Returns the sum of a phase: `12/13 passed, 1 failed in 2.50 s`.
    fn summed(&self, phase: &PhaseReport) -> String {
        let mut totals = Totals::default();
        phase
            .trials
            .iter()
            .for_each(|trial| totals.add(trial.verdict));
        let seconds = phase.trials.iter().map(|trial| trial.seconds).sum();
        format!("{} in {}", self.counted(&totals), plain::seconds(seconds))
    }

    fn finished(&mut self, report: &RunReport) -> io::Result<()> {
        let bad = groups(report.trials().filter(|trial| trial.verdict.is_bad()));
        self.phases(&report.phases, &bad)?;
        if let Some(counters) = counters::tables(report, self.options.look.room()) {
            let title = self.paint("Counters", Style::Bold);
            writeln!(self.out, "\n{title}\n{counters}")?;
        }
        self.in_full("Failures", &bad)?;
        let warned = |trial: &&TrialReport| !trial.verdict.is_bad() && !trial.findings.is_empty();
        let warned = groups(report.trials().filter(warned));
        self.in_full("Findings of the sanitizer", &warned)?;
        let beyond = |trial: &&TrialReport| trial.verdict == Verdict::Unsupported;
        self.in_full("Beyond the device", &groups(report.trials().filter(beyond)))?;
        self.not_run(report)?;
        self.causes(report, &bad)?;
        writeln!(
            self.out,
            "\n{:<17}{}",
            "time",
            plain::seconds(report.seconds)
        )?;
        if !report.complete {
            let (done, selected) = (report.totals.total(), report.selected);
            let style = Style::Of(Verdict::Error);
            let line = self.paint(&format!("{done} of {selected} tests"), style);
            writeln!(self.out, "{:<17}after {line}", "interrupted")?;
        }
        if let Some(part) = &report.partition {
            let PartitionReport {
                part, parts, cases, ..
            } = part;
            let ran = report.totals.total() - report.totals.skip;
            let what = match ran {
                0 => "nothing in this part".to_owned(),
                _ => format!("{} of {cases} tests", report.totals.total()),
            };
            let line = format!("{:<17}{part} of {parts}: {what}", "part");
            writeln!(self.out, "{}", self.options.look.fitted(&line, 17))?;
        }
        self.sum("all tests", &report.totals)?;
        self.relations(report)?;
        if report.documented.total() > 0 {
            self.sum("documented tests", &report.documented)?;
        }
        if let Some(line) = not_run(report) {
            let line = format!("{:<17}{line}", "not run");
            writeln!(self.out, "{}", self.options.look.fitted(&line, 17))?;
        }
        self.out.flush()
    }

    /// Writes the first trial of each group in full under a title, and a line about its other trials.
    fn in_full(&mut self, title: &str, groups: &[Group<'_>]) -> io::Result<()> {
        if !groups.is_empty() {
            writeln!(self.out, "\n{}", self.paint(title, Style::Bold))?;
        }
        for group in groups {
            if self.options.verbose {
                self.in_detail(group.first, &[Detail::WHOLE], &[])?;
                for trial in &group.others {
                    self.in_detail(trial, &[Detail::WHOLE], &[])?;
                }
                continue;
            }
            self.in_detail(group.first, &Detail::BRIEF, &group.others)?;
        }
        Ok(())
    }

    /// Writes a trial with the first of these details that is short enough, or with the last, and a line about the other trials
    /// of its group.
    fn in_detail(
        &mut self,
        trial: &TrialReport,
        details: &[Detail],
        others: &[&TrialReport],
    ) -> io::Result<()> {
        let word = self.paint(trial.verdict.word(), Style::Of(trial.verdict));
        let (id, title, shape) = (
            plain::line(&trial.id),
            plain::line(&trial.title),
            plain::line(&trial.shape),
        );
        let [_, part] = self.options.parts.words();
        let line = format!("{word} {id}: {title} ({shape}, {part} {})", trial.phase);
        let look = self.options.look;
        writeln!(self.out, "\n{}", look.fitted(&line, 2))?;
        let texts = details.iter().map(|detail| {
            let lines = failure::describe(trial, *detail, look);
            look.labelled(&lines)
        });
        let mut last = String::new();
        for text in texts {
            last = text;
            if last.lines().count() <= LINES {
                break;
            }
        }
        write!(self.out, "{last}")?;
        if let Some(mut line) = alike(others) {
            if others.len() > IDS {
                line += ": -v tells all";
            }
            write!(self.out, "{}", look.labelled(&vec![("alike", line)]))?;
        }
        Ok(())
    }

    /// Writes the place, the reason and the command of each group of failures. A single failure stands in full just above.
    fn causes(&mut self, report: &RunReport, groups: &[Group<'_>]) -> io::Result<()> {
        if groups.iter().map(Group::count).sum::<usize>() < 2 {
            return Ok(());
        }
        let title = self.paint("Failures by cause", Style::Bold);
        writeln!(self.out, "\n{title}")?;
        let look = self.options.look;
        for group in groups {
            let trial = group.first;
            let word = self.paint(trial.verdict.word(), Style::Of(trial.verdict));
            let line = format!("{word} {}: {}", group.named(), failure::place(trial));
            writeln!(self.out, "{}", look.fitted(&line, 2))?;
            let mut lines = Vec::new();
            let reasons = failure::reasons(trial);
            lines.extend(reasons.first().map(|text| (WHY, text.clone())));
            let only = shared(group, report.trials());
            lines.extend(only.map(|text| ("only", plain::line(&text))));
            let diagnosis = trial.diagnosis.as_ref();
            let smallest = diagnosis.and_then(|diagnosis| diagnosis.smallest.as_ref());
            let rerun = smallest.map_or(&trial.rerun, |smallest| &smallest.rerun);
            lines.push((RERUN, plain::line(rerun)));
            write!(self.out, "{}", look.labelled(&lines))?;
        }
        Ok(())
    }

    /// Writes one line for each reason for which tests did not run.
    fn not_run(&mut self, report: &RunReport) -> io::Result<()> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for trial in report
            .trials()
            .filter(|trial| trial.verdict == Verdict::Skip)
        {
            let reason = trial.error.as_deref().unwrap_or("not run");
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, ids)) => ids.push(&trial.id),
                None => reasons.push((reason, vec![&trial.id])),
            }
        }
        if !reasons.is_empty() {
            writeln!(self.out, "\n{}", self.paint("Not run", Style::Bold))?;
        }
        for (reason, ids) in reasons {
            let skipped = match ids[..] {
                [one] => format!("{one} skipped"),
                _ => format!("{} tests skipped", ids.len()),
            };
            let (reason, skipped) = (plain::line(reason), plain::line(&skipped));
            let line = self
                .options
                .look
                .fitted(&format!("  {reason}: {skipped}"), 4);
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Writes how many laws hold, if any were checked.
    fn relations(&mut self, report: &RunReport) -> io::Result<()> {
        let mut totals = Totals::default();
        let tried = report.trials().flat_map(|trial| &trial.relations);
        tried.for_each(|relation| totals.add(relation.verdict));
        let (kept, tried) = (totals.pass, totals.pass + totals.fail);
        if totals.total() == 0 {
            return Ok(());
        }
        let verdict = if kept == tried {
            Verdict::Pass
        } else {
            Verdict::Fail
        };
        let kept = self.paint(&format!("{kept}/{tried} kept"), Style::Of(verdict));
        let rest = match totals.skip {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        writeln!(self.out, "{:<17}{kept}{rest}", "relations")
    }

    fn sum(&mut self, what: &str, totals: &Totals) -> io::Result<()> {
        let line = format!("{what:<17}{}", self.counted(totals));
        writeln!(self.out, "{}", self.options.look.fitted(&line, 17))
    }

    /// Returns the counts of verdicts: `12/13 passed, 1 failed`.
    fn counted(&self, totals: &Totals) -> String {
        // Skipped tests do not count among the tests that ran.
        let (passed, total) = (totals.pass, totals.total() - totals.skip);
        let rest: String = Verdict::ALL[1..]
            .iter()
            .filter(|&&verdict| totals.of(verdict) > 0)
            .map(|&verdict| format!(", {} {}", totals.of(verdict), word(verdict)))
            .collect();
        let verdict = if passed == total {
            Verdict::Pass
        } else {
            Verdict::Fail
        };
        let passed = self.paint(&format!("{passed}/{total} passed"), Style::Of(verdict));
        passed + &rest
    }

    fn paint(&self, text: &str, style: Style) -> String {
        let code = match style {
            Style::Bold => "1",
            Style::Of(Verdict::Pass) => "1;32",
            Style::Of(Verdict::Fail | Verdict::Error) => "1;31",
            Style::Of(Verdict::Skip | Verdict::Unsupported) => "1;33",
        };
        self.options.look.paint(text, code)
    }
}

/// Returns the last line of a summary: the number of tests that did not run, and the reasons.
pub(super) fn not_run(report: &RunReport) -> Option<String> {
    let nothing = String::from("no reason is known");
    let skipped = report
        .trials()
        .filter(|trial| trial.verdict == Verdict::Skip);
    let reasons = skipped.map(|trial| trial.error.as_ref().unwrap_or(&nothing));
    text::not_run(report.totals.total(), reasons)
}

enum Style {
    Bold,
    Of(Verdict),
}

impl<W: Write + Send> Reporter for Table<W> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => self.started(plan),
            Event::RunFinished(report) => self.finished(report),
            Event::TrialFinished(trial) => self.fell(trial),
            Event::TrialStarted(_) | Event::TrialDiagnosed(_) | Event::RunStands(_) => Ok(()),
        }
    }
}

/// Returns the word for a verdict in a sum: `3 failed`.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed",
        Verdict::Error => "in error",
        Verdict::Skip => "skipped",
        Verdict::Unsupported => "unsupported",
    }
}
