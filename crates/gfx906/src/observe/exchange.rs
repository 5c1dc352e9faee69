//! Kernels whose waves exchange data through device memory.

use std::collections::{BTreeSet, HashMap};

use super::Observer;
use crate::machine::access::{Access, Space, accesses};
use crate::machine::{DispatchStart, Group, MemoryPath, Op, Wave};

/// Size of a page in bytes.
const PAGE: usize = 4096;
/// Largest number of pages that are recorded. A launch that accesses more counts as one with an exchange.
const MOST: usize = 1 << 14;

/// Bit of a byte that a wave has stored to.
const STORED: u32 = 1 << 31;
/// Number that stands for several waves in the record of a byte.
const SEVERAL: u32 = STORED - 1;

/// Record of a byte: the number of the wave that accessed it, counted from 1 in the launch, and the bit for a store.
type Byte = u32;

/// Kernels in which a wave accessed a byte of device memory that another wave of the same launch stored to.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    kernels: BTreeSet<String>,
    kernel: String,
    /// True if the result for this launch is known already.
    over: bool,
    grid: [u32; 3],
    group: Group,
    pages: HashMap<u64, Box<[Byte]>>,
    access: Access,
}

impl Exchange {
    /// Iterates over the names of the kernels, ascending.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(String::as_str)
    }

    fn record_exchange(&mut self) {
        self.kernels.insert(self.kernel.clone());
        self.over = true;
        self.pages.clear();
    }

    /// Records an access of consecutive bytes. Returns true if one of them took part in an exchange.
    fn record(&mut self, mut at: u64, mut count: u64, now: Byte) -> bool {
        let mut exchanged = false;
        while count != 0 {
            let first = at as usize % PAGE;
            let here = count.min((PAGE - first) as u64);
            let page = self.pages.entry(at / PAGE as u64).or_insert_with(empty);
            for byte in &mut page[first..first + here as usize] {
                *byte = meet(*byte, now);
                exchanged |= met(*byte);
            }
            (at, count) = (at.wrapping_add(here), count - here);
        }
        exchanged
    }

    /// Returns the number of a wave in the launch. A wave whose number does not fit counts as several waves.
    fn number(&self, wave: &Wave) -> Byte {
        let [x, y, z] = self.group.id.map(u64::from);
        let group = (z * u64::from(self.grid[1]) + y) * u64::from(self.grid[0]) + x;
        let number = 1 + group * self.group.waves as u64 + u64::from(wave.index);
        Byte::try_from(number).map_or(SEVERAL, |number| number.min(SEVERAL))
    }
}

/// Combines the record of a byte with a new access.
fn meet(before: Byte, now: Byte) -> Byte {
    let (one, other) = (before & SEVERAL, now & SEVERAL);
    let same = one == 0 || other == 0 || one == other;
    (before | now) & STORED | if same { one | other } else { SEVERAL }
}

/// Returns true if the byte took part in an exchange.
fn met(byte: Byte) -> bool {
    byte == STORED | SEVERAL
}

impl Observer for Exchange {
    fn fork(&self) -> Option<Exchange> {
        Some(Exchange {
            kernel: self.kernel.clone(),
            grid: self.grid,
            ..Exchange::default()
        })
    }

    fn join(&mut self, worker: Exchange) {
        self.kernels.extend(worker.kernels);
        self.over |= worker.over;
        for (number, theirs) in worker.pages {
            if self.over || self.pages.len() > MOST {
                return self.record_exchange();
            }
            let own = self.pages.entry(number).or_insert_with(empty);
            let mut exchanged = false;
            for (own, theirs) in own.iter_mut().zip(theirs) {
                *own = meet(*own, theirs);
                exchanged |= met(*own);
            }
            if exchanged {
                return self.record_exchange();
            }
        }
    }

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.kernel = started.kernel.to_owned();
        self.grid = started.launch.grid;
        self.over = self.kernels.contains(started.kernel);
        self.pages.clear();
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
    }

    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        if self.over || op.traffic.way == MemoryPath::None {
            return;
        }
        let scratch = self.group.scratch + u64::from(wave.index) * self.group.scratch_stride;
        let mut access = std::mem::take(&mut self.access);
        accesses(wave, op, scratch, &mut access);
        let number = self.number(wave);
        let mut exchanged = false;
        let parts = access.parts.iter();
        for part in parts.filter(|part| part.space == Space::Global) {
            let stored = if part.writes { STORED } else { 0 };
            // Elements that follow each other are recorded together, and one that several lanes access once.
            let (mut begin, mut end) = (0, 0);
            for (_, at) in part.places() {
                if at == end || at == begin && end == begin.wrapping_add(part.bytes) {
                    end = at.wrapping_add(part.bytes);
                    continue;
                }
                exchanged |= self.record(begin, end.wrapping_sub(begin), number | stored);
                (begin, end) = (at, at.wrapping_add(part.bytes));
            }
            exchanged |= self.record(begin, end.wrapping_sub(begin), number | stored);
        }
        self.access = access;
        if exchanged || self.pages.len() > MOST {
            self.record_exchange();
        }
    }
}

fn empty() -> Box<[Byte]> {
    vec![0; PAGE].into()
}
