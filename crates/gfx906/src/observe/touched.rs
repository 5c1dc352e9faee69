//! Exact map of the bytes of device memory that were read and written, with one bit per byte.

use std::collections::HashMap;
use std::ops::Range;

use super::Bytes;
use super::costs::lines::{LINE, Lines};

/// Lines per page.
const PAGE: u64 = 64;
/// Size of a page in bytes.
pub const PAGE_BYTES: u64 = PAGE * LINE;

/// Bytes of a page, one word per line.
#[derive(Clone)]
struct Page {
    read: [u64; PAGE as usize],
    written: [u64; PAGE as usize],
}

/// Bytes that were read and written.
#[derive(Clone, Default)]
pub struct TouchedBytes {
    pages: HashMap<u64, Box<Page>>,
}

impl TouchedBytes {
    /// Adds lines of an access.
    pub fn add(&mut self, lines: &Lines, reads: bool, writes: bool) {
        let mut page: Option<(u64, &mut Page)> = None;
        for (line, bits) in lines.iter() {
            let number = line / PAGE;
            let found = match page.take() {
                Some((known, found)) if known == number => found,
                _ => self.pages.entry(number).or_insert_with(|| {
                    Box::new(Page {
                        read: [0; PAGE as usize],
                        written: [0; PAGE as usize],
                    })
                }),
            };
            let at = (line % PAGE) as usize;
            if reads {
                found.read[at] |= bits;
            }
            if writes {
                found.written[at] |= bits;
            }
            page = Some((number, found));
        }
    }

    /// Returns true if bytes of a page were read or written.
    pub fn has_page(&self, page: u64) -> bool {
        self.pages.contains_key(&page)
    }

    /// Returns the numbers of the pages that overlap a range and have bytes that were read or written, in order.
    pub fn pages(&self, range: &Range<u64>) -> Vec<u64> {
        let overlaps = |page: &u64| {
            let start = page * PAGE_BYTES;
            start < range.end && start + PAGE_BYTES > range.start
        };
        let mut pages: Vec<u64> = self.pages.keys().copied().filter(overlaps).collect();
        pages.sort_unstable();
        pages
    }

    /// Returns the bytes of a range from the first one that was touched to the last one: those read, and those written.
    pub fn extents(&self, range: &Range<u64>) -> [Option<Range<u64>>; 2] {
        let mut found = [None, None];
        for number in self.pages(range) {
            let page = &self.pages[&number];
            for (lines, found) in [&page.read, &page.written].into_iter().zip(&mut found) {
                for (&bits, line) in lines.iter().zip(number * PAGE..) {
                    let touched = bits & mask(line * LINE, range);
                    if touched != 0 {
                        let first = line * LINE + u64::from(touched.trailing_zeros());
                        let end = (line + 1) * LINE - u64::from(touched.leading_zeros());
                        let known = found.get_or_insert(first..end);
                        known.end = end;
                    }
                }
            }
        }
        found
    }

    /// Adds another worker's bytes.
    pub fn join(&mut self, other: TouchedBytes) {
        for (number, theirs) in other.pages {
            match self.pages.get_mut(&number) {
                Some(own) => {
                    let read = own.read.iter_mut().zip(theirs.read);
                    read.for_each(|(own, theirs)| *own |= theirs);
                    let written = own.written.iter_mut().zip(theirs.written);
                    written.for_each(|(own, theirs)| *own |= theirs);
                }
                None => {
                    self.pages.insert(number, theirs);
                }
            }
        }
    }

    fn sum(&self, of: impl Fn(u64) -> u64) -> Bytes {
        let mut sum = Bytes::default();
        for page in self.pages.values() {
            sum.read += page.read.iter().map(|&bits| of(bits)).sum::<u64>();
            sum.written += page.written.iter().map(|&bits| of(bits)).sum::<u64>();
        }
        sum
    }

    /// Returns the number of distinct bytes read, and of distinct bytes written.
    pub fn bytes(&self) -> Bytes {
        self.sum(|bits| bits.count_ones().into())
    }

    /// Returns the bytes of the lines that contain these bytes.
    pub fn in_lines(&self) -> Bytes {
        self.sum(|bits| u64::from(bits != 0) * LINE)
    }
}

/// Returns the bits of a line's bytes that lie in a range.
fn mask(line: u64, range: &Range<u64>) -> u64 {
    let first = range.start.saturating_sub(line).min(LINE);
    let end = range.end.saturating_sub(line).min(LINE);
    let below = |count: u64| {
        1u64.checked_shl(count as u32)
            .map_or(!0, |bit| bit.wrapping_sub(1))
    };
    below(end) & !below(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[(u64, u64)]) -> Lines {
        let mut lines = Lines::default();
        for &(at, bytes) in pieces {
            lines.add(at, bytes);
        }
        lines.merge();
        lines
    }

    #[test]
    fn a_byte_counts_once() {
        let mut one = TouchedBytes::default();
        one.add(&lines(&[(0x1000, 100), (0x1010, 4)]), true, false);
        one.add(&lines(&[(0x1000, 4), (0x1fff, 2)]), true, true);
        assert_eq!(
            one.bytes(),
            Bytes {
                read: 102,
                written: 6
            }
        );
        assert_eq!(
            one.in_lines(),
            Bytes {
                read: 256,
                written: 192
            }
        );
        let mut other = TouchedBytes::default();
        other.add(&lines(&[(0x1060, 8), (0x8000, 1)]), true, false);
        one.join(other);
        assert_eq!(
            one.bytes(),
            Bytes {
                read: 107,
                written: 6
            }
        );
    }
    #[test]
    fn extents_are_exact_within_a_range() {
        let mut touched = TouchedBytes::default();
        touched.add(
            &lines(&[(0x1004, 4), (0x2ffc, 4), (0x3000, 1)]),
            true,
            false,
        );
        touched.add(&lines(&[(0x103f, 2)]), false, true);
        assert_eq!(
            touched.extents(&(0..0x3000)),
            [Some(0x1004..0x3000), Some(0x103f..0x1041)]
        );
        assert_eq!(
            touched.extents(&(0x1006..0x2ffd)),
            [Some(0x1006..0x2ffd), Some(0x103f..0x1041)]
        );
        assert_eq!(
            touched.extents(&(0x1008..0x2ffc)),
            [None, Some(0x103f..0x1041)]
        );
        assert_eq!(touched.extents(&(0x3001..0x9000)), [None, None]);
        assert_eq!(touched.pages(&(0x1fff..0x3000)), [1, 2]);
    }
}
