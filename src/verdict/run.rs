//! Launches, trials, phases and the whole run.

use serde::{Deserialize, Serialize};

use super::{
    CountersReport, Damage, EnvironmentReport, ErrorKind, FindingReport, OutputReport, Problem,
    Verdict, number,
};

/// One kernel launch of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// Kernel name.
    pub kernel: String,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Dynamic LDS, in bytes.
    pub dynamic_lds: u32,
    /// Wave instructions executed, where the device counts them.
    pub wave_instructions: Option<u64>,
    /// What else was counted, where that was asked for; such a trial never runs in a process of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counters: Option<CountersReport>,
    /// Time of the kernel on the device, in seconds, where the device measures it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel_seconds: Option<f64>,
    /// Wall time of the launch; NaN where its process ended before it did.
    #[serde(with = "number")]
    pub seconds: f64,
}

/// One trial: a test at one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialReport {
    /// The id that `--test` takes.
    pub id: String,
    /// Number of its phase.
    pub phase: u32,
    /// What it computes, in words.
    pub title: String,
    /// Its shape as a table shows it: `64x64`, `S=128 C=64`.
    pub shape: String,
    /// Whether it is one of the document's 26.
    pub documented: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// A problem of the trial's buffers as a whole: a guard overwritten, an input changed, runs that differ.
    pub problem: Option<Problem>,
    /// Every output judged.
    pub outputs: Vec<OutputReport>,
    /// What the sanitizer found, where it looked on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<FindingReport>,
    /// The laws of the contract that were tried, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub relations: Vec<RelationReport>,
    /// Why there is no comparison (a trap's report, possibly of several lines), or the reason of a skip.
    pub error: Option<String>,
    /// The kind of the error; none of a skip.
    pub error_kind: Option<ErrorKind>,
    /// The seed of its inputs.
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

/// A law of a contract that needs no reference, tried on a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationReport {
    /// Its name.
    pub name: String,
    /// `pass`: it is kept. `fail`: it is broken. `skip`: it could not be tried.
    pub verdict: Verdict,
    /// Why it could not be tried.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// How it is broken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<Problem>,
    /// Where it is broken and by how much, in the output that the problem names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub damage: Option<Damage>,
}

/// The trials of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// What a reader of its results should know.
    pub note: Option<String>,
    /// Its trials, in the registry's order.
    pub trials: Vec<TrialReport>,
}

/// What the run ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// `emulator` or `hip`.
    pub kind: String,
    /// One line for people: name, architecture, threads.
    pub description: String,
    /// The card and what drives it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<CardReport>,
}

/// A card, and the software that drives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardReport {
    /// Its number among the devices that the runtime shows, from 0.
    pub index: u32,
    /// Its name, as the runtime has it.
    pub name: String,
    /// Its architecture with features: `gfx906:sramecc+:xnack-`.
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
    /// Where it came from: a path, or `built in`.
    pub path: String,
    /// SHA-256 of its bytes, in lower-case hex.
    pub sha256: String,
    /// The compiler and options that built it, where known.
    pub build: Option<String>,
}

/// How many trials got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Ended in an error.
    pub error: usize,
    /// Skipped.
    pub skip: usize,
    /// Beyond the device.
    pub unsupported: usize,
}

impl Totals {
    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::Fail => self.fail += 1,
            Verdict::Error => self.error += 1,
            Verdict::Skip => self.skip += 1,
            Verdict::Unsupported => self.unsupported += 1,
        }
    }

    /// How many got `verdict`.
    pub fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Pass => self.pass,
            Verdict::Fail => self.fail,
            Verdict::Error => self.error,
            Verdict::Skip => self.skip,
            Verdict::Unsupported => self.unsupported,
        }
    }

    /// All of them.
    pub fn total(&self) -> usize {
        Verdict::ALL.iter().map(|&v| self.of(v)).sum()
    }
}

/// Which part of a run this was, where several machines share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionReport {
    /// Which part, from 1.
    pub part: usize,
    /// Of how many.
    pub parts: usize,
    /// How many trials all parts have together.
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
    /// Whether the run came to its end: false of a report that is written while it runs, and of a run that was interrupted.
    pub complete: bool,
    /// Trials that were selected; the phases have as many once the run is complete.
    pub selected: usize,
    /// Where, when and of what it was made.
    pub environment: EnvironmentReport,
    /// What it ran on.
    pub device: DeviceReport,
    /// The commands that it ran.
    pub code_object: CodeObjectReport,
    /// The seed of the run.
    pub seed: u64,
    /// The phases that had trials selected, in order.
    pub phases: Vec<PhaseReport>,
    /// Verdicts of all trials.
    pub totals: Totals,
    /// Verdicts of the documented tests among them.
    pub documented: Totals,
    /// Wall time of the run.
    #[serde(with = "number")]
    pub seconds: f64,
    /// Which part of a run this was, if it was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub partition: Option<PartitionReport>,
}

impl RunReport {
    /// Name and version of the report format.
    pub const SCHEMA: &'static str = "deltanet-check/report/1";

    /// Puts a whole run together and counts its verdicts.
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

    /// Every trial, in order.
    pub fn trials(&self) -> impl Iterator<Item = &TrialReport> {
        self.phases.iter().flat_map(|phase| &phase.trials)
    }
}
