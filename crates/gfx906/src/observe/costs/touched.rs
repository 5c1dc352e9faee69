//! Exact map of the bytes of device memory that were read and written, with one bit per byte.

use std::collections::HashMap;

use super::lines::{LINE, Lines};
use crate::observe::Bytes;

/// Lines per page.
const PAGE: u64 = 64;

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
}
