//! Record of the accesses to a dword: its last writer and two of its readers.

use std::collections::HashMap;

use super::super::{CheckedInstruction, Part};
use crate::isa::Encoding;

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An indivisible load and store.
    Atomic,
}

impl Kind {
    /// Determines the kind of an access's part.
    pub fn of(part: &Part, atomic: bool) -> Kind {
        match (atomic, part.writes) {
            (true, _) => Kind::Atomic,
            (_, true) => Kind::Write,
            (_, false) => Kind::Read,
        }
    }

    /// Returns true if the access writes.
    pub fn writes(self) -> bool {
        self != Kind::Read
    }
}

/// An access: group and wave, the group's stretch, and the instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Number of the group.
    pub group: u32,
    /// Stretch of the group, from 1; 0 stands for no access.
    pub segment: u32,
    /// Link address of the instruction in dwords, with the wave above it, and the highest bit for an atomic.
    code: u32,
}

const ATOMIC: u32 = 1 << 31;
const WAVE: u32 = 27;
const CODE: u32 = (1 << WAVE) - 1;

impl Mark {
    /// Creates the mark of an access.
    pub fn new((group, wave): (u32, usize), segment: u32, pc: u64, atomic: bool) -> Mark {
        let flag = if atomic { ATOMIC } else { 0 };
        Mark {
            group,
            segment,
            code: (pc / 4) as u32 & CODE | (wave as u32 & 15) << WAVE | flag,
        }
    }

    /// Returns the link address of the instruction.
    pub fn pc(self) -> u64 {
        4 * u64::from(self.code & CODE)
    }

    /// Returns true if the access is an atomic, or is taken for one.
    pub fn atomic(self) -> bool {
        self.code & ATOMIC != 0
    }

    /// Returns the mark as an atomic access.
    fn as_atomic(self) -> Mark {
        Mark {
            code: self.code | ATOMIC,
            ..self
        }
    }

    #[inline(always)]
    fn is_there(self) -> bool {
        self.segment != 0
    }

    /// Returns true if both accesses are of one wave, whose program orders them.
    #[inline(always)]
    fn same(self, other: Mark) -> bool {
        self.group == other.group && (self.code ^ other.code) & !ATOMIC & !CODE == 0
    }
}

/// Another access that may race with this one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The other access.
    pub mark: Mark,
    /// True if the other access was a write.
    pub wrote: bool,
}

/// A dword, or a byte of one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    writer: Mark,
    value: u32,
    /// True if the value is known. The result of an atomic is not.
    known: bool,
    /// Last reader, and the last reader of another group or else of another wave.
    readers: [Mark; 2],
    /// True if the bytes of this dword are recorded separately.
    split: bool,
}

impl Cell {
    /// Marks an access if no other access is recorded that it might race with, which is the usual case. Returns true if so. In LDS
    /// (`stale`), marks of another group belong to a group that has ended.
    #[inline(always)]
    pub fn alone(&mut self, mark: Mark, kind: Kind, value: Option<u32>, stale: bool) -> bool {
        let own = |other: Mark| {
            !other.is_there() || other.same(mark) || stale && other.group != mark.group
        };
        let [last, other] = self.readers;
        match kind {
            _ if !own(self.writer) => return false,
            Kind::Read => {
                self.read(mark);
                return true;
            }
            Kind::Write if !(own(last) && own(other)) => return false,
            Kind::Write | Kind::Atomic => {}
        }
        self.writer = if kind == Kind::Write && self.is_of_atomics() {
            mark.as_atomic()
        } else {
            mark
        };
        self.value = value.unwrap_or_default();
        self.known = value.is_some();
        true
    }

