//! Global wave sync: the barrier of a grid whose groups are all resident.
//!
//! Source: the Vega 7nm ISA, `DS_GWS_INIT` and `DS_GWS_BARRIER`, and the device library that compilers link into kernels: the runtime sets
//! the count to the number of groups less one before the grid begins, one wave of each group arrives, and the last wave releases all others
//! and resets the count.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// The only GWS resource of a cooperative launch.
pub struct Gws {
    /// Number of waves that still arrive before the releasing wave.
    left: Mutex<u32>,
    /// Number of releases.
    released: AtomicU64,
}

impl Gws {
    /// Creates a barrier at which one wave of each group arrives.
    pub fn new(groups: u64) -> Gws {
        Gws {
            left: Mutex::new(u32::try_from(groups.saturating_sub(1)).unwrap_or(u32::MAX)),
            released: AtomicU64::new(0),
        }
    }

    /// Sets the number of waves that arrive before the releasing wave.
    pub fn init(&self, count: u32) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = count;
    }

    /// Registers a wave's arrival, with the count for the next round. Returns the number of releases that the wave must see exceeded, or
    /// `None` for the last wave, which has released the others.
    pub fn arrive(&self, count: u32) -> Option<u64> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if *left == 0 {
            *left = count;
            self.released.fetch_add(1, SeqCst);
            return None;
        }
        *left -= 1;
        Some(self.released.load(SeqCst))
    }

    /// Returns the number of releases.
    pub fn released(&self) -> u64 {
        self.released.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wave_releases_the_others_and_sets_the_count_anew() {
        let gws = Gws::new(3);
        assert_eq!(gws.arrive(1), Some(0));
        assert_eq!(gws.arrive(1), Some(0));
        assert_eq!(gws.arrive(1), None);
        assert_eq!(gws.released(), 1);
        assert_eq!(gws.arrive(0), Some(1));
        assert_eq!(gws.arrive(0), None);
        assert_eq!(gws.arrive(0), None, "a barrier of one");
        gws.init(1);
        assert_eq!(gws.arrive(0), Some(3));
    }
}
