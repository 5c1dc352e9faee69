//! The judgement of one mutant by the tests that execute it. If none notices the mutant, the judgement has the reason.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use gfx906::isa::{decode, disassemble};
use gfx906::observe::sanitize::Check;

use super::super::coverage::Honest;
use super::super::equivalent;
use super::super::operators::Operator;
use super::super::report::{MutantOutcome, MutantReport};
use super::super::sample::Mutant;
use super::{Campaign, PlacedMutant};
use crate::device::{DeviceErrorKind, Watch};
use crate::program::Program;
use crate::report::model::Verdict;
use crate::run::RunError;
use crate::trial::{FinishedTrial, PreparedCaseSlot, each, how};

/// The most bytes of inputs and references that a campaign keeps between trials.
const KEPT_BYTES: u64 = 256 << 20;

/// A reason why a mutant cannot be judged.
#[derive(Debug, thiserror::Error)]
enum JudgeError {
    /// The mutant's address lies outside the code object.
    #[error("the code object has no bytes at its address; please report this as a bug")]
    NoBytes,
    /// A test noticed a mutant that should be equivalent.
    #[error(
        "{test} noticed it ({how}), and a rule says that it is equivalent ({rule}); please report this as a bug"
    )]
    WrongRule {
        test: String,
        how: String,
        rule: &'static str,
    },
    /// A test that passed gave other outputs when it ran once more.
    #[error(
        "{test} passed, and run once more it did not do the same: {difference}; its launches do not repeat"
    )]
    NotRepeated { test: String, difference: String },
    /// The host's memory, a process or the harness failed.
    #[error("{test} could not be judged: {why}; mend that and run the campaign again")]
    Failed { test: String, why: String },
}

