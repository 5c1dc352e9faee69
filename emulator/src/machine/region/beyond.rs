//! Reads beyond an allocation's end, within its last page: a card, which maps whole pages, lets them pass. Who asks for it gets the same
//! here, and the count.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Region;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// An allocation up to the end of its last page, and what was read there.
pub struct Beyond {
    page: Region,
    reads: AtomicU64,
    farthest: AtomicU64,
}

/// Reads of kernels beyond the end of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBeyond {
    /// The allocation's name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// Reads of lanes, and of waves as a whole.
    pub reads: u64,
    /// Bytes behind the end of the farthest byte that was read, itself included.
    pub farthest: u64,
}

impl Beyond {
    /// Builds the record for an allocation whose words continue to the end of `page`.
    pub fn new(page: Region) -> Beyond {
        Beyond {
            page,
            reads: AtomicU64::new(0),
            farthest: AtomicU64::new(0),
        }
    }

    /// The page, for a read that lies in it.
    pub fn read(&self, address: u64, bytes: u64) -> Option<&Region> {
        if !self.page.covers(address, bytes) {
            return None;
        }
        self.reads.fetch_add(1, Relaxed);
        let reached = address + bytes - self.page.base;
        self.farthest.fetch_max(reached, Relaxed);
        Some(&self.page)
    }

    /// Returns the reads since the last call, for the allocation with this name and size.
    pub fn take(&self, name: &str, size: u64) -> Option<ReadBeyond> {
        let reads = self.reads.swap(0, Relaxed);
        let farthest = self.farthest.swap(0, Relaxed);
        (reads > 0).then(|| ReadBeyond {
            name: name.to_owned(),
            size,
            reads,
            farthest: farthest.saturating_sub(size),
        })
    }
}
