//! End and fork of the process while threads of the runtime work.

use std::ffi::c_int;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, Once, PoisonError};

/// True in a forked process, which has none of its parent's threads.
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

/// Returns true in a fork of a process that had used the device. The runtime is unusable there.
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

/// Actions at the end of the process, in their order.
#[derive(Clone, Copy, Debug)]
pub enum ExitAction {
    /// End of the streams' work.
    Streams,
    /// Sums of the reads beyond allocations.
    Reads,
    /// Summary of the process.
    Summary,
}

/// Function of each action.
type ExitFunctions = [Option<fn()>; ENDS_COUNT];

/// Number of actions.
const ENDS_COUNT: usize = 3;

static ENDS: Mutex<ExitFunctions> = Mutex::new([None; ENDS_COUNT]);

extern "C" fn end() {
    // The end of the streams' work may add the actions after it, so each is looked up in its turn.
    for action in 0..ENDS_COUNT {
        // The lock may be held by a thread that is adding a function, or by a thread that existed before a fork.
        let end = ENDS.try_lock().ok().and_then(|ends| ends[action]);
        if let Some(end) = end {
            // No one is left to receive a message.
            drop(catch_unwind(end));
        }
    }
}

/// Registers a function for the end of the process, and notices forks. Must be called before the device is used. The first call decides the
/// place of all actions among the exit functions of the program. Returns false if the C library could not register them.
pub fn at_end(which: ExitAction, function: fn()) -> bool {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the functions stay loaded, because the library is never unloaded (its link flags forbid it).
        let (exit, fork) = unsafe { (atexit(end), pthread_atfork(None, None, Some(in_child))) };
        // Both fail only for lack of memory. Without them the process just ends, or a fork hangs, as it would without the runtime.
        debug_assert_eq!((exit, fork), (0, 0));
        TAKEN.store(exit == 0, Relaxed);
    });
    ENDS.lock().unwrap_or_else(PoisonError::into_inner)[which as usize] = Some(function);
    TAKEN.load(Relaxed)
}
