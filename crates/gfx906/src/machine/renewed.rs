//! Memory that is poisoned again for each of its users, block by block on the first access: scratch is large, and little of it is used.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::words::Words;

/// Size of a block in bytes.
const BLOCK: u64 = 4096;
/// Largest number of consecutive blocks that are checked one by one rather than per lane.
const FEW: u64 = 16;

/// Record of the blocks that the present user has touched.
pub struct PoisonRenewal {
    poison: u32,
    /// Number of the present user; 0 stands for no user.
    user: AtomicU32,
    /// The last user that touched each block.
    blocks: Words,
}

impl PoisonRenewal {
    /// Creates the blocks of `bytes` bytes, all of them to be poisoned. Returns `None` if the host lacks the memory.
    pub fn new(bytes: u64, poison: u32) -> Option<PoisonRenewal> {
        Some(PoisonRenewal {
            poison,
            user: AtomicU32::new(1),
            blocks: Words::try_new(4 * bytes.div_ceil(BLOCK))?,
        })
    }

    /// Begins another user.
    pub fn renew(&self) {
        if self.user.fetch_add(1, Relaxed) == u32::MAX {
            // The numbers wrap around, so all blocks forget their last user.
            self.blocks.iter().for_each(|block| block.store(0, Relaxed));
            self.user.store(1, Relaxed);
        }
    }

    /// Poisons the blocks of a range that the present user has not touched.
    #[inline(always)]
    pub fn touch(&self, words: &[AtomicU32], offset: u64, bytes: u64) {
        let user = self.user.load(Relaxed);
        for block in offset / BLOCK..=(offset + bytes.max(1) - 1) / BLOCK {
            if let Some(last) = self.blocks.get(block as usize)
                && last.load(Relaxed) != user
            {
                self.poison(words, block);
                last.store(user, Relaxed);
            }
        }
    }

    /// Poisons the blocks of several ranges of equal size that the present user has not touched.
    pub fn touch_all(&self, words: &[AtomicU32], offsets: &[u32], bytes: u64) {
        let (Some(&low), Some(&high)) = (offsets.iter().min(), offsets.iter().max()) else {
            return;
        };
        let (low, high) = (u64::from(low), u64::from(high));
        if high - low < FEW * BLOCK {
            return self.touch(words, low, high - low + bytes);
        }
        offsets
            .iter()
            .for_each(|&offset| self.touch(words, offset.into(), bytes));
    }

    #[cold]
    #[inline(never)]
    fn poison(&self, words: &[AtomicU32], block: u64) {
        let first = (block * BLOCK / 4) as usize;
        let words = words.get(first..).unwrap_or(&[]);
        for word in words.iter().take(BLOCK as usize / 4) {
            word.store(self.poison, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::region::Region;
    use super::*;

    const POISON: u32 = 0xdead_0001;

    fn read(region: &Region, at: u64) -> u32 {
        region.touch(at, 4);
        region.read32(at)
    }

    #[test]
    fn each_user_finds_the_poison_and_then_what_it_wrote() {
        let region = Region::poisoned("r", 0x1_0000, 3 * BLOCK + 64, POISON).expect("memory");
        for user in 0..3 {
            assert_eq!(read(&region, BLOCK - 4), POISON);
            // The accesses span two blocks, and reach the last block, which is short.
            for at in [BLOCK - 4, BLOCK, 3 * BLOCK + 60] {
                region.touch(at, 4);
                region.write(at, 4, user);
            }
            assert_eq!(
                [BLOCK - 4, BLOCK, 3 * BLOCK + 60].map(|at| read(&region, at)),
                [user; 3]
            );
            assert_eq!(
                [0, 2 * BLOCK, 3 * BLOCK].map(|at| read(&region, at)),
                [POISON; 3]
            );
            region.renew();
        }
    }

    #[test]
    fn lanes_touch_their_blocks_near_and_far() {
        let region = Region::poisoned("r", 0, 64 * BLOCK, POISON).expect("memory");
        for offsets in [
            [0, 8, 2 * BLOCK as u32],
            [0, 40 * BLOCK as u32, 60 * BLOCK as u32 - 4],
        ] {
            region.touch_all(&offsets, 8);
            for at in offsets {
                assert_eq!(region.read32(at.into()), POISON);
                assert_eq!(region.read32(u64::from(at) + 4), POISON);
            }
            region.renew();
        }
    }

    #[test]
    fn the_numbers_of_users_may_run_out() {
        let words = Words::try_new(BLOCK).expect("memory");
        let renewed = PoisonRenewal::new(BLOCK, POISON).expect("memory");
        renewed.touch(&words, 0, 4);
        words[0].store(7, Relaxed);
        renewed.user.store(u32::MAX, Relaxed);
        renewed.renew();
        renewed.touch(&words, 0, 4);
        assert_eq!(words[0].load(Relaxed), POISON);
    }
}
