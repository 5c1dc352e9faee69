//! Progress on a terminal.

use std::io;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::model::Verdict;

use super::{Event, Reporter, plain};

/// A bar on standard error while trials run. It is hidden if standard error is not a terminal, and removed at the end of
/// the run.
pub struct Progress {
    bar: ProgressBar,
    bad: usize,
}

impl Progress {
    /// Makes a bar on standard error. A terminal that can only print lines gets none.
    pub fn on_stderr() -> Progress {
        let dumb = std::env::var("TERM").is_ok_and(|name| name == "dumb");
        Progress::on(match dumb {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        })
    }

    /// Makes a bar for a number of steps.
    pub fn of_steps(steps: usize) -> Progress {
        let progress = Progress::on_stderr();
        progress.bar.set_length(steps as u64);
        progress
    }

    /// Counts a step, and names it in a few words.
    pub fn step(&self, what: &str) {
        self.bar.set_message(plain::line(what));
        self.bar.inc(1);
    }

    /// Removes the bar, for runs without the event of their end.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn on(target: ProgressDrawTarget) -> Progress {
        let bar = ProgressBar::with_draw_target(None, target);
        let template = "{bar:24} {pos}/{len} {elapsed}, about {eta} left {prefix}{wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, bad: 0 }
    }
}

impl Progress {
    /// Runs `write`, which may print to the terminal, while the bar is hidden.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

/// The destructor removes the bar, so that it is gone after an error, too.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::RunStarted(plan) => self.bar.set_length(plan.trials as u64),
            Event::TrialStarted(id) => self.bar.set_message(plain::line(id)),
            Event::TrialFinished(trial) => {
                if matches!(trial.verdict, Verdict::Fail | Verdict::Error) {
                    self.bad += 1;
                    self.bar.set_prefix(format!("({} not passed) ", self.bad));
                }
                self.bar.inc(1);
            }
            Event::TrialDiagnosed(_) | Event::RunStands(_) => {}
            Event::RunFinished(_) => self.bar.finish_and_clear(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixtures;
    use super::*;

    #[test]
    fn it_counts_and_clears() {
        let mut progress = Progress::on(ProgressDrawTarget::hidden());
        let report = fixtures::mixed();
        let plan = fixtures::plan(&report);
        progress.event(Event::RunStarted(&plan)).expect("no writer");
        assert_eq!(progress.bar.length(), Some(report.totals.total() as u64));
        for trial in report.trials() {
            progress
                .event(Event::TrialStarted(&trial.id))
                .expect("no writer");
            assert_eq!(progress.bar.message(), trial.id);
            progress
                .event(Event::TrialFinished(trial))
                .expect("no writer");
        }
        assert_eq!(progress.bar.position(), report.totals.total() as u64);
        let bad = report.totals.fail + report.totals.error;
        assert_eq!(progress.bar.prefix(), format!("({bad} not passed) "));
        progress
            .event(Event::RunFinished(&report))
            .expect("no writer");
        assert!(progress.bar.is_finished());
    }
}
