//! What functions come to: `hipblasStatus_t`.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// A status, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// The handle is none.
    NotInitialized = 1,
    /// No memory.
    AllocFailed = 2,
    /// An argument cannot be.
    InvalidValue = 3,
    /// A copy failed.
    MappingError = 4,
    /// A kernel failed.
    ExecutionFailed = 5,
    /// A fault of the library's.
    InternalError = 6,
    /// Not there.
    NotSupported = 7,
    /// No place for a handle.
    HandleIsNull = 9,
    /// A number that no constant has.
    InvalidEnum = 10,
}

/// What a function comes to.
pub type Outcome<T = ()> = Result<T, Status>;

/// The names of all, in their order.
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

/// A status' name.
pub fn name(status: u32) -> &'static CStr {
    NAMES
        .get(status as usize)
        .copied()
        .unwrap_or(c"HIPBLAS_STATUS_UNKNOWN")
}

/// Says something on stderr; a program without one misses it.
fn tell(text: &str) {
    drop(std::panic::catch_unwind(|| {
        eprintln!("gfx906-hipblas: {text}")
    }));
}

/// Says once that something is not there.
pub fn not_supported(what: &str) -> Status {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.iter().any(|text| text == what) {
        told.push(what.to_owned());
        tell(&format!(
            "{what} is not supported: HIPBLAS_STATUS_NOT_SUPPORTED"
        ));
    }
    Status::NotSupported
}

/// Runs an exported function: errors and panics become numbers.
pub fn enter(name: &str, f: impl FnOnce() -> Outcome) -> u32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as u32,
        Err(_) => {
            tell(&format!("{name}: internal error, see the panic above"));
            Status::InternalError as u32
        }
    }
}
