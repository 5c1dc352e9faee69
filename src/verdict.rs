//! What a run found out: the verdict words and the data that every report is made of.
//!
//! Nothing here computes or prints. The trial runner and `compare` fill these types, `report` shows them,
//! and their serialised form is the JSON report (schema `deltanet-check/report/1`).

pub mod number;
mod problem;

pub use problem::{Element, FirstBad, Hypothesis, Owner, Problem, Reference, Side};

use serde::Serialize;

/// The verdict on an output, a trial or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything was compared and every error is within its tolerance.
    Pass,
    /// Compared, and wrong.
    Fail,
    /// Did not get as far as comparing: a fault, a hang, a missing kernel, an unusable reference.
    Error,
    /// Not run, with a reason. Never counts as a pass.
    Skip,
    /// The device cannot run it.
    Unsupported,
}

impl Verdict {
    /// Every verdict, in the order in which totals name them.
    pub const ALL: [Verdict; 5] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Error,
        Verdict::Skip,
        Verdict::Unsupported,
    ];

    /// The word as tables print it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Error => "ERROR",
            Verdict::Skip => "SKIP",
            Verdict::Unsupported => "UNSUPPORTED",
        }
    }

    /// Whether a run with this verdict in it has failed (exit code 1).
    pub fn is_bad(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Error)
    }
}

/// One named axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// What the axis counts: `row`, `column`, `token`, `chunk`, `head`, `element`.
    pub name: String,
    /// How many there are.
    pub length: usize,
}

impl Axis {
    /// An axis by name and length.
    pub fn new(name: impl Into<String>, length: usize) -> Axis {
        Axis {
            name: name.into(),
            length,
        }
    }
}

/// How far an output may be from its references.
///
/// An element is allowed `absolute + relative * |want|`. Where that is 0 the element must be the golden one bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tolerance {
    /// Absolute error allowed to every element.
    #[serde(with = "number")]
    pub absolute: f64,
    /// Error allowed on top, as a share of the element's own reference value.
    #[serde(with = "number")]
    pub relative: f64,
    /// Relative RMS error allowed to the output as a whole, where the test sets one.
    #[serde(with = "number::option")]
    pub relative_rms: Option<f64>,
    /// The document's own tolerance: never the one that judges unless `absolute` is it, except that the f64 oracle
    /// of an exact output (`absolute` 0) must lie within it.
    #[serde(with = "number")]
    pub ceiling: f64,
    /// Whether 0 and -0 count as equal where the tolerance is 0.
    pub zero_signs_equal: bool,
}

impl Tolerance {
    /// An absolute tolerance with the document's ceiling beside it.
    pub fn absolute(absolute: f64, ceiling: f64) -> Tolerance {
        Tolerance {
            absolute,
            relative: 0.0,
            relative_rms: None,
            ceiling,
            zero_signs_equal: false,
        }
    }

    /// Whether the output must equal the golden reference bit for bit.
    pub fn is_exact(&self) -> bool {
        self.absolute == 0.0 && self.relative == 0.0
    }
}

/// The distance of an output from one reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Largest absolute difference; NaN as soon as one element's difference is NaN.
    #[serde(with = "number")]
    pub max_abs: f64,
    /// `sqrt(sum (got-want)^2 / sum want^2)`; 0 for 0/0, infinite where only the reference is all zero.
    #[serde(with = "number")]
    pub relative_rms: f64,
    /// Largest distance in units in the last place of the output's type; absent where an element is NaN.
    pub max_ulp: Option<u64>,
    /// Elements that are not within what they are allowed.
    pub mismatched: usize,
    /// Elements compared.
    pub total: usize,
    /// Largest error as a share of what its element is allowed; 0 where every error is 0, infinite where an
    /// element that is allowed nothing is wrong.
    #[serde(with = "number")]
    pub used: f64,
    /// The worst element by excess over what it is allowed (the largest error where none exceeds).
    pub worst: Option<Element>,
}

/// The judgement of one output of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputReport {
    /// The output's name.
    pub name: String,
    /// Its element type: `f32`, `f16`, `bf16`, `i32`.
    pub element: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// What it was judged by.
    pub tolerance: Tolerance,
    /// Distance from the golden reference (same type, the kernel's order of operations).
    pub golden: Metrics,
    /// Distance from the f64 oracle.
    pub oracle: Metrics,
    /// The verdict.
    pub verdict: Verdict,
    /// What is wrong, where the verdict is not a pass: the first of the order of judgement.
    pub problem: Option<Problem>,
}

/// One kernel launch of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Wall time of the launch.
    #[serde(with = "number")]
    pub seconds: f64,
}

/// One trial: a test at one seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Why there is no comparison (a trap's report, possibly of several lines), or the reason of a skip.
    pub error: Option<String>,
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

/// The trials of one phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseReport {
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// Its trials, in the registry's order.
    pub trials: Vec<TrialReport>,
}

/// What the run ran on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceReport {
    /// `emulator` or `hip`.
    pub kind: String,
    /// One line for people: name, architecture, threads.
    pub description: String,
}

/// The machine code under test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeObjectReport {
    /// Where it came from: a path, or `built in`.
    pub path: String,
    /// SHA-256 of its bytes, in lower-case hex.
    pub sha256: String,
    /// The compiler and options that built it, where known.
    pub build: Option<String>,
}

/// How many trials got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Name and version of this format: [`RunReport::SCHEMA`].
    pub schema: &'static str,
    /// Version of deltanet-check.
    pub version: &'static str,
    /// What it ran on.
    pub device: DeviceReport,
    /// What it ran.
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
}

impl RunReport {
    /// Name and version of the report format.
    pub const SCHEMA: &'static str = "deltanet-check/report/1";

    /// Puts a run together and counts its verdicts.
    pub fn new(
        device: DeviceReport,
        code_object: CodeObjectReport,
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
            schema: RunReport::SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            device,
            code_object,
            seed,
            phases,
            totals,
            documented,
            seconds,
        }
    }

    /// Every trial, in order.
    pub fn trials(&self) -> impl Iterator<Item = &TrialReport> {
        self.phases.iter().flat_map(|phase| &phase.trials)
    }
}
