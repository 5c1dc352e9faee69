//! Runtime of the process: its state and locks, and the last error of each thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use gfx906::machine::Gpu;

use crate::boundary::Address;
use crate::card::{CLOCK_KHZ, COUNTER_KHZ, FIRST_ADDRESS};
use crate::diagnostics::{log, signals, summary};
use crate::error::{HipError, HipResult};
use crate::handles::{Handles, Tag};
use crate::hostcall::HostRequests;
use crate::objects::event::Event;
use crate::objects::graph::Graphs;
use crate::objects::memory::{Kind, Memory};
use crate::objects::module::{Function, LoadedCode};
use crate::objects::pending_frees::PendingFrees;
use crate::objects::programs::RegisteredBinaries;
use crate::objects::stream::Stream;
use crate::process::{self, ExitAction};
use crate::queue::{Queue, on_worker};
use crate::settings::{self, PATIENCE};

/// State of HIP in this process.
pub struct RuntimeState {
    /// Card.
    pub gpu: Arc<Gpu>,
    /// Allocations.
    pub memory: Memory,
    /// Allocations that a stream will free.
    pub freeing: PendingFrees,
    /// Streams of the program.
    pub streams: Handles<Stream>,
    /// Events.
    pub events: Handles<Event>,
    /// Graphs and captures.
    pub graphs: Graphs,
    /// Modules of the program.
    pub modules: Handles<Arc<LoadedCode>>,
    /// Libraries of the program.
    pub libraries: Handles<Arc<LoadedCode>>,
    /// Kernels of modules and libraries.
    pub functions: Handles<Function>,
    /// Device code within the program's file.
    pub programs: RegisteredBinaries,
    /// Flags for the way of waiting, which have no effect.
    pub device_flags: u32,
    /// True if the program holds the primary context.
    pub context_retained: bool,
    /// Requests of kernels to the host.
    pub requests: HostRequests,
    /// Error of a failed kernel, which stays until a reset.
    pub failure: Option<HipError>,
    /// Error of work that no call waited for. The next call that waits returns it.
    pub fault: Option<HipError>,
}

impl RuntimeState {
    /// Returns the kernel of a host function.
    pub fn function_of(&mut self, host: Address) -> HipResult<Function> {
        self.programs.function(&self.gpu, &mut self.requests, host)
    }

    /// Returns address and size of the device's variable behind a host variable.
    pub fn variable_of(&mut self, host: Address) -> HipResult<(Address, u64)> {
        if self.programs.managed().any(|address| address == host) {
            let allocation = self.memory.starting_at(host);
            return allocation
                .map(|a| (a.base, a.size))
                .ok_or(HipError::InvalidSymbol);
        }
        self.programs.variable(&self.gpu, &mut self.requests, host)
    }

    /// Returns the error of a failed kernel, reported or not. The device does no more work until a reset.
    pub fn device_failure(&self) -> Option<HipError> {
        let unheard = self.fault.filter(|&fault| is_sticky(fault));
        self.failure.or(unheard)
    }

    /// Returns true for memory that is the program's own: a managed variable, or registered memory.
    pub fn belongs_to_program(&self, base: Address) -> bool {
        let registered = |allocation| matches!(allocation, Some(Kind::Registered));
        self.programs.managed().any(|address| address == base)
            || registered(self.memory.starting_at(base).map(|found| found.kind))
    }
}

struct Runtime {
    /// Work of the streams.
    queue: Queue,
    /// State. Its lock is held for moments only, and never during a call of the queue.
    state: Mutex<RuntimeState>,
}

impl Runtime {
    fn new() -> Runtime {
        Runtime {
            queue: Queue::new(),
            state: Mutex::new(RuntimeState {
                gpu: Arc::new(
                    Gpu::at(FIRST_ADDRESS)
                        .with_patience(PATIENCE)
                        .with_time(settings::time(CLOCK_KHZ, COUNTER_KHZ)),
                ),
                memory: Memory::default(),
                freeing: PendingFrees::default(),
                streams: Handles::new(Tag::Stream),
                events: Handles::new(Tag::Event),
                graphs: Graphs::new(),
                modules: Handles::new(Tag::Module),
                libraries: Handles::new(Tag::Library),
                functions: Handles::new(Tag::Function),
                programs: RegisteredBinaries::new(),
                device_flags: 0,
                context_retained: false,
                requests: HostRequests::default(),
                failure: None,
                fault: None,
            }),
        }
    }
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    if let Some(file) = settings::summary_file() {
        summary::write_at_end(file);
    }
    let runtime = Runtime::new();
    signals::find_device_memory_by(find_device_memory);
    EXISTS.store(true, Relaxed);
    runtime
});

