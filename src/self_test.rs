//! The test of the tests: every planted bug must be caught, and outputs that no kernel computed must be
//! rejected.
//!
//! The honest kernels must pass each case, and each case must fail without any launch. Zeros and copies
//! of inputs must fail too; every trial checks this, so that an honest pass proves it. Each planted bug
//! of a test must be caught by one of the test's cases, and each named case must catch at least one bug.
//! A bug that a test of named cases must catch need not be caught by a pairwise design of the same
//! kernels, because the seed selects the design's cases.

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
use crate::exit::{Exit, Stop};
use crate::interrupt::{ArmedSignals, RunResults};
use crate::program::Program;
use crate::report::model::{EnvironmentReport, TrialReport, Verdict};
use crate::report::{Event, Progress as Bar, Reporter, RunPlan};
use crate::run::{SelectedCase, Setup};
use crate::trial::{
    Bound, FinishedTrial, Launching, Plan, PreparedCaseSlot, Progress, how, not_passed, run_all,
};

use bug::Bug;
use pairs::{PairResult, next_pairs};
pub use result::{CaseResult, PlantResult, SelfTest, TestResult};
use state::SelfTestState;

/// Runs the self-test that the flags select, and prints it.
pub fn run(trials: &TrialArgs, verbose: bool) -> Result<Exit, Stop> {
    let what = "the result of a self-test";
    let json = trials.output.is_json(what)?;
    let place = trials.output.json_file(what)?;
    let seed = trials.seed()?;
    let setup = Setup::new(trials.sources.sources(), seed)?;
    let (selected, ways) = setup.runnable(trials.selection())?;
    let device = trials.device.spec()?.open()?;
    let runner = Runner {
        setup: &setup,
        device: &*device,
        seed,
        jobs: trials.jobs(),
        limits: trials.limits.limits(),
        twin: setup.twin(trials.limits.budget),
    };
    let tests = selected.chunk_by(|a, b| a.test.id == b.test.id).count();
    let armed = ArmedSignals::now();
    let state = SelfTestState::open(runner.nothing_yet(tests), (verbose, json), place)?;
    let state = Mutex::new(state);
    let held = || state.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let _interrupt = armed.watch(scope, &state);
        runner.run(&selected, &ways, |tests| held().more(tests))
    })?;
    let mut state = held();
    state.end(true)?;
    let failed = !state.result().complaints().is_empty();
    Ok(if failed { Exit::Failed } else { Exit::Passed })
}

struct Runner<'a> {
    setup: &'a Setup,
    device: &'a dyn Device,
    seed: u64,
    jobs: usize,
    limits: Limits,
    twin: Option<&'a Program>,
}

impl<'a> Runner<'a> {
    /// Makes the result of a self-test that has not begun.
    fn nothing_yet(&self, tests: usize) -> SelfTest {
        SelfTest {
            device: self.device.describe().description,
            seed: self.seed,
            complete: false,
            selected: tests,
            tests: Vec::new(),
        }
    }

