//! Map of one bit per byte, which the workers of a dispatch share.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Map with a bit for each of some bytes.
#[derive(Debug)]
pub struct Bits(Vec<AtomicU64>);

/// Iterates over the words of a range, with a mask of the range's bits in each.
fn words(range: Range<u64>) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (range.start / 64, range.end.saturating_sub(1) / 64);
    let some = if range.is_empty() {
        0
    } else {
        last - first + 1
    };
    (first..first + some).map(move |word| {
        let low = range.start.saturating_sub(64 * word);
        let high = (range.end - 64 * word).min(64);
        (word as usize, !0 >> (64 - (high - low)) << low)
    })
}

impl Bits {
    /// Creates a map of `bytes` bits, all of them set.
    pub fn all_set(bytes: u64) -> Bits {
        Bits(
            (0..bytes.div_ceil(64))
                .map(|_| AtomicU64::new(!0))
                .collect(),
        )
    }

    /// Returns the first clear bit of a range.
    #[inline]
    pub fn first_clear(&self, range: Range<u64>) -> Option<u64> {
        self.first(range, |word| !word)
    }

    /// Returns the first set bit of a range.
    pub fn first_set(&self, range: Range<u64>) -> Option<u64> {
        self.first(range, |word| word)
    }

    #[inline]
    fn first(&self, range: Range<u64>, of: impl Fn(u64) -> u64) -> Option<u64> {
        words(range).find_map(|(word, mask)| {
            let found = of(self.0.get(word)?.load(Relaxed)) & mask;
            (found != 0).then(|| 64 * word as u64 + u64::from(found.trailing_zeros()))
        })
    }

    /// Sets or clears the bits of a range. Another worker's bits in the same word keep their value.
    #[inline]
    pub fn set(&self, range: Range<u64>, set: bool) {
        for (at, mask) in words(range) {
            let Some(word) = self.0.get(at) else {
                continue;
            };
            let old = word.load(Relaxed);
            match set {
                true if old & mask != mask => {
                    word.fetch_or(mask, Relaxed);
                }
                false if old & mask != 0 => {
                    word.fetch_and(!mask, Relaxed);
                }
                _ => {}
            }
        }
    }
}
