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

/// The pool of an allocation.
struct Owner {
    pool: Address,
    bytes: u64,
    /// False once a stream will free the allocation.
    used: bool,
}

/// Table of all pools of the device.
pub struct Pools {
    held: Handles<Pool>,
    /// Default pool, which always exists.
    pub default: Address,
    /// Pool that `hipMallocAsync` allocates from.
    pub current: Address,
    /// The owner of each allocation from a pool, by address.
    owners: HashMap<Address, Owner>,
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
        if !self.owners.values().any(|owner| owner.pool == handle) {
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
            let used = true;
            self.owners.insert(address, Owner { pool, bytes, used });
        }
    }

    /// Notes that a stream will free an allocation, which the program uses no more, or that the program uses it again.
    pub fn set_used(&mut self, address: Address, used: bool) {
        let Some(owner) = self.owners.get_mut(&address) else {
            return;
        };
        if let (true, Some(pool)) = (owner.used != used, self.held.get_mut(owner.pool)) {
            owner.used = used;
            pool.used.set(match used {
                true => pool.used.now + owner.bytes,
                false => pool.used.now - owner.bytes,
            });
        }
    }

    /// Notes that an allocation is freed. It need not be from a pool.
    pub fn note_free(&mut self, address: Address) {
        self.set_used(address, false);
        let Some(owner) = self.owners.remove(&address) else {
            return;
        };
        let is_last = !self.owners.values().any(|other| other.pool == owner.pool);
        if let Some(pool) = self.held.get_mut(owner.pool) {
            pool.trim(pool.threshold);
            if pool.closed && is_last {
                self.held.remove(owner.pool);
            }
        }
    }

    /// Returns the pool of an allocation.
    pub fn owner(&self, address: Address) -> Option<Address> {
        self.owners.get(&address).map(|owner| owner.pool)
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
    fn memory_that_a_stream_will_free_is_not_in_use() {
        let mut pools = Pools::default();
        let pool = pools.create(0);
        pools.note_allocation(pool, 0x1000, 100);
        let used = |pools: &mut Pools| pools.get(pool).expect("there").used.now;
        pools.set_used(0x1000, false);
        assert_eq!(used(&mut pools), 0);
        pools.set_used(0x1000, true);
        assert_eq!(used(&mut pools), 100);
        pools.set_used(0x1000, false);
        pools.note_free(0x1000);
        assert_eq!((used(&mut pools), pools.owner(0x1000)), (0, None));
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
