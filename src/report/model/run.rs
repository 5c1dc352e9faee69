//! Launches, trials, phases and the whole run.

use serde::{Deserialize, Serialize};

use super::{
    CountersReport, Damage, DiagnosisReport, EnvironmentReport, ErrorKind, FindingReport,
    OutputReport, Problem, Verdict, number,
};

/// One kernel launch of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// The number of work-groups in x, y, z.
    pub grid: [u32; 3],
    /// The number of work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// The bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// Wave instructions executed, where the device counts them.
    pub wave_instructions: Option<u64>,
    /// The other counters, where they were asked for; such a trial never runs in a process of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counters: Option<CountersReport>,
    /// Time of the kernel on the device, in seconds, where the device measures it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel_seconds: Option<f64>,
    /// Wall time of the launch; NaN where its process ended before the launch did.
    #[serde(with = "number")]
    pub seconds: f64,
}

/// One trial: a test at one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialReport {
    /// The id that `--test` takes.
    pub id: String,
    /// The number of the trial's phase.
    pub phase: u32,
    /// A description of the test's computation.
    pub title: String,
    /// The name of the test's contract.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub contract: String,
    /// The trial's shape as a table shows it: `64x64`, `S=128 C=64`.
    pub shape: String,
    /// True if the test is one of the document's 26.
    pub documented: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// A problem of the trial's buffers as a whole: a guard overwritten, an input changed, runs that differ.
    pub problem: Option<Problem>,
    /// Every output judged.
    pub outputs: Vec<OutputReport>,
    /// The findings of the sanitizer, if it was active.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<FindingReport>,
    /// The laws of the contract that were checked, in the contract's order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub relations: Vec<RelationReport>,
    /// The reason why there is no comparison (a trap's report, possibly of several lines), or the reason of a skip.
    pub error: Option<String>,
    /// The kind of the error; a skip has none.
    pub error_kind: Option<ErrorKind>,
    /// The causes of the failure, where experiments looked for them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diagnosis: Option<DiagnosisReport>,
    /// The seed of the trial's inputs.
    pub seed: u64,
    /// The launches made, in order.
    pub launches: Vec<LaunchReport>,
    /// Wave instructions of all launches, where the device counts them.
    pub wave_instructions: Option<u64>,
    /// Wall time of the trial.
    #[serde(with = "number")]
    pub seconds: f64,
    /// The command that runs this one case again.
    pub rerun: String,
}

/// The check of a law on a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationReport {
    /// The law's name.
    pub name: String,
    /// `pass`: the law holds. `fail`: the law is broken. `skip`: the law could not be checked.
    pub verdict: Verdict,
    /// The reason why the law could not be checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The way in which the law is broken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<Problem>,
    /// The locations and sizes of the errors in the output that the problem names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub damage: Option<Damage>,
}

/// The trials of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// The phase's number.
    pub number: u32,
    /// The phase's title.
    pub title: String,
    /// The note for readers of the phase's results.
    pub note: Option<String>,
    /// The phase's trials, in the registry's order.
    pub trials: Vec<TrialReport>,
}

/// The device of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// The kind of device: `emulator` or `hip`.
    pub kind: String,
    /// One line for people: name, architecture, threads.
    pub description: String,
    /// The card and the software that drives it, where there is a card.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<CardReport>,
}

/// A card, and the software that drives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardReport {
    /// The card's number among the devices that the runtime shows, from 0.
    pub index: u32,
    /// The card's name, as the runtime has it.
    pub name: String,
    /// The card's architecture with features: `gfx906:sramecc+:xnack-`.
    pub architecture: String,
    /// Compute units; none where the runtime does not say.
    pub compute_units: Option<u32>,
    /// Bytes of memory; none where the runtime does not say.
    pub memory: Option<u64>,
    /// Version of the HIP runtime, as the number that it gives.
    pub runtime: Option<u32>,
    /// Version of the driver, as the number that the HIP runtime gives.
    pub driver: Option<u32>,
    /// Variables of the environment that change what the runtime shows, as `NAME=value`.
    pub environment: Vec<String>,
}

