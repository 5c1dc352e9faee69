//! The cause of a failure, found by experiments: kernels and reference run again with changed inputs, and the change that makes them
//! agree, or the difference of their responses, is the cause.

mod activation;
mod added;
mod candidate;
mod change;
mod choice;
mod copies;
mod element;
mod factors;
mod failed_run;
#[cfg(test)]
mod fixture;
mod function;
mod influence;
mod kernel;
mod known;
mod last_steps;
mod norms;
mod observe;
mod operation;
mod outputs;
mod race;
mod range;
mod shrink;
#[cfg(test)]
mod tests;
mod ties;
mod unwritten;
mod uses;
mod weigh;
mod written;

use std::cell::{Cell, RefCell};

use crate::report::model::{
    CauseReport, DiagnosisReport, OutputReport, Problem, SmallestCase, TrialReport, Verdict,
};
use crate::report::{Signature, is_far};
use crate::trial::{Experiment, Plan, each};

use failed_run::FailedRun;
use known::{KnownMistakes, told_by};

pub use choice::{Rank, dullness, rank};
pub use element::{ElementReport, explain, page, text, worst_element};

/// The number of elements of all tensors up to which experiments are made. Larger cases would take minutes.
const MAX_ELEMENTS: usize = 1 << 21;

/// The depth of a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Known mistakes of the contract first, then experiments.
    Full,
    /// Experiments only.
    Blind,
}

/// The tests of single kernels.
pub trait KernelTests: Sync {
    /// Returns the plans of tests that launch one of a trial's kernels alone, each with the kernel. It is empty for a trial of one kernel.
    fn of<'p>(&'p self, plan: &Plan<'p>) -> Vec<(String, Plan<'p>)>;
}

/// A way to find a cause.
type Method<'m> = dyn Fn(&Experiment<'_>) -> Option<CauseReport> + 'm;

/// A failed trial with its plan.
type Failure<'p> = (&'p Plan<'p>, TrialReport);

