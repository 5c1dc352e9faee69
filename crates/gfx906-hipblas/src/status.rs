//! Status codes of functions: `hipblasStatus_t` and `rocblas_status`.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// Failure of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Invalid handle.
    NotInitialized,
    /// Failed allocation.
    AllocFailed,
    /// Invalid size, distance or count.
    InvalidSize,
    /// Null pointer.
    InvalidPointer,
    /// Failed copy.
    MappingError,
    /// Failed kernel.
    ExecutionFailed,
    /// Error within the library.
    InternalError,
    /// Unsupported function or combination of types.
    NotSupported,
    /// Null pointer to a handle.
    HandleIsNull,
    /// Number that no constant of an enumeration has.
    InvalidEnum,
}

impl Status {
    /// Returns the number that a function of this name returns for the status.
    fn number(self, function: &str) -> u32 {
        let (hipblas, rocblas) = match self {
            Status::NotInitialized => (1, 1),
            Status::AllocFailed => (2, 5),
            Status::InvalidSize => (3, 4),
            Status::InvalidPointer => (3, 3),
            Status::MappingError => (4, 6),
            Status::ExecutionFailed => (5, 6),
            Status::InternalError => (6, 6),
            Status::NotSupported => (7, 2),
            Status::HandleIsNull => (9, 1),
            Status::InvalidEnum => (10, 11),
        };
        if function.starts_with("rocblas") {
            rocblas
        } else {
            hipblas
        }
    }
}

/// Result of a function.
pub type BlasResult<T = ()> = Result<T, Status>;

/// Names of all statuses of hipBLAS, in the order of their numbers.
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

/// Names of all statuses of rocBLAS, in the order of their numbers.
const ROCBLAS_NAMES: [&CStr; 16] = [
    c"rocblas_status_success",
    c"rocblas_status_invalid_handle",
    c"rocblas_status_not_implemented",
    c"rocblas_status_invalid_pointer",
    c"rocblas_status_invalid_size",
    c"rocblas_status_memory_error",
    c"rocblas_status_internal_error",
    c"rocblas_status_perf_degraded",
    c"rocblas_status_size_query_mismatch",
    c"rocblas_status_size_increased",
    c"rocblas_status_size_unchanged",
    c"rocblas_status_invalid_value",
    c"rocblas_status_continue",
    c"rocblas_status_check_numerics_fail",
    c"rocblas_status_excluded_from_build",
    c"rocblas_status_arch_mismatch",
];

/// Returns the name of a status of hipBLAS.
pub fn name(status: u32) -> &'static CStr {
    let name = NAMES.get(status as usize).copied();
    name.unwrap_or(c"HIPBLAS_STATUS_UNKNOWN")
}

/// Returns the name of a status of rocBLAS.
pub fn rocblas_name(status: u32) -> &'static CStr {
    let name = ROCBLAS_NAMES.get(status as usize).copied();
    name.unwrap_or(c"unrecognized status code")
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
        log(&format!("{what} is not supported"));
    }
    Status::NotSupported
}

/// Runs an exported function. Errors and panics become the numbers of statuses in the library that the function's name belongs to.
pub fn enter(name: &str, f: impl FnOnce() -> BlasResult) -> u32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status.number(name),
        Err(_) => {
            log(&format!("{name}: internal error, see the panic above"));
            Status::InternalError.number(name)
        }
    }
}