/// True once the state has been made.
static EXISTS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LAST_ERROR: Cell<u32> = const { Cell::new(0) };
}

/// Locks the state. The lock must not be held while a kernel runs or a host function of the program is called.
pub fn state() -> MutexGuard<'static, RuntimeState> {
    RUNTIME.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function with the name of the first device memory that one of some addresses is in. Another thread may hold the lock for ever, so
/// nothing waits for it.
fn find_device_memory(addresses: &[Address], found: fn(&str)) {
    let state = EXISTS.load(Relaxed).then(|| RUNTIME.state.try_lock());
    if let Some(Ok(state)) = state {
        let mut names = addresses
            .iter()
            .filter_map(|&address| state.memory.device_name_at(address));
        names.next().map(found);
    }
}

/// Longest time that the end of the process waits for the streams' work.
const AT_EXIT: Duration = Duration::from_secs(5);

/// Returns the queue of the streams' work.
pub fn streams() -> &'static Queue {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| _ = process::at_end(ExitAction::Streams, at_exit));
    &RUNTIME.queue
}

/// Waits for the streams' work before the process ends. The wait is bounded, because a kernel may wait for a host thread that is gone.
fn at_exit() {
    if process::is_forked() {
        return;
    }
    let closed = guarded("exit", || RUNTIME.queue.close(AT_EXIT));
    if closed == Some(false) && !on_worker() {
        log("the program ends while its streams still have work to do: it is not done");
    }
}

/// Fails in a fork of a process that has used the device, because the fork has none of its threads.
pub fn check_process() -> HipResult {
    if process::is_forked() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            log("a fork of a process that has used the device cannot use it: hipErrorNotInitialized (start a new process instead)");
        });
        return Err(HipError::NotInitialized);
    }
    Ok(())
}

/// Fails on a thread that calls a stream's host function. It may not wait for streams, as its own stream would wait for itself.
pub fn may_wait() -> HipResult {
    if on_worker() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            log("a function that a stream calls may not wait for streams, nor copy: hipErrorIllegalState");
        });
        return Err(HipError::IllegalState);
    }
    Ok(())
}

/// Proof that all earlier work of the device has ended.
pub struct IdleDevice(());

/// Waits for all earlier work of the device. A host function that a stream calls must not wait, and returns at once.
pub fn queue() -> IdleDevice {
    let streams = streams();
    if !on_worker() {
        streams.wait(&streams.pending_everywhere());
    }
    IdleDevice(())
}

/// Returns true for an error that stays until a reset.
fn is_sticky(error: HipError) -> bool {
    error == HipError::LaunchFailure
}

/// Keeps an error of work that no call waited for.
pub fn fail(error: HipError) {
    let mut state = state();
    if state.device_failure().is_none() {
        state.fault = Some(error);
    }
}

/// Returns the error of work that no call waited for. Every call that waits ends with this.
pub fn take_fault() -> HipResult {
    let mut state = state();
    if let Some(fault) = state.fault.take() {
        if is_sticky(fault) {
            state.failure = Some(fault);
        }
        return Err(fault);
    }
    state.failure.map_or(Ok(()), Err)
}

/// Runs a part of an exported function. Returns its value, or none after a panic, which is logged.
pub fn guarded<T>(name: &str, f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(_) => {
            log(format!("{name}: internal error, see the panic above"));
            None
        }
    }
}

/// Keeps an error for the calling thread.
pub fn remember(error: HipError) {
    // `NotReady` is an answer and no error.
    if error != HipError::NotReady {
        LAST_ERROR.set(error as u32);
    }
}

/// `hipGetLastError`: returns the thread's last error and forgets it, except for a failed kernel's.
pub fn last_error() -> u32 {
    let last = LAST_ERROR.replace(0);
    // After a fork, a thread that does not exist in this process may hold the state's lock.
    if process::is_forked() {
        return last;
    }
    state().failure.map_or(last, |failure| failure as u32)
}

/// `hipPeekAtLastError`.
pub fn peek_at_last_error() -> u32 {
    let last = LAST_ERROR.get();
    if process::is_forked() {
        return last;
    }
    state().failure.map_or(last, |failure| failure as u32)
}

/// Forgets the thread's last error.
pub fn forget_errors() {
    LAST_ERROR.set(0);
}
