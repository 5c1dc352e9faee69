//! The trials that flags ask for, of one seed.

use crate::args::TrialArgs;
use crate::device::{Device, Watch};
use crate::run::Setup;
use crate::select::Selected;
use crate::text;
use crate::trial::{Bound, Plan};
use crate::verdict::{TrialReport, Verdict};

/// What the trials of a seed have in common.
pub(super) struct Trials<'a> {
    pub args: &'a TrialArgs,
    pub setup: &'a Setup,
    pub device: &'a dyn Device,
    pub seed: u64,
    /// What is observed.
    pub watch: &'a Watch,
    /// The flags that a line needs which runs one of them again.
    pub flags: &'a str,
}

impl<'a> Trials<'a> {
    /// A case that runs.
    pub(super) fn plan(&self, one: &Selected<'a>, bound: Bound<'a>, threads: usize) -> Plan<'a> {
        Plan {
            threads,
            limits: self.args.limits.limits(),
            twin: self.setup.twin(self.args.limits.budget),
            repeat: self.args.repeat.unwrap_or(1),
            watch: self.watch,
            relations: self.args.relations,
            flags: self.flags,
            ..self.setup.plan(self.device, one, bound, self.seed)
        }
    }

    /// The report of a case that does not.
    pub(super) fn skipped(&self, one: &Selected<'_>, reason: &str) -> TrialReport {
        TrialReport {
            id: one.case.id.clone(),
            phase: one.phase.number,
            title: one.test.title.clone(),
            shape: one.case.values.to_string(),
            documented: one.test.documented,
            verdict: Verdict::Skip,
            problem: None,
            outputs: Vec::new(),
            findings: Vec::new(),
            relations: Vec::new(),
            error: Some(reason.into()),
            error_kind: None,
            seed: self.seed,
            launches: Vec::new(),
            wave_instructions: None,
            seconds: 0.0,
            rerun: text::again(&one.case.id, self.seed, self.flags),
        }
    }
}
