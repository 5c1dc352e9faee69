//! The self-test: every planted bug must be caught, and outputs that no kernel computed must be rejected.
//!
//! The kernels without a planted bug must pass each case, and each case must fail without any launch. Zeros
//! and copies of inputs must fail too. Every trial checks this by itself, so a pass of the right kernels
//! proves it.
//!
//! Each planted bug of a test must be caught by one of the test's cases, and each named case must catch at
//! least one bug. A test of a design is excused from a bug that a test of named cases of the same contract
//! and binding must catch, because the seed selects the design's cases.

mod bug;
mod pairs;
mod result;
mod show;
mod state;

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::args::TrialArgs;
use crate::binding::Binding;
use crate::contract::Test;
use crate::device::{Device, Limits};
use crate::diagnose::{self, Depth};
use crate::exit::{Exit, Stop};
use crate::interrupt::{ArmedSignals, RunResults};
use crate::program::Program;
use crate::report::model::{CauseReport, EnvironmentReport, TrialReport, Verdict};
use crate::report::{Event, Progress as Bar, Reporter, RunPlan};
use crate::run::{SelectedCase, Setup};
use crate::trial::{
    Bound, FinishedTrial, Launching, Plan, PreparedCaseSlot, Progress, each, how, not_passed,
    run_all,
};

use bug::Bug;
use pairs::{PairResult, next_pairs};
pub use result::{CaseResult, PlantedBugResult, SelfTest, TestResult};
use state::SelfTestState;

/// Runs the self-test of the selected tests, and prints its result. With a depth it tells the reason of each planted bug. With `only` it runs
/// the planted bugs of these names.
///
/// # Errors
/// A flag or a file is not usable, no planted bug has one of the names, or the device fails.
pub fn run(
    trials: &TrialArgs,
    only: &[String],
    depth: Option<Depth>,
    verbose: bool,
) -> Result<Exit, Stop> {
    let what = "the result of a self-test";
    let json = trials.output.is_json(what)?;
    let path = trials.output.json_file(what)?;
    let seed = trials.seed()?;
    let setup = Setup::new(trials.sources.sources(), seed)?;
    let (selected, bound) = setup.runnable(trials.selection())?;
    let device = trials.device.spec()?.open()?;
    let runner = Runner {
        setup: &setup,
        device: &*device,
        seed,
        jobs: trials.jobs(),
        limits: trials.limits.limits(),
        depth,
        only,
        twin: setup.twin(trials.limits.budget),
    };
    let bugs = selected.iter().zip(&bound);
    let bugs: Vec<Bug<'_>> = bugs
        .flat_map(|(entry, bound)| runner.bugs(entry, bound))
        .collect();
    let is_known = |name: &&String| bugs.iter().any(|bug| bug.planted.name == **name);
    if let Some(name) = only.iter().find(|name| !is_known(name)) {
        return Err(Stop::usage(format!(
            "no planted bug of the selected tests is `{}`: `self-test` without --bug names them",
            name.escape_debug()
        )));
    }
    let tests = selected.chunk_by(|a, b| a.test.id == b.test.id).count();
    let armed = ArmedSignals::now();
    let state = SelfTestState::open(runner.empty_result(tests), (verbose, json), path)?;
    let state = Mutex::new(state);
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        runner.run(&selected, &bound, |tests| lock().add_tests(tests))
    })?;
    let mut state = lock();
    state.end(true)?;
    let failed = !state.result().complaints().is_empty();
    Ok(if failed { Exit::Failed } else { Exit::Passed })
}

/// The runner of a self-test.
struct Runner<'a> {
    setup: &'a Setup,
    device: &'a dyn Device,
    seed: u64,
    jobs: usize,
    limits: Limits,
    /// The depth of the diagnosis of planted bugs; none without a diagnosis.
    depth: Option<Depth>,
    /// Names of the planted bugs that run; all if there are none.
    only: &'a [String],
    /// The built-in kernels, whose instructions limit those of a user's kernels.
    twin: Option<&'a Program>,
}

impl<'a> Runner<'a> {
    /// Makes the result of a self-test that has not begun.
    fn empty_result(&self, tests: usize) -> SelfTest {
        SelfTest {
            device: self.device.describe().description,
            seed: self.seed,
            diagnosed: self.depth.is_some(),
            complete: false,
            selected: tests,
            tests: Vec::new(),
        }
    }

