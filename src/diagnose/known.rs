//! Mistakes of the contract's list: those that explain a trial, and of them the one that explains most others of the run.

use crate::compare::{ZERO, is_general_hypothesis};
use crate::report::Signature;
use crate::report::model::{
    CauseReport, DiagnosisReport, Hypothesis, OutputReport, Problem, TrialReport,
};
use crate::tensor::ElementKind;
use crate::trial::Plan;

use super::{is_explainable, weigh};

/// The mistakes that explain each failure of a run.
pub(super) struct KnownMistakes<'r>(Vec<Trial<'r>>);

/// A failure.
struct Trial<'r> {
    signature: Signature,
    contract: &'r str,
    /// True if a mistake can explain it: its wrong outputs have enough wrong elements.
    counts: bool,
    explaining: Vec<&'r Hypothesis>,
}

impl<'r> KnownMistakes<'r> {
    pub(super) fn of(failures: &'r [(&Plan<'_>, TrialReport)]) -> KnownMistakes<'r> {
        let trials = failures.iter().map(|(_, report)| Trial {
            signature: Signature::of(report),
            contract: &report.contract,
            counts: is_explainable(report) && has_evidence(report),
            explaining: explaining(report),
        });
        KnownMistakes(trials.collect())
    }

    /// Returns the mistake that explains a failure, and of several the one that explains most failures of the contract.
    pub(super) fn best(&self, position: usize) -> Option<&'r Hypothesis> {
        let trial = &self.0[position];
        let alike = |one: &&&Hypothesis| {
            let others = self
                .0
                .iter()
                .filter(|other| other.contract == trial.contract);
            others.filter(|other| other.is_explained_by(one)).count()
        };
        // The first of those that explain as many.
        let best = trial.explaining.iter().rev().max_by_key(alike);
        best.copied()
    }

    /// Returns true if the best mistake explains few of the failures with the same wrong output. Other mistakes may look like it where an axis is
    /// short.
    pub(super) fn is_lone(&self, position: usize) -> bool {
        let own = &self.0[position].signature;
        let Some(best) = self.best(position) else {
            return false;
        };
        let alike = self.0.iter();
        let alike = alike.filter(|other| other.counts && other.signature.has_output_of(own));
        let (all, explained) = alike.fold((0, 0), |(all, explained), other| {
            (
                all + 1,
                explained + usize::from(other.is_explained_by(best)),
            )
        });
        2 * explained < all
    }
}

impl Trial<'_> {
    fn is_explained_by(&self, mistake: &Hypothesis) -> bool {
        let mut explaining = self.explaining.iter();
        explaining.any(|one| one.explanation == mistake.explanation)
    }
}

/// Wrong elements of an output that a mistake must have to explain.
const ENOUGH: usize = 8;

/// Returns true if all wrong outputs have many wrong elements. Of an error of all elements together no mistake is told.
fn has_evidence(report: &TrialReport) -> bool {
    let mut problems = report
        .outputs
        .iter()
        .filter_map(|output| output.problem.as_ref());
    problems.all(|problem| match problem {
        Problem::Mismatch { count, .. } => *count >= ENOUGH,
        Problem::NonFinite { .. } => true,
        _ => false,
    })
}

/// Returns the diagnosis that a mistake is the cause.
pub(super) fn told_by(mistake: &Hypothesis) -> DiagnosisReport {
    let cause = CauseReport {
        kind: mistake.name.clone(),
        output: None,
        tensor: None,
        kernel: None,
        text: mistake.explanation.clone(),
        explains: None,
    };
    DiagnosisReport {
        causes: vec![cause],
        ..DiagnosisReport::default()
    }
}

/// Returns the mistakes of the contract's list that explain every wrong output, the best first. An output of zeros is explained by each mistake
/// that makes zeros of it, and is no evidence for one.
pub(super) fn explaining(report: &TrialReport) -> Vec<&Hypothesis> {
    common(report).unwrap_or_default()
}

fn common(report: &TrialReport) -> Option<Vec<&Hypothesis>> {
    let mut common: Option<Vec<&Hypothesis>> = None;
    let mut zeros: Vec<&[Hypothesis]> = Vec::new();
    for output in &report.outputs {
        let hypotheses = match &output.problem {
            None => continue,
            Some(Problem::Mismatch { hypotheses, .. } | Problem::NonFinite { hypotheses, .. }) => {
                hypotheses
            }
            Some(_) => return None,
        };
        let best = hypotheses.first()?;
        if best.name == ZERO && best.explains_all {
            zeros.push(hypotheses);
            continue;
        }
        if is_general_hypothesis(&best.name) {
            return None;
        }
        let explains = |one: &&Hypothesis| {
            let whole = one.explains_all || leaves_roundings(output, one);
            whole && one.except == 0 && !is_general_hypothesis(&one.name)
        };
        let own = hypotheses.iter().filter(explains);
        common = Some(match common {
            None => own.collect(),
            Some(mut known) => {
                let own: Vec<&str> = own.map(|one| one.explanation.as_str()).collect();
                known.retain(|one| own.contains(&one.explanation.as_str()));
                known
            }
        });
    }
    let mut common = common?;
    common.retain(|found| {
        let agrees = |other: &Hypothesis| other.name == found.name && other.explains_all;
        zeros.iter().all(|zeros| zeros.iter().any(agrees))
    });
    Some(common)
}

/// Returns true if a hypothesis leaves no more than a kernel's own roundings, which grow with wrong values beyond the tolerance.
fn leaves_roundings(output: &OutputReport, hypothesis: &Hypothesis) -> bool {
    const ROUNDINGS: f64 = 16.0;
    const MOST: f64 = 1.0 / 64.0;
    let kinds = [ElementKind::F32, ElementKind::F16, ElementKind::Bf16];
    let Some(kind) = kinds.into_iter().find(|kind| kind.name() == output.element) else {
        return false;
    };
    let error = output.golden.max_abs.min(output.oracle.max_abs);
    let mismatch = matches!(output.problem, Some(Problem::Mismatch { .. }));
    mismatch && hypothesis.remaining < error * MOST.min(ROUNDINGS * weigh::spacing(kind))
}
