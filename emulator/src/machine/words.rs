//! The words of an allocation: the emulator's own, or memory of the host that the guest shares.

use std::any::Any;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

use crate::allocation::handled;

/// Words that guest and host may reach at the same time.
pub struct Words {
    words: NonNull<[AtomicU32]>,
    /// What frees them.
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the words are atomics, and the owner can be sent.
unsafe impl Send for Words {}
// SAFETY: the words are atomics, and the owner is never looked at.
unsafe impl Sync for Words {}

/// A boxed slice that is only reached through a pointer, and freed in the end.
struct Boxed(NonNull<[AtomicU32]>);

// SAFETY: it owns atomics.
unsafe impl Send for Boxed {}
// SAFETY: it owns atomics.
unsafe impl Sync for Boxed {}

impl Drop for Boxed {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::leak`, and this is its only drop.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Words {
    /// Zeros for `bytes` bytes.
    pub fn new(bytes: u64) -> Words {
        // Zeroed by the system where it can: scratch is large, and little of it is touched.
        let words = bytemuck::allocation::zeroed_slice_box(bytes.div_ceil(4) as usize);
        Words::boxed(words)
    }

    /// Zeros for `bytes` bytes, if the host has the memory.
    pub fn try_new(bytes: u64) -> Option<Words> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        handled(|| bytemuck::allocation::try_zeroed_slice_box(count))
            .ok()
            .map(Words::boxed)
    }

    fn boxed(words: Box<[AtomicU32]>) -> Words {
        let words = NonNull::from(Box::leak(words));
        Words {
            words,
            _owner: Box::new(Boxed(words)),
        }
    }

    /// Memory of the host: kernels then see what the host writes there, and the other way round.
    ///
    /// # Safety
    /// `count` words from `start` on, aligned to 4 bytes, stay readable and writable until `owner` is dropped, and nobody holds a
    /// Rust reference to them other than to atomics.
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
