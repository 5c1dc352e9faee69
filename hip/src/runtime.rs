//! The one runtime of a process: its state and locks, the error that a thread saw last.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use gfx906::machine::Gpu;

use crate::boundary::Address;
use crate::card::{CLOCK_KHZ, COUNTER_KHZ, FIRST_ADDRESS};
use crate::diagnostics::{log, summary};
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use crate::hostcall::Requests;
use crate::objects::event::Event;
use crate::objects::graph::Graphs;
use crate::objects::memory::{Kind, Memory};
use crate::objects::module::{Function, Library, Loaded};
use crate::objects::programs::Programs;
use crate::objects::stream::Stream;
use crate::process::{self, End};
use crate::queue::{Queue, on_worker};
use crate::settings::{self, PATIENCE};

/// What a process has of HIP.
pub struct State {
    /// The card.
    pub gpu: Arc<Gpu>,
    /// Allocations.
    pub memory: Memory,
    /// Allocations that a stream will free.
    pub freeing: BTreeSet<Address>,
    /// Streams that the program made.
    pub streams: Handles<Stream>,
    /// Events.
    pub events: Handles<Event>,
    /// Graphs, and what is being captured.
    pub graphs: Graphs,
    /// Modules that the program loaded.
    pub modules: Handles<Arc<Loaded>>,
    /// Libraries that the program loaded.
    pub libraries: Handles<Library>,
    /// Kernels of modules and libraries.
    pub functions: Handles<Function>,
    /// What the program carries within itself.
    pub programs: Programs,
    /// How waiting was asked for, which changes nothing here.
    pub device_flags: u32,
    /// Whether the program holds the primary context.
    pub context_retained: bool,
    /// How kernels send requests to the host.
    pub requests: Requests,
    /// The error that a kernel left, which stays until a reset.
    pub failure: Option<HipError>,
    /// An error that work left and nobody has heard of: the next call that waits returns it.
    pub fault: Option<HipError>,
}

impl State {
    /// The kernel behind a function of the host's.
    pub fn function_of(&mut self, host: Address) -> Outcome<Function> {
        self.programs.function(&self.gpu, &mut self.requests, host)
    }

    /// Address and size of the variable behind one of the host's.
    pub fn variable_of(&mut self, host: Address) -> Outcome<(Address, u64)> {
        if self.programs.managed().any(|address| address == host) {
            let allocation = self.memory.starting_at(host);
            return allocation
                .map(|a| (a.base, a.size))
                .ok_or(HipError::InvalidSymbol);
        }
        self.programs.variable(&self.gpu, &mut self.requests, host)
    }

    /// The error of a failed kernel, heard of or not: the device does nothing more until a reset.
    pub fn dead(&self) -> Option<HipError> {
        let unheard = self.fault.filter(|&fault| sticks(fault));
        self.failure.or(unheard)
    }

    /// Whether memory is the program's own for good: a managed variable, or what it has registered.
    pub fn belongs_to_program(&self, base: Address) -> bool {
        let registered = |allocation| matches!(allocation, Some(Kind::Registered));
        self.programs.managed().any(|address| address == base)
            || registered(self.memory.starting_at(base).map(|found| found.kind))
    }
}

struct Runtime {
    /// What the streams have to do.
    queue: Queue,
    /// Held for moments only, and never while something is asked of the queue.
    state: Mutex<State>,
}

impl Runtime {
    fn new() -> Runtime {
        Runtime {
            queue: Queue::new(),
            state: Mutex::new(State {
                gpu: Arc::new(
                    Gpu::at(FIRST_ADDRESS)
                        .with_patience(PATIENCE)
                        .with_time(settings::time(CLOCK_KHZ, COUNTER_KHZ)),
                ),
                memory: Memory::default(),
                freeing: BTreeSet::new(),
                streams: Handles::new(Tag::Stream),
                events: Handles::new(Tag::Event),
                graphs: Graphs::new(),
                modules: Handles::new(Tag::Module),
                libraries: Handles::new(Tag::Library),
                functions: Handles::new(Tag::Function),
                programs: Programs::new(),
                device_flags: 0,
                context_retained: false,
                requests: Requests::default(),
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
    Runtime::new()
});

thread_local! {
    static LAST_ERROR: Cell<u32> = const { Cell::new(0) };
}

/// The state, for a moment: never while a kernel runs or a function of the program's is called.
pub fn state() -> MutexGuard<'static, State> {
    RUNTIME.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long the end of the process waits for what the streams have to do.
const AT_EXIT: Duration = Duration::from_secs(5);

/// What the streams have to do.
pub fn streams() -> &'static Queue {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| _ = process::at_end(End::Streams, at_exit));
    &RUNTIME.queue
}

/// Work ends before the process does, unless it takes long: a kernel may wait for a host that is gone.
fn at_exit() {
    if process::is_forked() {
        return;
    }
    let closed = guarded("exit", || RUNTIME.queue.close(AT_EXIT));
    if closed == Some(false) && !on_worker() {
        log("the program ends while its streams still have work to do: it is not done");
    }
}

/// That the process may use the runtime: a fork of one that has used the device has none of its threads.
pub fn check_process() -> Outcome {
    if process::is_forked() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            log("a fork of a process that has used the device cannot use it: hipErrorNotInitialized (start a new process instead)");
        });
        return Err(HipError::NotInitialized);
    }
    Ok(())
}

/// That the calling thread may wait for streams: a function that a stream calls may not, as that stream would wait for itself.
pub fn may_wait() -> Outcome {
    if on_worker() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            log("a function that a stream calls may not wait for streams, nor copy: hipErrorIllegalState");
        });
        return Err(HipError::IllegalState);
    }
    Ok(())
}

/// The device, once all work before has been done.
pub struct Idle(());

/// The device, once all work before has been done; at once for a function that a stream calls, which must not wait.
pub fn queue() -> Idle {
    let streams = streams();
    if !on_worker() {
        streams.wait(&streams.all());
    }
    Idle(())
}

/// Whether an error stays until a reset.
fn sticks(error: HipError) -> bool {
    error == HipError::LaunchFailure
}

/// Keeps an error of work that nobody waited for.
pub fn fail(error: HipError) {
    let mut state = state();
    if state.dead().is_none() {
        state.fault = Some(error);
    }
}

/// The error of work that nobody waited for, if there was one: what every call says that has waited.
pub fn heard() -> Outcome {
    let mut state = state();
    if let Some(fault) = state.fault.take() {
        if sticks(fault) {
            state.failure = Some(fault);
        }
        return Err(fault);
    }
    state.failure.map_or(Ok(()), Err)
}

/// Runs an exported function that returns no error code; its value, or `None` where it panicked.
pub fn guarded<T>(name: &str, f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(_) => {
            log(format!("{name}: internal error, see the panic above"));
            None
        }
    }
}

/// Keeps an error for the thread that made the call.
pub fn remember(error: HipError) {
    // That something is not done yet is an answer, and no error.
    if error != HipError::NotReady {
        LAST_ERROR.set(error as u32);
    }
}

/// `hipGetLastError`: the thread's last error, forgotten unless a failed kernel left it.
pub fn last_error() -> u32 {
    let last = LAST_ERROR.replace(0);
    // Whoever held the state when the process forked is not there to give it back.
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
