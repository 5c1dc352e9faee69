//! The local data share of a work-group.

use super::trap::{Fault, TrapKind};
use super::wave::POISON;

/// LDS of the group that runs: bytes, as many as the dispatch asked for.
#[derive(Default)]
pub struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// Poisoned LDS of `size` bytes.
    pub fn reset(&mut self, size: u32) {
        self.bytes.clear();
        self.bytes
            .extend(POISON.to_le_bytes().into_iter().cycle().take(size as usize));
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn out_of_range(&self, write: bool, lane: u32, address: u32) -> Fault {
        Fault::at(
            TrapKind::LdsOutOfRange {
                write,
                size: self.size(),
            },
            Some(lane),
            address as u64,
        )
    }

    /// Reads `N` bytes at `address` for a lane.
    #[inline(always)]
    pub fn read<const N: usize>(&self, lane: u32, address: u32) -> Result<[u8; N], Fault> {
        let at = address as usize;
        match self.bytes.get(at..at + N) {
            Some(bytes) => Ok(bytes.try_into().expect("N bytes")),
            None => Err(self.out_of_range(false, lane, address)),
        }
    }

    /// Writes `N` bytes at `address` for a lane.
    #[inline(always)]
    pub fn write<const N: usize>(
        &mut self,
        lane: u32,
        address: u32,
        data: [u8; N],
    ) -> Result<(), Fault> {
        let at = address as usize;
        match self.bytes.get_mut(at..at + N) {
            Some(bytes) => {
                bytes.copy_from_slice(&data);
                Ok(())
            }
            None => Err(self.out_of_range(true, lane, address)),
        }
    }
}
