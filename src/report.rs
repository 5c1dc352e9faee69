//! Reports: one module for each format. All of them take the same events.

pub mod compare;
mod counters;
mod failure;
mod format;
mod groups;
mod growing;
mod html;
mod json;
mod jsonl;
mod junit;
pub mod known;
mod look;
mod markdown;
pub mod merge;
pub mod model;
mod outputs;
mod picture;
mod plain;
mod problem;
mod progress;
pub mod saved;
mod saved_profile;
mod shared;
mod table;

#[cfg(test)]
mod tests;

use std::io;

use crate::report::model::{
    CodeObjectReport, DeviceReport, EnvironmentReport, RunReport, TrialReport,
};

pub use counters::{Row as CountersRow, of_rows as counters_tables, share};
pub use failure::{findings, is_far, text as failure_text};
pub use format::{Format, ReportFile, Stream};
pub use groups::{Signature, grouped_text};
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

/// The facts that are known before the first trial.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The time, the machine, the command line and the files of the run.
    pub environment: EnvironmentReport,
    /// The device that the run will use.
    pub device: DeviceReport,
    /// The code object that the run will launch kernels of.
    pub code_object: CodeObjectReport,
    /// The seed of the run, where inputs are drawn.
    pub seed: Option<u64>,
    /// The number of trials that were selected.
    pub trials: usize,
}

/// An event of a run, in the order in which events happen.
///
/// Trials may run in parallel: a trial's two events may have others between them, and trials may finish in any order.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The run begins. No trial has begun yet.
    RunStarted(&'a RunPlan),
    /// A trial begins: its id.
    TrialStarted(&'a str),
    /// A trial has its verdict.
    TrialFinished(&'a TrialReport),
    /// The reason of a failure is known: the trial with its diagnosis. It comes after all trials have finished.
    TrialDiagnosed(&'a TrialReport),
    /// The report of the trials so far, which comes from time to time.
    RunStands(&'a RunReport),
    /// The run is over: the last trial has ended, or the run was interrupted.
    RunFinished(&'a RunReport),
}

/// A receiver of a run's events, which shows them. It has no influence on the run.
pub trait Reporter: Send {
    /// Handles one event.
    fn event(&mut self, event: Event<'_>) -> io::Result<()>;

    /// Returns true if the reporter wants the report of the trials so far now.
    fn wants_state(&self) -> bool {
        false
    }
}

/// Several reporters that get every event in order.
///
/// Every reporter gets the event even if another fails, because a closed pipe must not cost the report file. The first error is
/// returned.
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
    /// Returns the report of the run before its first trial.
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
