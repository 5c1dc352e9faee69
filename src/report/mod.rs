//! Reports: one format a file, all fed by the same events.

mod counters;
mod failure;
mod json;
mod outputs;
mod plain;
mod problem;
mod progress;
mod table;

#[cfg(test)]
mod tests;

use std::io;

use crate::verdict::{CodeObjectReport, DeviceReport, RunReport, TrialReport};

pub use counters::share;
pub use failure::{findings, text as failure_text};
pub use json::{Json, JsonFile, render as render_json};
pub use outputs::{outputs, problem};
pub use plain::{limit, tolerance};
pub use progress::Progress;
pub use table::{Options as TableOptions, Parts, Table};

/// What is known before the first trial.
#[derive(Clone, Debug)]
pub struct RunPlan {
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
    /// After the last trial.
    RunFinished(&'a RunReport),
}

/// Something that is told what happens and shows it. It never answers.
pub trait Reporter: Send {
    /// Takes notice of one event.
    fn event(&mut self, event: Event<'_>) -> io::Result<()>;
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
}
