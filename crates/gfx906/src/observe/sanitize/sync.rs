//! Barriers that some waves of a group, or some lanes of a wave, do not reach.
//!
//! All waves of a group must arrive at the same s_barrier, equally often, with all lanes that are still at work. A wave that has ended
//! releases the others, here and on the card, but it has not done the work that they wait for. Lanes that are disabled at a barrier may
//! have returned for good. If they reach memory after the barrier, they should have been at it.

use super::finding::{Detail, Other};
use super::{Check, CheckedInstruction, CheckedLaunch, Findings, Watch};
use crate::machine::{Group, MemoryPath};

/// Hardware on which a barrier that a wave has skipped by its end does no harm.
const PORTABLE: &str =
    "which is portable only to hardware where waves that ended leave the barrier, as on this card";

#[derive(Clone, Debug, Default)]
struct WaveBarriers {
    /// Number of barriers at which the wave has arrived.
    barriers: u64,
    /// Address of the last barrier.
    last: Option<u64>,
    ended: bool,
    /// Barriers at which lanes were disabled.
    skipped: Vec<PartialBarrier>,
    /// Lanes with which the wave began.
    all: Option<u64>,
}

/// A barrier at which lanes were disabled.
#[derive(Clone, Copy, Debug)]
struct PartialBarrier {
    site: u64,
    lanes: u64,
    /// Lanes that have reached memory since they were disabled.
    back: u64,
}

/// The check.
#[derive(Default)]
pub struct Sync {
    waves: Vec<WaveBarriers>,
}

impl Watch for Sync {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Sync>::default()
    }

    fn group(&mut self, group: &Group, _: &CheckedLaunch) {
        let waves = group.waves;
        self.waves.clear();
        self.waves.resize_with(waves, WaveBarriers::default);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let n = here.wave.index as usize;
        let Some(state) = self.waves.get_mut(n) else {
            return;
        };
        let exec = here.wave.exec();
        state.all.get_or_insert(exec);
        if here.facts.wait.barrier {
            self.barrier(n, here, findings);
        } else if here.facts.ends {
            check_ended_lanes(state, here, findings);
            self.end(n, here, findings);
        } else if !state.skipped.is_empty() && reaches_memory(here) {
            for skipped in &mut state.skipped {
                skipped.back |= skipped.lanes & exec;
            }
        }
    }
}

impl Sync {
    fn barrier(&mut self, n: usize, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let state = &mut self.waves[n];
        state.barriers += 1;
        state.last = Some(here.pc);
        check_lanes(state, here, findings);
        let (count, pc) = (state.barriers, here.pc);
        // Waves with the same number of barriers must have been at the same one.
        let others = self.waves.iter().enumerate();
        let elsewhere = others.clone().find_map(|(m, other)| {
            let last = other.last?;
            (m != n && other.barriers == count && last != pc).then_some((m, last))
        });
        if let Some((m, last)) = elsewhere {
            findings.note(here, Check::Sync, "different barriers", last, || Detail {
                lanes: 0,
                what: "waves of a group wait at different barriers for each other".into(),
                other: Some(Other {
                    did: "waits".into(),
                    site: Some(here.code.site(last)),
                    group: None,
                    wave: Some(m as u32),
                }),
                cure: "move `__syncthreads()` to where all waves of the group pass".into(),
            });
        }
        let gone = others
            .clone()
            .find(|(m, other)| *m != n && other.ended && other.barriers < count);
        if let Some((m, other)) = gone {
            let last = other.last;
            findings.note(here, Check::Sync, "barrier skipped", last.unwrap_or(0), || Detail {
                lanes: 0,
                what: format!("a wave of the group has ended without coming to this barrier, {PORTABLE}"),
                other: Some(Other {
                    did: format!("ended after {}", barriers(other.barriers)),
                    site: None,
                    group: None,
                    wave: Some(m as u32),
                }),
                cure: "let all waves of the group reach `__syncthreads()`: return after it, or guard the work and not the barrier".into(),
            });
        }
    }

    /// Checks the end of a wave: others may wait at a barrier that it has not reached.
    fn end(&mut self, n: usize, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        self.waves[n].ended = true;
        let count = self.waves[n].barriers;
        let waiting = self
            .waves
            .iter()
            .enumerate()
            .find(|(m, other)| *m != n && !other.ended && other.barriers > count);
        let Some((m, Some(last))) = waiting.map(|(m, other)| (m, other.last)) else {
            return;
        };
        findings.note(here, Check::Sync, "barrier skipped", last, || Detail {
            lanes: 0,
            what: format!("the wave ends after {}, and another one of its group waits at one more, {PORTABLE}", barriers(count)),
            other: Some(Other {
                did: "waits".into(),
                site: Some(here.code.site(last)),
                group: None,
                wave: Some(m as u32),
            }),
            cure: "let all waves of the group reach `__syncthreads()`: return after it, or guard the work and not the barrier".into(),
        });
    }
}

/// Returns a number of barriers as text.
fn barriers(count: u64) -> String {
    match count {
        1 => "1 barrier".to_owned(),
        count => format!("{count} barriers"),
    }
}

/// Checks for lanes that were disabled at an earlier barrier and arrive at this one, and records the lanes that are disabled here.
fn check_lanes(state: &mut WaveBarriers, here: &CheckedInstruction<'_>, findings: &mut Findings) {
    let exec = here.wave.exec();
    let skipped = state.skipped.iter().find(|one| one.lanes & exec != 0);
    if let Some(&PartialBarrier { site, lanes, .. }) = skipped {
        let what = "lanes that come to this barrier were off at an earlier one";
        divergence(here, (site, lanes & exec), what, findings);
        state.skipped.retain(|one| one.lanes & exec == 0);
    }
    let off = state.all.unwrap_or(!0) & !exec;
    let known = state.skipped.iter().any(|one| one.site == here.pc);
    if off != 0 && !known {
        state.skipped.push(PartialBarrier {
            site: here.pc,
            lanes: off,
            back: 0,
        });
    }
}

/// Checks for lanes that were disabled at a barrier, continued behind it and never arrived at another one.
fn check_ended_lanes(state: &WaveBarriers, here: &CheckedInstruction<'_>, findings: &mut Findings) {
    for skipped in state.skipped.iter().filter(|one| one.back != 0) {
        let what = "lanes that were off at a barrier have gone on behind it";
        divergence(here, (skipped.site, skipped.back), what, findings);
    }
}

fn divergence(
    here: &CheckedInstruction<'_>,
    (site, lanes): (u64, u64),
    what: &str,
    findings: &mut Findings,
) {
    findings.note(here, Check::Sync, "barrier under divergence", site, || Detail {
        lanes,
        what: what.into(),
        other: Some(Other {
            did: "the barrier at which they were off".into(),
            site: Some(here.code.site(site)),
            group: None,
            wave: None,
        }),
        cure: "move `__syncthreads()` out of the branch or loop: all work-items of a group must reach it, equally often".into(),
    });
}

/// Returns true if lanes reach memory that others of the group may reach too. Scratch does not count: compilers save registers of all lanes
/// there.
fn reaches_memory(here: &CheckedInstruction<'_>) -> bool {
    let traffic = &here.op.traffic;
    matches!(
        traffic.way,
        MemoryPath::Global | MemoryPath::Flat | MemoryPath::Lds
    ) && traffic.read + traffic.written != 0
}
