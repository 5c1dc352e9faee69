//! Entry of a call into the runtime: checks, and conversion of panics and errors to codes.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::boundary::Text;
use crate::card;
use crate::diagnostics::{call, log, summary};
use crate::error::{HipError, HipResult};
use crate::runtime::{check_process, guarded, remember, state};
use crate::settings;

/// Effect of an earlier kernel's failure on a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The function uses the device. It fails with the kernel's error until a reset, and fails without a device.
    Device,
    /// The function works in any state.
    Open,
}

/// Runs an exported function. Panics and errors become codes, and the thread remembers the last error.
pub fn enter(name: &'static str, gate: Gate, f: impl FnOnce() -> HipResult) -> u32 {
    let mut is_ready = false;
    let outcome = guarded(name, || {
        check_process()?;
        if gate == Gate::Device {
            card::check_visible()?;
            let failure = state().failure;
            failure.map_or(Ok(()), Err)?;
        }
        is_ready = true;
        call::run_as(name, f)
    });
    let code = match outcome.unwrap_or(Err(HipError::Unknown)) {
        Ok(()) => 0,
        Err(error) => {
            if is_ready && launches_kernel(name) && !has_failed(error) {
                summary::count_refused();
            }
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

/// Returns true for the functions that launch kernels.
fn launches_kernel(name: &str) -> bool {
    name.contains("Launch") && (name.contains("Kernel") || name == "hipLaunchByPtr")
}

/// Returns true if a launch has begun and failed. Launches return that only where each call waits for its work.
fn has_failed(error: HipError) -> bool {
    settings::SYNC.is_on() && error == HipError::LaunchFailure
}

/// `hipExtGetLastError`: returns the code of the thread's latest call, success included, and resets it.
pub fn latest() -> u32 {
    LATEST.replace(0)
}

/// Logs once that a function is not supported, and returns the code for that.
pub fn not_supported(name: &'static str) -> u32 {
    static TOLD: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut logged = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !logged.contains(&name) {
        logged.push(name);
        log(format!(
            "{name} is not supported: it returns hipErrorNotSupported"
        ));
    }
    remember(HipError::NotSupported);
    HipError::NotSupported as u32
}

/// Return value of a function without an error code after an internal failure.
pub trait FailureValue {
    /// Returns the value.
    fn failed() -> Self;
}

macro_rules! failed {
    ($($type:ty = $value:expr;)*) => {
        $(impl FailureValue for $type {
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
