//! Memory accesses as a record keeps them: most have their lanes' addresses at equal distances.

use crate::machine::LANES;
use crate::machine::access::{Part, Space, Word};
use crate::machine::shapes::addresses::each;

/// The elements of the lanes: a [`Part`] that takes less room.
pub(super) struct LaneElements {
    pub(super) space: Space,
    pub(super) lanes: u64,
    pub(super) bytes: u16,
    pub(super) register: Option<u16>,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) high: bool,
    at: Places,
}

/// The starts of the lanes' elements.
enum Places {
    /// The start that lane 0 would have, and the distance between lanes.
    Even(u64, u64),
    Any(Box<[u64; LANES]>),
}

impl LaneElements {
    pub(super) fn new(part: &Part) -> LaneElements {
        let first = part.lanes.trailing_zeros() as usize % LANES;
        let others = part.lanes & !(1 << first);
        let step = match others {
            0 => 0,
            others => {
                let second = others.trailing_zeros() as usize;
                let distance = part.at[second].wrapping_sub(part.at[first]);
                (distance / (second - first) as u64) * u64::from(distance < 1 << 32)
            }
        };
        let start = part.at[first].wrapping_sub(step.wrapping_mul(first as u64));
        let even = |lane: usize| start.wrapping_add(step.wrapping_mul(lane as u64));
        let at = match each(part.lanes).all(|lane| even(lane) == part.at[lane]) {
            true => Places::Even(start, step),
            false => Places::Any(Box::new(part.at)),
        };
        LaneElements {
            space: part.space,
            lanes: part.lanes,
            bytes: part.bytes as u16,
            register: part.register,
            reads: part.reads,
            writes: part.writes,
            high: part.high,
            at,
        }
    }

    /// Returns the start of a lane's element.
    pub(super) fn at(&self, lane: usize) -> u64 {
        match &self.at {
            Places::Even(start, step) => start.wrapping_add(step.wrapping_mul(lane as u64)),
            Places::Any(at) => at[lane],
        }
    }

    /// Returns the elements in pieces of at most a dword.
    pub(super) fn words(&self) -> Vec<Word> {
        let bytes = u64::from(self.bytes);
        let of = |lane: usize| {
            (0..bytes.div_ceil(4)).map(move |number| Word {
                lane,
                number: number as u16,
                at: self.at(lane).wrapping_add(4 * number),
                bytes: (bytes - 4 * number).min(4),
            })
        };
        each(self.lanes).flat_map(of).collect()
    }
}
