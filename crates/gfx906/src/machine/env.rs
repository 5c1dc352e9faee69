//! Environment of a wave: the address space and the group's LDS.

use std::sync::atomic::{Ordering, fence};

use super::gws::Gws;
use super::lds::Lds;
use super::memory::{AddressSpace, Region};
use super::time::Time;
use super::trap::Fault;

/// Environment of a wave: the address space and the group's LDS.
pub struct Env<'a> {
    /// Device memory.
    pub memory: &'a AddressSpace,
    /// Index of the region that the last access hit.
    pub last: usize,
    /// The group's LDS.
    pub lds: Lds,
    /// Clock of the dispatch, in instructions of this worker.
    pub clock: u64,
    /// True if this worker has stored to memory since its last fence.
    pub stored: bool,
    /// Source of s_memtime and s_memrealtime.
    pub time: Time,
    /// Barrier of the grid, in a cooperative launch.
    pub grid: Option<&'a Gws>,
}

impl<'a> Env<'a> {
    /// Creates the environment of a wave that is about to start.
    pub fn new(memory: &'a AddressSpace) -> Env<'a> {
        Env {
            memory,
            last: 0,
            lds: Lds::default(),
            clock: 0,
            stored: false,
            time: Time::default(),
            grid: None,
        }
    }

    /// Returns the allocation that covers an access of a lane, or of the wave as a whole.
    #[inline(always)]
    pub fn access(
        &mut self,
        lane: Option<u32>,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<&'a Region, Fault> {
        match self.memory.find(&mut self.last, address, bytes) {
            Some(region) if region.writable || !write => {
                self.stored |= write;
                Ok(region)
            }
            _ => self.memory.refuse(lane, address, bytes, write),
        }
    }

    /// Orders earlier accesses before later ones, for all threads. On x86-64 hosts this costs time only after a store: no other access is
    /// reordered there.
    #[inline(always)]
    pub fn fence(&mut self) {
        if std::mem::take(&mut self.stored) {
            fence(Ordering::SeqCst);
        } else {
            fence(Ordering::AcqRel);
        }
    }
}
