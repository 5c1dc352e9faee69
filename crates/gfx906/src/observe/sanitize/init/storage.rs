//! Undefined bits of a group's LDS and of its waves' scratch.

use crate::machine::LANES;

/// Map of LDS with one bit per bit.
#[derive(Default)]
pub struct Lds(Vec<u32>);

impl Lds {
    /// Begins a group with `bytes` bytes of LDS.
    pub fn begin(&mut self, bytes: u32) {
        self.0.clear();
        self.0.resize(bytes.div_ceil(4) as usize, !0);
    }

    /// Returns the undefined bits of a dword. Beyond the end there are none, because the machine faults there.
    #[inline]
    pub fn get(&self, dword: u64) -> u32 {
        self.0.get(dword as usize).copied().unwrap_or(0)
    }

    /// Sets the undefined bits of a dword.
    #[inline]
    pub fn put(&mut self, dword: u64, bits: u32) {
        if let Some(word) = self.0.get_mut(dword as usize) {
            *word = bits;
        }
    }
}

/// Number of a lane's dwords in a block.
const BLOCK: usize = 64;

/// Map of a wave's scratch with one bit per bit, for blocks that were written.
#[derive(Default)]
pub struct Scratch {
    blocks: Vec<(u32, Vec<u32>)>,
    /// Number of the wave, in the order of their beginning.
    user: u32,
}

impl Scratch {
    /// Begins another wave.
    pub fn begin(&mut self) {
        self.user = self.user.wrapping_add(1);
    }

    /// Returns the undefined bits of a lane's dword.
    #[inline]
    pub fn get(&self, lane: usize, dword: u64) -> u32 {
        let dword = dword as usize;
        match self.blocks.get(dword / BLOCK) {
            Some((user, bits)) if *user == self.user && !bits.is_empty() => {
                bits[dword % BLOCK * LANES + lane]
            }
            _ => !0,
        }
    }

    /// Sets the undefined bits of a lane's dword.
    #[inline]
    pub fn put(&mut self, lane: usize, dword: u64, bits: u32) {
        /// Largest number of dwords of a lane's scratch.
        const MOST: usize = 1 << 22;
        let dword = dword as usize;
        if dword >= MOST {
            return;
        }
        if dword / BLOCK >= self.blocks.len() {
            self.blocks.resize_with(dword / BLOCK + 1, Default::default);
        }
        let (user, block) = &mut self.blocks[dword / BLOCK];
        if *user != self.user || block.is_empty() {
            block.clear();
            block.resize(BLOCK * LANES, !0);
            *user = self.user;
        }
        block[dword % BLOCK * LANES + lane] = bits;
    }
}
