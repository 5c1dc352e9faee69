//! Status codes of functions: `hipblasStatus_t`.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// Status by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Invalid handle.
    NotInitialized = 1,
    /// Failed allocation.
    AllocFailed = 2,
    /// Invalid argument.
    InvalidValue = 3,
    /// Failed copy.
    MappingError = 4,
    /// Failed kernel.
    ExecutionFailed = 5,
    /// Error within the library.
    InternalError = 6,
    /// Unsupported function or combination of types.
    NotSupported = 7,
    /// Null pointer to a handle.
    HandleIsNull = 9,
    /// Number that no constant of an enumeration has.
    InvalidEnum = 10,
}

/// Result of a function.
pub type BlasResult<T = ()> = Result<T, Status>;

/// Names of all statuses, in their order.
const NAMES: [&CStr; 12] = [
    c"HIPBLAS_STATUS_SUCCESS",
    c"HIPBLAS_STATUS_NOT_INITIALIZED",
    c"HIPBLAS_STATUS_ALLOC_FAILED",
    c"HIPBLAS_STATUS_INVALID_VALUE",
    c"HIPBLAS_STATUS_MAPPING_ERROR",
    c"HIPBLAS_STATUS_EXECUTION_FAILED",
    c"HIPBLAS_STATUS_INTERNAL_ERROR",
    c"HIPBLAS_STATUS_NOT_SUPPORTED",
    c"HIPBLAS_STATUS_ARCH_MISMATCH",
    c"HIPBLAS_STATUS_HANDLE_IS_NULLPTR",
    c"HIPBLAS_STATUS_INVALID_ENUM",
    c"HIPBLAS_STATUS_UNKNOWN",
];

/// Returns the name of a status.
pub fn name(status: u32) -> &'static CStr {
    NAMES
        .get(status as usize)
        .copied()
        .unwrap_or(c"HIPBLAS_STATUS_UNKNOWN")
}

/// Writes a line to stderr, and ignores the panic of `eprintln!` in a program without stderr.
fn log(text: &str) {
    drop(std::panic::catch_unwind(|| {
        eprintln!("gfx906-hipblas: {text}")
    }));
}

/// Logs once that something is not supported, and returns the status for that.
pub fn not_supported(what: &str) -> Status {
    static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if !logged.iter().any(|text| text == what) {
        logged.push(what.to_owned());
        log(&format!(
            "{what} is not supported: HIPBLAS_STATUS_NOT_SUPPORTED"
        ));
    }
    Status::NotSupported
}

/// Runs an exported function. Errors and panics become the numbers of statuses.
pub fn enter(name: &str, f: impl FnOnce() -> BlasResult) -> u32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as u32,
        Err(_) => {
            log(&format!("{name}: internal error, see the panic above"));
            Status::InternalError as u32
        }
    }
}
