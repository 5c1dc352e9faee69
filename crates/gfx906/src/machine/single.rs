//! Indivisible accesses of sizes that Rust's atomics cannot mix: 1, 2 and 8 bytes of memory whose dwords are `AtomicU32`.
//!
//! Rust's memory model has no atomics of several sizes on the same bytes, but the hosts have: on x86-64 and aarch64 a few instructions of
//! assembly suffice. On other hosts every access other than a load of one dword takes a lock. All accesses are relaxed: the fences of a
//! guest order its accesses (see [`super::memory`]).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use locked as host;

/// Two neighbouring dwords. The first one is at a multiple of 8 bytes.
pub type Pair = [AtomicU32; 2];

/// Reads two dwords in one access.
#[inline(always)]
pub fn load64(pair: &Pair) -> u64 {
    debug_assert!(is_aligned(pair));
    host::load64(pair)
}

/// Writes two dwords in one access.
#[inline(always)]
pub fn store64(pair: &Pair, value: u64) {
    debug_assert!(is_aligned(pair));
    host::store64(pair, value);
}

/// Writes a dword.
#[inline(always)]
pub fn store32(word: &AtomicU32, value: u32) {
    host::store32(word, value);
}

/// Writes byte `at` of a dword.
#[inline(always)]
pub fn store8(word: &AtomicU32, at: usize, value: u8) {
    host::store8(word, at & 3, value);
}

/// Writes the half of a dword that starts at byte `at`, 0 or 2.
#[inline(always)]
pub fn store16(word: &AtomicU32, at: usize, value: u16) {
    host::store16(word, at & 2, value);
}

/// Replaces two dwords by a function of their value, and returns the old value. The function may run more than once.
#[inline(always)]
pub fn update64(pair: &Pair, f: impl Fn(u64) -> u64) -> u64 {
    debug_assert!(is_aligned(pair));
    let mut old = load64(pair);
    loop {
        match host::compare_exchange64(pair, old, f(old)) {
            found if found == old => return old,
            found => old = found,
        }
    }
}

/// Replaces a dword by a function of its value, and returns the old value. The function may run more than once.
#[inline(always)]
pub fn update32(word: &AtomicU32, f: impl Fn(u32) -> u32) -> u32 {
    host::update32(word, f)
}

fn is_aligned(pair: &Pair) -> bool {
    pair.as_ptr().addr().is_multiple_of(8)
}

