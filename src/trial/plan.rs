//! The plan of one trial, and its result.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Bound, Launching};
use crate::contract::{Case, ExternalTensors, PreparedCase, Test};
use crate::device::{Device, DeviceError, DeviceErrorKind, Limits, NOTHING, Watch};
use crate::program::Program;
use crate::report::model::{TrialReport, Verdict};
use crate::text::again;

/// The destination of a trial's tensors.
#[derive(Clone, Copy, Debug)]
pub enum Dump<'a> {
    /// `DIR/ID/KIND.NAME.npy`.
    Npy(&'a Path),
    /// One file. Tensors are named `KIND.NAME`; the metadata has their axes as `axes.KIND.NAME`.
    Safetensors(&'a Path),
}

/// A slot that keeps the inputs and references of a case.
#[derive(Default)]
pub struct PreparedCaseSlot(Mutex<Option<PreparedResult>>);

type PreparedResult = Result<Arc<PreparedCase>, DeviceError>;

impl PreparedCaseSlot {
    /// Creates an empty slot.
    pub fn new() -> PreparedCaseSlot {
        PreparedCaseSlot::default()
    }

    /// Returns the case, prepared at the first call. Other threads wait for it.
    pub(super) fn get_or_prepare(
        &self,
        prepare: impl FnOnce() -> PreparedResult,
    ) -> PreparedResult {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert_with(prepare).clone()
    }

    /// Returns the bytes that the slot keeps, roughly; 0 while a thread prepares the case.
    fn bytes(&self) -> u64 {
        let slot = self.0.try_lock().ok();
        let case = slot.as_ref().and_then(|slot| slot.as_ref()?.as_ref().ok());
        case.map_or(0, |case| case.bytes())
    }

    /// Empties the largest of the slots as long as all of them keep more bytes than `most`. A case that is needed again is prepared again;
    /// large cases are those that fewest trials reach.
    pub fn keep_within(slots: &[PreparedCaseSlot], most: u64) {
        let mut kept: Vec<(u64, &PreparedCaseSlot)> =
            slots.iter().map(|slot| (slot.bytes(), slot)).collect();
        kept.sort_unstable_by_key(|(bytes, _)| *bytes);
        let mut all: u64 = kept.iter().map(|(bytes, _)| bytes).sum();
        while all > most
            && let Some((bytes, slot)) = kept.pop()
        {
            if let Ok(mut slot) = slot.0.try_lock() {
                *slot = None;
            }
            all -= bytes;
        }
    }
}

/// A trial to run.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The device that runs the trial.
    pub device: &'a dyn Device,
    /// Host threads that one launch may take; 0: all.
    pub threads: usize,
    /// The limits of one launch.
    pub limits: Limits,
    /// The kernels under test.
    pub program: &'a Program,
    /// The built-in kernels, if other kernels are under test. The tested kernels may take a multiple of their instructions.
    pub twin: Option<&'a Program>,
    /// The choice whether kernels are launched.
    pub launching: Launching,
    /// Number of the phase.
    pub phase: u32,
    /// The test.
    pub test: &'a Test,
    /// The case of the test.
    pub case: &'a Case,
    /// The seed of the inputs.
    pub seed: u64,
    /// The number of runs; every run must give the same bits.
    pub repeat: u16,
    /// True if the laws of the contract are checked too.
    pub relations: bool,
    /// True if problems name the mistakes that explain them. Where only the verdict counts, those are not worth their time.
    pub hypotheses: bool,
    /// The settings of observation.
    pub watch: &'a Watch,
    /// The destination of the trial's tensors, if they are dumped.
    pub dump: Option<Dump<'a>>,
    /// External tensors in place of the contract's own, if any.
    pub given: Option<&'a ExternalTensors>,
    /// The binding of the kernels.
    pub bound: Bound<'a>,
    /// The slot that shares inputs and references with other trials of the case.
    pub shared: Option<&'a PreparedCaseSlot>,
    /// The flags that select registry and code object, for the line that runs the trial again.
    pub flags: &'a str,
}

/// A trial that was run.
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishedTrial {
    /// The report of the trial.
    pub report: TrialReport,
    /// The kind of the device's failure, if the device failed.
    pub failure: Option<DeviceErrorKind>,
    /// True if the planted bug was launched.
    pub plant_used: bool,
    /// The reason why the tensors could not be dumped, if the dump failed.
    pub dump_error: Option<String>,
    /// A digest of the bits of the trial's outputs, if it has any.
    pub digest: Option<u64>,
    /// True if the trial's process did not end within its time and was stopped. The process itself cannot tell.
    #[serde(skip)]
    pub timed_out: bool,
}

impl FinishedTrial {
    /// Records that a run after the first ended in an error.
    pub(super) fn ended(&mut self, why: &str, kind: DeviceErrorKind) {
        self.report.verdict = Verdict::Error;
        self.report.error = Some(why.into());
        self.report.error_kind = Some(kind);
        self.failure = Some(kind);
    }
}

impl<'a> Plan<'a> {
    /// Makes the plan of a case at a seed: one run within the default limits, without observers, shared inputs or files.
    pub fn new(
        device: &'a dyn Device,
        (program, bound): (&'a Program, Bound<'a>),
        (phase, test, case): (u32, &'a Test, &'a Case),
        seed: u64,
    ) -> Plan<'a> {
        Plan {
            device,
            threads: 1,
            limits: Limits::default(),
            program,
            twin: None,
            launching: Launching::Enabled,
            phase,
            test,
            case,
            seed,
            repeat: 1,
            relations: false,
            hypotheses: true,
            watch: &NOTHING,
            dump: None,
            given: None,
            bound,
            shared: None,
            flags: "",
        }
    }

    /// Makes the report of a trial that ended in an error.
    pub(super) fn failed(&self, error: &DeviceError) -> FinishedTrial {
        let mut report = self.blank();
        report.verdict = Verdict::Error;
        report.error = Some(error.message.clone());
        report.error_kind = Some(error.kind);
        FinishedTrial {
            report,
            failure: Some(error.kind),
            plant_used: false,
            dump_error: None,
            digest: None,
            timed_out: false,
        }
    }

    /// Makes the report of a trial without results.
    pub(super) fn blank(&self) -> TrialReport {
        TrialReport {
            id: self.case.id.clone(),
            phase: self.phase,
            title: self.test.title.clone(),
            contract: self.test.function.name.into(),
            shape: self.case.values.to_string(),
            documented: self.test.documented,
            verdict: Verdict::Pass,
            problem: None,
            outputs: Vec::new(),
            findings: Vec::new(),
            relations: Vec::new(),
            error: None,
            error_kind: None,
            diagnosis: None,
            seed: self.seed,
            launches: Vec::new(),
            wave_instructions: None,
            seconds: 0.0,
            rerun: again(&self.case.id, self.seed, self.flags),
        }
    }
}