impl Campaign<'_> {
    /// Judges the mutants of a function side by side, and passes each report with the mutant's position to `told`.
    ///
    /// # Errors
    /// The first error of [`Campaign::judge`]. No mutant begins after an error.
    pub(super) fn judge_all(
        &self,
        mutants: &[PlacedMutant<'_>],
        honest: &[Honest],
        slots: &[PreparedCaseSlot],
        mut told: impl FnMut(usize, MutantReport),
    ) -> Result<(), RunError> {
        let stopped = AtomicBool::new(false);
        let mut failed: BTreeMap<usize, RunError> = BTreeMap::new();
        let work = |placed: &PlacedMutant<'_>,
                    tell: &mut dyn FnMut(Result<MutantReport, RunError>)| {
            if !stopped.load(Ordering::Relaxed) {
                let report = self.judge(placed, honest, slots);
                stopped.fetch_or(report.is_err(), Ordering::Relaxed);
                tell(report);
            }
        };
        each(
            mutants,
            self.options.jobs,
            work,
            |at, report| match report {
                Ok(report) => told(at, report),
                Err(stop) => drop(failed.insert(at, stop)),
            },
        );
        failed.into_values().next().map_or(Ok(()), Err)
    }

    fn judge(
        &self,
        (function, mutant): &PlacedMutant<'_>,
        honest: &[Honest],
        slots: &[PreparedCaseSlot],
    ) -> Result<MutantReport, RunError> {
        let mut cases: Vec<usize> = (0..honest.len())
            .filter(|&case| honest[case].executed.contains_key(&mutant.address))
            .collect();
        cases.sort_by_key(|&case| honest[case].cost);
        let was = function
            .at(mutant.address)
            .map(|at| &function.instructions[at].1);
        let mut report = MutantReport {
            function: function.name.clone(),
            offset: mutant.address - function.start,
            source: None,
            operator: mutant.change.operator,
            was: was.map(disassemble).unwrap_or_default(),
            is: mutant.change.text.clone(),
            executed_by: cases.len(),
            ran: 0,
            outcome: MutantOutcome::NotJudged,
        };
        // On the emulator a load is done at once, so only the sanitizer notices a weaker wait.
        let sanitize = self.options.sanitize;
        let sees_waits = sanitize.is_some_and(|sanitize| sanitize.checks.has(Check::Wait));
        let of_waits = mutant.change.operator == Operator::Waitcnt
            || equivalent::race(function, mutant).is_some();
        if of_waits && !sees_waits {
            return Ok(report);
        }
        let watch = Watch::default().with_sanitizer(sanitize);
        let rule = equivalent::rule(function, mutant)
            .or_else(|| equivalent::alone(mutant, honest.iter().map(|honest| &honest.together)));
        if let Some(rule) = rule {
            report.outcome = MutantOutcome::Equivalent { rule: rule.into() };
        }
        if rule.is_some() && !self.options.doubt {
            return Ok(report);
        }
        let place = format!("{}+{:#x} `{}`", report.function, report.offset, report.is);
        let stopped =
            |error: JudgeError| RunError::Unusable(format!("the mutant {place}: {error}"));
        let Some(program) = self.program().patched(mutant.address, &mutant.change.bytes) else {
            return Err(stopped(JudgeError::NoBytes));
        };
        // Lint follows every path, whatever the lanes and values are.
        let linted = || {
            let at = function.at(mutant.address)?;
            equivalent::missing_wait(function, at, &decode(&mutant.change.bytes).ok()?)
        };
        let mut differed = None;
        for (nth, &case) in cases.iter().enumerate() {
            let limits = self.budget(&honest[case]);
            let done = self
                .plan(case, Some(&slots[case]), &program, &watch, limits)
                .run();
            PreparedCaseSlot::keep_within(slots, KEPT_BYTES);
            report.ran += 1;
            if differed.is_none() && done.digest != honest[case].digest {
                differed = Some(done.report.id.clone());
            }
            if noticed(&done).map_err(stopped)? {
                if let Some(rule) = rule {
                    let how = how(&done).unwrap_or_default();
                    let test = done.report.id;
                    return Err(stopped(JudgeError::WrongRule { test, how, rule }));
                }
                report.outcome = MutantOutcome::Killed {
                    test: done.report.id.clone(),
                    verdict: done.report.verdict.word().into(),
                    how: how(&done).unwrap_or_default(),
                };
                return Ok(report);
            }
            // A mistake that lint finds needs no run of the costlier cases.
            if nth == 0
                && rule.is_none()
                && of_waits
                && let Some(how) = linted()
            {
                report.outcome = MutantOutcome::Killed {
                    test: "lint".into(),
                    verdict: Verdict::Fail.word().into(),
                    how,
                };
                return Ok(report);
            }
        }
        if rule.is_some() {
            return Ok(report);
        }
        report.outcome = match differed {
            Some(test) => MutantOutcome::WithinTolerance { test },
            None => self
                .without_effect(mutant, &program, &cases, honest, slots)
                .map_err(stopped)?,
        };
        Ok(report)
    }

    /// Returns the reason why a mutant has changed no output.
    ///
    /// # Errors
    /// A second run differed from the first, or could not be judged.
    fn without_effect(
        &self,
        mutant: &Mutant,
        program: &Program,
        cases: &[usize],
        honest: &[Honest],
        slots: &[PreparedCaseSlot],
    ) -> Result<MutantOutcome, JudgeError> {
        let mut saw = Vec::new();
        for &case in cases {
            let watched = |program: &Program| {
                let (watch, witness) = Watch::witness(mutant.address);
                let limits = self.budget(&honest[case]);
                let done = self
                    .plan(case, Some(&slots[case]), program, &watch, limits)
                    .run();
                if noticed(&done)? || done.digest != honest[case].digest {
                    let difference = how(&done).unwrap_or_else(|| "other outputs".into());
                    let test = done.report.id;
                    return Err(JudgeError::NotRepeated { test, difference });
                }
                let witness = witness.lock();
                let witness = witness.unwrap_or_else(PoisonError::into_inner);
                Ok((witness.left(), witness.saw().to_vec()))
            };
            let (left, seen) = watched(self.program())?;
            let (leaves, _) = watched(program)?;
            if saw.is_empty() {
                saw = seen;
            }
            if left != leaves {
                return Ok(MutantOutcome::Missed { saw });
            }
        }
        Ok(MutantOutcome::NotInfected { saw })
    }
}

/// Returns true if a test noticed the mutant.
///
/// # Errors
/// The test could not be judged, because the host's memory, a process or the harness failed. No kernel is to blame.
fn noticed(done: &FinishedTrial) -> Result<bool, JudgeError> {
    let of_host = |kind: DeviceErrorKind| {
        use DeviceErrorKind::{Harness, Memory, MissingKernel, Process, Test};
        matches!(kind, Harness | Memory | MissingKernel | Process | Test)
    };
    let report = &done.report;
    let kind = done.failure.or(report.error_kind);
    match report.verdict {
        Verdict::Pass => Ok(false),
        Verdict::Fail => Ok(true),
        Verdict::Error if !kind.is_none_or(of_host) => Ok(true),
        _ => {
            let error = report.error.as_deref().and_then(|text| text.lines().next());
            Err(JudgeError::Failed {
                test: report.id.clone(),
                why: error.unwrap_or(report.verdict.word()).into(),
            })
        }
    }
}

#[cfg(test)]
mod tests;
