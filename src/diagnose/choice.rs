//! The trials that are diagnosed: of each kind of failure the one in which a mistake shows most.

use std::collections::BTreeSet;

use crate::contract::{Case, Function, Value, list_of};
use crate::report::Signature;
use crate::report::model::{OutputReport, Problem, TrialReport};

use super::known::KnownMistakes;
use super::{Failure, QUICK, is_explainable, race, unwritten};

/// Failures of one run that get experiments, each of another signature.
const MAX_FAILURES: usize = 16;

/// Wave instructions of a trial that is diagnosed though a shorter one is there.
const LONGEST: u64 = 1 << 24;

/// Wave instructions above which there is no work for all experiments.
const LONG: u64 = 1 << 20;

/// Elements of the outputs of a custom contract that is diagnosed though a smaller case is there. Its reference runs in another process.
const LARGEST: usize = 1 << 15;

/// Returns the positions of trials with the wrong output of another, to diagnose where that one has no cause: the next telling one that is not long, and
/// of short ones the shortest of usual values, and the shortest.
pub(super) fn instead_of(failures: &[Failure<'_>], of: usize) -> Vec<usize> {
    let signature = Signature::of(&failures[of].1);
    let others = (0..failures.len()).filter(|&position| {
        let report = &failures[position].1;
        position != of
            && report.wave_instructions.is_some_and(|count| count <= LONG)
            && is_explainable(report)
            && Signature::of(report).has_output_of(&signature)
    });
    let others: Vec<usize> = others.collect();
    let telling = others
        .iter()
        .copied()
        .min_by_key(|&other| rank_of(&failures[other]));
    let instructions = |position: usize| failures[position].1.wave_instructions;
    let shorter = others.iter().copied();
    let shorter = shorter.filter(|&other| {
        instructions(other) < instructions(of) && instructions(other) <= Some(QUICK)
    });
    let shortest = shorter.clone().min_by_key(|&other| instructions(other));
    let usual = shorter.min_by_key(|&other| {
        let plan = failures[other].0;
        (
            unusual_values(plan.test.function, plan.case),
            instructions(other),
        )
    });
    let mut instead: Vec<usize> = Vec::new();
    for other in [telling, usual, shortest].into_iter().flatten() {
        if !instead.contains(&other) {
            instead.push(other);
        }
    }
    instead
}

/// Returns the positions of the trials with a wrong output of this name that are as explainable as another, of the same contract: first those
/// that share the fewest dull sizes and choices with it, and of these the most telling one.
pub(super) fn others_with(failures: &[Failure<'_>], than: usize, output: &str) -> Vec<usize> {
    let function = failures[than].0.test.function;
    let others = (0..failures.len()).filter(|&other| {
        let (plan, report) = &failures[other];
        let is_wrong = |of: &OutputReport| of.name == output && of.problem.is_some();
        other != than
            && std::ptr::eq(plan.test.function, function)
            && report.outputs.iter().any(is_wrong)
            && is_explainable(report)
    });
    let mut others: Vec<usize> = others.collect();
    let dull = |position: usize| dull(function, failures[position].0.case);
    let own = dull(than);
    others.sort_by_key(|&other| {
        let shared = dull(other).intersection(&own).count();
        (shared, rank_of(&failures[other]))
    });
    others
}

fn rank_of((plan, report): &Failure<'_>) -> Rank {
    rank(plan.test.function, plan.case, report)
}

/// Returns the positions of the trials that are diagnosed: the most telling one of each signature. A signature whose trials are all dull or of unusual values is
/// left out if a more telling one has the same wrong output: different mistakes look alike in dull trials. So is one that no mistake of the
/// contract's list explains, if one explains the most trials with that output.
pub(super) fn most_telling(
    failures: &[Failure<'_>],
    mistakes: Option<&KnownMistakes<'_>>,
) -> Vec<usize> {
    let rank = |position: usize| rank_of(&failures[position]);
    let explainable = |position: usize| is_explainable(&failures[position].1);
    let chosen = first_of_each_signature(failures, explainable, rank);
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
        let function = plan.test.function;
        let is_dull = dullness(function, plan.case) + unusual_values(function, plan.case) > 0;
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

/// Returns the positions of trials in which a barrier is missing, or whose outputs have values from storage that nobody has written: the shortest of
/// each signature.
pub(super) fn that_tell(failures: &[Failure<'_>]) -> Vec<usize> {
    let instructions = |position: usize| failures[position].1.wave_instructions;
    let tells = |position: usize| {
        let report = &failures[position].1;
        let tells = race::diagnosis(report).is_some() || unwritten::is_read(report);
        tells && instructions(position) <= Some(LONGEST)
    };
    let shortest = first_of_each_signature(failures, tells, instructions);
    let positions = shortest.into_iter().map(|(_, position)| position);
    positions.take(MAX_FAILURES).collect()
}

/// Returns each signature of some trials, with the position of its trial that comes first by a key.
fn first_of_each_signature<K: PartialOrd>(
    failures: &[Failure<'_>],
    takes: impl Fn(usize) -> bool,
    key: impl Fn(usize) -> K,
) -> Vec<(Signature, usize)> {
    let mut chosen: Vec<(Signature, usize)> = Vec::new();
    for position in (0..failures.len()).filter(|&position| takes(position)) {
        let signature = Signature::of(&failures[position].1);
        let known = chosen.iter_mut().find(|(of, _)| *of == signature);
        match known {
            None => chosen.push((signature, position)),
            Some((_, at)) if key(position) < key(*at) => *at = position,
            Some(_) => {}
        }
    }
    chosen
}

/// The weight of unusual values, and of a long trial, beside dull sizes: by an epsilon or a limit, a mistake looks like another one.
const UNUSUAL: usize = 2;

/// Measures of how little a trial tells: true if it is long, or has wrong values that are no numbers or wrong only together, then its dullness and the number of its tensors
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
    let long = usize::from(instructions.is_some_and(|count| count > LONG));
    // An error of all elements together, or of those beside infinities, tells little.
    let hides = |output: &OutputReport| {
        let problem = output.problem.as_ref();
        problem.is_some_and(|problem| {
            matches!(
                problem,
                Problem::NonFinite { .. } | Problem::RelativeRms { .. }
            )
        })
    };
    (
        report.outputs.iter().any(hides),
        dullness + UNUSUAL * (unusual + long),
        unusual,
        instructions,
    )
}

/// Returns the number of a case's sizes and choices that make mistakes look alike.
pub fn dullness(function: &Function, case: &Case) -> usize {
    dull(function, case).len()
}

/// Returns the names of a case's sizes and choices that make mistakes look alike: sizes below 3, also those that follow from the lengths of
/// sequences, empty sequences, a state of zeros, and gates that do nothing.
fn dull<'f>(function: &'f Function, case: &'f Case) -> BTreeSet<&'f str> {
    let values = case.values.iter();
    let dull = values.filter(|(name, value)| match value {
        Value::Number(number) => *number < 3,
        Value::Word(word) if function.lists.contains(name) => list_of(word).contains(&0),
        Value::Word("none" | "absent") => *name == "gates",
        Value::Word(word) => ["zero", "empty"].contains(word),
    });
    let derived = function.derived.iter();
    let short = derived.filter(|size| (size.value)(&case.values).is_some_and(|size| size < 3));
    let names = dull.map(|(name, _)| name);
    names.chain(short.map(|size| size.name)).collect()
}

/// Classes of gates that are usual beside the first, in which states decay as in trained models.
const USUAL: [&str; 2] = ["slow", "model"];

/// Returns the number of choices of values, by tensor or for all, that are not the first that the contract lists.
fn unusual_values(function: &Function, case: &Case) -> usize {
    let classes = function.words.iter();
    let classes = classes.filter(|(_, words)| words.first() == Some(&"usual"));
    let unusual = function.domain.values.iter().chain(classes);
    let unusual = unusual.filter(|(name, words)| {
        let word = case.values.word(name);
        word.is_some_and(|word| words.first() != Some(&word) && !USUAL.contains(&word))
    });
    unusual.count()
}
