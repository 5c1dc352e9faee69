//! Memory pools: their allocations, and the memory that a card would keep for them.
//!
//! Freed memory goes back to the system at once. Only the figures follow HIP's rules.

use std::collections::HashMap;

use crate::boundary::Address;
use crate::handles::{Handles, Tag};

/// Number of bytes, and its highest value since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauge {
    /// Current value.
    pub now: u64,
    /// Highest value.
    pub high: u64,
}

impl Gauge {
    /// Sets the current value.
    pub fn set(&mut self, now: u64) {
        self.now = now;
        self.high = self.high.max(now);
    }
}

/// Memory pool.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Flags for the reuse of memory. They are on unless the program clears them, and have no effect.
    pub reuse: [i32; 3],
    /// Bytes that a card keeps instead of giving them back to the system.
    pub threshold: u64,
    /// Most bytes that the pool gives out at a time, or 0 for no limit.
    pub most: u64,
    /// Bytes in use by the program.
    pub used: Gauge,
    /// Bytes that a card would have taken from the system.
    pub reserved: Gauge,
    /// True for a destroyed pool of which the program still has allocations.
    closed: bool,
}

impl Pool {
    fn new() -> Pool {
        Pool {
            reuse: [1; 3],
            threshold: 0,
            most: 0,
            used: Gauge::default(),
            reserved: Gauge::default(),
            closed: false,
        }
    }

    /// Returns true if the pool may give out that many bytes more.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.most == 0 || self.used.now.saturating_add(bytes) <= self.most
    }

    /// Gives back unused memory except for `keep` bytes.
    pub fn trim(&mut self, keep: u64) {
        let kept = self.reserved.now.min(keep);
        self.reserved.set(kept.max(self.used.now));
    }
}

/// Table of all pools of the device.
pub struct Pools {
    held: Handles<Pool>,
    /// Default pool, which always exists.
    pub default: Address,
    /// Pool that `hipMallocAsync` allocates from.
    pub current: Address,
    /// Pool and size of each allocation from a pool, by address.
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
    /// Creates a pool that gives out at most `most` bytes at a time, or any number if it is 0. Returns its handle.
    pub fn create(&mut self, most: u64) -> Address {
        self.held.insert(Pool {
            most,
            ..Pool::new()
        })
    }

    /// Returns a pool, unless it has been destroyed.
    pub fn get(&mut self, pool: Address) -> Option<&mut Pool> {
        self.held.get_mut(pool).filter(|pool| !pool.closed)
    }

    /// Destroys a pool of the program. Returns false if there is no such pool.
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

    /// Notes an allocation from a pool.
    pub fn note_allocation(&mut self, pool: Address, address: Address, bytes: u64) {
        if let Some(owner) = self.held.get_mut(pool) {
            owner.used.set(owner.used.now + bytes);
            owner.reserved.set(owner.reserved.now.max(owner.used.now));
            self.owners.insert(address, (pool, bytes));
        }
    }

    /// Notes that an allocation is freed. It need not be from a pool.
    pub fn note_free(&mut self, address: Address) {
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

    /// Returns the pool of an allocation.
    pub fn owner(&self, address: Address) -> Option<Address> {
        self.owners.get(&address).map(|(pool, _)| *pool)
    }

    /// Forgets all pools except the default pool, which is reset.
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
        let pool = pools.create(0);
        pools.note_allocation(pool, 0x1000, 100);
        pools.note_allocation(pool, 0x2000, 50);
        pools.get(pool).expect("there").threshold = 120;
        pools.note_free(0x1000);
        let figures = pools.get(pool).expect("there").clone();
        assert_eq!((figures.used.now, figures.used.high), (50, 150));
        assert_eq!((figures.reserved.now, figures.reserved.high), (120, 150));
        pools.get(pool).expect("there").trim(0);
        assert_eq!(pools.get(pool).expect("there").reserved.now, 50);
    }

    #[test]
    fn a_destroyed_pool_lives_as_long_as_its_memory() {
        let mut pools = Pools::default();
        let pool = pools.create(0);
        pools.current = pool;
        pools.note_allocation(pool, 0x1000, 100);
        assert!(pools.destroy(pool) && !pools.destroy(pool));
        assert!(pools.get(pool).is_none() && pools.current == pools.default);
        assert_eq!(pools.owner(0x1000), Some(pool));
        pools.note_free(0x1000);
        assert!(pools.held.get(pool).is_none());
        assert!(!pools.destroy(pools.default));
    }
}
