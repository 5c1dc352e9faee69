//! Races: accesses of the same bytes, at least one of them a write, without an order between them.
//!
//! The check uses the set of accesses, not their results, so the order in which waves and groups happen to run here does not matter. Two
//! accesses are ordered by:
//! - the program, within a wave; a barrier between them that all waves of the group have passed, within a group;
//! - an atomic operation of the first wave after its access and one of the second wave before its own (the second saw the value that the
//!   first released), or a load past the cache (GLC, as atomic loads have it) that found a value which the first wave stored after its
//!   access;
//! - the beginning and the end of a launch.
//!
//! Atomics do not race with each other, and neither do writes of the value that is already there. The check ignores the addresses of the
//! atomics that order accesses: two groups that have met at any address count as ordered.

mod cell;
mod global;
mod order;

use std::sync::Arc;

use self::cell::{Cell, Conflict, Kind, Lds, Mark};
use self::global::DeviceAccesses;
use self::order::Group;
use super::finding::{Detail, Other};
use super::{Check, CheckedInstruction, CheckedLaunch, Findings, Part, Space, Watch};
use crate::machine;

/// The check. Workers share the records of device memory.
#[derive(Default)]
pub struct Race {
    shared: Arc<DeviceAccesses>,
    group: Group,
    lds: Lds,
    /// Number of groups that this worker has begun. Stale marks of LDS have another number.
    serial: u32,
}

impl Watch for Race {
    fn fork(&self) -> Box<dyn Watch> {
        Box::new(Race {
            shared: Arc::clone(&self.shared),
            ..Race::default()
        })
    }

    fn dispatch(&mut self) {
        // A launch is ordered after everything before it.
        self.shared = Arc::default();
    }

    fn group(&mut self, group: &machine::Group, launch: &CheckedLaunch) {
        let ([x, y, z], grid) = (group.id, launch.grid);
        let number = (z * grid[1] + y) * grid[0] + x;
        self.serial += 1;
        self.group = Group::new(number, group.waves);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let wave = here.wave.index as usize;
        self.group.go_on(wave, &self.shared);
        if here.facts.wait.barrier {
            self.group.barrier(wave);
            return;
        }
        if here.facts.meets_grid {
            self.group.come_to_grid(wave, &self.shared);
            return;
        }
        if here.access.atomic {
            for part in &here.access.parts {
                self.group.release(wave, part, &self.shared);
            }
        }
        for part in &here.access.parts {
            // Loads past the cache are checked after they have run, because their values decide.
            if part.space == Space::Scratch || acquires(here) && !here.access.atomic {
                continue;
            }
            self.check(here, part, findings);
        }
    }

    fn after(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        if !acquires(here) {
            return;
        }
        let wave = here.wave.index as usize;
        for part in &here.access.parts {
            match part.space {
                Space::Global => {
                    self.group.acquire(wave, part, &self.shared);
                    if !here.access.atomic {
                        self.check(here, part, findings);
                    }
                }
                Space::Lds => self.group.acquire(wave, part, &self.shared),
                Space::Scratch => {}
            }
        }
    }
}

impl Race {
    /// Checks and marks the cells of a part.
    fn check(&mut self, here: &CheckedInstruction<'_>, part: &Part, findings: &mut Findings) {
        let wave = here.wave.index as usize;
        let atomic = here.access.atomic;
        let (kind, group) = (Kind::of(part, atomic), &mut self.group);
        let number = match part.space {
            Space::Global => group.number,
            _ => self.serial,
        };
        let excused = atomic || kind == Kind::Read && here.access.coherent;
        let mark = Mark::new((number, wave), group.segment(wave), here.pc, excused);
        let stale = part.space == Space::Lds;
        let mut met: Option<(Conflict, u64, u64)> = None;
        // The last writer that was found to be ordered, because lanes often meet the same one again.
        let mut ordered = (0, 0);
        let mut last_read = None;
        let look = |lane: usize, at: u64, cell: &mut Cell, value: Option<u32>| {
            // Another read of the same dword by the same instruction meets nothing new.
            if kind == Kind::Read && met.is_none() && last_read.replace(at) == Some(at) {
                return;
            }
            if cell.alone(mark, kind, value, stale)
                || kind == Kind::Read && cell.read_after(mark, ordered)
            {
                return;
            }
            for found in cell.touch(mark, kind, value) {
                let stretch = (found.mark.group, found.mark.segment);
                if stretch == ordered {
                    continue;
                }
                if !group.unordered(wave, &found, number, part.space, &self.shared) {
                    ordered = stretch;
                    continue;
                }
                match &mut met {
                    Some((first, _, lanes)) if first.mark.pc() == found.mark.pc() => {
                        *lanes |= 1 << lane;
                    }
                    None => met = Some((found, at, 1 << lane)),
                    Some(_) => {}
                }
                break;
            }
        };
        match part.space {
            Space::Lds => self.lds.visit(here, part, look),
            _ => self.shared.visit(here, part, look),
        }
        if let Some((found, at, lanes)) = met {
            self.report(here, part.space, (kind, found), at, lanes, findings);
        }
    }

    #[cold]
    fn report(
        &self,
        here: &CheckedInstruction<'_>,
        space: Space,
        (kind, met): (Kind, Conflict),
        at: u64,
        lanes: u64,
        findings: &mut Findings,
    ) {
        let mark = met.mark;
        let elsewhere = space == Space::Global && mark.group != self.group.number;
        let rule = match (space, elsewhere, kind.writes(), met.wrote) {
            (Space::Lds, _, true, true) => "two waves write LDS",
            (Space::Lds, _, true, false) => "LDS is written while it is read",
            (Space::Lds, ..) => "LDS is read while it is written",
            (_, true, true, true) => "two groups write",
            (_, true, true, false) => "a group writes what another reads",
            (_, true, ..) => "a group reads what another writes",
            (_, false, true, true) => "two waves write",
            (_, false, true, false) => "a wave writes what another reads",
            (_, false, ..) => "a wave reads what another writes",
        };
        findings.note(here, Check::Race, rule, mark.pc(), || {
            let place = match space {
                Space::Lds => format!("byte {at} of LDS"),
                _ => format!("{at:#x}"),
            };
            let verb = |writes: bool| if writes { "written" } else { "read" };
            let between = if elsewhere { "groups" } else { "waves" };
            let what = format!(
                "{place} is {} here and {} by another of the {between}, and nothing says which comes first",
                verb(kind.writes()),
                verb(met.wrote),
            );
            let did = if met.wrote { "writes it" } else { "reads it" };
            let cure = match (space, elsewhere) {
                (_, true) => {
                    "groups run in any order, and at once: give each group bytes of its own, use atomics, or make it two launches"
                }
                (Space::Lds, _) => "`__syncthreads()` between the two instructions",
                _ => "`__syncthreads()` between the two instructions, or bytes of its own for each wave",
            };
            Detail {
                lanes,
                what,
                other: Some(Other {
                    did: did.into(),
                    site: Some(here.code.site(mark.pc())),
                    group: elsewhere.then(|| id(mark.group, here.launch.grid)),
                    wave: (!elsewhere).then(|| self.group.wave_of(mark.segment)),
                }),
                cure: cure.into(),
            }
        });
    }
}

/// Returns true if an instruction sees values that others have released.
fn acquires(here: &CheckedInstruction<'_>) -> bool {
    here.access.atomic || here.access.coherent && here.access.parts.iter().any(|part| part.reads)
}

/// Returns a group's id by its number.
fn id(number: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [number % x, number / x % y, number / x / y]
}
