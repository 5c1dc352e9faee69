//! 64-byte lines that an access touches, and the bytes of each.

use crate::machine::LANES;

/// Size of a line in bytes.
pub const LINE: u64 = 64;

/// Number of lines that vector memory instructions request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines that the instructions touch, counted per instruction.
    pub lines: u64,
    /// Lines that the same number of distinct bytes would fill.
    pub ideal: u64,
}

impl LineCounts {
    /// Adds another count.
    pub fn add(&mut self, other: LineCounts) {
        self.lines += other.lines;
        self.ideal += other.ideal;
    }
}

/// Lines of one access, each with a mask of its bytes: bit n stands for byte n.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<(u64, u64)>);

impl Lines {
    /// Removes all lines.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds bytes from an address on.
    #[inline]
    pub fn add(&mut self, address: u64, bytes: u64) {
        let (mut at, end) = (address, address.saturating_add(bytes));
        while at < end {
            let (line, first) = (at / LINE, at % LINE);
            let count = (LINE - first).min(end - at);
            let mask = (!0u64 >> (LINE - count)) << first;
            match self.0.last_mut() {
                Some((last, bits)) if *last == line => *bits |= mask,
                _ => self.0.push((line, mask)),
            }
            at += count;
        }
    }

    /// Adds bytes of a line, as a mask.
    pub fn add_bits(&mut self, line: u64, bits: u64) {
        self.0.push((line, bits));
    }

    /// Adds the elements of lanes.
    pub fn add_lanes(&mut self, lanes: u64, at: &[u64; LANES], bytes: u64) {
        for (lane, &address) in at.iter().enumerate() {
            if lanes >> lane & 1 != 0 {
                self.add(address, bytes);
            }
        }
    }

    /// Merges the entries of each line.
    pub fn merge(&mut self) {
        if self.0.is_sorted_by(|a, b| a.0 < b.0) {
            return;
        }
        self.0.sort_unstable();
        self.0.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
    }

    /// Iterates over the lines and their bytes.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Returns the number of requested lines, merged, and the smallest number that would suffice.
    pub fn asked(&self) -> LineCounts {
        let bytes: u64 = self
            .0
            .iter()
            .map(|(_, bits)| u64::from(bits.count_ones()))
            .sum();
        LineCounts {
            lines: self.0.len() as u64,
            ideal: bytes.div_ceil(LINE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(at: impl Fn(u64) -> u64, bytes: u64) -> (u64, u64) {
        let mut lines = Lines::default();
        lines.add_lanes(!0, &std::array::from_fn(|lane| at(lane as u64)), bytes);
        lines.merge();
        let LineCounts { lines, ideal } = lines.asked();
        (lines, ideal)
    }

    #[test]
    fn lines_are_counted_once_each() {
        assert_eq!(asked(|lane| 4096 + 4 * lane, 4), (4, 4));
        assert_eq!(asked(|lane| 4096 + 16 * lane, 16), (16, 16));
        assert_eq!(asked(|lane| 4096 + 512 * lane, 4), (64, 4));
        assert_eq!(asked(|_| 4096, 4), (1, 1));
        assert_eq!(asked(|lane| 4096 + 4 * (63 - lane), 4), (4, 4));
        assert_eq!(asked(|lane| 4096 + 4 * (lane * 37 % 64), 4), (4, 4));
        assert_eq!(
            asked(|lane| 4096 + 32 + 4 * lane, 4),
            (5, 4),
            "across a border"
        );
        assert_eq!(asked(|lane| 4096 + 64 * (lane % 2), 4), (2, 1));
        assert_eq!(asked(|_| 4096 + 60, 8), (2, 1));
    }
}
