//! Races: waves that use the same memory, and nothing says which comes first.

use gfx906::machine::Schedule;
use gfx906::observe::sanitize::Check;

use crate::report::model::{CauseReport, FindingReport, Severity, SiteReport};
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

/// Returns the first race as a cause.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let checks = [Check::Race].into_iter().collect();
    let findings = experiment.findings(checks)?;
    let mut races = findings.iter();
    let race = races.find(|finding| finding.severity == Severity::Mistake)?;
    Some(CauseReport {
        kind: "race".into(),
        output: None,
        tensor: None,
        kernel: None,
        text: text(race),
        explains: None,
    })
}

/// Returns a race in words: `a barrier is missing: LDS is read while it is written, a.hip:11: ds_read_b32 v1, v0; writes it, wave 1, ...`.
fn text(race: &FindingReport) -> String {
    let lacks = match race.cure.starts_with("`__syncthreads()`") {
        true => "a barrier is missing",
        false => "the kernel has a race",
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
fn site(site: &SiteReport) -> String {
    match &site.source {
        Some(source) => format!("{source}: `{}`", site.text),
        None => format!("{:#x}: `{}`", site.pc, site.text),
    }
}