    /// Runs a few tests at a time, so that the shared data of a case is freed when its tests are done.
    fn run(
        &self,
        selected: &[SelectedCase<'a>],
        ways: &[Bound<'a>],
        mut done: impl FnMut(Vec<TestResult>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut from = 0;
        for part in selected.chunk_by(|a, b| a.test.id == b.test.id) {
            let to = offset(selected, part) + part.len();
            if to - from >= BATCH || to == selected.len() {
                done(self.batch(&selected[from..to], &ways[from..to])?)?;
                from = to;
            }
        }
        Ok(())
    }

    fn batch(
        &self,
        selected: &[SelectedCase<'a>],
        ways: &[Bound<'a>],
    ) -> Result<Vec<TestResult>, Stop> {
        let bugs = selected.iter().zip(ways);
        let bugs: Vec<Vec<Bug<'a>>> = bugs.map(|(one, way)| self.bugs(one, way)).collect();
        // Inputs and references are computed once per case, and shared by all of its runs.
        let slots: Vec<PreparedCaseSlot> =
            selected.iter().map(|_| PreparedCaseSlot::new()).collect();
        let each = || selected.iter().zip(&slots).zip(ways);
        let honest: Vec<Plan<'_>> = each()
            .map(|(case, way)| self.plan(case, *way, Launching::Enabled, self.limits))
            .collect();
        let honest_done = self.all(&honest);
        let silent: Vec<Plan<'_>> = each()
            .zip(&honest_done)
            .map(|((case, way), honest)| {
                let limits = self.budget(&honest.report);
                self.plan(case, *way, Launching::Disabled, limits)
            })
            .collect();
        let silent_done = self.all(&silent);
        let caught = self.planted((selected, &slots), ways, &bugs, &honest_done)?;
        let mut tests: Vec<TestResult> = Vec::new();
        for (at, (one, honest)) in selected.iter().zip(&honest_done).enumerate() {
            if tests.last().is_none_or(|test| test.id != one.test.id) {
                tests.push(self.blank(one, &ways[at], &bugs[at]));
            }
            let Some(test) = tests.last_mut() else {
                continue;
            };
            let mut case = CaseResult {
                id: one.case.id.clone(),
                honest: not_passed(honest),
                silent: how(&silent_done[at]),
                caught: 0,
            };
            for (plant, tried) in test.planted.iter_mut().zip(&caught[at]) {
                let Some((launched, how)) = tried else {
                    continue;
                };
                plant.tried += 1;
                plant.launched |= launched;
                if let Some(how) = how {
                    plant.by += 1;
                    case.caught += 1;
                    plant.caught.get_or_insert(how.clone());
                }
            }
            test.cases.push(case);
        }
        Ok(tests)
    }

    /// The wrong kernels of a case's test: those that it names of the built-in binding, or all of a
    /// user's bindings of its contract.
    fn bugs(&self, one: &SelectedCase<'a>, way: &Bound<'a>) -> Vec<Bug<'a>> {
        let bugs = |binding: &'a Binding| {
            let planted = binding.planted.iter();
            planted.map(move |planted| Bug { binding, planted })
        };
        if way.is_built_in() {
            let named = |name: &String| bugs(way.binding).find(|bug| bug.planted.name == *name);
            return one.test.planted.iter().filter_map(named).collect();
        }
        let own = self.setup.bindings.candidates(one.test).flat_map(bugs);
        // A test of a named built-in binding lists the bugs that its sizes can show.
        let asks = one.test.binding.is_some() && !self.setup.bindings.binds_test(one.test);
        own.filter(|bug| !asks || one.test.planted.contains(&bug.planted.name))
            .collect()
    }

    /// Runs planted bugs until each has been caught, and each case that must catch one has done so.
    /// Returns the result of each pair of case and bug that ran.
    fn planted(
        &self,
        (selected, slots): (&[SelectedCase<'a>], &[PreparedCaseSlot]),
        ways: &[Bound<'a>],
        bugs: &[Vec<Bug<'a>>],
        honest: &[FinishedTrial],
    ) -> Result<Vec<Vec<Option<PairResult>>>, Stop> {
        let mut tried: Vec<Vec<Option<PairResult>>> =
            bugs.iter().map(|bugs| vec![None; bugs.len()]).collect();
        for (at, (one, way)) in selected.iter().zip(ways).enumerate() {
            for (bug, tried) in bugs[at].iter().zip(&mut tried[at]) {
                if !bug.applies(one, way, self.setup)? {
                    *tried = Some((false, None));
                }
            }
        }
        loop {
            let mut pairs = Vec::new();
            for cases in selected.chunk_by(|a, b| a.test.id == b.test.id) {
                let first = offset(selected, cases);
                let each = each_must_catch(&cases[0], &ways[first], &bugs[first]);
                let cost = |case: usize| instructions(&honest[first + case].report);
                let next = next_pairs(&tried[first..first + cases.len()], each, cost);
                pairs.extend(next.into_iter().map(|(case, bug)| (first + case, bug)));
            }
            if pairs.is_empty() {
                break;
            }
            let plans: Vec<Plan<'_>> = pairs
                .iter()
                .map(|&(at, bug)| {
                    let limits = self.budget(&honest[at].report);
                    let planted = bugs[at][bug].launched(self.setup);
                    let bound = Bound {
                        planted: Some(planted),
                        ..ways[at]
                    };
                    self.plan(
                        (&selected[at], &slots[at]),
                        bound,
                        Launching::Enabled,
                        limits,
                    )
                })
                .collect();
            for (&(at, bug), done) in pairs.iter().zip(self.all(&plans)) {
                let how = how(&done).filter(|_| done.plant_used);
                tried[at][bug] = Some((done.plant_used, how));
            }
        }
        Ok(tried)
    }

    /// The result of a test of which nothing has run.
    fn blank(&self, one: &SelectedCase<'_>, way: &Bound<'_>, bugs: &[Bug<'_>]) -> TestResult {
        let ours = way.is_built_in() || one.test.binding.is_some();
        let spared =
            |bug: &Bug<'_>| one.test.designed && ours && self.is_named_elsewhere(one.test, bug);
        let plant = |bug: &Bug<'_>| PlantResult {
            name: bug.planted.name.clone(),
            due: !spared(bug),
            caught: None,
            by: 0,
            tried: 0,
            launched: false,
        };
        TestResult {
            id: one.test.id.clone(),
            phase: one.phase.number,
            cases: Vec::new(),
            each: each_must_catch(one, way, bugs),
            planted: bugs.iter().map(plant).collect(),
        }
    }

    /// Returns true if a test of the same contract and binding with named cases must catch the bug. The
    /// cases of a design depend on its seed.
    fn is_named_elsewhere(&self, test: &Test, bug: &Bug<'_>) -> bool {
        let mut others = self.setup.registry.tests().filter(|other| {
            let same = other.function.name == test.function.name && other.binding == test.binding;
            same && !other.designed
        });
        others.any(|other| other.planted.contains(&bug.planted.name))
    }

    fn plan<'s>(
        &'s self,
        (one, shared): (&SelectedCase<'s>, &'s PreparedCaseSlot),
        bound: Bound<'s>,
        launching: Launching,
        limits: Limits,
    ) -> Plan<'s> {
        Plan {
            limits,
            twin: self.twin,
            launching,
            shared: Some(shared),
            ..self.setup.plan(self.device, one, bound, self.seed)
        }
    }

    /// Returns the limits of a wrong kernel: many times the need of the honest one, so that a hang is
    /// noticed soon.
    fn budget(&self, honest: &TrialReport) -> Limits {
        let launches = honest.launches.iter();
        let largest = launches.filter_map(|launch| launch.wave_instructions).max();
        largest.map_or(self.limits, |instructions| {
            self.limits.of_instructions(100_000 + 20 * instructions)
        })
    }

    fn all(&self, plans: &[Plan<'_>]) -> Vec<FinishedTrial> {
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

/// Returns true if each case of a test must catch a bug. A user's bug need not show in every case, and
/// neither does any bug in a design's cases.
fn each_must_catch(one: &SelectedCase<'_>, way: &Bound<'_>, bugs: &[Bug<'_>]) -> bool {
    !one.test.designed && (way.is_built_in() || bugs.is_empty())
}

/// Returns the wave instructions of all launches of a trial, where the device counts them.
fn instructions(report: &TrialReport) -> u64 {
    let launches = report.launches.iter();
    launches.filter_map(|launch| launch.wave_instructions).sum()
}

/// Cases that are run side by side.
const BATCH: usize = 48;
/// Returns the index of a test's first case among all selected cases.
fn offset(all: &[SelectedCase<'_>], part: &[SelectedCase<'_>]) -> usize {
    all.iter()
        .position(|one| std::ptr::eq(one, &raw const part[0]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