/// The machine code under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeObjectReport {
    /// The path of the file, or `built in`.
    pub path: String,
    /// SHA-256 of the code object's bytes, in lower-case hex.
    pub sha256: String,
    /// The compiler and options that built it, where known.
    pub build: Option<String>,
}

/// The number of trials of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The number of trials that passed.
    pub pass: usize,
    /// The number of trials that failed.
    pub fail: usize,
    /// The number of trials that ended in an error.
    pub error: usize,
    /// The number of trials that were skipped.
    pub skip: usize,
    /// The number of trials that the device cannot run.
    pub unsupported: usize,
}

impl Totals {
    /// Counts one more trial.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::Fail => self.fail += 1,
            Verdict::Error => self.error += 1,
            Verdict::Skip => self.skip += 1,
            Verdict::Unsupported => self.unsupported += 1,
        }
    }

    /// Returns the number of trials of a verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Pass => self.pass,
            Verdict::Fail => self.fail,
            Verdict::Error => self.error,
            Verdict::Skip => self.skip,
            Verdict::Unsupported => self.unsupported,
        }
    }

    /// Returns the number of all trials.
    pub fn total(&self) -> usize {
        Verdict::ALL.iter().map(|&v| self.of(v)).sum()
    }
}

/// The part of a run that a report is about, where several machines share the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionReport {
    /// The number of the part, from 1.
    pub part: usize,
    /// The number of parts.
    pub parts: usize,
    /// The number of trials that all parts have together.
    pub cases: usize,
    /// The place of each trial of this part in the whole run, from 0.
    pub positions: Vec<usize>,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Name and version of this format: [`RunReport::SCHEMA`].
    pub schema: String,
    /// Version of deltanet-check.
    pub version: String,
    /// True if the run came to its end. A report that is written during the run has false, and so has the report of an interrupted run.
    pub complete: bool,
    /// Trials that were selected; the phases have as many once the run is complete.
    pub selected: usize,
    /// The time, the machine, the command line and the files of the run.
    pub environment: EnvironmentReport,
    /// The device of the run.
    pub device: DeviceReport,
    /// The code object that the run launched kernels of.
    pub code_object: CodeObjectReport,
    /// The seed of the run.
    pub seed: u64,
    /// The phases that had trials selected, in order.
    pub phases: Vec<PhaseReport>,
    /// Verdicts of all trials.
    pub totals: Totals,
    /// Verdicts of the documented tests.
    pub documented: Totals,
    /// Wall time of the run.
    #[serde(with = "number")]
    pub seconds: f64,
    /// The part of a run that the report is about; none where the report is about a whole run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub partition: Option<PartitionReport>,
}

impl RunReport {
    /// Name and version of the report format.
    pub const SCHEMA: &'static str = "deltanet-check/report/1";

    /// Makes the report of a whole run and counts its verdicts.
    pub fn new(
        (environment, device, code_object): (EnvironmentReport, DeviceReport, CodeObjectReport),
        seed: u64,
        phases: Vec<PhaseReport>,
        seconds: f64,
    ) -> RunReport {
        let mut totals = Totals::default();
        let mut documented = Totals::default();
        for trial in phases.iter().flat_map(|phase| &phase.trials) {
            totals.add(trial.verdict);
            if trial.documented {
                documented.add(trial.verdict);
            }
        }
        RunReport {
            schema: RunReport::SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            complete: true,
            selected: totals.total(),
            environment,
            device,
            code_object,
            seed,
            phases,
            totals,
            documented,
            seconds,
            partition: None,
        }
    }

    /// Returns every trial, in order.
    pub fn trials(&self) -> impl Iterator<Item = &TrialReport> {
        self.phases.iter().flat_map(|phase| &phase.trials)
    }
}
