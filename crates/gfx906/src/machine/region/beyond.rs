//! Reads beyond an allocation's end, within its last page. A card maps whole pages and lets such reads pass. An owner may request the same
//! here, and then learns their number.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Region;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// An allocation up to the end of its last page, and the reads there.
pub struct ReadableTail {
    page: Region,
    reads: AtomicU64,
    farthest: AtomicU64,
}

/// Reads of kernels beyond the end of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBeyond {
    /// Name of the allocation.
    pub name: String,
    /// Size of the allocation in bytes.
    pub size: u64,
    /// Number of reads, by lanes and by waves as a whole.
    pub reads: u64,
    /// Distance from the end of the allocation to the end of the farthest byte that was read.
    pub farthest: u64,
}

impl ReadableTail {
    /// Builds the record for an allocation whose words continue to the end of `page`.
    pub fn new(page: Region) -> ReadableTail {
        ReadableTail {
            page,
            reads: AtomicU64::new(0),
            farthest: AtomicU64::new(0),
        }
    }

    /// Returns the page for a read that lies in it.
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
