//! Reports: one format a file, all fed by the same events.

mod counters;
mod failure;
mod format;
mod growing;
mod html;
mod json;
mod jsonl;
mod junit;
mod look;
mod markdown;
mod outputs;
mod picture;
mod plain;
mod problem;
mod progress;
mod table;

#[cfg(test)]
mod tests;

use std::io;

use crate::verdict::{CodeObjectReport, DeviceReport, EnvironmentReport, RunReport, TrialReport};

pub use counters::{Row as CountersRow, of_rows as counters_tables, share};
pub use failure::{findings, text as failure_text};
pub use format::{Format, ReportFile, Stream};
pub use growing::Growing;
pub use html::{Chart, Frame};
pub use json::render as render_json;
pub use jsonl::JsonLines;
pub use look::{Look, fit};
pub use markdown::annotations;
pub use outputs::{outputs, problem};
pub use plain::{applied, limit};
pub use progress::Progress;
pub use table::{Options as TableOptions, Parts, Table};

/// What is known before the first trial.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// Where, when and of what it is.
    pub environment: EnvironmentReport,
    /// What it will run on.
    pub device: DeviceReport,
    /// What it will run.
    pub code_object: CodeObjectReport,
    /// The seed of the run, where inputs are drawn.
    pub seed: Option<u64>,
    /// How many trials were selected.
    pub trials: usize,
}

/// What happens in a run, in the order in which it happens.
///
/// Trials may run side by side: a trial's two events may have others between them, and trials may finish in any order.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Before the first trial.
    RunStarted(&'a RunPlan),
    /// A trial begins: its id.
    TrialStarted(&'a str),
    /// A trial has its verdict.
    TrialFinished(&'a TrialReport),
    /// What there is so far, now and then.
    RunStands(&'a RunReport),
    /// After the last trial, or where the run was interrupted.
    RunFinished(&'a RunReport),
}

/// Something that is told what happens and shows it. It never answers.
pub trait Reporter: Send {
    /// Takes notice of one event.
    fn event(&mut self, event: Event<'_>) -> io::Result<()>;

    /// Whether it would like to be told now what there is so far.
    fn wants_state(&self) -> bool {
        false
    }
}

/// Several reporters, told in order.
///
/// All of them are told even where one fails (a closed pipe must not cost the report file); the first error is returned.
#[derive(Default)]
pub struct Reporters(pub Vec<Box<dyn Reporter>>);

impl Reporter for Reporters {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        let mut result = Ok(());
        for reporter in &mut self.0 {
            result = result.and(reporter.event(event));
        }
        result
    }

    fn wants_state(&self) -> bool {
        self.0.iter().any(|reporter| reporter.wants_state())
    }
}

impl RunPlan {
    /// The report of the run before its first trial.
    pub fn nothing_yet(&self) -> RunReport {
        let about = (
            self.environment.clone(),
            self.device.clone(),
            self.code_object.clone(),
        );
        RunReport {
            complete: false,
            selected: self.trials,
            ..RunReport::new(about, self.seed.unwrap_or(0), Vec::new(), 0.0)
        }
    }
}
