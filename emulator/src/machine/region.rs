//! An allocation: what it is called, where it lies, and its bytes.

mod beyond;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::renewed::Renewed;
use super::single::{self, Pair};
use super::words::Words;
use beyond::Beyond;
pub use beyond::{PAGE, ReadBeyond};

/// An allocation.
pub struct Region {
    /// Its name, for reports.
    pub name: String,
    /// First guest address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// True if a kernel may write the region.
    pub writable: bool,
    /// Guest address of the first word: `base`, or up to 7 bytes before it.
    start: u64,
    /// Guest addresses that kernels reach: whole dwords, as the card bounds its buffers.
    reach: (u64, u64),
    /// End of the region's bytes. No access at or after this address reaches any of them.
    end: u64,
    /// End of the bytes that the host reaches: `end`, or the end of the last dword.
    held: u64,
    words: Words,
    /// Blocks that are poisoned again between uses, if any are.
    renewed: Option<Renewed>,
    /// True if several GPUs share the region. A GPU copies it before the first write.
    shared: bool,
    /// The rest of its last page, where reads beyond the end may pass.
    pub(super) beyond: Option<Box<Beyond>>,
}

impl Region {
    /// An allocation of zeros; `None` where the host has not the memory.
    pub fn try_new(name: &str, base: u64, size: u64, writable: bool) -> Option<Region> {
        Region::over(
            name,
            base,
            size,
            writable,
            Words::try_new(size.checked_add(base % 8)?)?,
        )
    }

    /// An allocation of zeros, for tests, which have the memory.
    #[cfg(test)]
    pub fn new(name: &str, base: u64, size: u64, writable: bool) -> Region {
        Region::try_new(name, base, size, writable).expect("memory for a test")
    }

    /// An allocation that holds a poison, and does so again after each [`Region::renew`]; `None` where the host has not the memory.
    pub fn poisoned(name: &str, base: u64, size: u64, poison: u32) -> Option<Region> {
        let mut region = Region::try_new(name, base, size, true)?;
        region.renewed = Some(Renewed::new(size, poison)?);
        Some(region)
    }

    /// An allocation that is made of these words, the first of which holds the guest address that is `base` rounded down to a multiple
    /// of 8; `None` where they do not hold `size` bytes, or do not start at a multiple of 8 themselves.
    pub fn with_words(name: &str, base: u64, size: u64, words: Words) -> Option<Region> {
        Region::over(name, base, size, true, words)
    }

    fn over(name: &str, base: u64, size: u64, writable: bool, words: Words) -> Option<Region> {
        let start = base / 8 * 8;
        let end = base.checked_add(size)?;
        let reach = end.checked_next_multiple_of(4)?;
        let enough =
            words.as_ptr().addr().is_multiple_of(8) && words.len() as u64 >= (reach - start) / 4;
        enough.then(|| Region {
            name: name.to_owned(),
            base,
            size,
            writable,
            start,
            reach: (base / 4 * 4, reach),
            end,
            held: end,
            words,
            renewed: None,
            shared: false,
            beyond: None,
        })
    }

    /// The same, but kernels may read on to the end of the last page, where these words, which start where its own do, go on.
    pub fn with_page(mut self, words: Words) -> Region {
        let end = self.base.saturating_add(self.size);
        let size = end.next_multiple_of(PAGE) - self.base;
        let page = Region::over(&self.name, self.base, size, false, words);
        self.beyond = page.map(|page| Box::new(Beyond::new(page)));
        self
    }

    /// The same, but the host reaches its last dword as a whole, as kernels do: it can see what they leave behind the end.
    pub fn with_last_dword(mut self) -> Region {
        self.held = self.reach.1;
        self
    }

    /// The same, but several GPUs may have it.
    pub(super) fn shared(mut self) -> Region {
        self.shared = true;
        self
    }

    /// Copies a shared region for one GPU. Returns `None` if the host lacks the memory.
    pub(super) fn own(&self) -> Option<Region> {
        let own = Region::try_new(&self.name, self.base, self.size, self.writable)?;
        let mut bytes = vec![0; self.size as usize];
        self.copy_out(self.offset(self.base), &mut bytes);
        own.copy_in(own.offset(own.base), &bytes);
        Some(own)
    }

