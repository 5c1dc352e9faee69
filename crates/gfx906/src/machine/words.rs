//! Words of an allocation: the emulator's own, or host memory that the guest shares.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::allocation::handled;

/// Host alignment of an allocation's first word, which speeds up vector moves.
const ALIGN: usize = 64;

/// Words that guest and host may access at the same time.
pub struct Words {
    words: NonNull<[AtomicU32]>,
    /// Owner, which frees the words.
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the words are atomics, and the owner can be sent.
unsafe impl Send for Words {}
// SAFETY: the words are atomics, and the owner is never accessed.
unsafe impl Sync for Words {}

/// A block of the host's allocator, freed on drop.
struct Block(NonNull<u8>, Layout);

// SAFETY: only the drop accesses the block.
unsafe impl Send for Block {}
// SAFETY: only the drop accesses the block.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout, and this is its only drop.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

impl Words {
    /// Allocates zeros for `bytes` bytes. Returns `None` if the host lacks the memory. All memory of guests is allocated here.
    pub fn try_new(bytes: u64) -> Option<Words> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        let size = count.checked_mul(4)?.checked_add(ALIGN)?;
        // The alignment is done by hand: with a large alignment the host's allocator would write the zeros itself, and most of scratch is
        // never touched.
        let layout = Layout::from_size_align(size, 16).ok()?;
        // SAFETY: the size is not 0.
        let start = handled(|| unsafe { alloc_zeroed(layout) });
        let block = Block(NonNull::new(start)?, layout);
        let skipped = block.0.as_ptr().align_offset(ALIGN);
        // SAFETY: fewer than `ALIGN` bytes are skipped, and the block has that many beyond the words.
        let first = unsafe { block.0.add(skipped) }.cast();
        Some(Words {
            words: NonNull::slice_from_raw_parts(first, count),
            _owner: Box::new(block),
        })
    }

    /// Returns two handles to the same words, which are freed when both are dropped.
    pub fn shared(self) -> [Words; 2] {
        let words = self.words;
        let owner = Arc::new(self);
        let both = [owner.clone(), owner];
        both.map(|owner| Words {
            words,
            _owner: Box::new(owner),
        })
    }

    /// Uses memory of the host: kernels see what the host writes there, and the reverse.
    ///
    /// # Safety
    ///
    /// `count` words from `start` on, aligned to 8 bytes, stay readable until `owner` is dropped, and writable unless they belong to a
    /// [`super::Region`] that is not `writable`. No Rust reference to them exists other than to atomics.
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
        // SAFETY: the words are valid while the owner lives, and the owner lives as long as `self`.
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
