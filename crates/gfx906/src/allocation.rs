//! Allocation under memory shortage. The room distinguishes allocations whose failure the caller handles from all others: a global
//! allocator that ends the program with a message first asks [`is_handled`]. It also checks that the host has address space for new
//! threads.

use std::cell::Cell;

thread_local! {
    static HANDLED: Cell<bool> = const { Cell::new(false) };
}

/// Runs an allocation whose caller handles its failure. `allocate` must not allocate anything else.
pub fn handled<T>(allocate: impl FnOnce() -> T) -> T {
    let before = HANDLED.replace(true);
    let result = allocate();
    HANDLED.set(before);
    result
}

/// Returns true while the current thread runs an allocation whose failure is handled.
pub fn is_handled() -> bool {
    HANDLED.get()
}

/// Address space that a new thread takes: its stack, and the first allocations of the C library, which cannot fail gracefully.
const OF_A_THREAD: usize = (2 << 20) + (1 << 20);

/// Returns true if the host has address space for `count` more threads. The C library ends the process if a thread starts without it, so
/// nothing else may use up the space in the meantime.
pub fn has_room_for_threads(count: usize) -> bool {
    has_room(count.saturating_mul(OF_A_THREAD))
}

#[cfg(unix)]
fn has_room(bytes: usize) -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    let (access, private) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: new memory somewhere, which nobody else knows of before it is given back.
    unsafe {
        mmap_anonymous(std::ptr::null_mut(), bytes, access, private)
            .and_then(|room| munmap(room, bytes))
            .is_ok()
    }
}

#[cfg(not(unix))]
fn has_room(_: usize) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_host_has_room_for_all_threads() {
        assert!(has_room_for_threads(1));
        assert!(!has_room_for_threads(usize::MAX));
    }

    #[test]
    fn only_what_runs_within_is_handled() {
        assert!(!is_handled());
        assert!(handled(is_handled));
        assert!(handled(|| handled(is_handled) && is_handled()));
        assert!(!is_handled());
    }
}
