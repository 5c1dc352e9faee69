//! The diagnoses of a run: each mistake is told of the trial in which it shows most, and a cause must hold in other failed trials, too.

use crate::report::model::{CauseReport, DiagnosisReport, TrialReport};
use crate::trial::Plan;

use super::choice::{instead_of, others_with};
use super::known::{KnownMistakes, told_by};
use super::{Depth, Failure, KernelTests, by_experiments, factors, influence, is_small};

/// The failures of a run.
pub(super) struct FailedRun<'r> {
    pub(super) failures: &'r [Failure<'r>],
    pub(super) depth: Depth,
    pub(super) kernel_tests: &'r dyn KernelTests,
    /// None if the contracts' lists are not asked.
    pub(super) mistakes: Option<KnownMistakes<'r>>,
}

/// The diagnosis of a trial, with the trial's position among the failures.
type Diagnosis = (usize, DiagnosisReport);

/// Other trials with which a cause is compared.
const ELSEWHERE: usize = 2;

impl FailedRun<'_> {
    /// Returns the diagnosis of a trial and those like it. Where no cause is found, or one that another trial contradicts, other trials are asked.
    pub(super) fn diagnosis_of_all_like(&self, first: usize) -> Option<Diagnosis> {
        let mut nothing = None;
        for position in std::iter::once(first).chain(instead_of(self.failures, first)) {
            match self.diagnosis(position).map(|found| self.confirmed(found)) {
                Some(Ok(found)) if !found.1.causes.is_empty() => return Some(found),
                Some(Ok(found) | Err(found)) => nothing = nothing.or(Some(found)),
                None => {}
            }
        }
        nothing
    }

    fn diagnosis(&self, position: usize) -> Option<Diagnosis> {
        let (plan, report) = &self.failures[position];
        let experiments = |depth| by_experiments(plan, report, depth, self.kernel_tests);
        let Some(mistakes) = &self.mistakes else {
            return Some((position, experiments(self.depth)?));
        };
        let Some(known) = mistakes.best(position) else {
            return Some((position, experiments(self.depth)?));
        };
        // Other mistakes look like one that explains few trials.
        let found = match mistakes.is_lone(position) {
            true => experiments(Depth::Blind).filter(|found| !found.causes.is_empty()),
            false => None,
        };
        Some((position, found.unwrap_or_else(|| told_by(known))))
    }

    /// Returns a diagnosis whose cause other trials do not contradict, which may be that of another trial, or as error the diagnosis without the
    /// contradicted cause.
    fn confirmed(&self, found: Diagnosis) -> Result<Diagnosis, Diagnosis> {
        let Some(cause) = found.1.causes.first() else {
            return Ok(found);
        };
        if cause.kind == "scale" && cause.tensor.is_none() {
            return Ok(self.with_factor_elsewhere(found));
        }
        let outputs = &self.failures[found.0].1.outputs;
        let wrong = outputs.iter().find(|output| output.problem.is_some());
        let output = cause.output.as_ref().or(wrong.map(|output| &output.name));
        let others = output.map(|output| others_with(self.failures, found.0, output));
        for other in others.into_iter().flatten().take(ELSEWHERE) {
            let there = self.plan(other).experiment().filter(is_small);
            match there.and_then(|there| influence::is_unread_too(&there, cause)) {
                None | Some(true) => continue,
                Some(false) => {}
            }
            if let Some(told) = self
                .diagnosis(other)
                .filter(|told| !told.1.causes.is_empty())
            {
                return Ok(told);
            }
            let (position, mut without) = found;
            without.causes.clear();
            return Err((position, without));
        }
        Ok(found)
    }

    /// Compares the factor of an output that a diagnosis names with trials of other sizes. A number that is another one there is not told as that of
    /// one case, and where there is no factor, the diagnosis of that trial is told.
    fn with_factor_elsewhere(&self, (position, mut found): Diagnosis) -> Diagnosis {
        let plan = self.plan(position);
        let name = found.causes.first().and_then(|cause| cause.output.clone());
        let Some((name, here)) = name.zip(plan.experiment()) else {
            return (position, found);
        };
        let lengths = |position: usize| -> Vec<usize> {
            let outputs = self.failures[position].1.outputs.iter();
            let axes = outputs.flat_map(|output| &output.axes);
            axes.map(|axis| axis.length).collect()
        };
        let others = others_with(self.failures, position, &name).into_iter();
        let others = others.filter(|&other| lengths(other) != lengths(position));
        let is_another = |cause: &CauseReport| cause.kind != "scale" || cause.tensor.is_some();
        for other in others.take(ELSEWHERE) {
            let of = self.plan(other);
            let there = of.experiment().filter(is_small);
            let compared = there.and_then(|there| {
                factors::factor_elsewhere((&here, &plan.case.id), (&there, &of.case.id), &name)
            });
            match compared {
                // Different factors, and a factor of one case alone, follow from a cause that the other case may tell.
                Some(factors::Elsewhere::Unlike(text)) => {
                    let told = self.diagnosis(other);
                    let told = told.filter(|told| told.1.causes.first().is_some_and(is_another));
                    return told.unwrap_or_else(|| {
                        found.causes[0].text = text;
                        (position, found)
                    });
                }
                Some(factors::Elsewhere::Factor(text)) => {
                    let cause = &mut found.causes[0];
                    // A factor of another number here is one that the case's own diagnosis told otherwise, as that of an input.
                    if cause.text.starts_with(&format!("`{name}` is ")) {
                        cause.text = text;
                    }
                    break;
                }
                None => {}
            }
        }
        (position, found)
    }

    fn plan(&self, position: usize) -> &Plan<'_> {
        let failure: &(_, TrialReport) = &self.failures[position];
        failure.0
    }
}
