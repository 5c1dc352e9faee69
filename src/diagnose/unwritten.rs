//! Values from storage that nobody has written: a barrier is missing before they are read, or the place where they are read tells what is.

use gfx906::observe::sanitize::Check;

use crate::report::model::{CauseReport, DiagnosisReport, FindingReport, Problem, TrialReport};
use crate::trial::{Experiment, Plan};

use super::race;

/// Returns true if a trial failed because its outputs have values from storage that nobody has written.
pub(super) fn is_read(report: &TrialReport) -> bool {
    let mut outputs = report.outputs.iter();
    report.problem.is_none()
        && report.error.is_none()
        && outputs.any(|output| match &output.problem {
            Some(Problem::Mismatch { unwritten, .. } | Problem::NonFinite { unwritten, .. }) => {
                !unwritten.is_empty()
            }
            _ => false,
        })
}

/// Returns the diagnosis of such a trial. Returns none if no experiment is possible, or if it shows no such value.
pub(super) fn diagnosis(plan: &Plan<'_>) -> Option<DiagnosisReport> {
    let experiment = plan.experiment()?;
    let cause = find(&experiment)?;
    Some(DiagnosisReport {
        causes: vec![cause],
        launches: experiment.launches(),
        ..DiagnosisReport::default()
    })
}

fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    experiment.begin_method();
    let checks = [Check::Race, Check::Init].into_iter().collect();
    told(&experiment.findings(checks)?)
}

fn told(findings: &[FindingReport]) -> Option<CauseReport> {
    if let Some(race) = race::first(findings).filter(|race| race.lacks_barrier) {
        return Some(race.cause);
    }
    let mut findings = findings.iter();
    let found = findings.find(|finding| finding.check == "init")?;
    let read = found.other.as_ref();
    let read = read.and_then(|read| Some((read.at.as_ref()?, &read.did)))?;
    let (at, did) = read;
    let rest = match did.contains(" of LDS") {
        true => "; no barrier is missing: an element is left out, or an index is wrong",
        false => "",
    };
    Some(CauseReport {
        kind: "unwritten".into(),
        output: None,
        tensor: None,
        kernel: None,
        text: format!("{} {did}{rest}", race::site(at)),
        explains: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::{OtherReport, Severity, SiteReport};

    fn finding(check: &str, cure: &str, did: &str) -> FindingReport {
        let site = |line: &str| SiteReport {
            pc: 0x100,
            text: "ds_read_b32 v1, v0".into(),
            source: Some(line.into()),
        };
        FindingReport {
            check: check.into(),
            kind: "it is written while it is read".into(),
            severity: Severity::Mistake,
            kernel: "k".into(),
            at: site("a.hip:9"),
            work_group: [0; 3],
            wave: 0,
            lanes: String::new(),
            what: String::new(),
            other: Some(OtherReport {
                did: did.into(),
                at: Some(site("a.hip:7")),
                work_group: None,
                wave: Some(1),
            }),
            cure: cure.into(),
            count: 1,
        }
    }

    #[test]
    fn a_missing_barrier_is_told_before_the_place_that_reads() {
        let read = finding(
            "init",
            "write it",
            "reads byte 4 of LDS, which nobody wrote",
        );
        let alone = told(std::slice::from_ref(&read)).expect("a cause");
        assert_eq!(
            alone.text,
            "a.hip:7: `ds_read_b32 v1, v0` reads byte 4 of LDS, which nobody wrote; no barrier is missing: an element is left out, or an index is wrong"
        );
        let race = finding("race", "`__syncthreads()` between the two", "writes it");
        let both = told(&[read, race]).expect("a cause");
        assert!(
            both.text.starts_with("a barrier is missing"),
            "{}",
            both.text
        );
        assert!(told(&[]).is_none());
    }
}
