//! The cause of a failure, found by experiments: kernels and reference run again with changed inputs, and the change that makes them
//! agree, or the difference of their responses, is the cause.

mod activation;
mod added;
mod candidate;
mod change;
mod element;
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
mod uses;
mod weigh;
mod written;

use std::cell::{Cell, RefCell};

use crate::contract::{Case, Function, Value, list_of};
use crate::report::model::{
    CauseReport, DiagnosisReport, OutputReport, Problem, SmallestCase, TrialReport, Verdict,
};
use crate::report::{Signature, is_far};
use crate::trial::{Experiment, Plan, each};

use known::{KnownMistakes, told_by};

pub use element::{ElementReport, explain, page, text, worst_element};

/// Failures of one run that get experiments, each of another signature.
const MAX_FAILURES: usize = 16;

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

/// Wave instructions of a trial that is diagnosed though a shorter one is there.
const LONGEST: u64 = 1 << 24;

/// Elements of the outputs of a custom contract that is diagnosed though a smaller case is there. Its reference runs in another process.
const LARGEST: usize = 1 << 15;

/// Diagnoses the failures of a run, `jobs` at a time: of each signature the most telling trial, and a short one if that has no cause. Passes each
/// diagnosis to `told`, with the position of its trial among the given ones.
pub fn diagnose_failures(
    failures: &[(&Plan<'_>, TrialReport)],
    depth: Depth,
    jobs: usize,
    kernel_tests: &dyn KernelTests,
    mut told: impl FnMut(usize, DiagnosisReport),
) {
    let mistakes = (depth == Depth::Full).then(|| KnownMistakes::of(failures));
    let chosen = most_telling(failures, mistakes.as_ref());
    let has_cause = |found: &(usize, DiagnosisReport)| !found.1.causes.is_empty();
    let diagnosis = |position: usize| {
        let (plan, report) = &failures[position];
        let known = mistakes.as_ref().and_then(|known| known.best(position));
        let is_lone = || {
            mistakes
                .as_ref()
                .is_some_and(|known| known.is_lone(position))
        };
        let found = match known {
            Some(_) if !is_lone() => None,
            Some(_) => by_experiments(plan, report, Depth::Blind, kernel_tests)
                .filter(|found| !found.causes.is_empty()),
            None => by_experiments(plan, report, depth, kernel_tests),
        };
        Some((position, found.or_else(|| Some(told_by(known?)))?))
    };
    let work = |&first: &usize, tell: &mut dyn FnMut(Option<(usize, DiagnosisReport)>)| {
        let found = diagnosis(first).map(|(position, found)| {
            let found = with_factor_elsewhere(failures, position, found, diagnosis);
            (position, found)
        });
        let short = || diagnosis(short_like(failures, first)?).filter(has_cause);
        tell(
            match found.as_ref().is_some_and(|found| !has_cause(found)) {
                true => short().or(found),
                false => found,
            },
        );
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

/// Trials of other sizes with which a factor is compared.
const ELSEWHERE: usize = 2;

/// Compares the factor of an output that a diagnosis names with trials of other sizes. A number that is another one there is not told as that of one
/// case, and where there is no factor, the diagnosis of that trial is told.
fn with_factor_elsewhere(
    failures: &[(&Plan<'_>, TrialReport)],
    position: usize,
    mut found: DiagnosisReport,
    diagnosis: impl Fn(usize) -> Option<(usize, DiagnosisReport)>,
) -> DiagnosisReport {
    let cause = found
        .causes
        .first()
        .filter(|cause| cause.kind == "scale" && cause.tensor.is_none());
    let Some(name) = cause.and_then(|cause| cause.output.clone()) else {
        return found;
    };
    let (plan, report) = &failures[position];
    let lengths = |report: &TrialReport| -> Vec<usize> {
        let axes = report.outputs.iter().flat_map(|output| &output.axes);
        axes.map(|axis| axis.length).collect()
    };
    let others = (0..failures.len()).filter(|&other| {
        let (of, other) = &failures[other];
        let same_test = std::ptr::eq(of.test.function, plan.test.function);
        let is_wrong = |output: &OutputReport| output.name == name && output.problem.is_some();
        let has_output = other.outputs.iter().any(is_wrong);
        same_test && has_output && is_explainable(other) && lengths(other) != lengths(report)
    });
    let mut others: Vec<usize> = others.collect();
    others.sort_by_key(|&other| {
        let (plan, report) = &failures[other];
        rank(plan.test.function, plan.case, report)
    });
    let Some(here) = plan.experiment() else {
        return found;
    };
    let own_case = plan.case.id.as_str();
    let other_cause = |other: usize| {
        let (_, told) = diagnosis(other)?;
        let cause = told.causes.first()?;
        (cause.kind != "scale" || cause.tensor.is_some()).then_some(told)
    };
    for other in others.into_iter().take(ELSEWHERE) {
        let plan = failures[other].0;
        let there = plan.experiment().filter(is_small);
        let compared = there.and_then(|there| {
            observe::factor_elsewhere((&here, own_case), (&there, &plan.case.id), &name)
        });
        match compared {
            // Different factors, and a factor of one case alone, follow from a cause that the other case may tell.
            Some(observe::Elsewhere::Unlike(text)) => {
                return other_cause(other).unwrap_or_else(|| {
                    found.causes[0].text = text;
                    found
                });
            }
            Some(observe::Elsewhere::Factor(text)) => {
                let cause = &mut found.causes[0];
                // A factor of another number here is one that the case's own diagnosis told otherwise, as that of an input.
                if cause.text.starts_with(&format!("`{name}` is ")) {
                    cause.text = text;
                }
                return found;
            }
            None => {}
        }
    }
    found
}

/// Returns the position of a shorter trial with the signature of another, of usual values if there is one.
fn short_like(failures: &[(&Plan<'_>, TrialReport)], of: usize) -> Option<usize> {
    let signature = Signature::of(&failures[of].1);
    let instructions = |position: usize| failures[position].1.wave_instructions;
    let others = (0..failures.len()).filter(|&position| {
        let report = &failures[position].1;
        let is_shorter = instructions(position) < instructions(of);
        is_shorter && is_explainable(report) && Signature::of(report) == signature
    });
    others.min_by_key(|&position| {
        let plan = failures[position].0;
        let unusual = unusual_values(plan.test.function, plan.case);
        (unusual, instructions(position))
    })
}

/// Returns the positions of the trials that are diagnosed: the most telling one of each signature. A signature whose trials are all dull is
/// left out if a more telling one has the same wrong output: different mistakes look alike in dull trials. So is one that no mistake of the
/// contract's list explains, if one explains the most trials with that output.
fn most_telling(
    failures: &[(&Plan<'_>, TrialReport)],
    mistakes: Option<&KnownMistakes<'_>>,
) -> Vec<usize> {
    let rank = |position: usize| {
        let (plan, report) = &failures[position];
        rank(plan.test.function, plan.case, report)
    };
    let mut chosen: Vec<(Signature, usize)> = Vec::new();
    for (position, (_, report)) in failures.iter().enumerate() {
        if !is_explainable(report) {
            continue;
        }
        let signature = Signature::of(report);
        let known = chosen.iter_mut().find(|(of, _)| *of == signature);
        match known {
            None => chosen.push((signature, position)),
            Some((_, at)) if rank(position) < rank(*at) => *at = position,
            Some(_) => {}
        }
    }
    // A mistake that explains most trials with a wrong output is that of the others, too: roundings or infinities may hide it there.
    let known: Vec<usize> = match mistakes {
        Some(mistakes) => chosen
            .iter()
            .map(|(_, at)| *at)
            .filter(|&at| mistakes.best(at).is_some() && !mistakes.is_lone(at))
            .collect(),
        None => Vec::new(),
    };
    let is_known = |at: usize| known.contains(&at);
    let is_outdone = |(signature, position): &(Signature, usize)| {
        let plan = failures[*position].0;
        let is_dull = dullness(plan.test.function, plan.case) > 0;
        let mut others = chosen.iter();
        !is_known(*position)
            && others.any(|(other, better)| {
                let is_better = is_known(*better) || is_dull && rank(*better) < rank(*position);
                other.has_output_of(signature) && is_better
            })
    };
    let telling = chosen.iter().filter(|choice| !is_outdone(choice));
    let telling = telling.map(|(_, position)| *position);
    telling.take(MAX_FAILURES).collect()
}

/// Measures of how little a trial tells: true if it is long or has wrong values that are no numbers, then its dullness and the number of its tensors
/// with other values than usual together, that number, and its wave instructions.
pub type Rank = (bool, usize, usize, Option<u64>);

/// Returns how little a trial tells, the most telling first. Along an axis of one or two indices, and with a state of zeros, different
/// mistakes look alike; huge and tiny values hide some. Of equal trials the shorter one comes first, and a long one after all others.
pub fn rank(function: &Function, case: &Case, report: &TrialReport) -> Rank {
    let instructions = report.wave_instructions;
    let axes = report.outputs.iter().map(|output| output.axes.iter());
    let elements = axes.map(|axes| axes.map(|axis| axis.length).product::<usize>());
    let is_large = function.is_custom() && elements.sum::<usize>() > LARGEST;
    if is_large || instructions.is_some_and(|count| count > LONGEST) {
        return (true, usize::MAX, 0, instructions);
    }
    let (dullness, unusual) = (dullness(function, case), unusual_values(function, case));
    let is_finite =
        |output: &OutputReport| !matches!(output.problem, Some(Problem::NonFinite { .. }));
    let infinite = !report.outputs.iter().all(is_finite);
    (infinite, dullness + unusual, unusual, instructions)
}

/// Returns the number of a case's sizes and choices that make mistakes look alike: sizes below 3, also those that follow from the lengths
/// of sequences, empty sequences, and a state of zeros.
pub fn dullness(function: &Function, case: &Case) -> usize {
    let values = case.values.iter();
    let dull = values.filter(|(name, value)| match value {
        Value::Number(number) => *number < 3,
        Value::Word(word) if function.lists.contains(name) => list_of(word).contains(&0),
        Value::Word(word) => ["zero", "empty"].contains(word),
    });
    let derived = function.derived.iter();
    let short = derived.filter(|size| (size.value)(&case.values).is_some_and(|size| size < 3));
    dull.count() + short.count()
}

/// Returns the number of tensors that have other values than the first that the contract lists.
fn unusual_values(function: &Function, case: &Case) -> usize {
    let values = function.domain.values.iter();
    let unusual = values.filter(|(name, words)| {
        let word = case.values.word(name);
        word.is_some_and(|word| words.first() != Some(&word))
    });
    unusual.count()
}

/// Returns the diagnosis of a failed trial. Returns none if it has no wrong output, or if no experiment is possible.
pub fn diagnose_failure(
    plan: &Plan<'_>,
    report: &TrialReport,
    depth: Depth,
    kernel_tests: &dyn KernelTests,
) -> Option<DiagnosisReport> {
    if !is_explainable(report) {
        return None;
    }
    let known = (depth == Depth::Full).then(|| known::explaining(report));
    match known.iter().flatten().next() {
        Some(mistake) => Some(told_by(mistake)),
        None => by_experiments(plan, report, depth, kernel_tests),
    }
}

fn by_experiments(
    plan: &Plan<'_>,
    report: &TrialReport,
    depth: Depth,
    kernel_tests: &dyn KernelTests,
) -> Option<DiagnosisReport> {
    if let Some(found) = kernel::find(&kernel_tests.of(plan), depth) {
        return Some(found);
    }
    let smaller = shrink::shrink(plan, report);
    let Some((case, report)) = &smaller else {
        return Some(diagnose_case(plan)?.report);
    };
    let (mut found, method) = match diagnose_case(&Plan { case, ..*plan }) {
        Some(found) => (Some(found.report), found.method),
        None => (None, None),
    };
    if let Some(found) = &mut found {
        found.smallest = Some(SmallestCase {
            case: case.id.clone(),
            rerun: report.rerun.clone(),
        });
    }
    // A smaller case may lack the part that is right: beside a tile that is not full, there is no full one.
    let original = diagnose_if_quick(plan);
    if let Some(original) = &original
        && counts_more(original, found.as_ref())
    {
        return Some(original.clone());
    }
    match holds(plan, found.as_ref(), method) {
        false => original.or_else(|| Some(diagnose_case(plan)?.report)),
        true => found,
    }
}

/// Returns false if the wrong elements of a smaller case have a cause that those of the case itself do not have. The method that found the cause
/// is asked again.
fn holds(plan: &Plan<'_>, smaller: Option<&DiagnosisReport>, method: Option<usize>) -> bool {
    let cause = smaller.and_then(|smaller| smaller.causes.first());
    let Some(cause) = cause.filter(|cause| cause.explains.is_some()) else {
        return true;
    };
    let Some((method, experiment)) = method.zip(plan.experiment().filter(is_small)) else {
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
fn diagnose_if_quick(plan: &Plan<'_>) -> Option<DiagnosisReport> {
    // The references of custom contracts may be slow.
    if plan.test.function.is_custom() {
        return None;
    }
    let experiment = plan.experiment().filter(is_small)?;
    if experiment.run_work() > QUICK {
        return None;
    }
    let found = search(&experiment).report;
    (!found.causes.is_empty()).then_some(found)
}

/// Returns true if a diagnosis has another cause than that of a smaller case, and one that counts more: a cause that explains its wrong elements
/// counts more than one that does not.
fn counts_more(found: &DiagnosisReport, smaller: Option<&DiagnosisReport>) -> bool {
    let cause = |found: &DiagnosisReport| found.causes.first().cloned();
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
fn methods<'m>(state: &'m SearchState) -> [Box<Method<'m>>; 23] {
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
        in_any_order(observe::row_factors),
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
/// no experiment, and wrong values beside them may follow from what they follow from.
pub fn is_explainable(report: &TrialReport) -> bool {
    let mut outputs = report.outputs.iter();
    let is_unwritten =
        |output: &OutputReport| matches!(output.problem, Some(Problem::PoisonLeft { .. }));
    if outputs.clone().any(is_unwritten) {
        return false;
    }
    let wrong = outputs.any(|output| match &output.problem {
        Some(Problem::Mismatch { unwritten, .. } | Problem::NonFinite { unwritten, .. }) => {
            unwritten.is_empty()
        }
        Some(Problem::RelativeRms { .. }) => true,
        _ => false,
    });
    report.verdict == Verdict::Fail && report.problem.is_none() && report.error.is_none() && wrong
}