    /// Runs a few tests at a time, so that inputs and references of their cases can be freed before the
    /// next ones. Passes the results of the tests to `done`.
    fn run(
        &self,
        selected: &[SelectedCase<'a>],
        bound: &[Bound<'a>],
        mut done: impl FnMut(Vec<TestResult>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut from = 0;
        for part in selected.chunk_by(|a, b| a.test.id == b.test.id) {
            let to = offset(selected, part) + part.len();
            if to - from >= BATCH || to == selected.len() {
                done(self.run_batch(&selected[from..to], &bound[from..to])?)?;
                from = to;
            }
        }
        Ok(())
    }

    /// Runs all cases of some tests: the right kernels, no launches, and the planted bugs.
    fn run_batch(
        &self,
        selected: &[SelectedCase<'a>],
        bound: &[Bound<'a>],
    ) -> Result<Vec<TestResult>, Stop> {
        let bugs = selected.iter().zip(bound);
        let bugs: Vec<Vec<Bug<'a>>> = bugs.map(|(entry, bound)| self.bugs(entry, bound)).collect();
        // Inputs and references are computed once per case, and shared by all of its runs.
        let slots: Vec<PreparedCaseSlot> =
            selected.iter().map(|_| PreparedCaseSlot::new()).collect();
        let cases = || selected.iter().zip(&slots).zip(bound);
        let honest: Vec<Plan<'_>> = cases()
            .map(|(case, bound)| self.plan(case, *bound, Launching::Enabled, self.limits))
            .collect();
        let honest = self.run_plans(&honest);
        let without_launches: Vec<Plan<'_>> = cases()
            .zip(&honest)
            .map(|((case, bound), honest)| {
                let limits = self.wrong_kernel_limits(&honest.report);
                self.plan(case, *bound, Launching::Disabled, limits)
            })
            .collect();
        let without_launches = self.run_plans(&without_launches);
        let caught = self.run_planted_bugs((selected, &slots), bound, &bugs, &honest)?;
        let mut tests: Vec<TestResult> = Vec::new();
        let mut most_telling: Vec<Option<diagnose::Rank>> = Vec::new();
        for (at, (entry, honest)) in selected.iter().zip(&honest).enumerate() {
            if tests.last().is_none_or(|test| test.id != entry.test.id) {
                tests.push(self.empty_test(entry, &bound[at], &bugs[at]));
                most_telling = vec![None; bugs[at].len()];
            }
            let rank = self.cost(entry, honest);
            let Some(test) = tests.last_mut() else {
                continue;
            };
            let mut case = CaseResult {
                id: entry.case.id.clone(),
                honest_problem: not_passed(honest),
                no_launch_rejected_by: how(&without_launches[at]),
                caught: 0,
            };
            let pairs = test.planted.iter_mut().zip(&caught[at]);
            for ((bug, pair), best) in pairs.zip(&mut most_telling) {
                let Some(pair) = pair else {
                    continue;
                };
                bug.tried += 1;
                bug.launched |= pair.launched;
                if let Some(how) = &pair.caught {
                    bug.caught_by += 1;
                    case.caught += 1;
                    bug.caught.get_or_insert(how.clone());
                    bug.wrong_values |= pair.wrong_values;
                    // A run diagnoses the most telling of the cases that fail alike.
                    if pair.wrong_values && best.is_none_or(|best| rank < best) {
                        *best = Some(rank);
                        bug.reason = pair.reason.clone();
                    }
                }
            }
            test.cases.push(case);
        }
        Ok(tests)
    }

    /// Returns the planted bugs that a case is tried with. A test that runs by a built-in binding names
    /// them. A test that runs by a user's bindings is tried with all bugs of these bindings.
    fn bugs(&self, entry: &SelectedCase<'a>, bound: &Bound<'a>) -> Vec<Bug<'a>> {
        let mut bugs = self.all_bugs(entry, bound);
        bugs.retain(|bug| self.only.is_empty() || self.only.contains(&bug.planted.name));
        bugs
    }

    /// Returns true if each case of a test must catch a bug. This does not hold for a design, whose cases the
    /// seed selects, nor for a user's planted bugs, which need not show in every case, nor for some bugs alone. It holds for a user's
    /// bindings without planted bugs, so that a self-test of nothing does not pass.
    fn every_case_must_catch(
        &self,
        entry: &SelectedCase<'_>,
        bound: &Bound<'_>,
        bugs: &[Bug<'_>],
    ) -> bool {
        let is_whole = self.only.is_empty();
        is_whole && !entry.test.designed && (bound.is_built_in() || bugs.is_empty())
    }

    /// Returns the bugs that are planted in a test.
    fn all_bugs(&self, entry: &SelectedCase<'a>, bound: &Bound<'a>) -> Vec<Bug<'a>> {
        let bugs = |binding: &'a Binding| {
            let planted = binding.planted.iter();
            planted.map(move |planted| Bug { binding, planted })
        };
        let (test, bindings) = (entry.test, &self.setup.bindings);
        if bound.is_built_in() {
            let named = |name: &String| bugs(bound.binding).find(|bug| bug.planted.name == *name);
            return test.planted.iter().filter_map(named).collect();
        }
        let bugs = bindings.candidates(test).flat_map(bugs);
        // A test that asks for a built-in binding by name lists the bugs that its sizes can show.
        let lists_bugs = test.binding.is_some() && !bindings.binds_test(test);
        bugs.filter(|bug| !lists_bugs || test.planted.contains(&bug.planted.name))
            .collect()
    }

    /// Runs planted bugs until each is caught, each case that must catch a bug has caught one, or no
    /// pair of a case and a bug is left. Returns the result of each pair; none for a pair that did not
    /// run.
    fn run_planted_bugs(
        &self,
        (selected, slots): (&[SelectedCase<'a>], &[PreparedCaseSlot]),
        bound: &[Bound<'a>],
        bugs: &[Vec<Bug<'a>>],
        honest: &[FinishedTrial],
    ) -> Result<Vec<Vec<Option<PairResult>>>, Stop> {
        let mut tried: Vec<Vec<Option<PairResult>>> =
            bugs.iter().map(|bugs| vec![None; bugs.len()]).collect();
        for (at, (entry, bound)) in selected.iter().zip(bound).enumerate() {
            for (bug, tried) in bugs[at].iter().zip(&mut tried[at]) {
                if !bug.applies(entry, bound, self.setup)? {
                    *tried = Some(PairResult::default());
                }
            }
        }
        loop {
            let mut pairs = Vec::new();
            for cases in selected.chunk_by(|a, b| a.test.id == b.test.id) {
                let first = offset(selected, cases);
                let every_case = self.every_case_must_catch(&cases[0], &bound[first], &bugs[first]);
                let cost = |case: usize| self.cost(&selected[first + case], &honest[first + case]);
                let next = next_pairs(&tried[first..first + cases.len()], every_case, cost);
                pairs.extend(next.into_iter().map(|(case, bug)| (first + case, bug)));
            }
            if pairs.is_empty() {
                break;
            }
            let plans: Vec<Plan<'_>> = pairs
                .iter()
                .map(|&(at, bug)| {
                    let limits = self.wrong_kernel_limits(&honest[at].report);
                    let planted = bugs[at][bug].planted_kernel(self.setup);
                    let bound = Bound {
                        planted: Some(planted),
                        ..bound[at]
                    };
                    self.plan(
                        (&selected[at], &slots[at]),
                        bound,
                        Launching::Enabled,
                        limits,
                    )
                })
                .collect();
            let finished = self.run_plans(&plans);
            let reasons = self.reasons(&plans, &finished);
            for ((&(at, bug), done), reason) in pairs.iter().zip(finished).zip(reasons) {
                tried[at][bug] = Some(PairResult {
                    launched: done.plant_used,
                    wrong_values: diagnose::is_explainable(&done.report),
                    caught: how(&done).filter(|_| done.plant_used),
                    reason,
                });
            }
        }
        Ok(tried)
    }

    /// Returns the order of a case among those that may catch a bug: the cheapest first, or the most telling if it is diagnosed.
    fn cost(&self, entry: &SelectedCase<'_>, honest: &FinishedTrial) -> diagnose::Rank {
        match self.depth {
            Some(_) => diagnose::rank(entry.test.function, entry.case, &honest.report),
            None => (false, 0, 0, Some(instructions(&honest.report))),
        }
    }

    /// Returns the first cause that a diagnosis finds for each failed trial.
    fn reasons(&self, plans: &[Plan<'_>], finished: &[FinishedTrial]) -> Vec<Option<CauseReport>> {
        let mut reasons = vec![None; plans.len()];
        let Some(depth) = self.depth else {
            return reasons;
        };
        let trials: Vec<_> = plans.iter().zip(finished).collect();
        let diagnose = |(plan, done): &(&Plan<'_>, &FinishedTrial), tell: &mut dyn FnMut(_)| {
            let found = diagnose::diagnose_failure(plan, &done.report, depth, self.setup);
            tell(found.and_then(|found| found.causes.into_iter().next()));
        };
        each(&trials, self.jobs, diagnose, |at, reason| {
            reasons[at] = reason;
        });
        reasons
    }

    /// Makes the result of a test that has not run.
    fn empty_test(
        &self,
        entry: &SelectedCase<'_>,
        bound: &Bound<'_>,
        bugs: &[Bug<'_>],
    ) -> TestResult {
        let test = entry.test;
        let is_ours = bound.is_built_in() || test.binding.is_some();
        let excused =
            |bug: &Bug<'_>| test.designed && is_ours && self.is_named_elsewhere(test, bug);
        let planted = |bug: &Bug<'_>| PlantedBugResult {
            name: bug.planted.name.clone(),
            due: !excused(bug),
            caught: None,
            right_reasons: bug.planted.reasons.clone(),
            kernels: bug
                .planted
                .replaced()
                .into_iter()
                .map(|(kernel, _)| kernel)
                .collect(),
            wrong_values: false,
            reason: None,
            caught_by: 0,
            tried: 0,
            launched: false,
        };
        TestResult {
            id: test.id.clone(),
            phase: entry.phase.number,
            cases: Vec::new(),
            every_case_must_catch: self.every_case_must_catch(entry, bound, bugs),
            planted: bugs.iter().map(planted).collect(),
        }
    }

    /// Returns true if a test of named cases, of the same contract and binding, must catch the bug.
    fn is_named_elsewhere(&self, test: &Test, bug: &Bug<'_>) -> bool {
        let mut others = self.setup.registry.tests().filter(|other| {
            let same = other.function.name == test.function.name && other.binding == test.binding;
            same && !other.designed
        });
        others.any(|other| other.planted.contains(&bug.planted.name))
    }

    fn plan<'s>(
        &'s self,
        (entry, shared): (&SelectedCase<'s>, &'s PreparedCaseSlot),
        bound: Bound<'s>,
        launching: Launching,
        limits: Limits,
    ) -> Plan<'s> {
        Plan {
            limits,
            twin: self.twin,
            launching,
            hypotheses: self.depth.is_some(),
            shared: Some(shared),
            ..self.setup.plan(self.device, entry, bound, self.seed)
        }
    }

    /// Returns the limits of a wrong kernel. They are 20 times what the right kernel took and 100,000
    /// instructions more, so that a hang ends soon.
    fn wrong_kernel_limits(&self, honest: &TrialReport) -> Limits {
        let launches = honest.launches.iter();
        let largest = launches.filter_map(|launch| launch.wave_instructions).max();
        largest.map_or(self.limits, |instructions| {
            self.limits.of_instructions(100_000 + 20 * instructions)
        })
    }

    /// Runs plans with a progress bar. Returns the finished trials in the order of the plans.
    fn run_plans(&self, plans: &[Plan<'_>]) -> Vec<FinishedTrial> {
        let mut bar = Bar::on_stderr();
        let (device, code_object) = (self.device.describe(), self.setup.program().report.clone());
        // A progress bar that cannot be drawn is no loss.
        let _ = bar.event(Event::RunStarted(&RunPlan {
            environment: EnvironmentReport::default(),
            device,
            code_object,
            seed: Some(self.seed),
            trials: plans.len(),
        }));
        let mut done: Vec<Option<FinishedTrial>> = plans.iter().map(|_| None).collect();
        run_all(plans, self.jobs, |position, progress| match progress {
            Progress::Started => {}
            Progress::Finished(finished) => {
                // A failure is the aim here, so the bar counts every trial as passed.
                let counted = TrialReport {
                    verdict: Verdict::Pass,
                    ..finished.report.clone()
                };
                let _ = bar.event(Event::TrialFinished(&counted));
                done[position] = Some(*finished);
            }
        });
        bar.clear();
        done.into_iter().flatten().collect()
    }
}

/// Returns the wave instructions of all launches of a trial. They are 0 on a device that does not count
/// them.
fn instructions(report: &TrialReport) -> u64 {
    let launches = report.launches.iter();
    launches.filter_map(|launch| launch.wave_instructions).sum()
}

/// The number of cases after which a batch ends, at the end of a test.
const BATCH: usize = 48;

/// Returns the index of a test's first case among all selected cases.
fn offset(all: &[SelectedCase<'_>], part: &[SelectedCase<'_>]) -> usize {
    all.iter()
        .position(|entry| std::ptr::eq(entry, &raw const part[0]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
