//! Memory pools: what they have given out, and what a card would still hold back for them.
//!
//! Here freed memory goes back at once; only the figures follow HIP's rules.

use std::collections::HashMap;

use crate::boundary::Address;
use crate::handles::{Handles, Tag};

/// Bytes now, and the most since the last reset of the figure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauge {
    /// Now.
    pub now: u64,
    /// At most.
    pub high: u64,
}

impl Gauge {
    fn set(&mut self, now: u64) {
        self.now = now;
        self.high = self.high.max(now);
    }
}

/// A pool.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Which memory may be used again when; on, unless the program says otherwise. It changes nothing here.
    pub reuse: [i32; 3],
    /// Bytes that a card holds back instead of giving them to the system.
    pub threshold: u64,
    /// Bytes that the program has.
    pub used: Gauge,
    /// Bytes that a card would have taken from the system.
    pub reserved: Gauge,
    /// Destroyed, but for what the program still has of it.
    closed: bool,
}

impl Pool {
    fn new() -> Pool {
        Pool {
            reuse: [1; 3],
            threshold: 0,
            used: Gauge::default(),
            reserved: Gauge::default(),
            closed: false,
        }
    }

    /// Gives back what is unused, but for so many bytes.
    pub fn trim(&mut self, keep: u64) {
        let kept = self.reserved.now.min(keep);
        self.reserved.set(kept.max(self.used.now));
    }
}

/// Every pool of the device.
pub struct Pools {
    held: Handles<Pool>,
    /// The one that is there from the first on.
    pub default: Address,
    /// The one that `hipMallocAsync` takes from.
    pub current: Address,
    /// Pool and size of what came from one, by address.
    owners: HashMap<Address, (Address, u64)>,
}

impl Default for Pools {
    fn default() -> Pools {
        let mut held = Handles::new(Tag::Pool);
        let default = held.insert(Pool::new());
        Pools {
            held,
            default,
            current: default,
            owners: HashMap::new(),
        }
    }
}

impl Pools {
    /// A new pool; its handle.
    pub fn create(&mut self) -> Address {
        self.held.insert(Pool::new())
    }

    /// A pool that was not destroyed.
    pub fn get(&mut self, pool: Address) -> Option<&mut Pool> {
        self.held.get_mut(pool).filter(|pool| !pool.closed)
    }

    /// Destroys a pool of the program's: its handle is one no more. Whether there was such a pool.
    pub fn destroy(&mut self, handle: Address) -> bool {
        let default = self.default;
        let Some(pool) = self.get(handle).filter(|_| handle != default) else {
            return false;
        };
        pool.closed = true;
        if pool.used.now == 0 {
            self.held.remove(handle);
        }
        if self.current == handle {
            self.current = default;
        }
        true
    }

    /// Notes what a pool has given out.
    pub fn took(&mut self, pool: Address, address: Address, bytes: u64) {
        if let Some(known) = self.held.get_mut(pool) {
            known.used.set(known.used.now + bytes);
            known.reserved.set(known.reserved.now.max(known.used.now));
            self.owners.insert(address, (pool, bytes));
        }
    }

    /// Notes that an allocation is free, should it have come from a pool.
    pub fn freed(&mut self, address: Address) {
        let Some((handle, bytes)) = self.owners.remove(&address) else {
            return;
        };
        if let Some(pool) = self.held.get_mut(handle) {
            pool.used.set(pool.used.now - bytes);
            pool.trim(pool.threshold);
            if pool.closed && pool.used.now == 0 {
                self.held.remove(handle);
            }
        }
    }

    /// The pool that an allocation came from.
    pub fn owner(&self, address: Address) -> Option<Address> {
        self.owners.get(&address).map(|(pool, _)| *pool)
    }

    /// Forgets everything but the default pool, which is as at the start.
    pub fn reset(&mut self) {
        self.held.clear().for_each(drop);
        self.owners.clear();
        self.default = self.held.insert(Pool::new());
        self.current = self.default;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_holds_back_up_to_its_threshold() {
        let mut pools = Pools::default();
        let pool = pools.create();
        pools.took(pool, 0x1000, 100);
        pools.took(pool, 0x2000, 50);
        pools.get(pool).expect("there").threshold = 120;
        pools.freed(0x1000);
        let figures = pools.get(pool).expect("there").clone();
        assert_eq!((figures.used.now, figures.used.high), (50, 150));
        assert_eq!((figures.reserved.now, figures.reserved.high), (120, 150));
        pools.get(pool).expect("there").trim(0);
        assert_eq!(pools.get(pool).expect("there").reserved.now, 50);
    }

    #[test]
    fn a_destroyed_pool_lives_as_long_as_its_memory() {
        let mut pools = Pools::default();
        let pool = pools.create();
        pools.current = pool;
        pools.took(pool, 0x1000, 100);
        assert!(pools.destroy(pool) && !pools.destroy(pool));
        assert!(pools.get(pool).is_none() && pools.current == pools.default);
        assert_eq!(pools.owner(0x1000), Some(pool));
        pools.freed(0x1000);
        assert!(pools.held.get(pool).is_none());
        assert!(!pools.destroy(pools.default));
    }
}
