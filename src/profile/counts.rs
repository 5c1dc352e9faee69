//! The cost model applied to counts from a file, for a comparison with published measurements.

use std::path::Path;

use gfx906::observe::costs::GroupCost;
use serde::{Deserialize, Serialize};

use super::constants::{CLOCK, LAUNCH};
use super::model::{Card, Estimate, Interval, Traffic, estimate};
use super::occupancy::{Needs, occupancy};
use crate::files::FileError;
use crate::text::shown;

/// Bytes of the largest file of counts.
const MOST: u64 = 1 << 20;
/// The most work-groups of a launch.
const MOST_GROUPS: u32 = 1 << 20;
/// The most waves of a work-group.
const MOST_WAVES: u32 = 16;

/// A file of counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    kernel: Vec<CountedKernel>,
}

/// The counts of a kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountedKernel {
    name: String,
    /// Clock in MHz.
    clock: Option<f64>,
    /// Work-groups of a launch, and waves of each.
    groups: u32,
    waves: u32,
    #[serde(default = "registers")]
    vgprs: u32,
    #[serde(default)]
    lds_bytes: u32,
    /// Head-tokens of a launch. The next four counts are for one of them.
    units: f64,
    /// Wave instructions of the vector ALU, at full rate.
    #[serde(default)]
    valu: f64,
    /// Cycles of LDS.
    #[serde(default)]
    lds: f64,
    /// Cache lines of vector memory.
    #[serde(default)]
    lines: f64,
    /// Scalar, branch and message instructions.
    #[serde(default)]
    scalar: f64,
    /// Different bytes that a launch reads and writes.
    #[serde(default)]
    bytes: u64,
    #[serde(default)]
    measured: Vec<CardMeasurement>,
}

fn registers() -> u32 {
    64
}

/// A measurement on a card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CardMeasurement {
    what: String,
    seconds: f64,
}

/// The model's estimate of a kernel, beside a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelComparison {
    /// The kernel.
    pub name: String,
    /// Clock in MHz.
    pub clock: f64,
    /// Seconds of a launch, with the launch itself.
    pub seconds: Interval,
    /// The model's estimate.
    pub model: Estimate,
    /// The measurements.
    pub measured: Vec<Error>,
}

/// A measurement, and the error of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    /// A description of the measurement.
    pub what: String,
    /// The measured time.
    pub seconds: f64,
    /// The ratio to the upper end, if the measurement is above it (more than 1), or to the lower end, if it is below
    /// (less than 1); 1 within the interval.
    pub factor: f64,
}

impl Counts {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read or parsed, or a count is out of its range.
    pub fn read(path: &Path) -> Result<Counts, FileError> {
        let refused = |why: String| FileError::Unusable(format!("counts {}: {why}", shown(path)));
        let bytes = crate::files::read(path, MOST)
            .map_err(|error| FileError::Unusable(format!("counts: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|_| refused("not UTF-8".into()))?;
        let counts: Counts = toml::from_str(&text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start);
            let line = 1 + text[..before.min(text.len())].matches('\n').count();
            refused(format!("line {line}: {}", error.message()))
        })?;
        for kernel in &counts.kernel {
            let wrong = kernel.wrong();
            wrong.map_or(Ok(()), |why| {
                Err(refused(format!("kernel `{}`: {why}", kernel.name)))
            })?;
        }
        Ok(counts)
    }

    /// Returns the estimate of each kernel, at the kernel's own clock if it has one.
    pub fn held(&self) -> Vec<ModelComparison> {
        self.kernel.iter().map(CountedKernel::held).collect()
    }
}

impl CountedKernel {
    fn wrong(&self) -> Option<String> {
        let within = |name: &str, value: u32, most: u32| {
            let wrong = value == 0 || value > most;
            wrong.then(|| format!("`{name}` is {value}; it can be 1 to {most}"))
        };
        let counts = [self.units, self.valu, self.lds, self.lines, self.scalar];
        let fine = |count: &f64| count.is_finite() && (0.0..1e15).contains(count);
        within("groups", self.groups, MOST_GROUPS)
            .or_else(|| within("waves", self.waves, MOST_WAVES))
            .or_else(|| within("vgprs", self.vgprs, super::constants::VGPRS))
            .or_else(|| {
                let wrong = !counts.iter().all(fine);
                wrong.then(|| "counts are numbers from 0 to 1e15".to_owned())
            })
            .or_else(|| {
                let wrong = self.lds_bytes > super::constants::LDS;
                wrong.then(|| "`lds_bytes` is more than a compute unit has".to_owned())
            })
            .or_else(|| {
                let seconds = self.measured.iter().map(|measured| measured.seconds);
                let mut positive = seconds.chain(self.clock);
                let wrong = !positive.all(|value| value.is_finite() && value > 0.0);
                wrong.then(|| "`clock` and `seconds` are above 0".to_owned())
            })
    }

    fn held(&self) -> ModelComparison {
        let clock = self.clock.unwrap_or(CLOCK);
        let share = |count: f64| count * self.units / f64::from(self.groups);
        let group = GroupCost {
            valu: vec![
                (4.0 * share(self.valu) / f64::from(self.waves)) as u64;
                self.waves as usize
            ],
            lds: share(self.lds) as u64,
            lines: share(self.lines) as u64,
            scalar: share(self.scalar) as u64,
            ..GroupCost::default()
        };
        let needs = Needs {
            waves: self.waves,
            vgprs: self.vgprs,
            lds: self.lds_bytes,
        };
        let traffic = Traffic {
            bytes: self.bytes,
            of_lines: self.bytes,
        };
        let groups = vec![&group; self.groups as usize];
        let (_, model) = estimate(Card { clock }, &groups, occupancy(needs).groups, traffic);
        let measured = self.measured.iter();
        let measured = measured.map(|measured| (measured.what.clone(), measured.seconds));
        ModelComparison::of(self.name.clone(), clock, model, measured)
    }
}

impl ModelComparison {
    /// Compares the estimate of a launch with its measurement in seconds.
    pub fn of(
        name: String,
        clock: f64,
        model: Estimate,
        measured: impl IntoIterator<Item = (String, f64)>,
    ) -> ModelComparison {
        let seconds = model.seconds.map(|seconds| seconds + LAUNCH);
        let measured = measured.into_iter().map(|(what, took)| Error {
            what,
            seconds: took,
            factor: (took / seconds[1]).max(1.0) * (took / seconds[0]).min(1.0),
        });
        ModelComparison {
            name,
            clock,
            seconds,
            measured: measured.collect(),
            model,
        }
    }
}
