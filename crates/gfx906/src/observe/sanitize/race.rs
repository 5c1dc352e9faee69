//! Races: accesses of the same bytes, at least one of them a write, without an order between them.
//!
//! The check uses the set of accesses, not their results, so the order in which waves and groups happen to run here does not matter. Two
//! accesses are ordered by:
//! - the program, within a wave; a barrier between them that all waves of the group have passed, within a group;
//! - an atomic operation of the first wave after its access and one of the second wave before its own (the second saw the value that the
//!   first released), or a load past the cache (GLC, as atomic loads have it) that found a value which the first wave stored after its
//!   access;
//! - a load of LDS, in a loop that accesses nothing else and that its value ends, of a value that another wave stored: a flag, for which compilers
//!   make plain loads and stores;
//! - the beginning and the end of a launch.
//!
//! Atomics do not race with each other, and neither do writes of the value that is already there. The check ignores the addresses of the
//! atomics that order accesses: two groups that have met at any address count as ordered.
//!
//! # Values that nothing uses
//!
//! A read within a group whose value reaches no store that had an effect, no branch and no address is no mistake: a tile that is smaller
//! than its group is computed by several waves, and only one of them stores it. The end of the group decides about such findings.
//!
//! # Lost updates
//!
//! Loads past the cache and the stores beside them do not race one by one. But a group that loads a value past the cache and stores a value
//! made of it loses what another group has stored in between. The load's value orders nothing here, as another run may have found the value
//! before. A wave that decides by the value takes turns with the others, and is excused.

