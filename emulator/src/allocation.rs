//! Where memory is short. Allocations whose failure the caller handles are told from those that nobody does: a program whose allocator ends
//! it with a clear line asks [`is_handled`] first. Threads start where there is room for them.

use std::cell::Cell;

thread_local! {
    static HANDLED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what allocates and reports its failure. Nothing else may allocate within.
pub fn handled<T>(allocate: impl FnOnce() -> T) -> T {
    let before = HANDLED.replace(true);
    let result = allocate();
    HANDLED.set(before);
    result
}

/// Whether whoever allocates on this thread now handles a failure.
pub fn is_handled() -> bool {
    HANDLED.get()
}

/// Address space that a new thread takes: its stack, and what the C library and its first allocations want before it can refuse anything.
const OF_A_THREAD: usize = (2 << 20) + (1 << 20);

/// Whether the host has room for so many more threads. One that starts without is ended by the C library, and the process with it; what
/// else runs meanwhile must not use the room up.
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
