//! Saved moments of a launch, from which any earlier moment is reached by running again.

use gfx906::machine::{SavedLaunch, Stepper};

/// Instructions between two saved moments, at first.
const INTERVAL: u64 = 100_000;
/// Largest number of saved moments of a launch.
const MOST: usize = 32;
/// Memory in bytes that the saved moments of a launch may take, beside the first moment.
const ROOM: u64 = 1 << 30;

/// Addresses of the last instruction of each wave of a group; none before a wave's first instruction.
pub type LastAddresses = [Option<u64>; 16];

/// A moment of a launch.
pub struct Checkpoint {
    /// The launch.
    pub saved: SavedLaunch,
    /// The last instructions before the moment.
    pub last: LastAddresses,
}

/// The saved moments of a launch, the earliest first. The first moment is the launch's beginning.
pub struct History {
    checkpoints: Vec<Checkpoint>,
    interval: u64,
    /// Number of instructions at which the next moment is saved.
    next: u64,
}

impl History {
    /// Saves the beginning of a launch.
    pub fn new(stepper: &Stepper) -> History {
        History {
            checkpoints: vec![Checkpoint {
                saved: stepper.save(),
                last: LastAddresses::default(),
            }],
            interval: INTERVAL,
            next: INTERVAL,
        }
    }

    /// Saves the present moment if it is time.
    #[inline]
    pub fn keep(&mut self, stepper: &Stepper, last: &LastAddresses) {
        if stepper.instructions() == self.next {
            self.save(stepper, *last);
        }
    }

    #[cold]
    fn save(&mut self, stepper: &Stepper, last: LastAddresses) {
        let saved = stepper.save();
        self.checkpoints.push(Checkpoint { saved, last });
        while self.checkpoints.len() > MOST || (self.size() > ROOM && self.checkpoints.len() > 1) {
            let mut number = 0;
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.interval = self.interval.saturating_mul(2);
        }
        let newest = self.latest(u64::MAX).saved.instructions();
        self.next = newest.saturating_add(self.interval).max(self.next + 1);
    }

    /// Returns the memory of all moments but the first in bytes.
    fn size(&self) -> u64 {
        let later = self.checkpoints.iter().skip(1);
        later.map(|checkpoint| checkpoint.saved.size()).sum()
    }

    /// Returns the latest saved moment that has at most this number of instructions before it.
    pub fn latest(&self, instructions: u64) -> &Checkpoint {
        let after = self
            .checkpoints
            .partition_point(|checkpoint| checkpoint.saved.instructions() <= instructions);
        &self.checkpoints[after.saturating_sub(1)]
    }
}
