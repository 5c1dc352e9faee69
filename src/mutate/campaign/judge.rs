//! What becomes of one mutant: the tests that execute it, and where none of them noticed, why.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use gfx906::isa::{decode, disassemble};
use gfx906::observe::sanitize::Check;

use super::super::coverage::Honest;
use super::super::equivalent;
use super::super::operators::Operator;
use super::super::report::{MutantReport, Outcome};
use super::super::sample::Mutant;
use super::{Campaign, Placed};
use crate::device::{DeviceErrorKind, Watch};
use crate::exit::Stop;
use crate::program::Program;
use crate::trial::{Finished, Slot, each, how};
use crate::verdict::Verdict;

impl Campaign<'_> {
    /// Judges the mutants of a function side by side; each is told with its place among them.
    ///
    /// # Errors
    /// Those of [`Campaign::judge`], of the first mutant that has one; none is begun after it.
    pub(super) fn judge_all(
        &self,
        mutants: &[Placed<'_>],
        honest: &[Honest],
        slots: &[Slot],
        mut told: impl FnMut(usize, MutantReport),
    ) -> Result<(), Stop> {
        let stopped = AtomicBool::new(false);
        let mut failed: BTreeMap<usize, Stop> = BTreeMap::new();
        let work = |placed: &Placed<'_>, tell: &mut dyn FnMut(Result<MutantReport, Stop>)| {
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
        (function, mutant): &Placed<'_>,
        honest: &[Honest],
        slots: &[Slot],
    ) -> Result<MutantReport, Stop> {
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
            outcome: Outcome::NotJudged,
        };
        // Here every load is done at once: only the sanitizer sees what a weaker wait does.
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
            report.outcome = Outcome::Equivalent { rule: rule.into() };
        }
        if rule.is_some() && !self.options.doubt {
            return Ok(report);
        }
        let place = format!("{}+{:#x} `{}`", report.function, report.offset, report.is);
        let stopped = |why: String| Stop::setup(format!("the mutant {place}: {why}"));
        let Some(program) = self.program().patched(mutant.address, &mutant.change.bytes) else {
            return Err(stopped(
                "the code object has no bytes at its address; please report this as a bug".into(),
            ));
        };
        // On whatever path, lanes and values aside.
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
            report.ran += 1;
            if differed.is_none() && done.digest != honest[case].digest {
                differed = Some(done.report.id.clone());
            }
            if noticed(&done).map_err(stopped)? {
                if let Some(rule) = rule {
                    let (test, how) = (&done.report.id, how(&done).unwrap_or_default());
                    return Err(stopped(format!(
                        "{test} noticed it ({how}), and a rule says that it is equivalent ({rule}); please report this as a bug"
                    )));
                }
                report.outcome = Outcome::Killed {
                    test: done.report.id.clone(),
                    verdict: done.report.verdict.word().into(),
                    how: how(&done).unwrap_or_default(),
                };
                return Ok(report);
            }
            // What lint sees, the dearer cases need not meet.
            if nth == 0
                && rule.is_none()
                && of_waits
                && let Some(how) = linted()
            {
                report.outcome = Outcome::Killed {
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
            Some(test) => Outcome::WithinTolerance { test },
            None => self
                .without_effect(mutant, &program, &cases, honest, slots)
                .map_err(stopped)?,
        };
        Ok(report)
    }

    /// Why a mutant has changed no output, or what kept it from running a second time.
    fn without_effect(
        &self,
        mutant: &Mutant,
        program: &Program,
        cases: &[usize],
        honest: &[Honest],
        slots: &[Slot],
    ) -> Result<Outcome, String> {
        let mut saw = Vec::new();
        for &case in cases {
            let watched = |program: &Program| {
                let (watch, witness) = Watch::witness(mutant.address);
                let limits = self.budget(&honest[case]);
                let done = self
                    .plan(case, Some(&slots[case]), program, &watch, limits)
                    .run();
                if noticed(&done)? || done.digest != honest[case].digest {
                    let (test, how) = (&done.report.id, how(&done));
                    return Err(format!(
                        "{test} passed, and run once more it did not do the same: {}; its launches do not repeat",
                        how.as_deref().unwrap_or("other outputs")
                    ));
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
                return Ok(Outcome::Missed { saw });
            }
        }
        Ok(Outcome::NotInfected { saw })
    }
}

/// Whether a test noticed what ran.
///
/// # Errors
/// It could not say: the host's memory, a process or the harness failed it, and no kernel is to blame.
fn noticed(done: &Finished) -> Result<bool, String> {
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
            Err(format!(
                "{} could not be judged: {}; mend that and run the campaign again",
                report.id,
                error.unwrap_or(report.verdict.word())
            ))
        }
    }
}

#[cfg(test)]
mod tests;
