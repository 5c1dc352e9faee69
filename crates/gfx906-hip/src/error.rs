//! Error codes of HIP: number, name, text.

use std::ffi::CStr;

/// Result of a runtime function.
pub type HipResult<T = ()> = Result<T, HipError>;

macro_rules! errors {
    ($($code:literal $name:ident $text:literal)*) => {
        /// Error code of HIP, by its name without `hipError`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are HIP's, and the table gives each its text")]
        #[repr(u32)]
        pub enum HipError {
            $($name = $code,)*
        }

        /// Code, name, text.
        const TABLE: &[(u32, &CStr, &CStr)] = &[
            (0, c"hipSuccess", c"no error"),
            $(($code, cstr(concat!("hipError", stringify!($name), "\0")), cstr(concat!($text, "\0"))),)*
        ];
    };
}

const fn cstr(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a NUL at the end, and none before"),
    }
}

#[rustfmt::skip]
errors! {
    1    InvalidValue                   "invalid argument"
    2    OutOfMemory                    "out of memory"
    3    NotInitialized                 "initialization error"
    4    Deinitialized                  "driver shutting down"
    5    ProfilerDisabled               "profiler disabled while using external profiling tool"
    6    ProfilerNotInitialized         "profiler is not initialized"
    7    ProfilerAlreadyStarted         "profiler already started"
    8    ProfilerAlreadyStopped         "profiler already stopped"
    9    InvalidConfiguration           "invalid configuration argument"
    12   InvalidPitchValue              "invalid pitch argument"
    13   InvalidSymbol                  "invalid device symbol"
    17   InvalidDevicePointer           "invalid device pointer"
    21   InvalidMemcpyDirection         "invalid copy direction for memcpy"
    35   InsufficientDriver             "driver version is insufficient for runtime version"
    52   MissingConfiguration           "__global__ function call is not configured"
    53   PriorLaunchFailure             "unspecified launch failure in prior launch"
    98   InvalidDeviceFunction          "invalid device function"
    100  NoDevice                       "no ROCm-capable device is detected"
    101  InvalidDevice                  "invalid device ordinal"
    200  InvalidImage                   "device kernel image is invalid"
    201  InvalidContext                 "invalid device context"
    202  ContextAlreadyCurrent          "context is already current context"
    205  MapFailed                      "mapping of buffer object failed"
    206  UnmapFailed                    "unmapping of buffer object failed"
    207  ArrayIsMapped                  "array is mapped"
    208  AlreadyMapped                  "resource already mapped"
    209  NoBinaryForGpu                 "no kernel image is available for execution on the device"
    210  AlreadyAcquired                "resource already acquired"
    211  NotMapped                      "resource not mapped"
    212  NotMappedAsArray               "resource not mapped as array"
    213  NotMappedAsPointer             "resource not mapped as pointer"
    214  ECCNotCorrectable              "uncorrectable ECC error encountered"
    215  UnsupportedLimit               "limit is not supported on this architecture"
    216  ContextAlreadyInUse            "exclusive-thread device already in use by a different thread"
    217  PeerAccessUnsupported          "peer access is not supported between these two devices"
    218  InvalidKernelFile              "invalid kernel file"
    219  InvalidGraphicsContext         "invalid OpenGL or DirectX context"
    300  InvalidSource                  "device kernel image is invalid"
    301  FileNotFound                   "file not found"
    302  SharedObjectSymbolNotFound     "shared object symbol not found"
    303  SharedObjectInitFailed         "shared object initialization failed"
    304  OperatingSystem                "OS call failed or operation not supported on this OS"
    400  InvalidHandle                  "invalid resource handle"
    401  IllegalState                   "the operation cannot be performed in the present state"
    500  NotFound                       "named symbol not found"
    600  NotReady                       "device not ready"
    700  IllegalAddress                 "an illegal memory access was encountered"
    701  LaunchOutOfResources           "too many resources requested for launch"
    702  LaunchTimeOut                  "the launch timed out and was terminated"
    704  PeerAccessAlreadyEnabled       "peer access is already enabled"
    705  PeerAccessNotEnabled           "peer access has not been enabled"
    708  SetOnActiveProcess             "cannot set while device is active in this process"
    709  ContextIsDestroyed             "context is destroyed"
    710  Assert                         "device-side assert triggered"
    712  HostMemoryAlreadyRegistered    "part or all of the requested memory range is already mapped"
    713  HostMemoryNotRegistered        "pointer does not correspond to a registered memory region"
    719  LaunchFailure                  "unspecified launch failure"
    720  CooperativeLaunchTooLarge      "too many blocks in cooperative launch"
    801  NotSupported                   "operation not supported"
    900  StreamCaptureUnsupported       "operation not permitted when stream is capturing"
    901  StreamCaptureInvalidated       "operation failed due to a previous error during capture"
    902  StreamCaptureMerge             "operation would result in a merge of separate capture sequences"
    903  StreamCaptureUnmatched         "capture was not ended in the same stream as it began"
    904  StreamCaptureUnjoined          "capturing stream has unjoined work"
    905  StreamCaptureIsolation         "dependency created on uncaptured work in another stream"
    906  StreamCaptureImplicit          "operation would make the legacy stream depend on a capturing blocking stream"
    907  CapturedEvent                  "operation not permitted on an event last recorded in a capturing stream"
    908  StreamCaptureWrongThread       "attempt to terminate a thread-local capture sequence from another thread"
    910  GraphExecUpdateFailure         "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    999  Unknown                        "unknown error"
    1052 RuntimeMemory                  "runtime memory call returned error"
    1053 RuntimeOther                   "runtime call other than memory returned error"
    1054 Tbd                            "unknown error"
}

fn row(code: u32) -> Option<&'static (u32, &'static CStr, &'static CStr)> {
    TABLE.iter().find(|row| row.0 == code)
}

/// Returns the name of a code.
pub fn name(code: u32) -> &'static CStr {
    row(code).map_or(c"hipErrorUnknown", |row| row.1)
}

/// Returns true for a code of HIP's.
pub fn is_known(code: u32) -> bool {
    row(code).is_some()
}

/// Returns the text of a code.
pub fn text(code: u32) -> &'static CStr {
    row(code).map_or(c"unknown error", |row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(name(0), c"hipSuccess");
        assert_eq!(name(HipError::InvalidValue as u32), c"hipErrorInvalidValue");
        assert_eq!(
            name(HipError::LaunchFailure as u32),
            c"hipErrorLaunchFailure"
        );
        assert_eq!(name(12345), c"hipErrorUnknown");
        assert_eq!(text(2), c"out of memory");
    }
}
