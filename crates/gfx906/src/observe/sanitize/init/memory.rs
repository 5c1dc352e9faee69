//! Undefined bits of the memory that an access reaches.

use super::storage::{Lds, Scratch};
use crate::machine::access::{Part, Space};
use crate::observe::sanitize::heap::MemoryDeclarations;

/// Memory that an access of a wave reaches.
pub struct AccessedMemory<'a> {
    /// Device memory, with one bit per byte: either all bits of a byte count as undefined or none.
    pub known: &'a MemoryDeclarations,
    /// Index of the block that was found last.
    pub hint: &'a mut usize,
    /// The group's LDS.
    pub lds: &'a mut Lds,
    /// The wave's scratch.
    pub scratch: &'a mut Scratch,
}

/// Returns a word whose lowest `count` bytes are ones.
fn bytes(count: u64) -> u32 {
    u32::MAX >> (32 - 8 * count.clamp(1, 4))
}

impl AccessedMemory<'_> {
    /// Returns true if any lane may reach an undefined byte. Most accesses never do, and this test is fast.
    pub fn any(&mut self, part: &Part) -> bool {
        let dwords = part.bytes.div_ceil(4);
        match part.space {
            Space::Global => self.any_global(part),
            _ if part
                .places()
                .any(|(_, at)| at % 4 + part.bytes > 4 * dwords) =>
            {
                true
            }
            Space::Lds => {
                let each = |(_, at): (usize, u64)| {
                    (0..dwords).fold(0, |any, k| any | self.lds.get(at / 4 + k))
                };
                part.places().fold(0, |any, place| any | each(place)) != 0
            }
            Space::Scratch => {
                let each = |(lane, at): (usize, u64)| {
                    (0..dwords).fold(0, |any, k| any | self.scratch.get(lane, at / 4 + k))
                };
                part.places().fold(0, |any, place| any | each(place)) != 0
            }
        }
    }

    fn any_global(&mut self, part: &Part) -> bool {
        if self.known.is_empty() {
            return false;
        }
        let (low, high) = span(part);
        let Some((_, block)) = self.known.find(self.hint, low) else {
            return self.known.span().contains(&high);
        };
        if !block.around.contains(&high) {
            return true;
        }
        if !block.may_be_undefined() {
            return false;
        }
        // Neighbours are examined together.
        if high - low <= 128 * part.bytes {
            return block.first_undefined(low..high + part.bytes).is_some();
        }
        part.places()
            .any(|(_, at)| block.first_undefined(at..at + part.bytes).is_some())
    }

    /// Returns the undefined bits of at most four bytes.
    pub fn get(&mut self, space: Space, lane: usize, at: u64, count: u64) -> u32 {
        let joined = |low: u32, high: u32| {
            ((u64::from(low) | u64::from(high) << 32) >> (8 * (at & 3))) as u32
        };
        let both = at % 4 + count > 4;
        let bits = match space {
            Space::Lds => joined(
                self.lds.get(at / 4),
                if both { self.lds.get(at / 4 + 1) } else { 0 },
            ),
            Space::Scratch => {
                let high = if both {
                    self.scratch.get(lane, at / 4 + 1)
                } else {
                    0
                };
                joined(self.scratch.get(lane, at / 4), high)
            }
            Space::Global => match self.known.find(self.hint, at) {
                Some((_, block)) if block.may_be_undefined() => (0..count).fold(0, |bits, k| {
                    let undefined = block.first_undefined(at + k..at + k + 1).is_some();
                    bits | if undefined { 0xff << (8 * k) } else { 0 }
                }),
                _ => 0,
            },
        };
        bits & bytes(count)
    }

    /// Sets the undefined bits of at most four bytes.
    pub fn put(&mut self, space: Space, lane: usize, at: u64, count: u64, bits: u32) {
        match space {
            Space::Global => {
                let Some((_, block)) = self.known.find(self.hint, at) else {
                    return;
                };
                if block.may_be_undefined() {
                    for k in 0..count {
                        block.define(at + k..at + k + 1, bits >> (8 * k) & 0xff != 0xff);
                    }
                }
            }
            _ if at.is_multiple_of(4) && count == 4 => self.put_dword(space, lane, at / 4, bits),
            _ => {
                for k in 0..count {
                    let (at, byte) = (at + k, bits >> (8 * k) & 0xff);
                    let shift = 8 * (at & 3);
                    let old = match space {
                        Space::Lds => self.lds.get(at / 4),
                        _ => self.scratch.get(lane, at / 4),
                    };
                    self.put_dword(space, lane, at / 4, old & !(0xff << shift) | byte << shift);
                }
            }
        }
    }

    fn put_dword(&mut self, space: Space, lane: usize, dword: u64, bits: u32) {
        match space {
            Space::Lds => self.lds.put(dword, bits),
            _ => self.scratch.put(lane, dword, bits),
        }
    }

    /// Marks all bytes that the lanes reach as written.
    pub fn define(&mut self, part: &Part) {
        if part.space == Space::Global {
            let (low, high) = span(part);
            let Some((_, block)) = self.known.find(self.hint, low) else {
                if self.known.span().contains(&high) {
                    self.each(part);
                }
                return;
            };
            if !block.around.contains(&high) {
                return self.each(part);
            }
            if !block.may_be_undefined() {
                return;
            }
            // The lanes write `all` bytes if no two of them overlap. A range of exactly this size then has no gap.
            let all = u64::from(part.lanes.count_ones()) * part.bytes;
            let follows = |first: u64| {
                let mut at = first;
                part.places().all(|(_, place)| {
                    let next = place == at;
                    at += part.bytes;
                    next
                })
            };
            if high + part.bytes - low == all && follows(low) {
                block.define(low..high + part.bytes, true);
                return;
            }
        }
        self.each(part);
    }

    fn each(&mut self, part: &Part) {
        for (lane, at) in part.places() {
            for k in (0..part.bytes).step_by(4) {
                self.put(part.space, lane, at + k, (part.bytes - k).min(4), 0);
            }
        }
    }
}

/// Returns the lowest and the highest address.
fn span(part: &Part) -> (u64, u64) {
    part.places().fold((u64::MAX, 0), |(low, high), (_, at)| {
        (low.min(at), high.max(at))
    })
}