/// Diagnoses the failures of a run, `jobs` at a time: of each signature the most telling trial, and a short one if that has no cause. Passes each
/// diagnosis to `told`, with the position of its trial among the given ones.
pub fn diagnose_failures(
    failures: &[(&Plan<'_>, TrialReport)],
    depth: Depth,
    jobs: usize,
    kernel_tests: &dyn KernelTests,
    mut told: impl FnMut(usize, DiagnosisReport),
) {
    let run = FailedRun {
        failures,
        depth,
        kernel_tests,
        mistakes: (depth == Depth::Full).then(|| KnownMistakes::of(failures)),
    };
    let mut chosen = choice::most_telling(failures, run.mistakes.as_ref());
    chosen.extend(choice::that_tell(failures));
    let work = |&first: &usize, tell: &mut dyn FnMut(Option<(usize, DiagnosisReport)>)| {
        tell(run.diagnosis_of_all_like(first));
    };
    each(&chosen, jobs, work, |_, found| {
        if let Some((position, mut diagnosis)) = found {
            let own = Signature::of(&failures[position].1);
            let is_far_like = |(_, report): &(&Plan<'_>, TrialReport)| {
                is_far(report) && Signature::of(report).has_output_of(&own)
            };
            diagnosis.far_elsewhere =
                diagnosis.causes.is_empty() && failures.iter().any(is_far_like);
            told(position, diagnosis);
        }
    });
}

/// Returns the diagnosis of a failed trial. Returns none if it has no wrong output, or if no experiment is possible.
pub fn diagnose_failure(
    plan: &Plan<'_>,
    report: &TrialReport,
    depth: Depth,
    kernel_tests: &dyn KernelTests,
) -> Option<DiagnosisReport> {
    if let Some(found) = race::diagnosis(report) {
        return Some(found);
    }
    if unwritten::is_read(report) {
        return unwritten::diagnosis(plan);
    }
    if !is_explainable(report) {
        return None;
    }
    let known = (depth == Depth::Full).then(|| known::explaining(report));
    match known.iter().flatten().next() {
        Some(mistake) => Some(told_by(mistake)),
        None => Some(by_experiments(plan, report, depth, kernel_tests)?.report),
    }
}

fn by_experiments(
    plan: &Plan<'_>,
    report: &TrialReport,
    depth: Depth,
    kernel_tests: &dyn KernelTests,
) -> Option<SearchResult> {
    if let Some(report) = kernel::find(&kernel_tests.of(plan), depth) {
        return Some(SearchResult {
            report,
            method: None,
        });
    }
    let smaller = shrink::shrink(plan, report);
    let Some((case, report)) = &smaller else {
        return diagnose_case(plan);
    };
    let mut found = diagnose_case(&Plan { case, ..*plan });
    if let Some(found) = &mut found {
        found.report.smallest = Some(SmallestCase {
            case: case.id.clone(),
            rerun: report.rerun.clone(),
        });
    }
    // A smaller case may lack the part that is right: beside a tile that is not full, there is no full one.
    let original = diagnose_if_quick(plan);
    match original {
        Some(original) if counts_more(&original, found.as_ref()) => Some(original),
        original if found.as_ref().is_some_and(|found| !holds(plan, found)) => {
            original.or_else(|| diagnose_case(plan))
        }
        _ => found,
    }
}

/// Returns false if the wrong elements of a smaller case have a cause that those of the case itself do not have. The method that found the cause
/// is asked again.
fn holds(plan: &Plan<'_>, smaller: &SearchResult) -> bool {
    let cause = smaller.report.causes.first();
    let Some(cause) = cause.filter(|cause| cause.explains.is_some()) else {
        return true;
    };
    let Some((method, experiment)) = smaller.method.zip(plan.experiment().filter(is_small)) else {
        return true;
    };
    let state = SearchState {
        partial: RefCell::new(candidate::Partial::only(cause)),
        ..SearchState::default()
    };
    let candidates: [&Method<'_>; 2] = [
        &|experiment| state.partial.borrow_mut().whole(experiment),
        &|experiment| state.partial.borrow_mut().find(experiment),
    ];
    let methods = methods(&state);
    let asked = candidates.into_iter().chain([&*methods[method]]);
    let found = asked.into_iter().find_map(|find| {
        experiment.begin_method();
        find(&experiment)
    });
    match found {
        Some(found) => is_same_cause(&found, cause),
        None => experiment.is_cut_short(),
    }
}

fn is_same_cause(one: &CauseReport, other: &CauseReport) -> bool {
    let key = |cause: &CauseReport| {
        (
            cause.kind.clone(),
            cause.tensor.clone(),
            cause.output.clone(),
        )
    };
    key(one) == key(other)
}

/// Wave instructions of a trial that is diagnosed besides its smaller case.
const QUICK: u64 = 1 << 17;

/// Returns the diagnosis of a short trial, if it has a cause.
fn diagnose_if_quick(plan: &Plan<'_>) -> Option<SearchResult> {
    // The references of custom contracts may be slow.
    if plan.test.function.is_custom() {
        return None;
    }
    let experiment = plan.experiment().filter(is_small)?;
    if experiment.run_work() > QUICK {
        return None;
    }
    let found = search(&experiment);
    (!found.report.causes.is_empty()).then_some(found)
}

/// Returns true if a diagnosis has another cause than that of a smaller case, and one that counts more: a cause that explains its wrong elements
/// counts more than one that does not.
fn counts_more(found: &SearchResult, smaller: Option<&SearchResult>) -> bool {
    let cause = |found: &SearchResult| found.report.causes.first().cloned();
    let (cause, smaller) = (cause(found), smaller.and_then(cause));
    let differs = match (&cause, &smaller) {
        (Some(cause), Some(smaller)) => !is_same_cause(cause, smaller),
        (None, None) => false,
        _ => true,
    };
    let is_counted =
        |cause: &Option<CauseReport>| cause.as_ref().is_some_and(|cause| cause.explains.is_some());
    differs && (is_counted(&cause) || !is_counted(&smaller))
}

/// Returns the diagnosis of one case. Returns none if no experiment is possible.
fn diagnose_case(plan: &Plan<'_>) -> Option<SearchResult> {
    plan.bare()?;
    let Some(experiment) = plan.experiment().filter(is_small) else {
        let report = DiagnosisReport {
            cut_short: true,
            ..DiagnosisReport::default()
        };
        return Some(SearchResult {
            report,
            method: None,
        });
    };
    Some(search(&experiment))
}

/// A diagnosis, and the number of the method that found its cause.
struct SearchResult {
    report: DiagnosisReport,
    method: Option<usize>,
}

/// The findings of the methods of one diagnosis so far.
#[derive(Default)]
struct SearchState {
    partial: RefCell<candidate::Partial>,
    /// True if the results change with the order of groups and waves.
    depends_on_order: Cell<bool>,
    /// A race between groups that changes no value.
    race: RefCell<Option<CauseReport>>,
}

/// Returns the methods in their order. A cause that explains every element comes early, but for an eps, which looks like a factor where all
/// values are small; then the properties, the most definite first.
fn methods<'m>(state: &'m SearchState) -> [Box<Method<'m>>; 24] {
    let in_any_order = |find: fn(&Experiment<'_>) -> Option<CauseReport>| -> Box<Method<'m>> {
        // Where results change with the order of waves, responses tell nothing.
        let depends = &state.depends_on_order;
        Box::new(move |experiment| (!depends.get()).then(|| find(experiment)).flatten())
    };
    [
        Box::new(outputs::zeros),
        Box::new(norms::eps),
        Box::new(|experiment| state.partial.borrow_mut().whole(experiment)),
        Box::new(operation::find),
        Box::new(outputs::find),
        Box::new(copies::find),
        Box::new(function::find),
        Box::new(last_steps::function),
        Box::new(function::straight),
        Box::new(added::find),
        Box::new(ties::find),
        Box::new(|experiment| {
            let depends = race::depends_on_order(experiment);
            state.depends_on_order.set(depends);
            let race = race::find(experiment)?;
            if depends || race.lacks_barrier {
                return Some(race.cause);
            }
            state.race.replace(Some(race.cause));
            None
        }),
        in_any_order(written::find),
        Box::new(|experiment| {
            // Values that are not finite hide influences, for which work is kept.
            experiment.begin_last_method();
            observe::overflow(experiment)
        }),
        Box::new(|experiment| state.partial.borrow_mut().find(experiment)),
        Box::new(added::stuck),
        Box::new(added::limits),
        Box::new(observe::cut_off),
        in_any_order(uses::find),
        in_any_order(factors::row_factors),
        in_any_order(last_steps::row_terms),
        in_any_order(norms::size_of_normed),
        in_any_order(observe::coarse),
        in_any_order(range::find),
    ]
}

/// Makes the experiments one after the other, until one finds a cause.
fn search(experiment: &Experiment<'_>) -> SearchResult {
    if observe::is_right(experiment) {
        // The elements may be right, and their errors together too large.
        let report = DiagnosisReport {
            causes: observe::cut_off(experiment).into_iter().collect(),
            launches: experiment.launches(),
            ..DiagnosisReport::default()
        };
        return SearchResult {
            report,
            method: None,
        };
    }
    let state = SearchState::default();
    let found = methods(&state)
        .into_iter()
        .enumerate()
        .find_map(|(number, find)| {
            experiment.begin_method();
            Some((number, find(experiment)?))
        });
    let (method, cause) = found.unzip();
    let cause = cause.map(|cause| after_a_race(experiment, cause));
    let cause = cause.or_else(|| {
        experiment.begin_last_method();
        let tells = !state.depends_on_order.get();
        let found = tells.then(|| influence::find(experiment)).flatten()?;
        // Where the values of another input are what the kernels take them for by mistake, an index of this one looks unread.
        is_found_again(experiment, &found).then_some(found)
    });
    // Groups that write on into the next sequence hide where it begins.
    let cause = match cause {
        Some(cause) if influence::is_unread_table(experiment, &cause) => {
            Some(state.race.take().unwrap_or(cause))
        }
        cause => cause,
    };
    let cause = cause.or_else(|| {
        experiment.begin_last_method();
        added::only_zeros(experiment)
    });
    let cause = cause.or_else(|| state.race.take());
    let origins = experiment.origins();
    let cause = cause.or_else(|| {
        experiment.begin_last_method();
        observe::non_finite(experiment, &origins)
    });
    let cut_short = cause.is_none() && experiment.is_cut_short();
    let report = DiagnosisReport {
        causes: cause.into_iter().collect(),
        origins,
        smallest: None,
        launches: experiment.launches(),
        cut_short,
        far_elsewhere: false,
    };
    SearchResult { report, method }
}

/// Returns the race that may have made a cause: a value that is missing may not have been there yet.
fn after_a_race(experiment: &Experiment<'_>, cause: CauseReport) -> CauseReport {
    let is_missing = ["not-applied", "unread", "zero"].contains(&cause.kind.as_str());
    if !is_missing {
        return cause;
    }
    experiment.begin_method();
    match race::find(experiment) {
        Some(race) if race.lacks_barrier => race.cause,
        _ => cause,
    }
}

/// Returns false if the influences on other draws tell something else.
fn is_found_again(experiment: &Experiment<'_>, found: &CauseReport) -> bool {
    let redrawn = [1, 2].map(|step| experiment.redrawn(experiment.seed().wrapping_add(step)));
    let mut redrawn = redrawn.into_iter().flatten();
    let Some(other) = redrawn.find(|other| !observe::is_right(other)) else {
        return true;
    };
    other.begin_again();
    match influence::find(&other) {
        Some(again) => again.text == found.text,
        None => other.is_exhausted(),
    }
}

fn is_small(experiment: &Experiment<'_>) -> bool {
    let inputs = experiment.data().iter().map(|input| input.values.len());
    let outputs = experiment.outputs().iter().map(|output| output.got.len());
    inputs.chain(outputs).sum::<usize>() <= MAX_ELEMENTS
}

/// Returns true if a trial failed because the kernels computed other values than the reference. Unwritten elements and broken guards need
/// no experiment, and wrong values beside them, or beside values from unwritten storage, may follow from what they follow from.
pub fn is_explainable(report: &TrialReport) -> bool {
    let mut outputs = report.outputs.iter();
    let is_unwritten =
        |output: &OutputReport| matches!(output.problem, Some(Problem::PoisonLeft { .. }));
    if outputs.clone().any(is_unwritten) || unwritten::is_read(report) {
        return false;
    }
    let wrong = outputs.any(|output| {
        matches!(
            output.problem,
            Some(
                Problem::Mismatch { .. } | Problem::NonFinite { .. } | Problem::RelativeRms { .. }
            )
        )
    });
    report.verdict == Verdict::Fail && report.problem.is_none() && report.error.is_none() && wrong
}
