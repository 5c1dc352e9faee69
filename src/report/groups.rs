//! Trials that did not pass, grouped by cause, so that a mistake of many cases is told once.

use std::collections::{HashMap, HashSet};

use crate::report::model::{
    ErrorKind, FindingReport, Hypothesis, OutputReport, Problem, TrialReport, UnwrittenSource,
    Verdict,
};

use super::{Look, failure, plain};

/// The most ids in the line about the other trials of a group.
pub(super) const IDS: usize = 3;

/// The features that trials of one group have in common before their causes are known: contract, verdict, and the first
/// problem with its output and its explanation or place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    contract: String,
    verdict: Verdict,
    /// The first wrong output, if no error, finding or broken rule comes before it.
    output: Option<String>,
    problem: String,
}

/// The features of a known cause: contract, verdict, and the output, kind and tensor of each cause.
type CauseSignature = (String, Verdict, Vec<[String; 3]>);

/// Trials that did not pass for the same reason, as far as their reports show.
pub(super) struct Group<'a> {
    /// The trial that is told in full: the first that has a diagnosis, or else the first.
    pub(super) first: &'a TrialReport,
    /// The other trials, in order.
    pub(super) others: Vec<&'a TrialReport>,
}

impl Group<'_> {
    /// Returns the number of trials.
    pub(super) fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Returns all trials of the group.
    pub(super) fn trials(&self) -> impl Iterator<Item = &TrialReport> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns the number of the other trials and the ids of some; none if there is no other trial.
    pub(super) fn alike(&self) -> Option<String> {
        alike(&self.others)
    }

    /// Returns the id of the first trial with the number of the others: `gemm_nt:M=1 and 33 more cases`.
    pub(super) fn named(&self) -> String {
        let id = plain::line(&self.first.id);
        match self.others.len() {
            0 => id,
            1 => format!("{id} and 1 more case"),
            others => format!("{id} and {others} more cases"),
        }
    }
}

/// Returns the number of trials like another one and the ids of some; none if there is none.
pub(super) fn alike(others: &[&TrialReport]) -> Option<String> {
    let ids: Vec<String> = others
        .iter()
        .take(IDS)
        .map(|trial| plain::line(&trial.id))
        .collect();
    let rest = match others.len() - ids.len() {
        0 => String::new(),
        rest => format!(" and {rest} others"),
    };
    let cases = if others.len() == 1 { "case" } else { "cases" };
    let line = format!("and {} more {cases}: {}{rest}", others.len(), ids.join(" "));
    (!others.is_empty()).then_some(line)
}

impl Signature {
    /// Returns the signature of a trial.
    pub fn of(trial: &TrialReport) -> Signature {
        Signature {
            contract: contract(trial),
            verdict: trial.verdict,
            output: wrong_output(trial),
            problem: problem(trial),
        }
    }

    /// Returns true if the same output is wrong in both trials.
    pub fn has_output_of(&self, other: &Signature) -> bool {
        let of = |one: &Signature| (one.contract.clone(), one.verdict, one.output.clone());
        self.output.is_some() && of(self) == of(other)
    }
}

/// Groups trials, in the order of each group's first trial. A trial without a diagnosis belongs to the diagnosed trials with its
/// signature, or else to those with its wrong output, because experiments are made with one trial of each signature at most.
pub(super) fn groups<'a>(trials: impl IntoIterator<Item = &'a TrialReport>) -> Vec<Group<'a>> {
    let trials: Vec<(&TrialReport, Signature)> = trials
        .into_iter()
        .map(|trial| (trial, Signature::of(trial)))
        .collect();
    // The keys of the groups of trials with a diagnosis.
    type Key<'s> = Result<CauseSignature, &'s Signature>;
    let diagnosed = trials.iter().filter(|(trial, _)| trial.diagnosis.is_some());
    let known: Vec<(&Signature, Key<'_>)> = diagnosed
        .map(|(trial, signature)| (signature, cause_signature(trial).ok_or(signature)))
        .collect();
    let key = |trial: &TrialReport, signature| -> Key<'_> {
        let same = known.iter().find(|(known, _)| *known == signature);
        // A dull trial is not diagnosed if a more telling one has the same wrong output.
        let alike = || {
            let mut known = known.iter();
            known.find(|(known, _)| known.has_output_of(signature))
        };
        match (cause_signature(trial), same.or_else(alike)) {
            (Some(cause), _) => Ok(cause),
            (None, Some((_, key))) if trial.diagnosis.is_none() => key.clone(),
            (None, _) => Err(signature),
        }
    };
    let mut keys: HashMap<Key<'_>, usize> = HashMap::new();
    let mut members: Vec<Vec<&TrialReport>> = Vec::new();
    for (trial, signature) in &trials {
        let at = *keys.entry(key(trial, signature)).or_insert(members.len());
        match members.get_mut(at) {
            Some(group) => group.push(trial),
            None => members.push(vec![trial]),
        }
    }
    let group = |mut members: Vec<&'a TrialReport>| {
        let told = members.iter().position(|trial| trial.diagnosis.is_some());
        let first = members.remove(told.unwrap_or(0));
        Group {
            first,
            others: members,
        }
    };
    members.into_iter().map(group).collect()
}

