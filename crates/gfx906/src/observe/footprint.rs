//! The part of device memory that a launch reads or writes, with the contents before the launch.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::costs::lines::{LINE, Lines};
use super::touched::{PAGE_BYTES, TouchedBytes};
use super::{Group, Observer};
use crate::machine::access::{self, Access, Space};
use crate::machine::{Gpu, GpuError, MemoryPath, Op, Wave};

/// Offsets of the pieces that [`Footprint::pieces`] returns are multiples of this, so that no element lies in two pieces.
const WHOLE: u64 = 16;

/// Contents that pages had before their first access. The workers of a launch share them.
#[derive(Default)]
struct PagesBefore {
    pages: BTreeMap<u64, Box<[u8]>>,
    /// True after a page was not copied because the limit was reached.
    over: bool,
}

/// The limit of copied bytes was reached: the footprint is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FootprintLimit;

/// Observes which bytes of chosen allocations a launch reads and writes. Each page is copied before its first access.
///
/// A worker copies a page under a lock before it accesses the page, and all others look under the lock before their first access. The copy
/// therefore has no byte that the launch wrote.
pub struct Footprint {
    gpu: Arc<Gpu>,
    /// The chosen allocations.
    chosen: Arc<[Range<u64>]>,
    /// Most bytes of pages that are copied.
    limit: u64,
    before: Arc<Mutex<PagesBefore>>,
    touched: TouchedBytes,
    scratch: (u64, u64),
    access: Access,
    all: Lines,
    lines: Lines,
}

impl Footprint {
    /// Creates the observer of a launch. At most `limit` bytes are copied.
    pub fn new(gpu: Arc<Gpu>, chosen: Vec<Range<u64>>, limit: u64) -> Footprint {
        Footprint {
            gpu,
            chosen: chosen.into(),
            limit,
            before: Arc::default(),
            touched: TouchedBytes::default(),
            scratch: (0, 0),
            access: Access::default(),
            all: Lines::default(),
            lines: Lines::default(),
        }
    }

    /// Checks that every page was copied.
    ///
    /// # Errors
    /// The limit was reached.
    pub fn check(&self) -> Result<(), FootprintLimit> {
        match self.pages_before().over {
            true => Err(FootprintLimit),
            false => Ok(()),
        }
    }

    /// Returns the pieces of an allocation that cover all bytes that were read or written, as offsets from its start. Pieces consist of whole pages
    /// of memory, as far as the allocation has them.
    pub fn pieces(&self, allocation: &Range<u64>) -> Vec<Range<u64>> {
        let size = allocation.end - allocation.start;
        let mut pieces: Vec<Range<u64>> = Vec::new();
        for page in self.touched.pages(allocation) {
            let start = (page * PAGE_BYTES).saturating_sub(allocation.start);
            let end = (page + 1) * PAGE_BYTES - allocation.start;
            let start = start / WHOLE * WHOLE;
            let end = end.next_multiple_of(WHOLE).min(size);
            match pieces.last_mut() {
                Some(last) if last.end >= start => last.end = end,
                _ => pieces.push(start..end),
            }
        }
        pieces
    }

    /// Returns the bytes of a range from the first one that was touched to the last one: those read, and those written.
    pub fn extents(&self, range: &Range<u64>) -> [Option<Range<u64>>; 2] {
        self.touched.extents(range)
    }

    /// Copies the contents that memory had before the launch. Bytes that the launch has not touched have those contents still.
    ///
    /// # Errors
    /// No allocation covers the range.
    pub fn read_before(&self, address: u64, data: &mut [u8]) -> Result<(), GpuError> {
        self.gpu.read(address, data)?;
        let end = address + data.len() as u64;
        let before = self.pages_before();
        for (page, bytes) in before
            .pages
            .range(address / PAGE_BYTES..end.div_ceil(PAGE_BYTES))
        {
            let start = page * PAGE_BYTES;
            let (from, to) = (start.max(address), (start + PAGE_BYTES).min(end));
            let target = (from - address) as usize..(to - address) as usize;
            data[target].copy_from_slice(&bytes[(from - start) as usize..(to - start) as usize]);
        }
        Ok(())
    }

    fn pages_before(&self) -> MutexGuard<'_, PagesBefore> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies a page, unless another worker has done so.
    #[cold]
    fn copy(&self, page: u64) {
        let mut before = self.pages_before();
        if before.over || before.pages.contains_key(&page) {
            return;
        }
        if (before.pages.len() as u64 + 1) * PAGE_BYTES > self.limit {
            before.over = true;
            return;
        }
        let range = page * PAGE_BYTES..(page + 1) * PAGE_BYTES;
        let mut bytes = vec![0; PAGE_BYTES as usize];
        for allocation in self.chosen.iter() {
            let (from, to) = (
                allocation.start.max(range.start),
                allocation.end.min(range.end),
            );
            if from < to {
                let part = (from - range.start) as usize..(to - range.start) as usize;
                // An allocation that has been freed is not accessed either.
                let _ = self.gpu.read(from, &mut bytes[part]);
            }
        }
        before.pages.insert(page, bytes.into());
    }

    fn note(&mut self, reads: bool, writes: bool) {
        let chosen = Arc::clone(&self.chosen);
        let is_chosen = |start: u64, end: u64| {
            chosen
                .iter()
                .any(|allocation| start < allocation.end && end > allocation.start)
        };
        self.lines.clear();
        let mut page = None;
        for (line, bits) in self.all.iter() {
            let start = line * LINE;
            if !is_chosen(start, start + LINE) {
                continue;
            }
            let number = start / PAGE_BYTES;
            if page != Some(number) && !self.touched.has_page(number) {
                self.copy(number);
            }
            page = Some(number);
            self.lines.add_bits(line, bits);
        }
        self.touched.add(&self.lines, reads, writes);
    }
}

impl Observer for Footprint {
    fn fork(&self) -> Option<Footprint> {
        Some(Footprint {
            gpu: Arc::clone(&self.gpu),
            chosen: Arc::clone(&self.chosen),
            limit: self.limit,
            before: Arc::clone(&self.before),
            touched: TouchedBytes::default(),
            scratch: (0, 0),
            access: Access::default(),
            all: Lines::default(),
            lines: Lines::default(),
        })
    }

    fn join(&mut self, worker: Footprint) {
        self.touched.join(worker.touched);
    }

    fn group(&mut self, group: &Group) {
        self.scratch = (group.scratch, group.scratch_stride);
    }

    #[inline]
    fn before(&mut self, wave: &Wave, op: &Op, _pc: u64) {
        if matches!(
            op.traffic.way,
            MemoryPath::None | MemoryPath::Lds | MemoryPath::LdsOnce
        ) {
            return;
        }
        let scratch = self.scratch.0 + u64::from(wave.index) * self.scratch.1;
        access::accesses(wave, op, scratch, &mut self.access);
        self.all.clear();
        let mut direction = None;
        for part in &self.access.parts {
            if part.space == Space::Global {
                let lanes = if part.scalar { 1 } else { part.lanes };
                self.all.add_lanes(lanes, &part.at, part.bytes);
                direction = Some((part.reads, part.writes));
            }
        }
        if let Some((reads, writes)) = direction {
            self.all.merge();
            self.note(reads, writes);
        }
    }
}

#[cfg(test)]
mod tests;
