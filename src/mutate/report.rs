//! What a campaign found, as it is written down.

use serde::{Deserialize, Serialize};

use super::operators::Operator;
use crate::verdict::CodeObjectReport;

/// Name and version of the JSON format.
pub const SCHEMA: &str = "deltanet-check/mutation/1";

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// A test did not pass.
    Killed {
        /// The case.
        test: String,
        /// Its verdict.
        verdict: String,
        /// The reason why the test failed, in a few words.
        how: String,
    },
    /// Registers or memory differed, and no output did.
    Missed {
        /// What the instruction found in its operands in the cheapest case.
        saw: Vec<String>,
    },
    /// An output differed, within its tolerance.
    WithinTolerance {
        /// The case.
        test: String,
    },
    /// Nothing ever differed from what the instruction would have done.
    NotInfected {
        /// What the instruction found in its operands in the cheapest case.
        saw: Vec<String>,
    },
    /// It cannot differ.
    Equivalent {
        /// The rule that proves it.
        rule: String,
    },
    /// Values do not show it: the sanitizer judges it.
    NotJudged,
}

impl Outcome {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Killed { .. } => "killed",
            Outcome::Missed { .. } => "missed",
            Outcome::WithinTolerance { .. } => "within-tolerance",
            Outcome::NotInfected { .. } => "not-infected",
            Outcome::Equivalent { .. } => "equivalent",
            Outcome::NotJudged => "not-judged",
        }
    }

    /// Returns true if a test should have noticed the mutant and none did.
    pub fn survived(&self) -> bool {
        matches!(
            self,
            Outcome::Missed { .. } | Outcome::WithinTolerance { .. } | Outcome::NotInfected { .. }
        )
    }
}

/// A mutant and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantReport {
    /// The function that it is in.
    pub function: String,
    /// Bytes from the function's beginning to the instruction.
    pub offset: u64,
    /// Source line of the instruction, if the object has line tables.
    pub source: Option<String>,
    /// The operator that made the mutant.
    pub operator: Operator,
    /// The instruction.
    pub was: String,
    /// The instruction in its place.
    pub is: String,
    /// Number of cases that execute the instruction.
    pub executed_by: usize,
    /// Number of these cases that ran with the mutant.
    pub ran: usize,
    /// The outcome of the mutant.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Instructions in a row that no test executes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncovered {
    /// The function that they are in.
    pub function: String,
    /// Bytes from the function's beginning to the first.
    pub offset: u64,
    /// Number of instructions.
    pub instructions: usize,
    /// The first.
    pub text: String,
    /// What would lead there.
    pub path: String,
}

/// A function that mutants were made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// The first 16 digits of the SHA-256 of its code.
    pub sha256: String,
    /// Its instructions.
    pub instructions: usize,
    /// Number of instructions that a test executes.
    pub covered: usize,
    /// Cases that execute any.
    pub cases: usize,
    /// Its code.
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

/// What a campaign was asked for: parts of one campaign agree in all of this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Seed of inputs and of the draw.
    pub seed: u64,
    /// Mutants a function; 0: all.
    pub per_kernel: usize,
    /// The operators.
    pub operators: Vec<Operator>,
    /// The phases that were named; none: all.
    pub phases: Vec<String>,
    /// The tests that were named; none: all.
    pub tests: Vec<String>,
    /// The kernels that were named; none: all.
    pub kernels: Vec<String>,
    /// Cases that ran.
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
    /// What the kernels ran on.
    pub device: String,
    /// The kernels.
    pub code_object: CodeObjectReport,
    /// What was asked for.
    pub asked: Asked,
    /// The parts that are in it, `K/N`; of one that was not parted, `1/1`.
    pub parts: Vec<String>,
    /// Seconds of all parts on the clock, references of the honest kernels included.
    pub seconds: f64,
    /// The functions.
    pub functions: Vec<FunctionReport>,
    /// Kernels that no selected test launches.
    pub not_launched: Vec<String>,
    /// Instructions of the functions that no test executes.
    pub uncovered: Vec<Uncovered>,
    /// The mutants.
    pub mutants: Vec<MutantReport>,
}

/// Numbers of mutants by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Killed.
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
                Outcome::Killed { .. } => &mut counts.killed,
                Outcome::Missed { .. } => &mut counts.missed,
                Outcome::WithinTolerance { .. } => &mut counts.within_tolerance,
                Outcome::NotInfected { .. } => &mut counts.not_infected,
                Outcome::Equivalent { .. } => &mut counts.equivalent,
                Outcome::NotJudged => &mut counts.not_judged,
            } += 1;
        }
        counts
    }

    /// Mutants that should have been noticed.
    pub fn judged(&self) -> usize {
        self.killed + self.missed + self.within_tolerance + self.not_infected
    }

    /// The share of these that were, in percent; none where there are none.
    pub fn score(&self) -> Option<f64> {
        (self.judged() > 0).then(|| 100.0 * self.killed as f64 / self.judged() as f64)
    }
}

impl MutationReport {
    /// Returns true if other parts have other mutants.
    pub fn is_part(&self) -> bool {
        let parts = self.parts.len();
        !self
            .parts
            .iter()
            .all(|part| part.ends_with(&format!("/{parts}")))
    }

    /// All its mutants by outcome.
    pub fn counts(&self) -> Counts {
        Counts::of(self.mutants.iter())
    }
}

#[cfg(test)]
pub(in crate::mutate) mod tests;
