//! Races: waves that use the same memory, and nothing says which comes first.

use gfx906::machine::Schedule;
use gfx906::observe::sanitize::Check;

use crate::report::model::{
    CauseReport, DiagnosisReport, FindingReport, Severity, SiteReport, TrialReport,
};
use crate::trial::Experiment;

use super::influence::is_same;

/// Orders of groups and waves that are tried.
const ORDERS: [Schedule; 2] = [Schedule::Reverse, Schedule::Random(1)];

/// Returns true if the kernels compute other values when groups and waves run in another order, by more than roundings.
pub(super) fn depends_on_order(experiment: &Experiment<'_>) -> bool {
    let outputs = experiment.outputs();
    ORDERS.into_iter().any(|order| {
        let left = experiment.run_in_order(order).unwrap_or_default();
        let mut pairs = outputs.iter().zip(&left);
        pairs.any(|(output, left)| {
            let values = output.got.iter().zip(left);
            let mut values = values.zip(&output.allowed);
            values.any(|((a, b), allowed)| match (a - b).abs() {
                distance if distance.is_nan() => !is_same(*a, *b),
                distance => distance > *allowed,
            })
        })
    })
}

/// A race as a cause.
pub(super) struct Race {
    pub(super) cause: CauseReport,
    /// True if a barrier is missing. Other races are more often a consequence of wrong indices.
    pub(super) lacks_barrier: bool,
}

/// Returns the first race: one that a barrier ends before all others, and one of two writers last.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<Race> {
    let checks = [Check::Race].into_iter().collect();
    first(&experiment.findings(checks)?)
}

/// Returns the diagnosis of a trial that failed because the sanitizer found that a barrier is missing.
pub(super) fn diagnosis(report: &TrialReport) -> Option<DiagnosisReport> {
    let race = first(&report.findings).filter(|race| race.lacks_barrier)?;
    Some(DiagnosisReport {
        causes: vec![race.cause],
        ..DiagnosisReport::default()
    })
}

pub(super) fn first(findings: &[FindingReport]) -> Option<Race> {
    let races = findings.iter();
    let mistakes = races.filter(|finding| finding.severity == Severity::Mistake);
    let race = mistakes.min_by_key(|race| (!race.lacks_barrier(), race.overlaps()))?;
    let cause = CauseReport {
        kind: "race".into(),
        output: None,
        tensor: None,
        kernel: None,
        text: text(race),
        explains: None,
    };
    Some(Race {
        cause,
        lacks_barrier: race.lacks_barrier(),
    })
}

/// The kind of a race between a reader and a writer of different groups.
const READ_BY_ANOTHER_GROUP: &str = "a group reads what another writes";

/// Returns a race in words: `a barrier is missing: LDS is read while it is written, a.hip:11: ds_read_b32 v1, v0; writes it, wave 1, ...`.
fn text(race: &FindingReport) -> String {
    let lacks = match (race.lacks_barrier(), race.overlaps()) {
        (true, _) => "a barrier is missing",
        (_, true) => "an index may be wrong, for two writers have the same place",
        // No barrier orders groups, and kernels seldom mean to.
        _ if race.kind == READ_BY_ANOTHER_GROUP => {
            "an index may be wrong, for groups have no order"
        }
        _ => "the kernel has a race",
    };
    let other = race.other.iter().filter_map(|other| {
        let wave = other
            .wave
            .map_or("another group".into(), |wave| format!("wave {wave}"));
        Some(format!(
            "; {wave} {}, {}",
            other.did,
            site(other.at.as_ref()?)
        ))
    });
    let other: String = other.collect();
    format!("{lacks}: {}, {}{other}", race.kind, site(&race.at))
}

/// Returns an instruction with its source line, or else its address.
pub(super) fn site(site: &SiteReport) -> String {
    match &site.source {
        Some(source) => format!("{source}: `{}`", site.text),
        None => format!("{:#x}: `{}`", site.pc, site.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cure: &str, severity: Severity) -> FindingReport {
        FindingReport {
            check: "race".into(),
            kind: "it is written while it is read".into(),
            severity,
            kernel: "k".into(),
            at: SiteReport {
                pc: 0x100,
                text: "global_store_dword v[0:1], v2, off".into(),
                source: None,
            },
            work_group: [0; 3],
            wave: 0,
            lanes: String::new(),
            what: String::new(),
            other: None,
            cure: cure.into(),
            count: 1,
        }
    }

    #[test]
    fn a_missing_barrier_is_told_before_a_race_between_groups() {
        let groups = finding("make it two launches", Severity::Mistake);
        let barrier = finding("`__syncthreads()` between the two", Severity::Mistake);
        let hint = finding("`__syncthreads()` between the two", Severity::Hint);
        let found = first(&[groups.clone(), barrier]).expect("a race");
        assert!(found.lacks_barrier && found.cause.text.starts_with("a barrier is missing"));
        let found = first(&[hint, groups]).expect("a race");
        assert!(!found.lacks_barrier && found.cause.text.starts_with("the kernel has a race"));
        assert!(first(&[]).is_none());
    }

    #[test]
    fn a_group_that_reads_what_another_writes_may_have_a_wrong_index() {
        let mut groups = finding("make it two launches", Severity::Mistake);
        groups.kind = READ_BY_ANOTHER_GROUP.into();
        let found = first(&[groups]).expect("a race");
        let text = "an index may be wrong, for groups have no order: a group reads what another";
        assert!(!found.lacks_barrier && found.cause.text.starts_with(text));
    }

    #[test]
    fn two_writers_of_a_place_have_a_wrong_index() {
        let mut writers = finding("`__syncthreads()` between the two", Severity::Mistake);
        writers.kind = "two waves write LDS".into();
        let found = first(&[writers.clone()]).expect("a race");
        let text =
            "an index may be wrong, for two writers have the same place: two waves write LDS";
        assert!(!found.lacks_barrier && found.cause.text.starts_with(text));
        let barrier = finding("`__syncthreads()` between the two", Severity::Mistake);
        let found = first(&[writers, barrier]).expect("a race");
        assert!(found.lacks_barrier);
    }
}
