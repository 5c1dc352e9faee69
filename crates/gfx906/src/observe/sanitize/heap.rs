//! Declarations about a GPU's memory, which its owner makes for the checks: named blocks, bytes that nobody has written, and freed blocks.
//!
//! The machine knows allocations. This record also knows a tensor inside of an allocation, between guards, and an allocation that ends
//! within a dword. Memory that nobody declares counts as written, and its bounds are left to the machine's own faults.

mod bits;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use self::bits::Bits;

/// Number of freed ranges that are remembered.
const QUARANTINE: usize = 1024;

/// A range of memory with a name.
#[derive(Debug, Default)]
pub struct Block {
    /// Name of the block.
    pub name: String,
    /// Call that created the block, if there was one.
    pub made_by: Option<String>,
    /// Address range of the block.
    pub bytes: Range<u64>,
    /// Address range with the bytes around the block that kernels reach and must not use: guards, and the rest of the last dword.
    pub around: Range<u64>,
    /// Bytes of the block that somebody has written. An absent map means that all bytes count as written.
    defined: OnceLock<Bits>,
}

impl Block {
    /// Returns true if somebody has declared bytes of the block as unwritten.
    #[inline]
    pub fn may_be_undefined(&self) -> bool {
        self.defined.get().is_some()
    }

    /// Returns the first byte of a range that nobody has written.
    #[inline]
    pub fn first_undefined(&self, range: Range<u64>) -> Option<u64> {
        let bits = self.defined.get()?;
        let found = bits.first_clear(self.offsets(range)?)?;
        Some(self.bytes.start + found)
    }

    /// Marks bytes as written or unwritten.
    #[inline]
    pub fn define(&self, range: Range<u64>, defined: bool) {
        if let (Some(bits), Some(range)) = (self.defined.get(), self.offsets(range)) {
            bits.set(range, defined);
        }
    }

    fn offsets(&self, range: Range<u64>) -> Option<Range<u64>> {
        let start = range.start.max(self.bytes.start);
        let end = range.end.min(self.bytes.end);
        (start < end).then(|| start - self.bytes.start..end - self.bytes.start)
    }

    fn nobody_wrote(&self, range: Range<u64>) {
        self.defined
            .get_or_init(|| Bits::all_set(self.bytes.end - self.bytes.start));
        self.define(range, false);
    }

    /// Describes the name, the size and the origin of the block.
    pub fn describe(&self) -> String {
        let size = self.bytes.end - self.bytes.start;
        match &self.made_by {
            Some(call) => format!("`{}` ({size} bytes, {call})", self.name),
            None => format!("`{}` ({size} bytes)", self.name),
        }
    }
}

/// A freed block.
#[derive(Clone, Debug)]
pub struct FreedBlock {
    /// The block before it was freed.
    pub block: Arc<Block>,
    /// Call that freed the block.
    pub by: String,
}

/// Declarations about memory while a dispatch runs.
#[derive(Clone, Debug, Default)]
pub struct MemoryDeclarations {
    /// Blocks by address, without overlap.
    blocks: Vec<Arc<Block>>,
    freed: Vec<FreedBlock>,
    span: Range<u64>,
}

impl MemoryDeclarations {
    fn new<'a>(
        blocks: impl Iterator<Item = &'a Arc<Block>>,
        freed: &VecDeque<FreedBlock>,
    ) -> MemoryDeclarations {
        let blocks: Vec<Arc<Block>> = blocks.cloned().collect();
        let freed: Vec<FreedBlock> = freed.iter().cloned().collect();
        let all = || blocks.iter().chain(freed.iter().map(|freed| &freed.block));
        let start = all().map(|block| block.around.start).min();
        let end = all().map(|block| block.around.end).max();
        let span = start.unwrap_or(0)..end.unwrap_or(0);
        MemoryDeclarations {
            blocks,
            freed,
            span,
        }
    }

    /// Finds the block that contains an address or surrounds it, and its number.
    #[inline]
    pub fn find(&self, hint: &mut usize, address: u64) -> Option<(usize, &Block)> {
        let fits = |n: usize| {
            let block = self.blocks.get(n)?;
            block.around.contains(&address).then_some((n, &**block))
        };
        fits(*hint).or_else(|| {
            let after = self.blocks.partition_point(|b| b.around.start <= address);
            let found = fits(after.checked_sub(1)?)?;
            *hint = found.0;
            Some(found)
        })
    }

    /// Returns a block by its number.
    pub fn block(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number).map(|block| &**block)
    }

    /// Returns true if the bytes of two blocks are contiguous, as they are where memory is mapped piece by piece. A pointer into one block
    /// then reaches all of them.
    pub fn touch(&self, a: usize, b: usize) -> bool {
        let between = self.blocks.get(a.min(b)..=a.max(b)).unwrap_or_default();
        between
            .windows(2)
            .all(|pair| pair[0].bytes.end == pair[1].bytes.start)
    }

    /// Returns the number of the block that contains an address, unless the address is also the end of another block.
    pub fn surely(&self, hint: &mut usize, address: u64) -> Option<usize> {
        let (n, block) = self.find(hint, address)?;
        let before = n.checked_sub(1).and_then(|n| self.block(n));
        let ends = before.is_some_and(|before| before.bytes.end == address);
        (block.bytes.contains(&address) && !ends).then_some(n)
    }

    /// Returns the range that contains all blocks, including freed ones.
    pub fn span(&self) -> &Range<u64> {
        &self.span
    }

    /// Returns the freed block that contains an address.
    pub fn freed(&self, address: u64) -> Option<&FreedBlock> {
        let mut freed = self.freed.iter().rev();
        freed.find(|freed| freed.block.bytes.contains(&address))
    }

    /// Returns true if nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.freed.is_empty()
    }
}

