//! The words of an allocation: the emulator's own, or memory of the host that the guest shares.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::allocation::handled;

/// Host alignment of an allocation's first word, which speeds up vector moves.
const ALIGN: usize = 64;

/// Words that guest and host may reach at the same time.
pub struct Words {
    words: NonNull<[AtomicU32]>,
    /// Owner, which frees the words.
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the words are atomics, and the owner can be sent.
unsafe impl Send for Words {}
// SAFETY: the words are atomics, and the owner is never looked at.
unsafe impl Sync for Words {}

/// A block of the host's allocator, freed in the end.
struct Block(NonNull<u8>, Layout);

// SAFETY: nothing but its drop touches the block.
unsafe impl Send for Block {}
// SAFETY: nothing but its drop touches the block.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and this is its only drop.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

impl Words {
    /// Zeros for `bytes` bytes, if the host has the memory: all that guests have is made here.
    pub fn try_new(bytes: u64) -> Option<Words> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        let size = count.checked_mul(4)?.checked_add(ALIGN)?;
        // Aligned by hand: with a large alignment the host's allocator writes the zeros itself, and of scratch little is touched.
        let layout = Layout::from_size_align(size, 16).ok()?;
        // SAFETY: the size is not 0.
        let start = handled(|| unsafe { alloc_zeroed(layout) });
        let block = Block(NonNull::new(start)?, layout);
        let skipped = block.0.as_ptr().align_offset(ALIGN);
        // SAFETY: fewer than `ALIGN` bytes are skipped, which the block has beyond the words.
        let first = unsafe { block.0.add(skipped) }.cast();
        Some(Words {
            words: NonNull::slice_from_raw_parts(first, count),
            _owner: Box::new(block),
        })
    }

    /// The same words twice, which stay until both are gone.
    pub fn shared(self) -> [Words; 2] {
        let words = self.words;
        let owner = Arc::new(self);
        let both = [owner.clone(), owner];
        both.map(|owner| Words {
            words,
            _owner: Box::new(owner),
        })
    }

    /// Memory of the host: kernels then see what the host writes there, and the other way round.
    ///
    /// # Safety
    /// `count` words from `start` on, aligned to 8 bytes, stay readable until `owner` is dropped, and writable unless they are a
    /// [`super::Region`]'s that is not `writable`; nobody holds a Rust reference to them other than to atomics.
    pub unsafe fn of_host(
        start: NonNull<AtomicU32>,
        count: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Words {
        Words {
            words: NonNull::slice_from_raw_parts(start, count),
            _owner: owner,
        }
    }
}

impl Deref for Words {
    type Target = [AtomicU32];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU32] {
        // SAFETY: valid for as long as the owner lives, which is as long as this does.
        unsafe { self.words.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_aligned_zeros_or_none() {
        for bytes in [0, 1, 4, 7, 4096, 1 << 20] {
            let words = Words::try_new(bytes).expect("a little memory");
            assert_eq!(words.len() as u64, bytes.div_ceil(4));
            assert!(words.as_ptr().addr().is_multiple_of(ALIGN));
            assert!(
                words
                    .iter()
                    .all(|w| w.load(std::sync::atomic::Ordering::Relaxed) == 0)
            );
        }
        assert!(Words::try_new(u64::MAX).is_none());
        assert!(Words::try_new(1 << 62).is_none());
    }
}