mod cell;
mod global;
mod order;
mod reach;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use self::cell::{Cell, Conflict, Kind, Lds, Mark};
use self::global::DeviceAccesses;
use self::order::Group;
use self::reach::{Certainty, reach};
use super::facts::Code;
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
    /// Waves of the group that have not ended.
    waves: usize,
    /// Stores and atomics of each wave that had an effect, by link address.
    effects: Vec<BTreeSet<u64>>,
    /// Findings about reads of this group, each with the wave and the link address of the load.
    reads: Vec<(usize, u64, Findings)>,
    /// The group's loads past the cache whose value another group may have changed since: link address, by wave and dword.
    stale: HashMap<(usize, u64), u64>,
    /// Answers to [`updates`], by the link addresses of load and store.
    updates: HashMap<(u64, u64), bool>,
    /// The load of LDS with which each wave may wait, with the stretches that stored what it found.
    loads: Vec<Option<(u64, Vec<Mark>)>>,
    /// Answers to the question if the value of a load of LDS does nothing but decide, by the link address of the load.
    deciding: HashMap<u64, bool>,
    /// Loads of LDS by which a wave waits for a value: wave and link address.
    polls: HashSet<(usize, u64)>,
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
        self.updates.clear();
        self.deciding.clear();
        self.reads.clear();
    }

    fn group(&mut self, group: &machine::Group, launch: &CheckedLaunch) {
        let ([x, y, z], grid) = (group.id, launch.grid);
        let number = (z * grid[1] + y) * grid[0] + x;
        self.serial += 1;
        self.group = Group::new(number, group.waves);
        self.waves = group.waves;
        self.effects.iter_mut().for_each(BTreeSet::clear);
        self.effects.resize_with(group.waves, BTreeSet::new);
        self.loads.clear();
        self.loads.resize(group.waves, None);
        self.polls.clear();
        self.stale.clear();
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let wave = here.wave.index as usize;
        self.group.go_on(wave, &self.shared);
        if here.facts.wait.barrier {
            self.end_load(here.code, wave);
            self.group.barrier(wave);
            return;
        }
        if here.facts.meets_grid {
            self.group.come_to_grid(wave, &self.shared);
            return;
        }
        if here.facts.ends {
            self.end_load(here.code, wave);
            self.waves = self.waves.saturating_sub(1);
            if self.waves == 0 {
                self.judge_reads(here.code, findings);
            }
            return;
        }
        let has_effect = |part: &Part| part.writes && part.lanes != 0;
        if here.access.parts.iter().any(has_effect) {
            self.effects[wave].insert(here.pc);
        }
        if here.access.atomic {
            for part in &here.access.parts {
                // After the atomic has run, it is itself the last writer. A plain store that it finds races with it.
                self.group.find(wave, part, &self.shared, Mark::atomic);
                self.group.release(wave, part, &self.shared);
            }
        }
        if !here.access.parts.is_empty() {
            self.end_load(here.code, wave);
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
        let wave = here.wave.index as usize;
        let is_load = |part: &Part| part.space == Space::Lds && part.reads && !part.writes;
        if let [part] = here.access.parts.as_slice()
            && is_load(part)
            && !here.access.atomic
        {
            let writers = self.lds.writers(part).into_iter();
            let writers = writers.filter(|writer| writer.group == self.serial);
            self.loads[wave] = Some((here.pc, writers.collect()));
        }
        if !acquires(here) {
            return;
        }
        for part in &here.access.parts {
            match part.space {
                Space::Global => {
                    if !here.access.atomic {
                        self.note_stale(here, part);
                    }
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

    fn stopped(&mut self, findings: &mut Findings) {
        for (.., found) in self.reads.drain(..) {
            findings.join(found);
        }
    }
}

impl Race {
    /// Looks back at a wave's load of LDS before its next access. By now it is known whether the wave waits with it.
    fn end_load(&mut self, code: &Code, wave: usize) {
        let Some((load, writers)) = self.loads[wave].take() else {
            return;
        };
        if !writers.is_empty() && self.waits(code, load) {
            self.polls.insert((wave, load));
            writers
                .into_iter()
                .for_each(|writer| self.group.follow(wave, writer));
        }
    }

    /// Returns true if a load stands in a loop without other accesses, and its value does nothing but decide.
    fn waits(&mut self, code: &Code, load: u64) -> bool {
        let decides = self.deciding.entry(load).or_insert_with(|| {
            let reach = reach(code, load, Certainty::Likely);
            reach.decides && reach.stores.is_empty()
        });
        *decides && reach::repeats(code, load)
    }

    /// Reports the findings about reads of the group whose values had an effect.
    fn judge_reads(&mut self, code: &Code, findings: &mut Findings) {
        for (wave, load, found) in self.reads.drain(..) {
            if self.polls.contains(&(wave, load)) {
                continue;
            }
            let reach = reach(code, load, Certainty::Possible);
            let stores = !reach.stores.is_disjoint(&self.effects[wave]);
            if stores || reach.decides || reach.elsewhere {
                findings.join(found);
            }
        }
    }

    /// Records the dwords of a load past the cache that another group has written, with nothing but the loaded value to order the two.
    fn note_stale(&mut self, here: &CheckedInstruction<'_>, part: &Part) {
        let wave = here.wave.index as usize;
        if !self.stale.is_empty() {
            for (_, at) in part.places() {
                self.stale.remove(&(wave, at & !3));
            }
        }
        for (at, mark) in self.shared.writers(part) {
            let wrote = Conflict { mark, wrote: true };
            let number = self.group.number;
            if mark.group != number
                && self
                    .group
                    .unordered(wave, &wrote, number, Space::Global, &self.shared)
            {
                self.stale.insert((wave, at & !3), here.pc);
            }
        }
    }

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
        let stores = kind == Kind::Write && part.space == Space::Global;
        let mut lost: Option<LostUpdate> = None;
        let mut releases = false;
        let look = |lane: usize, at: u64, cell: &mut Cell, value: Option<u32>| {
            releases |= kind == Kind::Write && cell.is_of_atomics();
            if cell.alone(mark, kind, value, stale) {
                return;
            }
            if let Some((load, writer)) = cell.changed_since_load(mark).filter(|_| stores) {
                let other = Conflict {
                    mark: writer,
                    wrote: true,
                };
                let load = match self.stale.get(&(wave, at & !3)) {
                    Some(&load) => Some(load),
                    None => load.filter(|_| {
                        group.unordered(wave, &other, number, part.space, &self.shared)
                    }),
                };
                let same = |lost: &LostUpdate| lost.writer.pc() == writer.pc();
                match (load, &mut lost) {
                    (Some(_), Some(lost)) if same(lost) => lost.lanes |= 1 << lane,
                    (Some(load), None) => {
                        lost = Some(LostUpdate {
                            load,
                            writer,
                            at,
                            lanes: 1 << lane,
                        });
                    }
                    _ => {}
                }
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
        // The end of a lock. An atomic of another wave that finds the new value may be followed by one more before it is looked up.
        if releases {
            self.group.release(wave, part, &self.shared);
        }
        if let Some(lost) = lost {
            self.report_lost(here, lost, findings);
        }
        if let Some((found, at, lanes)) = met {
            self.report(here, part.space, (kind, found), at, lanes, findings);
        }
    }

    #[cold]
    fn report_lost(
        &mut self,
        here: &CheckedInstruction<'_>,
        lost: LostUpdate,
        findings: &mut Findings,
    ) {
        let known = self.updates.entry((lost.load, here.pc));
        if !*known.or_insert_with(|| updates(here.code, lost.load, here.pc)) {
            return;
        }
        findings.note(here, Check::Race, "lost update", lost.writer.pc(), || Detail {
            lanes: lost.lanes,
            what: format!(
                "{} is loaded at {:#x}, changed and stored here, while another of the groups writes it: one of the two updates is lost",
                memory_place(here, lost.at), lost.load,
            ),
            other: Some(Other {
                did: "writes it".into(),
                site: Some(here.code.site(lost.writer.pc())),
                group: Some(id(lost.writer.group, here.launch.grid)),
                wave: None,
            }),
            cure: "update it by an atomic, such as `atomicAdd`: neither `volatile` nor atomic loads and stores make load and store one operation".into(),
        });
    }

    #[cold]
    fn report(
        &mut self,
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
        let reader = match (kind.writes(), met.wrote) {
            _ if elsewhere => None,
            (false, _) => Some((here.wave.index as usize, here.pc)),
            (true, false) => Some((self.group.wave_of(mark.segment) as usize, mark.pc())),
            (true, true) => None,
        };
        let findings = match reader {
            None => findings,
            Some(reader) => deferred(&mut self.reads, reader),
        };
        let wave_of = self.group.wave_of(mark.segment);
        let waited = elsewhere && self.group.any_comes_after(mark, &self.shared);
        findings.note(here, Check::Race, rule, mark.pc(), || {
            let place = match space {
                Space::Lds => format!("byte {at} of LDS"),
                _ => memory_place(here, at),
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
                (_, true) if waited => {
                    "another wave of this group has waited for that access: `__syncthreads()` between its wait and this instruction"
                }
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
                    wave: (!elsewhere).then_some(wave_of),
                }),
                cure: cure.into(),
            }
        });
    }
}

/// Returns a place in memory as text: the byte of a block, or the address.
fn memory_place(here: &CheckedInstruction<'_>, at: u64) -> String {
    match here.launch.memory.find(&mut 0, at) {
        Some((_, block)) if block.bytes.contains(&at) => {
            format!("byte {} of `{}`", at - block.bytes.start, block.name)
        }
        _ => format!("{at:#x}"),
    }
}

/// A store that may undo another group's write.
struct LostUpdate {
    /// Link address of the load.
    load: u64,
    writer: Mark,
    at: u64,
    lanes: u64,
}

/// Returns the list of findings that belong to a wave's load.
fn deferred(reads: &mut Vec<(usize, u64, Findings)>, (wave, load): (usize, u64)) -> &mut Findings {
    let known = reads
        .iter()
        .position(|(by, at, _)| (*by, *at) == (wave, load));
    let number = known.unwrap_or(reads.len());
    if known.is_none() {
        reads.push((wave, load, Findings::default()));
    }
    &mut reads[number].2
}

/// Returns true if a store takes the value of a load, or one made of it, and the value decides nothing.
fn updates(code: &Code, load: u64, store: u64) -> bool {
    let reach = reach(code, load, Certainty::Likely);
    reach.stores.contains(&store) && !reach.decides
}

/// Returns true if an instruction sees values that others have released.
fn acquires(here: &CheckedInstruction<'_>) -> bool {
    here.access.atomic || here.access.coherent && here.access.parts.iter().any(|part| part.reads)
}

/// Returns a group's id by its number.
fn id(number: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [number % x, number / x % y, number / x / y]
}