/// Returns failures as text: the first trial of each group in full, with a line about the others. A group whose signature is among those in
/// `told` is a line, and `told` gets the signatures of the others.
pub fn grouped_text<'a>(
    trials: impl IntoIterator<Item = &'a TrialReport>,
    told: &mut HashSet<Signature>,
) -> String {
    let groups = groups(trials);
    let (mut full, mut brief) = (Vec::new(), String::new());
    for group in &groups {
        if told.insert(Signature::of(group.first)) {
            let alike = group.alike().map(|line| vec![("alike", line)]);
            let alike = alike.map(|lines| Look::default().labelled(&lines));
            full.push(failure::text(group.first) + &alike.unwrap_or_default());
        } else {
            let word = group.first.verdict.word();
            let (name, seed) = (group.named(), group.first.seed);
            brief += &format!("{word} {name} (seed {seed}): as before\n");
        }
    }
    if !brief.is_empty() {
        full.push(brief);
    }
    full.join("\n")
}

/// Returns the name of a trial's contract; the title of its test where the report does not have it.
fn contract(trial: &TrialReport) -> String {
    match trial.contract.is_empty() {
        true => trial.title.clone(),
        false => trial.contract.clone(),
    }
}

/// Returns the first wrong output of a trial whose kernels computed wrong values and did nothing else that they may not do.
fn wrong_output(trial: &TrialReport) -> Option<String> {
    if trial.error.is_some() || trial.problem.is_some() || !trial.findings.is_empty() {
        return None;
    }
    let mut outputs = trial.outputs.iter();
    let output = outputs.find(|output| output.problem.is_some())?;
    match output.problem.as_ref()? {
        Problem::Mismatch { unwritten, .. } | Problem::NonFinite { unwritten, .. }
            if !unwritten.is_empty() =>
        {
            None
        }
        Problem::Mismatch { .. } | Problem::NonFinite { .. } | Problem::RelativeRms { .. } => {
            Some(output.name.clone())
        }
        _ => None,
    }
}

fn cause_signature(trial: &TrialReport) -> Option<CauseSignature> {
    let causes = failure::causes(trial).iter().map(|cause| {
        let [output, tensor] =
            [&cause.output, &cause.tensor].map(|name| name.clone().unwrap_or_default());
        [output, cause.kind.clone(), tensor]
    });
    let causes: Vec<[String; 3]> = causes.collect();
    (!causes.is_empty()).then(|| (contract(trial), trial.verdict, causes))
}

/// Returns the first problem of a trial without the numbers that differ from case to case.
fn problem(trial: &TrialReport) -> String {
    if let Some(error) = &trial.error {
        return of_error(error, trial.error_kind);
    }
    if let Some(found) = &trial.problem {
        return of_problem(found);
    }
    if let Some(finding) = FindingReport::first_that_counts(&trial.findings) {
        return format!("{} {} {}", finding.check, finding.kind, finding.at);
    }
    let laws = trial.relations.iter();
    let mut laws = laws.filter_map(|law| law.problem.as_ref());
    let mut outputs = trial.outputs.iter();
    let wrong = |output: &OutputReport| {
        let found = output.problem.as_ref()?;
        Some(format!("{} {}", output.name, of_problem(found)))
    };
    let output = outputs.find_map(wrong);
    output
        .or_else(|| laws.next().map(of_problem))
        .unwrap_or_default()
}

fn of_problem(problem: &Problem) -> String {
    match problem {
        Problem::GuardOverwritten { buffer, side, .. } => format!("guard {buffer} {side:?}"),
        Problem::InputChanged { input, .. } => format!("input {input}"),
        Problem::PoisonLeft { .. } => "unwritten".into(),
        Problem::NonFinite {
            unwritten,
            hypotheses,
            pattern,
            ..
        } => format!(
            "not finite {}",
            explained(unwritten, hypotheses, pattern.as_deref())
        ),
        Problem::Mismatch {
            unwritten,
            hypotheses,
            pattern,
            ..
        } => format!(
            "mismatch {}",
            explained(unwritten, hypotheses, pattern.as_deref())
        ),
        Problem::RelativeRms { against, .. } => format!("rms {against:?}"),
        Problem::RelationBroken {
            relation, output, ..
        } => format!("law {relation} {output}"),
        Problem::NotRepeatable { output, .. } => format!("repeat {output}"),
    }
}

/// Returns the explanation of wrong elements; their place where there is no explanation.
fn explained(
    unwritten: &[UnwrittenSource],
    hypotheses: &[Hypothesis],
    pattern: Option<&str>,
) -> String {
    let unwritten = unwritten.first().map(|source| format!("{:?}", source.what));
    let supposed = hypotheses.first().map(|best| {
        let explanation = without_numbers(&best.explanation);
        format!("{} {explanation}", best.name)
    });
    let place = pattern.map(|pattern| {
        // The share of a box differs from case to case. Almost every element and every element are no different places.
        let place = pattern.split(" (").next().unwrap_or_default();
        match place {
            "every element" => String::new(),
            place => without_numbers(place),
        }
    });
    unwritten.or(supposed).or(place).unwrap_or_default()
}

/// Returns the parts of an error that its mistake decides: the first line, the kernel and its source line, or else the program counter. A kernel
/// that hangs is stopped anywhere in its loop.
fn of_error(text: &str, kind: Option<ErrorKind>) -> String {
    let first = text
        .lines()
        .next()
        .map_or_else(String::new, without_numbers);
    let site = failure::site_of_error(text).filter(|_| kind != Some(ErrorKind::Hang));
    let kernel = failure::part_of_error(text, "kernel");
    let telling: Vec<&str> = kernel.into_iter().chain(site).collect();
    format!("{kind:?} {first} {}", telling.join(" "))
}

/// Replaces each number by a mark.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut digits = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            plain.push(c);
        } else if !digits {
            plain.push('#');
        }
        digits = c.is_ascii_digit();
    }
    plain
}