    /// Marks an access, and returns others that it might race with.
    #[inline(always)]
    pub fn touch(
        &mut self,
        mark: Mark,
        kind: Kind,
        value: Option<u32>,
    ) -> impl Iterator<Item = Conflict> + use<> {
        let before = *self;
        let (mark, kind) = match kind {
            Kind::Write if self.is_of_atomics() => (mark.as_atomic(), Kind::Atomic),
            kind => (mark, kind),
        };
        // Atomics do not race with each other, nor with loads beside them: a compare-and-swap loop begins with such a load.
        let atomic = kind == Kind::Atomic;
        let excused = kind != Kind::Write;
        let other = move |other: Mark| {
            other.is_there() && !other.same(mark) && !(excused && other.atomic())
        };
        let same_value =
            kind == Kind::Write && before.known && value.is_some_and(|value| value == before.value);
        let mut met = [None; 3];
        // A write of the value that is already there changes nothing for any reader.
        if !same_value {
            let wrote = Conflict {
                mark: before.writer,
                wrote: true,
            };
            met[0] = other(before.writer).then_some(wrote);
        }
        if kind == Kind::Read {
            self.read(mark);
        } else {
            if !same_value && !atomic {
                for (met, mark) in met[1..].iter_mut().zip(before.readers) {
                    let read = Conflict { mark, wrote: false };
                    // A wave that polls a flag past the cache expects it to change.
                    *met = (other(mark) && !mark.atomic()).then_some(read);
                }
            }
            self.writer = mark;
            self.value = value.unwrap_or_default();
            self.known = value.is_some();
        }
        met.into_iter().flatten()
    }

    /// Returns the last writer if it belongs to another group, with the load past the cache by which the mark's wave has read the dword.
    pub fn changed_since_load(&self, mark: Mark) -> Option<(Option<u64>, Mark)> {
        let writer = self.writer;
        let loads = self.readers.into_iter();
        let mut loads = loads.filter(|read| read.is_there() && read.same(mark) && read.atomic());
        (writer.is_there() && writer.group != mark.group)
            .then(|| (loads.next().map(Mark::pc), writer))
    }

    #[inline(always)]
    fn read(&mut self, mark: Mark) {
        let [last, other] = self.readers;
        let keeps = last.same(mark) || other.group != mark.group && last.group == mark.group;
        self.readers = [
            mark,
            if keeps && other.is_there() || last.same(mark) {
                other
            } else {
                last
            },
        ];
    }

    /// Returns true if all accesses of the dword were atomics, atomic loads included. A store to such a dword is taken for an atomic store:
    /// both are the same instruction, and compilers turn an exchange whose result is unused, the end of many a lock, into a store.
    #[inline(always)]
    pub fn is_of_atomics(&self) -> bool {
        let all = [self.writer, self.readers[0], self.readers[1]];
        let mut there = all.iter().filter(|mark| mark.is_there()).peekable();
        there.peek().is_some() && there.all(|mark| mark.atomic())
    }

    /// Returns the last writer of bytes of this dword, or the last writers if the bytes are recorded separately.
    pub fn writers(&self, split: &Split, place: u64, bytes: u64) -> impl Iterator<Item = Mark> {
        let apart = self.split.then(|| split.get(&(place & !3))).flatten();
        let first = (place & 3) as usize;
        let cells = match apart {
            Some(cells) => &cells[first..(first + bytes as usize).min(4)],
            None => std::slice::from_ref(self),
        };
        let writers: Vec<Mark> = cells.iter().map(|cell| cell.writer).collect();
        writers.into_iter().filter(|writer| writer.is_there())
    }
}

/// Dwords whose bytes are recorded separately.
pub type Split = HashMap<u64, [Cell; 4]>;

/// Returns the value that a lane stores at byte `offset` of its element, for a plain store.
pub fn value(here: &CheckedInstruction<'_>, part: &Part, lane: usize, offset: u64) -> Option<u32> {
    let first = part.register.filter(|_| part.writes)?;
    let register = usize::from(first) + (offset / 4) as usize;
    let word = match here.op.encoding {
        Encoding::Smem => *here.wave.s.get(register)?,
        _ => here.wave.v.get(register.checked_sub(256)?)?[lane],
    };
    let word = if part.high { word >> 16 } else { word };
    Some(word >> (8 * (offset % 4)))
}

/// Cells of a group's LDS.
#[derive(Default)]
pub struct Lds {
    cells: Vec<Cell>,
    split: Split,
}

impl Lds {
    /// Returns the last writers of a part's dwords, of whichever group.
    pub fn writers(&self, part: &Part) -> Vec<Mark> {
        let places = part.places().flat_map(|(_, at)| pieces(at, part.bytes));
        let cells = places.filter_map(|(place, _, bytes)| {
            let cell = self.cells.get((place / 4) as usize)?;
            Some(cell.writers(&self.split, place, bytes).collect::<Vec<_>>())
        });
        cells.flatten().collect()
    }

