//! Short descriptions of failures.

use super::FinishedTrial;
use crate::device::DeviceErrorKind;
use crate::report::model::{FindingReport, GuardSide, Hypothesis, Problem, Verdict};

/// Describes the failure of a trial that should have passed. A trial that ran and is skipped has right outputs that prove nothing.
pub fn not_passed(done: &FinishedTrial) -> Option<String> {
    (!matches!(done.report.verdict, Verdict::Pass | Verdict::Skip))
        .then(|| how(done).unwrap_or_else(|| done.report.verdict.word().into()))
}

/// Describes in a few words why a trial failed; none if it passed.
pub fn how(done: &FinishedTrial) -> Option<String> {
    let report = &done.report;
    if !report.verdict.is_bad() {
        return None;
    }
    let of_outputs = || {
        report
            .outputs
            .iter()
            .find_map(|output| Some((output.name.as_str(), output.problem.as_ref()?)))
    };
    let of_relations = || report.relations.iter().find_map(|one| one.problem.as_ref());
    Some(
        match (done.failure, &report.error, &report.problem, of_outputs()) {
            (Some(DeviceErrorKind::Hang), ..) => "hang".into(),
            (Some(DeviceErrorKind::Fault), ..) => "fault".into(),
            (_, Some(error), ..) => error.lines().next().unwrap_or("error").to_string(),
            (_, None, Some(problem), _) => words(problem),
            (_, None, None, Some((name, problem))) => format!("{name}: {}", words(problem)),
            (_, None, None, None) if of_relations().is_some() => {
                of_relations().map(words).unwrap_or_default()
            }
            (_, None, None, None) => match FindingReport::first_that_counts(&report.findings) {
                Some(finding) => format!("{}: {}", finding.check, finding.kind),
                None => report.verdict.word().to_lowercase(),
            },
        },
    )
}

fn words(problem: &Problem) -> String {
    match problem {
        Problem::GuardOverwritten {
            buffer,
            side: GuardSide::Between,
            offset,
            ..
        } => format!("between the rows of {buffer} overwritten at byte {offset}"),
        Problem::GuardOverwritten { buffer, offset, .. } => {
            format!("guard of {buffer} overwritten at byte {offset}")
        }
        Problem::InputChanged { input, count, .. } => format!("input {input} changed in {count}"),
        Problem::PoisonLeft { count, total, .. } => format!("{count}/{total} unwritten"),
        Problem::NonFinite {
            nan,
            inf,
            besides,
            pattern,
            hypotheses,
            ..
        } => {
            let others = besides.as_ref().map(|besides| besides.count);
            let others = others.map_or(String::new(), |count| format!(", {count} others wrong"));
            located(
                format!("{nan} NaN, {inf} infinite{others}"),
                pattern,
                hypotheses,
            )
        }
        Problem::Mismatch {
            count,
            total,
            worst,
            pattern,
            hypotheses,
            ..
        } => {
            let by = (worst.got - worst.want).abs();
            let told = format!("{count}/{total} wrong, by up to {by:.1e}");
            located(told, pattern, hypotheses)
        }
        Problem::RelativeRms { found, .. } => format!("relative RMS {found:.1e}"),
        Problem::RelationBroken {
            relation,
            output,
            count,
            total,
            ..
        } => format!("relation {relation}: {count}/{total} of {output}"),
        Problem::NotRepeatable { count, .. } => format!("{count} differ between runs"),
    }
}

/// Appends the place, and the likeliest reason if this reason explains everything.
fn located(mut told: String, pattern: &Option<String>, hypotheses: &[Hypothesis]) -> String {
    if let Some(place) = pattern {
        told += &format!("; {place}");
    }
    let first = hypotheses.first();
    if let Some(hypothesis) = first.filter(|first| first.explains_all && first.except == 0) {
        told += &format!("; {}", hypothesis.name);
    }
    told
}
