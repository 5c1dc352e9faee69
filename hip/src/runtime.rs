//! The one runtime of a process: its state, how a call enters it, the error that a thread saw last.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use gfx906::machine::Gpu;

use crate::device;
use crate::error::{HipError, Outcome};
use crate::event::Event;
use crate::fatbin::Programs;
use crate::handles::{Handles, Tag};
use crate::hostcall::Requests;
use crate::launch::PATIENCE;
use crate::memory::{FIRST_ADDRESS, Memory};
use crate::module::{Function, Loaded};
use crate::stream::Stream;
use crate::tell::tell;

/// What a process has of HIP.
pub struct State {
    /// The card.
    pub gpu: Arc<Gpu>,
    /// Allocations.
    pub memory: Memory,
    /// Streams that the program made.
    pub streams: Handles<Stream>,
    /// Events.
    pub events: Handles<Event>,
    /// Modules that the program loaded.
    pub modules: Handles<Arc<Loaded>>,
    /// Their kernels.
    pub functions: Handles<Function>,
    /// What the program carries within itself.
    pub programs: Programs,
    /// How waiting was asked for, which changes nothing here.
    pub device_flags: u32,
    /// How kernels send requests to the host.
    pub requests: Requests,
    /// The error that a kernel left, which stays until a reset.
    pub failure: Option<HipError>,
}

struct Runtime {
    /// Held by whoever uses the device: its work is done in the order of the calls, one after the other.
    queue: Mutex<()>,
    /// Held for moments only.
    state: Mutex<State>,
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime {
    queue: Mutex::new(()),
    state: Mutex::new(State {
        gpu: Arc::new(Gpu::at(FIRST_ADDRESS).with_patience(PATIENCE)),
        memory: Memory::default(),
        streams: Handles::new(Tag::Stream),
        events: Handles::new(Tag::Event),
        modules: Handles::new(Tag::Module),
        functions: Handles::new(Tag::Function),
        programs: Programs::new(),
        device_flags: 0,
        requests: Requests::default(),
        failure: None,
    }),
});

thread_local! {
    static LAST_ERROR: Cell<u32> = const { Cell::new(0) };
}

/// The state, for a moment: never while a kernel runs or a function of the program's is called.
pub fn state() -> MutexGuard<'static, State> {
    RUNTIME.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device, once all work before has been done. To be taken before the state.
pub fn queue() -> MutexGuard<'static, ()> {
    RUNTIME.queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the device is at work for another thread.
pub fn busy() -> bool {
    matches!(
        RUNTIME.queue.try_lock(),
        Err(std::sync::TryLockError::WouldBlock)
    )
}

/// Whether a failed kernel's error stands before a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// It uses the device, if there is one: nothing but that error until a reset.
    Device,
    /// It does not.
    Open,
}

/// Runs an exported function: panics and errors become codes, and the thread remembers the last error.
pub fn enter(name: &str, gate: Gate, f: impl FnOnce() -> Outcome) -> u32 {
    let outcome = guarded(name, || {
        if gate == Gate::Device {
            device::any()?;
            let failure = state().failure;
            failure.map_or(Ok(()), Err)?;
        }
        f()
    });
    match outcome.unwrap_or(Err(HipError::Unknown)) {
        Ok(()) => 0,
        Err(error) => {
            LAST_ERROR.set(error as u32);
            error as u32
        }
    }
}

/// Runs an exported function that returns no error code; its value, or `None` where it panicked.
pub fn guarded<T>(name: &str, f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(_) => {
            tell(format!("{name}: internal error, see the panic above"));
            None
        }
    }
}

/// What a function that is not supported returns; it says so once.
pub fn not_supported(name: &'static str) -> u32 {
    static TOLD: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.contains(&name) {
        told.push(name);
        tell(format!(
            "{name} is not supported: it returns hipErrorNotSupported"
        ));
    }
    let code = HipError::NotSupported as u32;
    LAST_ERROR.set(code);
    code
}

/// `hipGetLastError`: the thread's last error, forgotten unless a failed kernel left it.
pub fn last_error() -> u32 {
    let last = LAST_ERROR.replace(0);
    state().failure.map_or(last, |failure| failure as u32)
}

/// `hipPeekAtLastError`.
pub fn peek_at_last_error() -> u32 {
    let last = LAST_ERROR.get();
    state().failure.map_or(last, |failure| failure as u32)
}

/// Forgets the thread's last error.
pub fn forget_errors() {
    LAST_ERROR.set(0);
}
