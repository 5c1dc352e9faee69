//! The one runtime of a process: its state and locks, the error that a thread saw last.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use gfx906::machine::Gpu;

use crate::boundary::Address;
use crate::card::FIRST_ADDRESS;
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use crate::hostcall::Requests;
use crate::objects::event::Event;
use crate::objects::memory::{Kind, Memory};
use crate::objects::module::{Function, Loaded};
use crate::objects::programs::Programs;
use crate::objects::stream::Stream;
use crate::settings::PATIENCE;
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
    /// Whether the program holds the primary context.
    pub context_retained: bool,
    /// How kernels send requests to the host.
    pub requests: Requests,
    /// The error that a kernel left, which stays until a reset.
    pub failure: Option<HipError>,
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

    /// Whether memory is the program's own for good: a managed variable, or what it has registered.
    pub fn belongs_to_program(&self, base: Address) -> bool {
        let registered = |allocation| matches!(allocation, Some(Kind::Registered));
        self.programs.managed().any(|address| address == base)
            || registered(self.memory.starting_at(base).map(|found| found.kind))
    }
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
        context_retained: false,
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

/// Keeps an error for the thread that made the call.
pub fn remember(error: HipError) {
    LAST_ERROR.set(error as u32);
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
