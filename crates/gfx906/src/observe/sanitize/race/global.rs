//! Accesses of device memory, shared by all workers of a dispatch.

use std::collections::{HashMap, HashSet};
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
    /// Values of other groups that the groups have found.
    found: Mutex<FoundValues>,
}

/// Values of other groups that each group has found, and answers about them.
#[derive(Default)]
struct FoundValues {
    /// Last stretch, by group, of each other group of which a value was found.
    by_group: HashMap<u32, HashMap<u32, u32>>,
    /// Number of changes so far.
    version: u64,
    /// Earlier answers, by the group that finds and the group that stores.
    answers: HashMap<(u32, u32), Answer>,
    /// Number of groups whose values were searched so far.
    searched: u64,
}

/// Stretches of a group that another group is known to come after, or known not to.
#[derive(Clone, Copy, Debug, Default)]
struct Answer {
    /// Last stretch that is ordered before the other group; 0 for none. It stays so.
    ordered: u32,
    /// First stretch that was not ordered, as long as no group has found another value.
    unordered: Option<(u32, u64)>,
}

impl FoundValues {
    fn insert(&mut self, group: u32, mark: Mark) {
        let known = self.by_group.entry(group).or_default();
        let segment = known.entry(mark.group).or_insert(0);
        if *segment < mark.segment {
            *segment = mark.segment;
            self.version += 1;
        }
    }

    /// Returns true if a group has found a value that another group stored in a stretch or later, directly or through other groups.
    fn knows(&mut self, group: u32, mark: Mark) -> bool {
        let version = self.version;
        let answer = self.answers.entry((group, mark.group)).or_default();
        if answer.ordered >= mark.segment {
            return true;
        }
        if answer
            .unordered
            .is_some_and(|(first, at)| at == version && first <= mark.segment)
        {
            return false;
        }
        let found = self.last_known(group, mark);
        let answer = self.answers.entry((group, mark.group)).or_default();
        answer.ordered = answer.ordered.max(found);
        if found < mark.segment {
            answer.unordered = Some((mark.segment, version));
        }
        found >= mark.segment
    }

    /// Returns the last stretch of a mark's group that `group` comes after, directly or through other groups; 0 for none. The search ends at
    /// a stretch that is not before the mark's. Each group is searched once.
    fn last_known(&mut self, group: u32, mark: Mark) -> u32 {
        let mut seen = HashSet::from([group]);
        let mut open = vec![group];
        let mut last = 0;
        while let Some(next) = open.pop() {
            self.searched += 1;
            let Some(found) = self.by_group.get(&next) else {
                continue;
            };
            last = last.max(found.get(&mark.group).copied().unwrap_or(0));
            if last >= mark.segment {
                break;
            }
            let others = found.keys().copied().filter(|found| *found != mark.group);
            open.extend(others.filter(|found| seen.insert(*found)));
        }
        last
    }
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

