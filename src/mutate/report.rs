//! The report of a campaign.

use serde::{Deserialize, Serialize};

use super::operators::Operator;
use crate::report::model::CodeObjectReport;

/// Name and version of the JSON format.
pub const SCHEMA: &str = "deltanet-check/mutation/1";

/// The outcome of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum MutantOutcome {
    /// A test did not pass, or lint found a mistake.
    Killed {
        /// The case.
        test: String,
        /// The verdict on the case.
        verdict: String,
        /// The reason why the test or lint refused the mutant, in a few words.
        how: String,
    },
    /// Registers or memory differed, and no output did.
    Missed {
        /// The values of the instruction's operands in the cheapest case.
        saw: Vec<String>,
    },
    /// An output differed, within its tolerance.
    WithinTolerance {
        /// The case.
        test: String,
    },
    /// The changed instruction had the same effects as the original one in every test.
    NotInfected {
        /// The values of the instruction's operands in the cheapest case.
        saw: Vec<String>,
    },
    /// The mutant provably computes the same.
    Equivalent {
        /// The rule that proves it.
        rule: String,
    },
    /// The mutant needs the sanitizer for its judgement, because values do not show it.
    NotJudged,
}

impl MutantOutcome {
    /// Returns the outcome's name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            MutantOutcome::Killed { .. } => "killed",
            MutantOutcome::Missed { .. } => "missed",
            MutantOutcome::WithinTolerance { .. } => "within-tolerance",
            MutantOutcome::NotInfected { .. } => "not-infected",
            MutantOutcome::Equivalent { .. } => "equivalent",
            MutantOutcome::NotJudged => "not-judged",
        }
    }

    /// Returns true if a test should have noticed the mutant and none did.
    pub fn survived(&self) -> bool {
        matches!(
            self,
            MutantOutcome::Missed { .. }
                | MutantOutcome::WithinTolerance { .. }
                | MutantOutcome::NotInfected { .. }
        )
    }
}

/// A mutant and its outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantReport {
    /// Name of the mutant's function.
    pub function: String,
    /// Bytes from the function's beginning to the instruction.
    pub offset: u64,
    /// Source line of the instruction, if the object has line tables.
    pub source: Option<String>,
    /// The operator that made the mutant.
    pub operator: Operator,
    /// The instruction.
    pub was: String,
    /// The changed instruction.
    pub is: String,
    /// Number of cases that execute the instruction.
    pub executed_by: usize,
    /// Number of these cases that ran with the mutant.
    pub ran: usize,
    /// The outcome of the mutant.
    #[serde(flatten)]
    pub outcome: MutantOutcome,
}

/// Consecutive instructions that no test executes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredStretch {
    /// Name of the instructions' function.
    pub function: String,
    /// Bytes from the function's beginning to the first instruction.
    pub offset: u64,
    /// Number of instructions.
    pub instructions: usize,
    /// The first instruction.
    pub text: String,
    /// The branch that would lead to the first instruction.
    pub path: String,
}

/// A function that mutants were made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// The first 16 digits of the SHA-256 of its code.
    pub sha256: String,
    /// Number of the function's instructions.
    pub instructions: usize,
    /// Number of instructions that a test executes.
    pub covered: usize,
    /// Number of cases that execute any of the instructions.
    pub cases: usize,
    /// The disassembled instructions.
    #[serde(default)]
    pub listing: Vec<Line>,
}

/// An instruction of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Bytes from the function's beginning.
    pub offset: u64,
    /// The instruction.
    pub text: String,
    /// Source line of the instruction, if the object has line tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The settings of a campaign. All its partitions have the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CampaignSettings {
    /// Seed of the inputs and of the draw of mutants.
    pub seed: u64,
    /// Number of mutants of each function; 0 for all.
    pub per_kernel: usize,
    /// The operators.
    pub operators: Vec<Operator>,
    /// The phases that were named; none: all.
    pub phases: Vec<String>,
    /// The tests that were named; none: all.
    pub tests: Vec<String>,
    /// The kernels that were named; none: all.
    pub kernels: Vec<String>,
    /// Number of cases that ran.
    pub cases: usize,
}

/// The result of a campaign, or of a part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutationReport {
    /// Name and version of this format.
    pub schema: String,
    /// True if the report has all mutants that were drawn.
    pub complete: bool,
    /// Mutants that were drawn; 0 until the kernels as they are have passed.
    pub drawn: usize,
    /// The device that ran the kernels.
    pub device: String,
    /// The code object that was changed.
    pub code_object: CodeObjectReport,
    /// The settings.
    pub asked: CampaignSettings,
    /// The partitions that the report has, as `K/N`; `1/1` for a campaign without partitions.
    pub parts: Vec<String>,
    /// Seconds of all parts on the clock, references of the honest kernels included.
    pub seconds: f64,
    /// The functions whose instructions were changed.
    pub functions: Vec<FunctionReport>,
    /// Kernels that no selected test launches.
    pub not_launched: Vec<String>,
    /// Stretches of the functions that no test executes.
    pub uncovered: Vec<UncoveredStretch>,
    /// The mutants.
    pub mutants: Vec<MutantReport>,
}

/// Numbers of mutants by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Mutants that a test or lint noticed.
    pub killed: usize,
    /// Missed.
    pub missed: usize,
    /// Within tolerance.
    pub within_tolerance: usize,
    /// Not infected.
    pub not_infected: usize,
    /// Equivalent.
    pub equivalent: usize,
    /// Not judged.
    pub not_judged: usize,
}

impl Counts {
    /// Counts mutants by their outcome.
    pub fn of<'a>(mutants: impl Iterator<Item = &'a MutantReport>) -> Counts {
        let mut counts = Counts::default();
        for mutant in mutants {
            *match mutant.outcome {
                MutantOutcome::Killed { .. } => &mut counts.killed,
                MutantOutcome::Missed { .. } => &mut counts.missed,
                MutantOutcome::WithinTolerance { .. } => &mut counts.within_tolerance,
                MutantOutcome::NotInfected { .. } => &mut counts.not_infected,
                MutantOutcome::Equivalent { .. } => &mut counts.equivalent,
                MutantOutcome::NotJudged => &mut counts.not_judged,
            } += 1;
        }
        counts
    }

    /// Returns the number of mutants that should have been noticed.
    pub fn judged(&self) -> usize {
        self.killed + self.missed + self.within_tolerance + self.not_infected
    }

    /// Returns the percentage of killed mutants among those that should have been noticed; none if there are no such mutants.
    pub fn score(&self) -> Option<f64> {
        (self.judged() > 0).then(|| 100.0 * self.killed as f64 / self.judged() as f64)
    }
}

impl MutationReport {
    /// Returns true if mutants of other partitions are missing.
    pub fn is_part(&self) -> bool {
        let parts = self.parts.len();
        !self
            .parts
            .iter()
            .all(|part| part.ends_with(&format!("/{parts}")))
    }

    /// Counts the report's mutants by outcome.
    pub fn counts(&self) -> Counts {
        Counts::of(self.mutants.iter())
    }
}

#[cfg(test)]
pub(in crate::mutate) mod tests;