    /// Returns true if several GPUs may share the region.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Returns true if kernels reach `bytes` bytes (at least one) at `address` here. Kernels reach every dword that contains a byte of the
    /// allocation, except from behind its end.
    #[inline(always)]
    pub fn covers(&self, address: u64, bytes: u64) -> bool {
        let (from, to) = self.reach;
        address >= from && address < self.end && to - address >= bytes
    }

    /// Returns true if the host reaches `bytes` bytes at `address` here.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        address >= self.base && address <= self.held && self.held - address >= bytes
    }

    /// The first address that kernels reach.
    pub(super) fn first(&self) -> u64 {
        self.reach.0
    }

    /// The offset of a guest address: what the other methods count bytes in.
    #[inline(always)]
    pub fn offset(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start)
    }

    /// Offsets from which kernels reach so many bytes: from the first to the last.
    #[inline(always)]
    pub fn offsets(&self, bytes: u64) -> (u64, u64) {
        let (from, to) = self.reach;
        let last = to.saturating_sub(bytes).min(self.end.wrapping_sub(1));
        (from - self.start, last.saturating_sub(self.start))
    }

    /// The words from byte `offset` on, which must be a multiple of 4.
    #[inline(always)]
    pub fn words_at(&self, offset: u64) -> &[AtomicU32] {
        self.words.get((offset / 4) as usize..).unwrap_or(&[])
    }

    /// The pair of words at an offset, a multiple of 8, that the caller has checked.
    #[inline(always)]
    fn pair(&self, offset: u64) -> &Pair {
        #[repr(align(8))]
        struct Nowhere(Pair);
        static NOWHERE: Nowhere = Nowhere([AtomicU32::new(0), AtomicU32::new(0)]);
        self.words_at(offset).first_chunk().unwrap_or(&NOWHERE.0)
    }

    /// The word at an index; beyond the end, a word of nobody's: callers have checked the range.
    #[inline(always)]
    fn word(&self, index: u64) -> &AtomicU32 {
        static NOWHERE: AtomicU32 = AtomicU32::new(0);
        self.words.get(index as usize).unwrap_or(&NOWHERE)
    }

    /// Reads a dword at any offset that the caller has checked.
    #[inline(always)]
    pub fn read32(&self, offset: u64) -> u32 {
        let shift = (offset & 3) * 8;
        let low = self.word(offset / 4).load(Relaxed);
        if shift == 0 {
            return low;
        }
        let high = self.word(offset / 4 + 1).load(Relaxed);
        ((u64::from(low) | u64::from(high) << 32) >> shift) as u32
    }

    /// Reads 1 or 2 bytes at any offset that the caller has checked.
    #[inline(always)]
    pub fn read_narrow(&self, offset: u64, bytes: u64) -> u32 {
        self.read32(offset) & (u32::MAX >> (32 - 8 * bytes))
    }

    /// Reads two dwords at an offset that is a multiple of 8 and that the caller has checked, at once.
    #[inline(always)]
    pub fn read64(&self, offset: u64) -> u64 {
        single::load64(self.pair(offset))
    }

    /// Writes two dwords at an offset that is a multiple of 8 and that the caller has checked, at once.
    #[inline(always)]
    pub fn write64(&self, offset: u64, value: u64) {
        single::store64(self.pair(offset), value);
    }

    /// Reads dwords at an offset that the caller has checked: aligned pairs at once.
    #[inline(always)]
    pub fn read_dwords(&self, offset: u64, dwords: &mut [u32]) {
        let mut k = 0;
        while let Some(rest) = dwords.get_mut(k..).filter(|rest| !rest.is_empty()) {
            let at = offset + 4 * k as u64;
            match rest {
                [first, second, ..] if at.is_multiple_of(8) => {
                    let both = self.read64(at);
                    (*first, *second) = (both as u32, (both >> 32) as u32);
                    k += 2;
                }
                rest => {
                    rest[0] = self.read32(at);
                    k += 1;
                }
            }
        }
    }

    /// Writes dwords at an offset that the caller has checked: aligned pairs at once.
    #[inline(always)]
    pub fn write_dwords(&self, offset: u64, dwords: &[u32]) {
        let mut k = 0;
        while let Some(rest) = dwords.get(k..).filter(|rest| !rest.is_empty()) {
            let at = offset + 4 * k as u64;
            match rest {
                [first, second, ..] if at.is_multiple_of(8) => {
                    self.write64(at, u64::from(*first) | u64::from(*second) << 32);
                    k += 2;
                }
                rest => {
                    self.write(at, 4, rest[0]);
                    k += 1;
                }
            }
        }
    }

    /// Writes the low `bytes` (1, 2 or 4) of a value at any offset that the caller has checked; at once where that is a multiple of them.
    #[inline(always)]
    pub fn write(&self, offset: u64, bytes: u64, value: u32) {
        let (word, at) = (self.word(offset / 4), (offset & 3) as usize);
        match (bytes, at) {
            (1, _) => single::store8(word, at, value as u8),
            (2, 0 | 2) => single::store16(word, at, value as u16),
            (4, 0) => single::store32(word, value),
            _ => self.write_bytes(offset, bytes, value),
        }
    }

    #[cold]
    fn write_bytes(&self, offset: u64, bytes: u64, value: u32) {
        for (at, byte) in (offset..).zip(value.to_le_bytes()).take(bytes as usize) {
            single::store8(self.word(at / 4), (at & 3) as usize, byte);
        }
    }

    /// Replaces the dword at an offset that is a multiple of 4; returns the old one.
    #[inline(always)]
    pub fn update32(&self, offset: u64, f: impl Fn(u32) -> u32) -> u32 {
        single::update32(self.word(offset / 4), f)
    }

    /// Replaces the 64-bit value at an offset that is a multiple of 8; returns the old one.
    #[inline(always)]
    pub fn update64(&self, offset: u64, f: impl Fn(u64) -> u64) -> u64 {
        single::update64(self.pair(offset), f)
    }

    /// Copies bytes out, aligned eights at once.
    pub fn copy_out(&self, offset: u64, data: &mut [u8]) {
        let (head, rest) = data.split_at_mut(head(offset, data.len()));
        self.read_bytes(offset, head);
        let mut at = offset + head.len() as u64;
        let (eights, tail) = rest.as_chunks_mut::<8>();
        for eight in eights {
            *eight = self.read64(at).to_le_bytes();
            at += 8;
        }
        self.read_bytes(at, tail);
    }

    fn read_bytes(&self, offset: u64, data: &mut [u8]) {
        for (at, part) in (offset..).step_by(4).zip(data.chunks_mut(4)) {
            part.copy_from_slice(&self.read32(at).to_le_bytes()[..part.len()]);
        }
    }

    /// Copies bytes in, aligned eights at once.
    pub fn copy_in(&self, offset: u64, data: &[u8]) {
        let (head, rest) = data.split_at(head(offset, data.len()));
        self.put_bytes(offset, head);
        let mut at = offset + head.len() as u64;
        let (eights, tail) = rest.as_chunks::<8>();
        for eight in eights {
            self.write64(at, u64::from_le_bytes(*eight));
            at += 8;
        }
        self.put_bytes(at, tail);
    }

    /// Fewer than eight bytes: a dword at once where one is aligned.
    fn put_bytes(&self, offset: u64, data: &[u8]) {
        let (mut at, mut data) = (offset, data);
        while let Some((&first, rest)) = data.split_first() {
            match data.split_first_chunk() {
                Some((dword, rest)) if at.is_multiple_of(4) => {
                    self.write(at, 4, u32::from_le_bytes(*dword));
                    (at, data) = (at + 4, rest);
                }
                _ => {
                    self.write(at, 1, first.into());
                    (at, data) = (at + 1, rest);
                }
            }
        }
    }

    /// From now on it holds its poison, if it has one.
    pub fn renew(&self) {
        if let Some(renewed) = &self.renewed {
            renewed.renew();
        }
    }

    /// Says that bytes are about to be accessed.
    #[inline(always)]
    pub(super) fn touch(&self, offset: u64, bytes: u64) {
        if let Some(renewed) = &self.renewed {
            renewed.touch(&self.words, offset, bytes);
        }
    }

    /// Says that some bytes from each of some offsets on are about to be accessed.
    #[inline(always)]
    pub(super) fn touch_all(&self, offsets: &[u32], bytes: u64) {
        if let Some(renewed) = &self.renewed {
            renewed.touch_all(&self.words, offsets, bytes);
        }
    }
}

/// Bytes before the first aligned eight.
fn head(offset: u64, len: usize) -> usize {
    ((offset.next_multiple_of(8) - offset) as usize).min(len)
}

#[cfg(test)]
mod tests;