/// Common parts of the hosts with assembly code.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod host {
    use super::{AtomicU32, Pair, Relaxed};
    use std::arch::asm;

    #[cfg(target_arch = "x86_64")]
    macro_rules! instruction {
        (load64) => {
            "mov {value}, qword ptr [{at}]"
        };
        (store64) => {
            "mov qword ptr [{at}], {value}"
        };
        (store16) => {
            "mov word ptr [{at}], {value:x}"
        };
        (store8) => {
            "mov byte ptr [{at}], {value}"
        };
    }
    #[cfg(target_arch = "aarch64")]
    macro_rules! instruction {
        (load64) => {
            "ldr {value}, [{at}]"
        };
        (store64) => {
            "str {value}, [{at}]"
        };
        (store16) => {
            "strh {value:w}, [{at}]"
        };
        (store8) => {
            "strb {value:w}, [{at}]"
        };
    }

    #[inline(always)]
    pub fn load64(pair: &Pair) -> u64 {
        let value;
        // SAFETY: the reference is valid for eight bytes; they are aligned, so the host reads them in one access.
        unsafe {
            asm!(instruction!(load64), value = out(reg) value, at = in(reg) pair.as_ptr(), options(nostack, preserves_flags, readonly));
        }
        value
    }

    #[inline(always)]
    pub fn store64(pair: &Pair, value: u64) {
        // SAFETY: the reference is valid for eight bytes inside of atomics; they are aligned, so the host writes them in one access.
        unsafe {
            asm!(instruction!(store64), value = in(reg) value, at = in(reg) pair.as_ptr(), options(nostack, preserves_flags));
        }
    }

    #[inline(always)]
    pub fn store32(word: &AtomicU32, value: u32) {
        word.store(value, Relaxed);
    }

    #[inline(always)]
    pub fn store16(word: &AtomicU32, at: usize, value: u16) {
        let half = word.as_ptr().cast::<u16>().wrapping_byte_add(at);
        // SAFETY: `at` is 0 or 2, so both bytes lie in the atomic.
        unsafe {
            asm!(instruction!(store16), value = in(reg) value, at = in(reg) half, options(nostack, preserves_flags));
        }
    }

    #[inline(always)]
    pub fn store8(word: &AtomicU32, at: usize, value: u8) {
        let byte = word.as_ptr().cast::<u8>().wrapping_byte_add(at);
        // SAFETY: `at` is below 4, so the byte lies in the atomic.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            asm!(instruction!(store8), value = in(reg_byte) value, at = in(reg) byte, options(nostack, preserves_flags));
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            asm!(instruction!(store8), value = in(reg) u32::from(value), at = in(reg) byte, options(nostack, preserves_flags));
        }
    }

    #[inline(always)]
    pub fn update32(word: &AtomicU32, f: impl Fn(u32) -> u32) -> u32 {
        let updated = word.fetch_update(Relaxed, Relaxed, |old| Some(f(old)));
        updated.unwrap_or_else(|old| old)
    }

    /// Stores `new` if the pair holds `old`, and returns the value that it held.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn compare_exchange64(pair: &Pair, old: u64, new: u64) -> u64 {
        let found;
        // SAFETY: the reference is valid for eight bytes inside of atomics.
        unsafe {
            asm!("lock cmpxchg qword ptr [{at}], {new}", at = in(reg) pair.as_ptr(), new = in(reg) new, inout("rax") old => found, options(nostack));
        }
        found
    }

    /// Stores `new` if the pair holds `old`, and returns the value that it held.
    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    pub fn compare_exchange64(pair: &Pair, old: u64, new: u64) -> u64 {
        let found;
        // SAFETY: the reference is valid for eight bytes inside of atomics.
        unsafe {
            asm!(
                "2: ldxr {found}, [{at}]",
                "cmp {found}, {old}",
                "b.ne 3f",
                "stxr {failed:w}, {new}, [{at}]",
                "cbnz {failed:w}, 2b",
                "3: clrex",
                at = in(reg) pair.as_ptr(),
                old = in(reg) old,
                new = in(reg) new,
                found = out(reg) found,
                failed = out(reg) _,
                options(nostack),
            );
        }
        found
    }
}

/// Locks for hosts without assembly here. Every write, and every read of more than a dword, holds the lock of its eight bytes.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod locked {
    use super::{AtomicU32, Pair, Relaxed};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    fn hold(word: &AtomicU32) -> MutexGuard<'static, ()> {
        static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
        let lock = &LOCKS[word.as_ptr().addr() / 8 % LOCKS.len()];
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get([low, high]: &Pair) -> u64 {
        u64::from(low.load(Relaxed)) | u64::from(high.load(Relaxed)) << 32
    }

    fn put([low, high]: &Pair, value: u64) {
        low.store(value as u32, Relaxed);
        high.store((value >> 32) as u32, Relaxed);
    }

    pub fn load64(pair: &Pair) -> u64 {
        let _held = hold(&pair[0]);
        get(pair)
    }

    pub fn store64(pair: &Pair, value: u64) {
        let _held = hold(&pair[0]);
        put(pair, value);
    }

    pub fn compare_exchange64(pair: &Pair, old: u64, new: u64) -> u64 {
        let _held = hold(&pair[0]);
        let found = get(pair);
        if found == old {
            put(pair, new);
        }
        found
    }

    pub fn update32(word: &AtomicU32, f: impl Fn(u32) -> u32) -> u32 {
        let _held = hold(word);
        let old = word.load(Relaxed);
        word.store(f(old), Relaxed);
        old
    }

    pub fn store32(word: &AtomicU32, value: u32) {
        update32(word, |_| value);
    }

    pub fn store16(word: &AtomicU32, at: usize, value: u16) {
        update32(word, |old| {
            old & !(0xffff << (8 * at)) | u32::from(value) << (8 * at)
        });
    }

    pub fn store8(word: &AtomicU32, at: usize, value: u8) {
        update32(word, |old| {
            old & !(0xff << (8 * at)) | u32::from(value) << (8 * at)
        });
    }
}

#[cfg(test)]
mod tests;