    /// Visits the cells of a part, with the lane, the address and the stored value of each.
    pub fn visit(
        &mut self,
        here: &CheckedInstruction<'_>,
        part: &Part,
        mut look: impl FnMut(usize, u64, &mut Cell, Option<u32>),
    ) {
        let needed = here.launch.lds.div_ceil(4) as usize;
        if self.cells.len() < needed {
            self.cells.resize(needed, Cell::default());
        }
        for (lane, at) in part.places() {
            for (place, offset, bytes) in pieces(at, part.bytes) {
                let Some(cell) = self.cells.get_mut((place / 4) as usize) else {
                    continue;
                };
                let value = value(here, part, lane, offset);
                touch(cell, &mut self.split, place, bytes, lane, value, &mut look);
            }
        }
    }
}

/// Splits an element into whole dwords if it is aligned, else into bytes: address, offset in the element, and size of each.
pub fn pieces(at: u64, bytes: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let step = if at.is_multiple_of(4) && bytes.is_multiple_of(4) {
        4
    } else {
        1
    };
    (0..bytes)
        .step_by(step as usize)
        .map(move |offset| (at.wrapping_add(offset), offset, step))
}

/// Visits a dword's cell, or the cells of its bytes.
#[inline]
pub fn touch(
    cell: &mut Cell,
    split: &mut Split,
    place: u64,
    bytes: u64,
    lane: usize,
    value: Option<u32>,
    look: &mut impl FnMut(usize, u64, &mut Cell, Option<u32>),
) {
    if bytes == 4 && !cell.split {
        return look(lane, place, cell, value);
    }
    if !cell.split {
        let whole = *cell;
        let parts = std::array::from_fn(|n| Cell {
            value: whole.value >> (8 * n) & 0xff,
            ..whole
        });
        split.insert(place & !3, parts);
        cell.split = true;
    }
    let Some(cells) = split.get_mut(&(place & !3)) else {
        return;
    };
    let first = (place & 3) as usize;
    for n in 0..bytes as usize {
        let value = value.map(|value| value >> (8 * n) & 0xff);
        if let Some(cell) = cells.get_mut(first + n) {
            look(lane, place + n as u64, cell, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(cell: &mut Cell, group: u32, kind: Kind) -> usize {
        let mark = Mark::new((group, 0), 1, 64, kind == Kind::Atomic);
        let value = (kind == Kind::Write).then_some(group);
        if cell.alone(mark, kind, value, false) {
            return 0;
        }
        cell.touch(mark, kind, value).count()
    }

    #[test]
    fn a_lock_may_be_let_go_by_a_store() {
        let mut lock = Cell::default();
        for group in [1, 2, 1, 3] {
            assert_eq!(met(&mut lock, group, Kind::Atomic), 0);
        }
        assert_eq!(met(&mut lock, 1, Kind::Write), 0);
        assert_eq!(met(&mut lock, 2, Kind::Atomic), 0);
        assert_eq!(met(&mut lock, 2, Kind::Write), 0);
        assert_eq!(met(&mut lock, 3, Kind::Read), 0, "it is atomic from now on");
    }

    /// Allocators keep such hints of where to search first. The order of the accesses does not matter.
    #[test]
    fn a_place_that_is_read_as_atomics_are_may_be_stored_to() {
        let mut hint = Cell::default();
        for group in [1, 2, 1] {
            let mark = Mark::new((group, 0), 1, 64, true);
            let alone = hint.alone(mark, Kind::Read, None, false);
            assert!(alone || hint.touch(mark, Kind::Read, None).count() == 0);
        }
        assert_eq!(met(&mut hint, 1, Kind::Write), 0);
        assert_eq!(met(&mut hint, 2, Kind::Write), 0);
    }

    #[test]
    fn a_plain_store_races_with_the_atomics_of_others() {
        let mut counter = Cell::default();
        assert_eq!(met(&mut counter, 1, Kind::Write), 0);
        assert_eq!(met(&mut counter, 2, Kind::Atomic), 1);
        // A plain load makes the dword one that stores race for.
        let mut read = Cell::default();
        assert_eq!(met(&mut read, 1, Kind::Atomic), 0);
        assert_eq!(met(&mut read, 1, Kind::Read), 0);
        assert_eq!(met(&mut read, 2, Kind::Write), 2);
    }
}
