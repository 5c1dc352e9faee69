//! How a call enters the runtime: through a gate, with panics and errors as codes.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::boundary::Text;
use crate::card;
use crate::diagnostics::log;
use crate::error::{HipError, Outcome};
use crate::runtime::{check_process, guarded, remember, state};

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
        check_process()?;
        if gate == Gate::Device {
            card::any()?;
            let failure = state().failure;
            failure.map_or(Ok(()), Err)?;
        }
        f()
    });
    let code = match outcome.unwrap_or(Err(HipError::Unknown)) {
        Ok(()) => 0,
        Err(error) => {
            remember(error);
            error as u32
        }
    };
    LATEST.set(code);
    code
}

thread_local! {
    static LATEST: Cell<u32> = const { Cell::new(0) };
}

/// `hipExtGetLastError`: what the thread's latest call returned, success too; forgotten by asking.
pub fn latest() -> u32 {
    LATEST.replace(0)
}

/// What a function that is not supported returns; it says so once.
pub fn not_supported(name: &'static str) -> u32 {
    static TOLD: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.contains(&name) {
        told.push(name);
        log(format!(
            "{name} is not supported: it returns hipErrorNotSupported"
        ));
    }
    remember(HipError::NotSupported);
    HipError::NotSupported as u32
}

/// What a function without an error code returns where it came to no end.
pub trait Failed {
    /// The value.
    fn failed() -> Self;
}

macro_rules! failed {
    ($($type:ty = $value:expr;)*) => {
        $(impl Failed for $type {
            fn failed() -> $type {
                $value
            }
        })*
    };
}

failed! {
    () = ();
    u16 = 0;
    u32 = HipError::Unknown as u32;
    i32 = -1;
    u64 = 0;
    usize = 0;
    f32 = f32::NAN;
    Text = Text::null();
}
