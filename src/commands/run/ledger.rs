//! The trials of a run so far, and the events that its outputs receive.

use std::time::Instant;

use crate::exit::Stop;
use crate::interrupt::RunResults;
use crate::report::model::{
    DiagnosisReport, PartitionReport, PhaseReport, RunReport, TrialReport, Verdict,
};
use crate::report::{Event, RunPlan};
use crate::run::SelectedCase;

use super::output::RunOutput;

/// The trials of a run so far. It sends every change to the outputs of the run.
pub(super) struct Ledger {
    output: RunOutput,
    plan: RunPlan,
    /// The part of a larger run that this run is.
    partition: Option<PartitionReport>,
    started: Instant,
    /// The phases, without their trials.
    phases: Vec<PhaseReport>,
    /// The phase of each selected case, and its report once there is one.
    trials: Vec<(usize, Option<TrialReport>)>,
    /// The first error outside of the tests.
    first_error: Option<Stop>,
}

impl Ledger {
    /// Returns the ledger of the selected cases, and announces the start of the run. `skipped` has a report for each case that does not run.
    ///
    /// # Errors
    /// The file of a report cannot be written.
    pub(super) fn open(
        mut output: RunOutput,
        plan: RunPlan,
        partition: Option<PartitionReport>,
        selected: &[SelectedCase<'_>],
        skipped: Vec<Option<TrialReport>>,
    ) -> Result<Ledger, Stop> {
        let mut phases: Vec<PhaseReport> = Vec::new();
        let mut trials = Vec::new();
        for (entry, report) in selected.iter().zip(skipped) {
            let number = entry.phase.number;
            if phases.last().is_none_or(|phase| phase.number != number) {
                phases.push(PhaseReport {
                    number,
                    title: entry.phase.title.clone(),
                    note: entry.phase.note.clone(),
                    trials: Vec::new(),
                });
            }
            trials.push((phases.len() - 1, report));
        }
        output.send(Event::RunStarted(&plan))?;
        Ok(Ledger {
            output,
            plan,
            partition,
            started: Instant::now(),
            phases,
            trials,
            first_error: None,
        })
    }

    /// Announces that the trial of a case starts.
    pub(super) fn start_trial(&mut self, id: &str) {
        let sent = self.output.send(Event::TrialStarted(id));
        self.keep_error(sent);
    }

    /// Takes the report of the case at a position, and announces it.
    pub(super) fn end_trial(&mut self, position: usize, report: TrialReport) {
        let sent = self.output.send(Event::TrialFinished(&report));
        self.keep_error(sent);
        self.trials[position].1 = Some(report);
        if self.output.wants_state() {
            let sent = self.output.send(Event::RunStands(&self.report(false)));
            self.keep_error(sent);
        }
    }

    /// Returns the report of the case at a position, if it has failed.
    pub(super) fn failure(&self, position: usize) -> Option<TrialReport> {
        let report = self.trials[position].1.as_ref();
        report
            .filter(|report| report.verdict == Verdict::Fail)
            .cloned()
    }

    /// Adds the diagnosis to the report of the case at a position, and announces it.
    pub(super) fn explain(&mut self, position: usize, diagnosis: DiagnosisReport) {
        if let Some(report) = &mut self.trials[position].1 {
            report.diagnosis = Some(diagnosis);
            let sent = self.output.send(Event::TrialDiagnosed(report));
            self.keep_error(sent);
        }
    }

    /// Keeps the error of a result, if it is the first.
    pub(super) fn keep_error(&mut self, result: Result<(), Stop>) {
        if let Err(stop) = result {
            self.first_error.get_or_insert(stop);
        }
    }

    /// Announces that the run has ended. It is not complete if it was interrupted.
    ///
    /// # Errors
    /// The first error outside of the tests.
    pub(super) fn close(&mut self, complete: bool) -> Result<RunReport, Stop> {
        let report = self.report(complete);
        let sent = self.output.send(Event::RunFinished(&report));
        self.keep_error(sent);
        self.first_error.take().map_or(Ok(report), Err)
    }

    /// Returns the report of the trials so far, in the registry's order.
    fn report(&self, complete: bool) -> RunReport {
        let mut phases = self.phases.clone();
        for (phase, report) in &self.trials {
            phases[*phase].trials.extend(report.clone());
        }
        phases.retain(|phase| !phase.trials.is_empty());
        let about = (
            self.plan.environment.clone(),
            self.plan.device.clone(),
            self.plan.code_object.clone(),
        );
        let seed = self.plan.seed.unwrap_or(0);
        let seconds = self.started.elapsed().as_secs_f64();
        RunReport {
            complete,
            selected: self.trials.len(),
            partition: self.partition.clone(),
            ..RunReport::new(about, seed, phases, seconds)
        }
    }
}

impl RunResults for Ledger {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        self.close(complete).map(drop)
    }
}
