//! What happens to the process while threads of ours work: it ends, or it forks.

use std::ffi::c_int;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// In this process there are none of the threads that its parent had.
static FORKED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn atexit(f: extern "C" fn()) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

extern "C" fn in_child() {
    FORKED.store(true, Relaxed);
}

/// Whether the process is a fork of one that had used the device: what is left of the runtime is of no use.
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

/// To be called before the device is used: has a function called at the end of the process, and notices forks.
pub fn watch(at_exit: extern "C" fn()) {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: functions of ours, which stay: the library is never unloaded (its link flags say so).
        let (exit, fork) = unsafe { (atexit(at_exit), pthread_atfork(None, None, Some(in_child))) };
        // Neither fails but for memory; without them the process only ends, or hangs in a fork, as it would without us.
        debug_assert_eq!((exit, fork), (0, 0));
    });
}
