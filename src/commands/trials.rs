//! The trials of one seed that the flags ask for.

use crate::args::TrialArgs;
use crate::device::{Device, Watch};
use crate::report::model::{TrialReport, Verdict};
use crate::run::{SelectedCase, Setup};
use crate::text;
use crate::trial::{Bound, Plan};

/// The settings that the trials of a seed share.
pub(super) struct Trials<'a> {
    pub args: &'a TrialArgs,
    pub setup: &'a Setup,
    pub device: &'a dyn Device,
    pub seed: u64,
    /// The observers of the launches.
    pub watch: &'a Watch,
    /// The flags of a command line that runs one of the trials again.
    pub flags: &'a str,
}

impl<'a> Trials<'a> {
    /// Returns the plan of a case that runs.
    pub(super) fn plan(
        &self,
        entry: &SelectedCase<'a>,
        bound: Bound<'a>,
        threads: usize,
    ) -> Plan<'a> {
        Plan {
            threads,
            limits: self.args.limits.limits(),
            twin: self.setup.twin(self.args.limits.budget),
            repeat: self.args.repeat.unwrap_or(1),
            watch: self.watch,
            relations: self.args.relations,
            flags: self.flags,
            ..self.setup.plan(self.device, entry, bound, self.seed)
        }
    }

    /// Returns the report of a case that does not run.
    pub(super) fn skipped(&self, entry: &SelectedCase<'_>, reason: &impl ToString) -> TrialReport {
        TrialReport {
            id: entry.case.id.clone(),
            phase: entry.phase.number,
            title: entry.test.title.clone(),
            contract: entry.test.function.name.into(),
            shape: entry.case.values.to_string(),
            documented: entry.test.documented,
            verdict: Verdict::Skip,
            problem: None,
            outputs: Vec::new(),
            findings: Vec::new(),
            relations: Vec::new(),
            error: Some(reason.to_string()),
            error_kind: None,
            diagnosis: None,
            seed: self.seed,
            launches: Vec::new(),
            wave_instructions: None,
            seconds: 0.0,
            rerun: text::again(&entry.case.id, self.seed, self.flags),
        }
    }
}
