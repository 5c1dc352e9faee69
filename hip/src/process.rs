//! What happens to the process while threads of ours work: it ends, or it forks.

use std::ffi::c_int;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, Once, PoisonError};

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

/// What is done when the process ends, in this order.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// Work of streams comes to its end.
    Streams,
    /// Reads beyond allocations are summed up.
    Reads,
    /// The summary is written.
    Summary,
}

/// The functions, each in its place.
type Ends = [Option<fn()>; 3];

static ENDS: Mutex<Ends> = Mutex::new([None; 3]);

extern "C" fn end() {
    // Whoever holds it is about to add something, in a thread that is not waited for, or was before a fork.
    let ends = ENDS.try_lock().map_or([None; 3], |ends| *ends);
    for end in ends.into_iter().flatten() {
        // Nobody is left to be told.
        drop(catch_unwind(end));
    }
}

/// To be called before the device is used: has a function called at the end of the process, and notices forks. All functions have one
/// place among those that the program registers: where the first of them was asked for. Whether the C library has taken it.
pub fn at_end(which: End, function: fn()) -> bool {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: functions of ours, which stay: the library is never unloaded (its link flags say so).
        let (exit, fork) = unsafe { (atexit(end), pthread_atfork(None, None, Some(in_child))) };
        // Neither fails but for memory; without them the process only ends, or hangs in a fork, as it would without us.
        debug_assert_eq!((exit, fork), (0, 0));
        TAKEN.store(exit == 0, Relaxed);
    });
    ENDS.lock().unwrap_or_else(PoisonError::into_inner)[which as usize] = Some(function);
    TAKEN.load(Relaxed)
}
