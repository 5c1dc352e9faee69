//! What a run has found out so far, and everyone who is told.

use std::time::Instant;

use crate::exit::Stop;
use crate::report::{Event, RunPlan};
use crate::run::Ends;
use crate::select::Selected;
use crate::verdict::{PartitionReport, PhaseReport, RunReport, TrialReport};

use super::show::Show;

/// What a run has found out so far.
pub(super) struct Ledger {
    show: Show,
    plan: RunPlan,
    /// Which part of a larger run it is.
    partition: Option<PartitionReport>,
    started: Instant,
    /// The phases, without their trials.
    phases: Vec<PhaseReport>,
    /// The phase of each selected case, and its report once there is one.
    trials: Vec<(usize, Option<TrialReport>)>,
    /// The first thing that went wrong beside the tests.
    trouble: Option<Stop>,
}

impl Ledger {
    /// Of cases, and the reports of those that do not run; tells everyone that the run starts.
    ///
    /// # Errors
    /// A place of a report cannot be written.
    pub(super) fn open(
        mut show: Show,
        plan: RunPlan,
        partition: Option<PartitionReport>,
        selected: &[Selected<'_>],
        skipped: Vec<Option<TrialReport>>,
    ) -> Result<Ledger, Stop> {
        let mut phases: Vec<PhaseReport> = Vec::new();
        let mut trials = Vec::new();
        for (one, report) in selected.iter().zip(skipped) {
            let number = one.phase.number;
            if phases.last().is_none_or(|phase| phase.number != number) {
                phases.push(PhaseReport {
                    number,
                    title: one.phase.title.clone(),
                    note: one.phase.note.clone(),
                    trials: Vec::new(),
                });
            }
            trials.push((phases.len() - 1, report));
        }
        show.event(Event::RunStarted(&plan))?;
        Ok(Ledger {
            show,
            plan,
            partition,
            started: Instant::now(),
            phases,
            trials,
            trouble: None,
        })
    }

    /// A case begins.
    pub(super) fn starts(&mut self, id: &str) {
        let told = self.show.event(Event::TrialStarted(id));
        self.note(told);
    }

    /// The case at a position has its report.
    pub(super) fn ends(&mut self, position: usize, report: TrialReport) {
        let told = self.show.event(Event::TrialFinished(&report));
        self.note(told);
        self.trials[position].1 = Some(report);
        if self.show.wants_state() {
            let told = self.show.event(Event::RunStands(&self.report(false)));
            self.note(told);
        }
    }

    /// Keeps the first thing that goes wrong.
    pub(super) fn note(&mut self, told: Result<(), Stop>) {
        if let Err(stop) = told {
            self.trouble.get_or_insert(stop);
        }
    }

    /// Tells everyone that the run is over: at its end, or where it was interrupted.
    ///
    /// # Errors
    /// Something went wrong beside the tests.
    pub(super) fn close(&mut self, complete: bool) -> Result<RunReport, Stop> {
        let report = self.report(complete);
        let told = self.show.event(Event::RunFinished(&report));
        self.note(told);
        self.trouble.take().map_or(Ok(report), Err)
    }

    /// What there is so far, in the registry's order.
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

impl Ends for Ledger {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        self.close(complete).map(drop)
    }
}
