//! Allocations: name, address and bytes.

mod beyond;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::renewed::PoisonRenewal;
use super::single::{self, Pair};
use super::words::Words;
use beyond::ReadableTail;
pub use beyond::{PAGE, ReadBeyond};

/// An allocation.
pub struct Region {
    /// Name in reports.
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
    renewed: Option<PoisonRenewal>,
    /// True if several GPUs share the region. A GPU copies it before the first write.
    shared: bool,
    /// Rest of the last page, if reads beyond the end are permitted.
    pub(super) beyond: Option<Box<ReadableTail>>,
}

impl Region {
    /// Creates an allocation of zeros. Returns `None` if the host lacks the memory.
    pub fn try_new(name: &str, base: u64, size: u64, writable: bool) -> Option<Region> {
        Region::over(
            name,
            base,
            size,
            writable,
            Words::try_new(size.checked_add(base % 8)?)?,
        )
    }

    /// Creates an allocation of zeros for tests.
    #[cfg(test)]
    pub fn new(name: &str, base: u64, size: u64, writable: bool) -> Region {
        Region::try_new(name, base, size, writable).expect("memory for a test")
    }

    /// Creates an allocation that holds a poison, and holds it again after each [`Region::renew`]. Returns `None` if the host lacks the
    /// memory.
    pub fn poisoned(name: &str, base: u64, size: u64, poison: u32) -> Option<Region> {
        let mut region = Region::try_new(name, base, size, true)?;
        region.renewed = Some(PoisonRenewal::new(size, poison)?);
        Some(region)
    }

    /// Creates an allocation from words. The first word holds the guest address `base` rounded down to a multiple of 8. Returns `None` if
    /// the words hold fewer than `size` bytes, or do not begin at a multiple of 8 themselves.
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

    /// Permits reads up to the end of the last page. `words` has the contents, and begins at the same address as the allocation's own
    /// words.
    pub fn with_page(mut self, words: Words) -> Region {
        let end = self.base.saturating_add(self.size);
        let size = end.next_multiple_of(PAGE) - self.base;
        let page = Region::over(&self.name, self.base, size, false, words);
        self.beyond = page.map(|page| Box::new(ReadableTail::new(page)));
        self
    }

    /// Lets the host reach the last dword as a whole, as kernels do, so that it sees bytes that kernels write behind the end.
    pub fn with_last_dword(mut self) -> Region {
        self.held = self.reach.1;
        self
    }

    /// Marks the allocation as shared by several GPUs.
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

    /// Returns the offset of the first byte that the host reaches, and the number of such bytes.
    pub(super) fn host_range(&self) -> (u64, u64) {
        (self.offset(self.base), self.held - self.base)
    }

    /// Returns the first address that kernels reach.
    pub(super) fn first(&self) -> u64 {
        self.reach.0
    }

    /// Returns the offset of a guest address, as the other methods use it.
    #[inline(always)]
    pub fn offset(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start)
    }

    /// Returns the first and the last offset at which kernels reach `bytes` bytes.
    #[inline(always)]
    pub fn offsets(&self, bytes: u64) -> (u64, u64) {
        let (from, to) = self.reach;
        let last = to.saturating_sub(bytes).min(self.end.wrapping_sub(1));
        (from - self.start, last.saturating_sub(self.start))
    }

    /// Returns the words from byte `offset` on, which must be a multiple of 4.
    #[inline(always)]
    pub fn words_at(&self, offset: u64) -> &[AtomicU32] {
        self.words.get((offset / 4) as usize..).unwrap_or(&[])
    }

    /// Returns the pair of words at an offset, a multiple of 8, that the caller has checked.
    #[inline(always)]
    fn pair(&self, offset: u64) -> &Pair {
        #[repr(align(8))]
        struct Nowhere(Pair);
        static NOWHERE: Nowhere = Nowhere([AtomicU32::new(0), AtomicU32::new(0)]);
        self.words_at(offset).first_chunk().unwrap_or(&NOWHERE.0)
    }

    /// Returns the word at an index. Callers have checked the range; an index beyond the end gives a dummy word.
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

    /// Reads two dwords in one access, at an offset that is a multiple of 8 and that the caller has checked.
    #[inline(always)]
    pub fn read64(&self, offset: u64) -> u64 {
        single::load64(self.pair(offset))
    }

    /// Writes two dwords in one access, at an offset that is a multiple of 8 and that the caller has checked.
    #[inline(always)]
    pub fn write64(&self, offset: u64, value: u64) {
        single::store64(self.pair(offset), value);
    }

    /// Reads dwords at an offset that the caller has checked, each aligned pair in one access.
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

    /// Writes dwords at an offset that the caller has checked, each aligned pair in one access.
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

    /// Writes the low `bytes` (1, 2 or 4) of a value at any offset that the caller has checked, in one access if the offset is a multiple
    /// of `bytes`.
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

    /// Replaces the dword at an offset that is a multiple of 4, and returns the old value.
    #[inline(always)]
    pub fn update32(&self, offset: u64, f: impl Fn(u32) -> u32) -> u32 {
        single::update32(self.word(offset / 4), f)
    }

    /// Replaces the 64-bit value at an offset that is a multiple of 8, and returns the old value.
    #[inline(always)]
    pub fn update64(&self, offset: u64, f: impl Fn(u64) -> u64) -> u64 {
        single::update64(self.pair(offset), f)
    }

    /// Copies bytes out, each aligned unit of 8 bytes in one access.
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

    /// Copies bytes in, each aligned unit of 8 bytes in one access.
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

    /// Writes fewer than 8 bytes, an aligned dword in one access.
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

    /// Restores the poison, if the allocation has one.
    pub fn renew(&self) {
        if let Some(renewed) = &self.renewed {
            renewed.renew();
        }
    }

    /// Prepares bytes for an access: poisons their blocks if the present user has not touched them.
    #[inline(always)]
    pub(super) fn touch(&self, offset: u64, bytes: u64) {
        if let Some(renewed) = &self.renewed {
            renewed.touch(&self.words, offset, bytes);
        }
    }

    /// Prepares `bytes` bytes from each offset on for an access.
    #[inline(always)]
    pub(super) fn touch_all(&self, offsets: &[u32], bytes: u64) {
        if let Some(renewed) = &self.renewed {
            renewed.touch_all(&self.words, offsets, bytes);
        }
    }
}

/// Returns the number of bytes before the first multiple of 8.
fn head(offset: u64, len: usize) -> usize {
    ((offset.next_multiple_of(8) - offset) as usize).min(len)
}

#[cfg(test)]
mod tests;
