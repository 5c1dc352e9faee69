//! Order in which work-groups begin and the waves of a group take turns. A card promises no order: a correct kernel is correct in every
//! order.

use std::fmt;
use std::str::FromStr;

/// Largest number of waves of a work-group.
pub const WAVES: usize = 16;

/// An order of groups and waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Ascending.
    #[default]
    InOrder,
    /// Descending.
    Reverse,
    /// A random order by this seed: a permutation of the groups, another of the waves in each round of turns, and turns of random lengths.
    Random(u64),
}

impl Schedule {
    /// Returns the group that begins at a position of the order.
    pub fn group(self, place: u64, groups: u64) -> u64 {
        match self {
            Schedule::InOrder => place,
            Schedule::Reverse => groups - 1 - place,
            Schedule::Random(seed) => permuted(place, groups, seed),
        }
    }

    /// Returns the order of a group's waves in a round, and the length of their turns, given the usual length.
    pub fn round(self, waves: usize, group: u64, round: u64, turn: u64) -> ([u8; WAVES], u64) {
        let mut order = std::array::from_fn(|at| at as u8);
        match self {
            Schedule::InOrder => (order, turn),
            Schedule::Reverse => {
                order[..waves].reverse();
                (order, turn)
            }
            Schedule::Random(seed) => {
                let mut state = mixed(seed ^ mixed(group) ^ mixed(round.rotate_left(32)));
                for at in (1..waves).rev() {
                    state = mixed(state);
                    order.swap(at, (state % (at as u64 + 1)) as usize);
                }
                (order, 1 + mixed(state) % (2 * turn))
            }
        }
    }
}

/// Mixes a number so that every bit of the result depends on every bit of the argument (the finaliser of SplitMix64; Steele, Lea and Flood,
/// 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Maps a number through a permutation of `0..count`: four Feistel rounds on as many bits as the range needs, repeated until the result is
/// in range.
fn permuted(place: u64, count: u64, seed: u64) -> u64 {
    let half = (64 - count.leading_zeros()).div_ceil(2).max(1);
    let mask = (1 << half) - 1;
    let mut at = place;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for round in 0..4 {
            let next = left ^ mixed(right ^ mixed(seed ^ round)) & mask;
            (left, right) = (right, next);
        }
        at = left << half | right;
        if at < count {
            return at;
        }
    }
}

/// A text that names no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no schedule: in-order, reverse, random or random=SEED")]
pub struct UnknownSchedule(String);

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Schedule, UnknownSchedule> {
        let seed = |text: &str| text.parse().ok().map(Schedule::Random);
        let found = match text.split_once('=') {
            None if text == "in-order" => Some(Schedule::InOrder),
            None if text == "reverse" => Some(Schedule::Reverse),
            None if text == "random" => Some(Schedule::Random(0)),
            Some(("random", number)) => seed(number),
            _ => None,
        };
        found.ok_or_else(|| UnknownSchedule(text.into()))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::InOrder => f.write_str("in-order"),
            Schedule::Reverse => f.write_str("reverse"),
            Schedule::Random(seed) => write!(f, "random={seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_group_has_its_turn_once() {
        for schedule in [Schedule::InOrder, Schedule::Reverse, Schedule::Random(7)] {
            for groups in [1, 2, 3, 64, 65, 1000] {
                let order: Vec<u64> = (0..groups).map(|at| schedule.group(at, groups)).collect();
                let all: BTreeSet<u64> = order.iter().copied().collect();
                assert_eq!(all, (0..groups).collect(), "{schedule} of {groups}");
                let ascending = order.is_sorted();
                let plain = schedule == Schedule::InOrder || groups == 1;
                assert!(ascending == plain || groups < 4, "{schedule} of {groups}");
            }
        }
    }

    #[test]
    fn every_wave_has_its_turn_once_a_round() {
        let mut orders = BTreeSet::new();
        for round in 0..50 {
            let (order, length) = Schedule::Random(1).round(5, 3, round, 128);
            let waves: BTreeSet<u8> = order[..5].iter().copied().collect();
            assert_eq!(waves, (0..5).collect());
            assert!((1..=256).contains(&length));
            orders.insert(order);
        }
        assert!(orders.len() > 20, "{} orders", orders.len());
        assert_eq!(Schedule::Reverse.round(3, 0, 0, 9).0[..3], [2, 1, 0]);
    }

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        for schedule in [Schedule::InOrder, Schedule::Reverse, Schedule::Random(9)] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        assert_eq!("random".parse(), Ok(Schedule::Random(0)));
        for text in ["", "sideways", "random=", "random=x", "reverse=1"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
