//! Allocations that streams will free: `hipFreeAsync`. Until then, an allocation on the same stream may take them over.

use std::collections::BTreeMap;

use crate::boundary::Address;
use crate::queue::LaneId;

/// Allocations that wait to be freed, each with the lane of its stream and the number of the free.
#[derive(Default)]
pub struct PendingFrees {
    last: u64,
    waiting: BTreeMap<Address, (LaneId, u64)>,
}

impl PendingFrees {
    /// Adds a free on a lane and returns its number. The result is none if a stream will free the allocation already.
    pub fn add(&mut self, address: Address, lane: LaneId) -> Option<u64> {
        if self.waiting.contains_key(&address) {
            return None;
        }
        self.last += 1;
        self.waiting.insert(address, (lane, self.last));
        Some(self.last)
    }

    /// Removes a free whose turn has come. Returns false if the allocation has been taken over since.
    pub fn end(&mut self, address: Address, number: u64) -> bool {
        let due = self
            .waiting
            .get(&address)
            .is_some_and(|free| free.1 == number);
        if due {
            self.waiting.remove(&address);
        }
        due
    }

    /// Takes over an allocation that a lane will free and that satisfies a condition.
    pub fn take_over(
        &mut self,
        lane: LaneId,
        mut fits: impl FnMut(Address) -> bool,
    ) -> Option<Address> {
        let mut waiting = self.waiting.iter();
        let (&address, _) = waiting.find(|&(&address, free)| free.0 == lane && fits(address))?;
        self.waiting.remove(&address);
        Some(address)
    }

    /// Forgets all frees.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_that_is_taken_over_is_not_freed() {
        let mut frees = PendingFrees::default();
        let first = frees.add(0x1000, 1).expect("not freed yet");
        assert_eq!(frees.add(0x1000, 1), None, "freed twice");
        assert_eq!(frees.take_over(2, |_| true), None, "another stream");
        assert_eq!(frees.take_over(1, |_| false), None);
        assert_eq!(frees.take_over(1, |_| true), Some(0x1000));
        let second = frees.add(0x1000, 1).expect("in use again");
        assert!(!frees.end(0x1000, first), "its allocation is in use");
        assert!(frees.end(0x1000, second));
        assert!(!frees.end(0x1000, second));
    }
}
