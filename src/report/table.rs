//! Tables for people: one a phase, then what did not pass in full, then the sums.

pub(super) mod rows;

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, LineStyle, Table as Grid, TableStyle, Width};

use crate::verdict::{PhaseReport, RunReport, Totals, TrialReport, Verdict};

use super::{Event, Reporter, RunPlan, counters, failure, plain};

/// A line under the header, no borders.
pub(super) const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-'));

/// How tables look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Colours, whatever the stream is.
    pub color: bool,
    /// Columns for relative RMS, ULP and wave instructions.
    pub verbose: bool,
    /// What the parts of the run are.
    pub parts: Parts,
}

/// What the parts of a run are, each a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// Phases of the registry.
    #[default]
    Phases,
    /// Files of tensors.
    Files,
}

impl Parts {
    /// As a heading has it, and within a sentence.
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
}

impl<W: Write + Send> Table<W> {
    /// Tables to a stream.
    pub fn new(out: W, options: Options) -> Table<W> {
        Table { out, options }
    }

    fn started(&mut self, plan: &RunPlan) -> io::Result<()> {
        let object = &plan.code_object;
        writeln!(self.out, "deltanet-check {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(
            self.out,
            "device       {}",
            plain::line(&plan.device.description)
        )?;
        write!(
            self.out,
            "code object  {}, sha256 {}",
            plain::line(&object.path),
            plain::line(&object.sha256)
        )?;
        if let Some(build) = &object.build {
            write!(self.out, "\nbuilt by     {}", plain::line(build))?;
        }
        writeln!(self.out)?;
        if let Some(seed) = plan.seed {
            writeln!(self.out, "seed         {seed}")?;
        }
        self.out.flush()
    }

    /// All phases, their columns in line.
    fn phases(&mut self, phases: &[PhaseReport]) -> io::Result<()> {
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
        let mut grids: Vec<Grid> = phases
            .iter()
            .map(|phase| rows::grid(self.options, phase, timed))
            .collect();
        let mut widths: Vec<u16> = Vec::new();
        for grid in &grids {
            let found = grid.column_max_content_widths();
            widths.resize(widths.len().max(found.len()), 0);
            for (width, found) in widths.iter_mut().zip(found) {
                *width = found.max(*width);
            }
        }
        for (grid, phase) in grids.iter_mut().zip(&phases) {
            for (column, &width) in grid.column_iter_mut().zip(&widths) {
                let width = width.saturating_add(column.padding_width());
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
            }
            let [part, _] = self.options.parts.words();
            let title = format!("{part} {}: {}", phase.number, plain::line(&phase.title));
            let title = self.paint(&title, Style::Bold);
            writeln!(self.out, "\n{title}")?;
            if let Some(note) = &phase.note {
                writeln!(self.out, "{}", plain::line(note))?;
            }
            writeln!(self.out, "{}", grid.trim_fmt())?;
        }
        Ok(())
    }

    fn finished(&mut self, report: &RunReport) -> io::Result<()> {
        self.phases(&report.phases)?;
        if let Some(counters) = counters::tables(report) {
            let title = self.paint("Counters", Style::Bold);
            writeln!(self.out, "\n{title}\n{counters}")?;
        }
        let bad = |trial: &TrialReport| trial.verdict.is_bad();
        self.in_full(report, "Failures", bad)?;
        let warned = |trial: &TrialReport| !trial.verdict.is_bad() && !trial.findings.is_empty();
        self.in_full(report, "Findings of the sanitizer", warned)?;
        self.in_full(report, "Beyond the device", |trial| {
            trial.verdict == Verdict::Unsupported
        })?;
        self.not_run(report)?;
        writeln!(
            self.out,
            "\n{:<17}{}",
            "time",
            plain::seconds(report.seconds)
        )?;
        self.sum("all tests", &report.totals)?;
        self.relations(report)?;
        if report.documented.total() > 0 {
            self.sum("documented tests", &report.documented)?;
        }
        self.out.flush()
    }

    /// Trials in full under a title, where there are any.
    fn in_full(
        &mut self,
        report: &RunReport,
        title: &str,
        which: impl Fn(&TrialReport) -> bool,
    ) -> io::Result<()> {
        let mut trials = report.trials().filter(|trial| which(trial)).peekable();
        if trials.peek().is_some() {
            writeln!(self.out, "\n{}", self.paint(title, Style::Bold))?;
        }
        for trial in trials {
            let word = self.paint(trial.verdict.word(), Style::Of(trial.verdict));
            let (id, title, shape) = (
                plain::line(&trial.id),
                plain::line(&trial.title),
                plain::line(&trial.shape),
            );
            let [_, part] = self.options.parts.words();
            writeln!(
                self.out,
                "\n{word} {id}: {title} ({shape}, {part} {})",
                trial.phase
            )?;
            let mut last = "";
            for (label, text) in failure::describe(trial) {
                // A label stands once before lines that belong together.
                let shown = if label == last { "" } else { label };
                writeln!(self.out, "{}", format!("  {shown:<8} {text}").trim_end())?;
                last = label;
            }
        }
        Ok(())
    }

    /// What did not run: a line for each reason.
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
            writeln!(self.out, "  {reason}: {skipped}")?;
        }
        Ok(())
    }

    /// How many laws were kept, where any was tried.
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
        // What was skipped says nothing of those that ran.
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
        writeln!(self.out, "{what:<17}{passed}{rest}")
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if !self.options.color {
            return text.to_string();
        }
        let code = match style {
            Style::Bold => "1",
            Style::Of(Verdict::Pass) => "1;32",
            Style::Of(Verdict::Fail | Verdict::Error) => "1;31",
            Style::Of(Verdict::Skip | Verdict::Unsupported) => "1;33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
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
            Event::TrialStarted(_) | Event::TrialFinished(_) => Ok(()),
        }
    }
}

/// The verdict in a sum: `3 failed`.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed",
        Verdict::Error => "in error",
        Verdict::Skip => "skipped",
        Verdict::Unsupported => "unsupported",
    }
}
