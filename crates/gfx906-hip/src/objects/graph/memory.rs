//! Memory that graphs own: it exists from the creation of its node until the graph and all that was instantiated of it are destroyed.

use std::collections::BTreeMap;

use crate::boundary::Address;
use crate::objects::pool::Gauge;

/// Memory of all graphs.
#[derive(Default)]
pub struct GraphMemory {
    /// Bytes of each allocation, by address.
    sizes: BTreeMap<Address, u64>,
    /// Bytes of all allocations.
    pub bytes: Gauge,
}

impl GraphMemory {
    /// Returns true for an allocation of a graph.
    pub fn contains(&self, address: Address) -> bool {
        self.sizes.contains_key(&address)
    }

    /// Adds an allocation.
    pub fn insert(&mut self, address: Address, bytes: u64) {
        self.sizes.insert(address, bytes);
        self.bytes.set(self.bytes.now + bytes);
    }

    /// Removes an allocation. Returns false if there is none.
    pub fn remove(&mut self, address: Address) -> bool {
        let bytes = self.sizes.remove(&address);
        self.bytes.set(self.bytes.now - bytes.unwrap_or(0));
        bytes.is_some()
    }

    /// Forgets all allocations and the highest number of bytes.
    pub fn clear(&mut self) {
        *self = GraphMemory::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_follow_the_allocations() {
        let mut memory = GraphMemory::default();
        memory.insert(0x1000, 64);
        memory.insert(0x2000, 8);
        assert!(memory.contains(0x1000) && !memory.contains(0x1001));
        assert!(memory.remove(0x1000) && !memory.remove(0x1000));
        assert_eq!((memory.bytes.now, memory.bytes.high), (8, 72));
    }
}
