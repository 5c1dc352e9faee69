//! The run of one trial: inputs, launches, judgement, and repetitions whose bits must be equal.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use super::plan::{FinishedTrial, Plan};
use super::{Trial, hang, isolate, judge, twin};
use gfx906::machine::Schedule;

use crate::compare::judge_repeat;
use crate::contract::PreparedCase;
use crate::device::{DeviceError, DeviceErrorKind, Limits};
use crate::panics;
use crate::report::model::{FindingReport, Problem, TrialReport, Verdict};
use crate::tensor::{Stream, decode, with_element};

/// Fails a trial whose outputs are right or prove nothing. A trial that has failed already stays as it is.
pub(super) fn fail(report: &mut TrialReport) {
    match report.verdict {
        Verdict::Pass => report.verdict = Verdict::Fail,
        // The reason of the skip is about outputs, and this failure is not.
        Verdict::Skip => {
            report.verdict = Verdict::Fail;
            report.error = None;
        }
        Verdict::Fail | Verdict::Error | Verdict::Unsupported => {}
    }
}

impl<'a> Plan<'a> {
    /// Runs the trial, in a process of its own if the device isolates trials. Errors and panics become its verdict.
    pub fn run(&self) -> FinishedTrial {
        if let Some(isolation) = self.device.isolation() {
            return isolate::run(self, isolation);
        }
        let started = Instant::now();
        let mut finished = panics::caught(|| self.attempt()).unwrap_or_else(|panic| {
            let error = DeviceError::of(
                DeviceErrorKind::Harness,
                format!("the harness failed: {panic}; please report this as a bug"),
            );
            self.failed(&error)
        });
        finished.report.seconds = started.elapsed().as_secs_f64();
        finished
    }

    fn attempt(&self) -> FinishedTrial {
        let (limits, first) = twin::run(self);
        let mut first = match first {
            Ok(trial) => trial,
            Err((trial, mut error)) => {
                hang::add_writers(self, limits, &mut error);
                let mut finished = self.failed(&error);
                if let Some(trial) = trial {
                    finished.plant_used = trial.plant_used;
                    finished.dump_error = self.dump(&trial, &[]);
                    trial.describe_launches(&mut finished.report);
                }
                return finished;
            }
        };
        let judged = match judge::judge(&mut first, self.test, self.hypotheses) {
            Ok(judged) => judged,
            Err(error) => return self.failed(&error),
        };
        let dump_error = self.dump(&first, &judged.images);
        let mut report = self.blank();
        report.verdict = judged.verdict;
        report.problem = judged.problem;
        report.outputs = judged.outputs;
        report.error_kind = (report.verdict == Verdict::Error).then_some(DeviceErrorKind::Test);
        report.error = judged.error;
        first.describe_launches(&mut report);
        self.judge_findings(&mut report);
        let mut finished = FinishedTrial {
            report,
            failure: None,
            plant_used: first.plant_used,
            dump_error,
            digest: Some(digest(&judged.images)),
            timed_out: false,
        };
        self.judge_barriers(limits, &first, &mut finished.report);
        if self.relations {
            self.judge_laws(&mut finished, limits, (&first, &judged.images));
        }
        for run in 2..=usize::from(self.repeat) {
            let found = &mut finished.report.findings;
            match self.run_again(run, limits, &first, &judged.images, found) {
                Ok(None) => {}
                Ok(Some(problem)) => {
                    fail(&mut finished.report);
                    finished.report.problem.get_or_insert(problem);
                    break;
                }
                Err(error) => {
                    finished.ended(
                        &format!("run {run} of {}: {error}", self.repeat),
                        error.kind,
                    );
                    break;
                }
            }
            self.judge_findings(&mut finished.report);
        }
        finished
    }

    /// Fails the trial if the sanitizer has findings that count.
    fn judge_findings(&self, report: &mut TrialReport) {
        let found = self.watch.fails(&report.findings);
        if found {
            fail(report);
        }
    }