    /// Returns the last writers of a part's dwords, or of its bytes where they are recorded separately, each with an address that it wrote.
    pub fn writers(&self, part: &Part) -> Vec<(u64, Mark)> {
        let mut held: Option<(u64, Option<usize>, MutexGuard<'_, Shard>)> = None;
        let mut writers: Vec<(u64, Mark)> = Vec::new();
        let places = part.places().flat_map(|(_, at)| pieces(at, part.bytes));
        for (place, _, bytes) in places {
            let number = place / (4 * PAGE as u64);
            if held.as_ref().is_none_or(|(known, ..)| *known != number) {
                // A thread holds at most one lock.
                drop(held.take());
                let shard = lock(&self.shards[number as usize % SHARDS]);
                held = Some((number, shard.places.get(&number).copied(), shard));
            }
            let Some((_, Some(page), shard)) = &held else {
                continue;
            };
            let cell = &shard.pages[*page][(place / 4) as usize % PAGE];
            for writer in cell.writers(&shard.split, place, bytes) {
                if writers.last().is_none_or(|(_, last)| *last != writer) {
                    writers.push((place, writer));
                }
            }
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

    /// Records that a group has found a value of another group.
    pub fn found(&self, group: u32, mark: Mark) {
        lock(&self.found).insert(group, mark);
    }

    /// Returns true if an access of another group is ordered before a wave of a group that has seen the clock at `seen`. A wave that has seen
    /// nothing, and has passed no barrier behind a wave that has, comes after no other group.
    pub fn ordered(&self, mark: Mark, group: u32, seen: Option<u64>) -> bool {
        let Some(seen) = seen else {
            return false;
        };
        let released = lock(&self.released);
        let first = released.get(&mark.group).and_then(|all| {
            let after = all.iter().find(|(segment, _)| *segment >= mark.segment);
            after.map(|&(_, clock)| clock)
        });
        drop(released);
        if first.is_some_and(|first| first < seen) {
            return true;
        }
        lock(&self.found).knows(group, mark)
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

    fn mark(group: u32, segment: u32) -> Mark {
        Mark::new((group, 0), segment, 0, false)
    }

    /// Each group of a look-back over tiles finds the values of all groups before it. A search without memory takes exponential time.
    #[test]
    fn each_group_is_searched_once_and_answers_are_kept() {
        const GROUPS: u32 = 200;
        let mut found = FoundValues::default();
        for group in 1..GROUPS {
            for earlier in 0..group {
                found.insert(group, mark(earlier, 3));
            }
        }
        let last = GROUPS - 1;
        // A value that was found directly needs no search of other groups.
        assert!(found.knows(last, mark(0, 3)));
        assert_eq!(found.searched, 1);
        // All groups but group 0 are searched for a value that none has found.
        assert!(!found.knows(last, mark(0, 4)));
        assert_eq!(found.searched, 1 + u64::from(last));
        assert!(found.knows(last, mark(0, 2)) && !found.knows(last, mark(0, 5)));
        assert_eq!(found.searched, 1 + u64::from(last), "the answers are known");
        // Another value changes the answer.
        found.insert(1, mark(0, 4));
        assert!(found.knows(last, mark(0, 4)));
        assert!(found.searched > 1 + u64::from(last));
        assert!(found.searched <= 1 + 2 * u64::from(last));
    }

    #[test]
    fn order_goes_through_chains_of_any_length_and_not_backwards() {
        let mut found = FoundValues::default();
        for group in 1..100 {
            found.insert(group, mark(group - 1, 1));
        }
        assert!(found.knows(99, mark(0, 1)) && !found.knows(99, mark(0, 2)));
        assert!(!found.knows(0, mark(99, 1)) && !found.knows(5, mark(6, 1)));
    }

    /// A flag of one byte is a flag as one of four bytes is.
    #[test]
    fn bytes_have_writers_of_their_own() {
        let mut cell = Cell::default();
        let mut split = Split::default();
        let store = |cell: &mut Cell, split: &mut Split, place, bytes, group| {
            let mut look = |_: usize, _: u64, cell: &mut Cell, value: Option<u32>| {
                assert!(cell.alone(
                    mark(group, 1),
                    super::super::cell::Kind::Write,
                    value,
                    false
                ));
            };
            touch(cell, split, place, bytes, 0, Some(1), &mut look);
        };
        store(&mut cell, &mut split, 4097, 1, 7);
        let of = |cell: &Cell, split: &Split, place, bytes| -> Vec<u32> {
            cell.writers(split, place, bytes)
                .map(|mark| mark.group)
                .collect()
        };
        assert_eq!(of(&cell, &split, 4097, 1), [7]);
        assert_eq!(of(&cell, &split, 4096, 1), [0; 0]);
        store(&mut cell, &mut split, 4098, 1, 8);
        assert_eq!(of(&cell, &split, 4098, 1), [8]);
        assert_eq!(of(&cell, &split, 4096, 4), [7, 8]);
        let mut whole = Cell::default();
        store(&mut whole, &mut split, 8192, 4, 9);
        assert_eq!(of(&whole, &split, 8192, 4), [9]);
    }
}
