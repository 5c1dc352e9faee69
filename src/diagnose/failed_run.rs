//! The diagnoses of a run: each mistake is told of the trial in which it shows most, and a cause must hold in other failed trials, too.

use crate::report::model::{CauseReport, DiagnosisReport, TrialReport};
use crate::trial::Plan;

use super::choice::{dullness, instead_of, others_with};
use super::known::{KnownMistakes, told_by};
use super::{
    Depth, Failure, KernelTests, SearchResult, by_experiments, factors, holds, influence, is_small,
    race, unwritten,
};

/// The failures of a run.
pub(super) struct FailedRun<'r> {
    pub(super) failures: &'r [Failure<'r>],
    pub(super) depth: Depth,
    pub(super) kernel_tests: &'r dyn KernelTests,
    /// None if the contracts' lists are not asked.
    pub(super) mistakes: Option<KnownMistakes<'r>>,
}

/// The diagnosis of a trial, with the trial's position among the failures.
struct Diagnosis {
    position: usize,
    found: SearchResult,
}

impl Diagnosis {
    fn cause(&self) -> Option<&CauseReport> {
        self.found.report.causes.first()
    }
}

/// Other trials with which a cause is compared.
const ELSEWHERE: usize = 2;

impl FailedRun<'_> {
    /// Returns the diagnosis of a trial and those like it. Where no cause is found, or one that another trial contradicts, other trials are asked.
    pub(super) fn diagnosis_of_all_like(&self, first: usize) -> Option<(usize, DiagnosisReport)> {
        let (plan, report) = &self.failures[first];
        if let Some(found) = race::diagnosis(report) {
            return Some((first, found));
        }
        if unwritten::is_read(report) {
            return unwritten::diagnosis(plan).map(|found| (first, found));
        }
        let mut nothing = None;
        let all = std::iter::once(first).chain(instead_of(self.failures, first));
        for position in all {
            let Some(found) = self.diagnosis(position) else {
                continue;
            };
            let found = self.confirmed(found);
            let report = found.found.report;
            if !report.causes.is_empty() {
                return Some((found.position, report));
            }
            nothing = nothing.or(Some((found.position, report)));
        }
        nothing
    }

    fn diagnosis(&self, position: usize) -> Option<Diagnosis> {
        let (plan, report) = &self.failures[position];
        let experiments = |depth| by_experiments(plan, report, depth, self.kernel_tests);
        let mistakes = self.mistakes.as_ref();
        let found = match mistakes.and_then(|mistakes| Some((mistakes, mistakes.best(position)?))) {
            None => experiments(self.depth)?,
            Some((mistakes, known)) => {
                // Other mistakes look like one that explains few trials.
                let found = match mistakes.is_lone(position) {
                    true => experiments(Depth::Blind),
                    false => None,
                };
                // Along short axes, many mistakes look alike.
                let is_doubtful =
                    mistakes.is_lone(position) && dullness(plan.test.function, plan.case) > 0;
                match found {
                    Some(found) if is_doubtful || !found.report.causes.is_empty() => found,
                    _ => SearchResult {
                        report: match is_doubtful {
                            true => DiagnosisReport::default(),
                            false => told_by(known),
                        },
                        method: None,
                    },
                }
            }
        };
        Some(Diagnosis { position, found })
    }

    /// Returns a diagnosis whose cause other trials do not contradict, which may be that of another trial. A contradicted cause in whose place there is no
    /// other is left out if it is one of a dull trial, a factor, or a missing response.
    fn confirmed(&self, mut diagnosis: Diagnosis) -> Diagnosis {
        let position = diagnosis.position;
        let Some(cause) = diagnosis.cause() else {
            return diagnosis;
        };
        if cause.kind == "scale" && cause.tensor.is_none() {
            return self.with_factor_elsewhere(diagnosis);
        }
        let (plan, report) = &self.failures[position];
        let wrong = report
            .outputs
            .iter()
            .find(|output| output.problem.is_some());
        let output = cause.output.as_ref().or(wrong.map(|output| &output.name));
        let others = output.map(|output| others_with(self.failures, position, output));
        let others: Vec<usize> = others.into_iter().flatten().take(ELSEWHERE).collect();
        let mut contradicts = others.iter().filter(|&&other| {
            let plan = self.plan(other);
            let there = plan.experiment().filter(is_small);
            match there.and_then(|there| influence::is_unread_too(&there, cause)) {
                Some(unread) => !unread,
                None => !holds(plan, &diagnosis.found),
            }
        });
        let missing = cause.explains.is_none();
        let is_contradicted = match missing {
            true => contradicts.next().is_some(),
            false => !others.is_empty() && contradicts.count() == others.len(),
        };
        if !is_contradicted {
            return diagnosis;
        }
        let told = others.iter().find_map(|&other| {
            let told = self.diagnosis(other)?;
            told.cause().is_some().then_some(told)
        });
        let is_dull = dullness(plan.test.function, plan.case) > 0;
        if told.is_none() && (is_dull || missing || cause.kind == "scale") {
            diagnosis.found.report.causes.clear();
        }
        told.unwrap_or(diagnosis)
    }

    /// Compares the factor of an output that a diagnosis names with trials of other sizes. A number that is another one there is not told as that of
    /// one case, and where there is no factor, the diagnosis of that trial is told.
    fn with_factor_elsewhere(&self, mut diagnosis: Diagnosis) -> Diagnosis {
        let position = diagnosis.position;
        let plan = self.plan(position);
        let name = diagnosis.cause().and_then(|cause| cause.output.clone());
        let Some((name, here)) = name.zip(plan.experiment()) else {
            return diagnosis;
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
                    let told = told.filter(|told| told.cause().is_some_and(is_another));
                    return told.unwrap_or_else(|| {
                        diagnosis.found.report.causes[0].text = text;
                        diagnosis
                    });
                }
                Some(factors::Elsewhere::Factor(text)) => {
                    let cause = &mut diagnosis.found.report.causes[0];
                    // A factor of another number here is one that the case's own diagnosis told otherwise, as that of an input.
                    if cause.text.starts_with(&format!("`{name}` is ")) {
                        cause.text = text;
                    }
                    break;
                }
                None => {}
            }
        }
        diagnosis
    }

    fn plan(&self, position: usize) -> &Plan<'_> {
        let failure: &(_, TrialReport) = &self.failures[position];
        failure.0
    }
}