    /// Checks the laws of the contract on a finished run, and adds the results to the report.
    fn judge_laws(
        &self,
        finished: &mut FinishedTrial,
        limits: Limits,
        first: (&Trial<'_>, &[Vec<u8>]),
    ) {
        match self.check_laws(limits, first.0, first.1) {
            Ok((relations, problem)) => {
                let mut broken = relations.iter().filter_map(|one| one.problem.as_ref());
                if problem.is_some() || broken.next().is_some() {
                    fail(&mut finished.report);
                }
                finished.report.relations = relations;
                finished.report.problem = finished.report.problem.take().or(problem);
            }
            Err(error) => finished.ended(&error.message, error.kind),
        }
    }

    /// Prepares the inputs and runs the launches; the outputs are not read yet.
    pub(super) fn launch(
        &self,
        limits: Limits,
    ) -> Result<Trial<'a>, (Option<Box<Trial<'a>>>, DeviceError)> {
        if let Some(tracing) = &self.watch.trace {
            tracing.lock().title(&format!("test {}", self.case.id));
        }
        let prepared = self.prepared().map_err(|error| (None, error))?;
        self.launch_prepared(limits, prepared)
    }

    /// Runs the launches on prepared tensors.
    pub(super) fn launch_prepared(
        &self,
        limits: Limits,
        prepared: Arc<PreparedCase>,
    ) -> Result<Trial<'a>, (Option<Box<Trial<'a>>>, DeviceError)> {
        let limits = Limits {
            schedule: limits.schedule.or_else(|| self.schedule()),
            ..limits
        };
        // Observers take time that is not the kernel's. The limit of instructions, if there is one, stops a kernel that hangs.
        let timed = !self.watch.takes_time() || limits.instructions.is_none();
        let limits = Limits {
            seconds: limits.seconds.filter(|_| timed),
            ..limits
        };
        let session = self
            .device
            .open(self.threads, limits, self.watch)
            .map_err(|error| (None, error))?;
        let mut trial = Trial::new(self, session, prepared).map_err(|error| (None, error))?;
        match trial.launch() {
            Ok(()) => Ok(trial),
            Err(error) => Err((Some(Box::new(trial)), error)),
        }
    }

    /// Returns the order in which groups and waves run. A case of a design has an order of its own.
    fn schedule(&self) -> Option<Schedule> {
        if !self.test.designed {
            return None;
        }
        let mut stream = Stream::new(0, &self.case.id, "schedule");
        Some(match stream.below(4) {
            0 => Schedule::InOrder,
            1 => Schedule::Reverse,
            _ => Schedule::Random(stream.below(1 << 20) as u64),
        })
    }

    /// Runs the trial once more, judges guards and inputs, and compares the bits of its outputs.
    fn run_again(
        &self,
        run: usize,
        limits: Limits,
        first: &Trial<'_>,
        images: &[Vec<u8>],
        findings: &mut Vec<FindingReport>,
    ) -> Result<Option<Problem>, DeviceError> {
        let limits = match limits.schedule {
            // Each repetition has another order, because repetitions look for results that depend on the order.
            Some(Schedule::Random(seed)) => Limits {
                schedule: Some(Schedule::Random(seed.wrapping_add(run as u64 - 1))),
                ..limits
            },
            _ => limits,
        };
        let mut trial = self.launch(limits).map_err(|(trial, error)| {
            let found = trial.map_or(Vec::new(), |trial| trial.session.findings().to_vec());
            FindingReport::gather(findings, found);
            error
        })?;
        FindingReport::gather(findings, trial.session.findings().to_vec());
        let left = judge::read_outputs(&mut trial)?;
        if left.problem.is_some() {
            return Ok(left.problem);
        }
        let differs = first
            .prepared
            .checks
            .iter()
            .zip(images.iter().zip(&left.outputs))
            .find_map(|(check, (was, is))| {
                let tensor = first.tensor(check.buffer.tensor);
                with_element!(tensor.kind, E => {
                    let (was, is) = (decode::<E>(was), decode::<E>(is));
                    judge_repeat(&check.name, &check.axes, run, &was, &is)
                })
            });
        Ok(differs)
    }

    fn dump(&self, trial: &Trial<'_>, outputs: &[Vec<u8>]) -> Option<String> {
        let written = self.dump?.write(self, trial, outputs);
        written.err().map(|error| error.to_string())
    }
}

/// Returns a digest of the bits of outputs.
fn digest(images: &[Vec<u8>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    images.hash(&mut hasher);
    hasher.finish()
}
