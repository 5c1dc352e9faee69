//! LDS banks: the number of cycles of an access.
//!
//! 32 banks of one dword each serve 128 bytes per cycle. The lanes of a wave are served in turns that move 128 bytes: 32 lanes of up to a
//! dword, 16 of two dwords, 8 of three or four. A turn takes as many cycles as the busiest bank has distinct dwords to deliver; one dword
//! goes to any number of lanes in the same cycle. Atomics on one dword run one after another.

use crate::machine::LANES;

/// Number of banks, each one dword wide.
pub const BANKS: usize = 32;

/// Cycles of the LDS pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// Cycles of the access.
    pub taken: u64,
    /// Cycles without conflicts: one per turn.
    pub ideal: u64,
}

impl Cycles {
    /// Adds another count.
    pub fn add(&mut self, other: Cycles) {
        self.taken += other.taken;
        self.ideal += other.ideal;
    }
}

/// Returns the number of lanes in a turn for elements of this size in bytes.
pub fn lanes_a_turn(bytes: u64) -> usize {
    match bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Returns the cycles of an access by the lanes of a mask, each with `bytes` bytes from its offset on.
pub fn cycles(lanes: u64, at: &[u64; LANES], bytes: u64, atomic: bool) -> Cycles {
    let size = lanes_a_turn(bytes);
    let mut sum = Cycles::default();
    for first in (0..LANES).step_by(size) {
        let mask = lanes >> first & ((1 << size) - 1);
        if mask != 0 {
            sum.ideal += 1;
            sum.taken += turn(mask, &at[first..first + size], bytes, atomic);
        }
    }
    sum
}

/// Returns the cycles of one turn.
fn turn(lanes: u64, at: &[u64], bytes: u64, atomic: bool) -> u64 {
    // A lane uses a bank at most once, because an element has at most four dwords. A bank therefore has at most 32 dwords to deliver.
    let mut dwords = [[0u64; BANKS]; BANKS];
    let mut counts = [0usize; BANKS];
    for (_, &at) in at
        .iter()
        .enumerate()
        .filter(|(lane, _)| lanes >> lane & 1 != 0)
    {
        for dword in at / 4..=(at + bytes.max(1) - 1) / 4 {
            let bank = dword as usize % BANKS;
            let known = &dwords[bank][..counts[bank]];
            if (atomic || !known.contains(&dword)) && counts[bank] < BANKS {
                dwords[bank][counts[bank]] = dword;
                counts[bank] += 1;
            }
        }
    }
    counts.into_iter().max().unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_lane(at: impl Fn(u64) -> u64, bytes: u64) -> (u64, u64) {
        let at = std::array::from_fn(|lane| at(lane as u64));
        let Cycles { taken, ideal } = cycles(!0, &at, bytes, false);
        (taken, ideal)
    }

    #[test]
    fn a_stride_of_dwords_conflicts_as_often_as_it_has_twos() {
        for (stride, ways) in [
            (1, 1),
            (2, 2),
            (3, 1),
            (4, 4),
            (8, 8),
            (16, 16),
            (32, 32),
            (33, 1),
            (31, 1),
            (64, 32),
            (34, 2),
        ] {
            assert_eq!(
                by_lane(|lane| 4 * stride * lane, 4),
                (2 * ways, 2),
                "stride {stride}"
            );
        }
    }

    #[test]
    fn one_dword_goes_to_all_lanes_at_once() {
        assert_eq!(by_lane(|_| 64, 4), (2, 2));
        assert_eq!(by_lane(|lane| lane, 1), (2, 2), "four bytes of a dword");
        assert_eq!(by_lane(|lane| 4 * (lane / 8), 4), (2, 2));
        assert_eq!(
            by_lane(|lane| 128 * (lane % 2), 4),
            (4, 2),
            "two dwords of a bank"
        );
        assert_eq!(by_lane(|_| 64, 16), (8, 8));
    }

    #[test]
    fn wide_elements_take_a_cycle_for_each_128_bytes() {
        assert_eq!(by_lane(|lane| 8 * lane, 8), (4, 4));
        assert_eq!(by_lane(|lane| 16 * lane, 16), (8, 8));
        assert_eq!(by_lane(|lane| 12 * lane, 12), (8, 8));
        // Rows of 32 elements of 16 bytes, read by columns, have 8-way conflicts; rows of 33 elements have none.
        assert_eq!(by_lane(|lane| 16 * 32 * lane, 16), (64, 8));
        assert_eq!(by_lane(|lane| 16 * 33 * lane, 16), (8, 8));
    }

    #[test]
    fn lanes_that_are_off_cost_nothing() {
        let at = std::array::from_fn(|lane| 128 * lane as u64);
        let of = |lanes| cycles(lanes, &at, 4, false);
        assert_eq!(of(0), Cycles::default());
        assert_eq!(of(0xf), Cycles { taken: 4, ideal: 1 });
        assert_eq!(of(1 << 63 | 1), Cycles { taken: 2, ideal: 2 });
    }

    #[test]
    fn atomics_on_one_dword_take_turns() {
        let at = [8; LANES];
        assert_eq!(
            cycles(!0, &at, 4, true),
            Cycles {
                taken: 64,
                ideal: 2
            }
        );
        let at = std::array::from_fn(|lane| 4 * lane as u64);
        assert_eq!(cycles(!0, &at, 4, true), Cycles { taken: 2, ideal: 2 });
    }
}
