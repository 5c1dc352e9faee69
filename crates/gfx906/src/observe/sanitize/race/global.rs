//! Accesses of device memory, shared by all workers of a dispatch.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::{CheckedInstruction, Part};
use super::cell::{Cell, Mark, Split, pieces, touch, value};

/// Number of dwords of a page.
const PAGE: usize = 1024;
/// Largest number of pages that are watched. Further pages are ignored.
const MOST: usize = 1 << 16;
/// Number of locks over which the pages are distributed.
const SHARDS: usize = 64;

type Page = Box<[Cell]>;

#[derive(Default)]
struct Shard {
    /// Index of a page by its number.
    places: HashMap<u64, usize>,
    pages: Vec<Page>,
    split: Split,
}

/// Accesses of device memory during a launch, and the groups that have met through it.
pub struct DeviceAccesses {
    /// Largest number of pages.
    most: usize,
    shards: Vec<Mutex<Shard>>,
    pages: AtomicUsize,
    /// Number of atomic operations so far.
    clock: AtomicU64,
    /// Releases of each group: its stretch and the clock.
    released: Mutex<HashMap<u32, Vec<(u32, u64)>>>,
    /// Values of other groups that each group has found: the writer, the last stretch of the writer that is ordered, and the group's own
    /// stretch at that time.
    found: Mutex<HashMap<u32, Vec<(Mark, u32)>>>,
}

impl Default for DeviceAccesses {
    fn default() -> DeviceAccesses {
        DeviceAccesses {
            most: MOST,
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            pages: AtomicUsize::new(0),
            clock: AtomicU64::new(0),
            released: Mutex::default(),
            found: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceAccesses {
    /// Visits the cells of a part, with the lane, the address and the stored value of each.
    pub fn visit(
        &self,
        here: &CheckedInstruction<'_>,
        part: &Part,
        mut look: impl FnMut(usize, u64, &mut Cell, Option<u32>),
    ) {
        let mut held: Option<(u64, usize, MutexGuard<'_, Shard>)> = None;
        for (lane, at) in part.places() {
            for (place, offset, bytes) in pieces(at, part.bytes) {
                let number = place / (4 * PAGE as u64);
                if held.as_ref().is_none_or(|(known, ..)| *known != number) {
                    // A thread holds at most one lock.
                    drop(held.take());
                    let mut shard = lock(&self.shards[number as usize % SHARDS]);
                    let Some(page) = self.page(&mut shard, number) else {
                        continue;
                    };
                    held = Some((number, page, shard));
                }
                let Some((_, page, shard)) = &mut held else {
                    continue;
                };
                let Shard { pages, split, .. } = &mut **shard;
                let cell = &mut pages[*page][(place / 4) as usize % PAGE];
                let value = value(here, part, lane, offset);
                touch(cell, split, place, bytes, lane, value, &mut look);
            }
        }
    }

    fn page(&self, shard: &mut Shard, number: u64) -> Option<usize> {
        if let Some(&known) = shard.places.get(&number) {
            return Some(known);
        }
        let room = |pages: usize| (pages < self.most).then_some(pages + 1);
        self.pages.fetch_update(Relaxed, Relaxed, room).ok()?;
        shard.pages.push(vec![Cell::default(); PAGE].into());
        shard.places.insert(number, shard.pages.len() - 1);
        Some(shard.pages.len() - 1)
    }

    /// Returns the last writer of the dwords at some addresses.
    pub fn writers(&self, addresses: impl Iterator<Item = u64>) -> Vec<Mark> {
        let mut held: Option<(u64, Option<usize>, MutexGuard<'_, Shard>)> = None;
        let mut writers = Vec::new();
        for at in addresses {
            let number = at / (4 * PAGE as u64);
            if held.as_ref().is_none_or(|(known, ..)| *known != number) {
                // A thread holds at most one lock.
                drop(held.take());
                let shard = lock(&self.shards[number as usize % SHARDS]);
                held = Some((number, shard.places.get(&number).copied(), shard));
            }
            let Some((_, Some(page), shard)) = &held else {
                continue;
            };
            writers.extend(shard.pages[*page][(at / 4) as usize % PAGE].writer());
        }
        writers
    }

    /// Returns the clock.
    pub fn now(&self) -> u64 {
        self.clock.load(SeqCst)
    }

    /// Records an atomic operation of a group in a stretch.
    pub fn release(&self, group: u32, segment: u32) {
        let mut released = lock(&self.released);
        let all = released.entry(group).or_default();
        let now = self.clock.fetch_add(1, SeqCst);
        match all.last_mut() {
            // Within a stretch, the first operation comes before everything after the stretch.
            Some(last) if last.0 == segment => {}
            _ => all.push((segment, now)),
        }
    }

    /// Records that a group has found a value of another group, in a stretch of its own.
    pub fn found(&self, group: u32, segment: u32, mark: Mark) {
        let mut found = lock(&self.found);
        let all = found.entry(group).or_default();
        let known = all.iter_mut().find(|(known, _)| known.group == mark.group);
        match known {
            Some((known, _)) if known.segment >= mark.segment => {}
            Some(known) => *known = (mark, segment),
            None => all.push((mark, segment)),
        }
    }

    /// Returns true if an access of another group is ordered before a group that has seen the clock at `seen`.
    pub fn ordered(&self, mark: Mark, group: u32, seen: Option<u64>) -> bool {
        let released = lock(&self.released);
        let first = released.get(&mark.group).and_then(|all| {
            let after = all.iter().find(|(segment, _)| *segment >= mark.segment);
            after.map(|&(_, clock)| clock)
        });
        drop(released);
        if first.is_some_and(|first| seen.is_some_and(|seen| first < seen)) {
            return true;
        }
        self.knows(group, mark, 8)
    }

    /// Returns true if a group has found a value that another group stored after an access, directly or through a third group.
    fn knows(&self, group: u32, mark: Mark, depth: u32) -> bool {
        let found = lock(&self.found).get(&group).cloned().unwrap_or_default();
        found.iter().any(|(known, _)| {
            known.group == mark.group && known.segment >= mark.segment
                || depth > 0 && known.group != group && self.knows(known.group, mark, depth - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_beyond_the_bound_is_not_watched_and_takes_no_memory() {
        let shared = DeviceAccesses {
            most: 3,
            ..DeviceAccesses::default()
        };
        let page = |number: u64| {
            let mut shard = lock(&shared.shards[number as usize % SHARDS]);
            shared.page(&mut shard, number)
        };
        // The first two pages share a lock.
        let held = [page(1), page(1 + SHARDS as u64), page(2)];
        assert_eq!(held, [Some(0), Some(1), Some(0)]);
        let others = (3..1000).filter(|&number| number != 1 + SHARDS as u64);
        for number in others {
            assert_eq!(page(number), None, "page {number}");
        }
        let kept = shared.shards.iter().map(|shard| lock(shard).pages.len());
        assert_eq!(kept.sum::<usize>(), 3);
        // Watched pages stay watched.
        assert_eq!([page(1), page(1 + SHARDS as u64), page(2)], held);
    }

    #[test]
    fn the_bound_is_what_the_documents_say() {
        assert_eq!(MOST * PAGE * 4, 256 << 20);
    }
}