#[derive(Debug, Default)]
struct HeapState {
    blocks: BTreeMap<u64, Arc<Block>>,
    freed: VecDeque<FreedBlock>,
    /// Snapshot for dispatches, valid until a declaration changes.
    known: Option<Arc<MemoryDeclarations>>,
}

/// Declarations about a GPU's memory, which persist across launches.
#[derive(Debug, Default)]
pub struct Heap {
    state: Mutex<HeapState>,
}

impl Heap {
    fn state(&self) -> MutexGuard<'_, HeapState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Declares a block: its bytes, the range around them that kernels reach and must not use (or the same range), and the call that
    /// created it. Earlier declarations of these bytes are dropped.
    pub fn declare(
        &self,
        name: &str,
        bytes: Range<u64>,
        around: Range<u64>,
        made_by: Option<&str>,
    ) {
        let around = around.start.min(bytes.start)..around.end.max(bytes.end);
        let mut state = self.state();
        state.forget(&around);
        state
            .freed
            .retain(|freed| !overlap(&freed.block.bytes, &around));
        let block = Block {
            name: name.to_owned(),
            made_by: made_by.map(str::to_owned),
            bytes,
            around: around.clone(),
            defined: OnceLock::new(),
        };
        state.blocks.insert(around.start, Arc::new(block));
    }

    /// Declares bytes of declared blocks as unwritten.
    pub fn undefined(&self, range: Range<u64>) {
        for block in self.state().within(&range) {
            block.nobody_wrote(range.clone());
        }
    }

    /// Marks bytes as written by the host.
    pub fn written(&self, range: Range<u64>) {
        for block in self.state().within(&range) {
            block.define(range.clone(), true);
        }
    }

    /// Copies the marks when the host copies bytes within the GPU's memory: unwritten bytes stay unwritten.
    pub fn copied(&self, from: u64, to: u64, bytes: u64) {
        self.written(to..to.saturating_add(bytes));
        let mut at = from;
        while let Some(first) = self.first_undefined(at..from.saturating_add(bytes)) {
            let end = self.first_defined(first..from.saturating_add(bytes));
            self.undefined(to + (first - from)..to + (end - from));
            at = end;
        }
    }

    /// Returns the first byte of a range that nobody has written.
    pub fn first_undefined(&self, range: Range<u64>) -> Option<u64> {
        let state = self.state();
        let mut blocks = state.within(&range);
        blocks.find_map(|block| block.first_undefined(range.clone()))
    }

    /// Returns the first bytes of a range that nobody has written, as offsets in their block, and the block in words.
    pub fn unwritten(&self, range: Range<u64>) -> Option<(Range<u64>, String)> {
        let first = self.first_undefined(range.clone())?;
        let end = self.first_defined(first..range.end);
        let state = self.state();
        let block = state.within(&(first..end)).next()?;
        let start = block.bytes.start;
        Some((first - start..end - start, block.describe()))
    }

    /// Returns the first byte of a range within one block that somebody has written, or the end of the range or of the block.
    fn first_defined(&self, range: Range<u64>) -> u64 {
        let state = self.state();
        let mut blocks = state.within(&range);
        let Some(block) = blocks.next() else {
            return range.end;
        };
        let within = range.start..range.end.min(block.bytes.end);
        let found = block.offsets(within.clone()).zip(block.defined.get());
        let found = found.and_then(|(offsets, bits)| bits.first_set(offsets));
        found.map_or(within.end, |at| block.bytes.start + at)
    }

    /// Marks the block that begins at an address as freed by a call.
    pub fn free(&self, start: u64, by: &str) {
        let mut state = self.state();
        let found = state.blocks.values().find(|b| b.bytes.start == start);
        let Some(block) = found.cloned() else {
            return;
        };
        state.forget(&block.around);
        if state.freed.len() == QUARANTINE {
            state.freed.pop_front();
        }
        let by = by.to_owned();
        state.freed.push_back(FreedBlock { block, by });
    }

    /// Returns the snapshot for a dispatch that begins now.
    pub fn known(&self) -> Arc<MemoryDeclarations> {
        let mut state = self.state();
        let HeapState {
            blocks,
            freed,
            known,
        } = &mut *state;
        let known =
            known.get_or_insert_with(|| Arc::new(MemoryDeclarations::new(blocks.values(), freed)));
        Arc::clone(known)
    }
}

impl HeapState {
    fn forget(&mut self, range: &Range<u64>) {
        self.known = None;
        self.blocks
            .retain(|_, block| !overlap(&block.around, range));
    }

    fn within(&self, range: &Range<u64>) -> impl Iterator<Item = &Arc<Block>> {
        let first = self.blocks.range(..=range.start).next_back();
        let first = first.map_or(range.start, |(at, _)| *at);
        let range = range.clone();
        let blocks = self.blocks.range(first..range.end.max(first));
        blocks
            .map(|(_, block)| block)
            .filter(move |block| overlap(&block.bytes, &range))
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}
