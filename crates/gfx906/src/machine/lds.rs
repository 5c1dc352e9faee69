//! The local data share of a work-group.

use super::poison::Poison;
use super::trap::{Fault, TrapKind};

/// LDS of the running group, with the size of the dispatch.
#[derive(Clone, Default)]
pub struct Lds {
    words: Vec<u32>,
    size: u32,
}

impl Lds {
    /// Resizes LDS to `size` bytes and poisons it.
    pub fn reset(&mut self, size: u32) {
        self.words.clear();
        let words = size.div_ceil(4) as usize;
        self.words.resize(words, Poison::Lds.word());
        self.size = size;
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the dwords.
    #[inline(always)]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the dwords for writing.
    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Returns the number of bytes that waves reach: whole dwords, as the card bounds memory.
    #[inline(always)]
    pub fn reach(&self) -> u32 {
        4 * self.words.len() as u32
    }

    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// Returns the bytes for writing.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words)
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
        match self.bytes().get(at..at + N) {
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
        match self.bytes_mut().get_mut(at..at + N) {
            Some(bytes) => {
                bytes.copy_from_slice(&data);
                Ok(())
            }
            None => Err(self.out_of_range(true, lane, address)),
        }
    }
}
