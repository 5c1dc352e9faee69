//! Error codes of the HIP runtime: their names, their remedies, and their meanings for a trial.

use std::ffi::{CStr, c_char};
use std::fmt;

use super::sys;
use crate::device::{DeviceError, DeviceErrorKind};

const INVALID_VALUE: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;
const INVALID_CONFIGURATION: u32 = 9;
const NO_DEVICE: u32 = 100;
const INVALID_DEVICE: u32 = 101;
const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;
const SHARED_OBJECT_INIT_FAILED: u32 = 303;
const NOT_FOUND: u32 = 500;
const ILLEGAL_ADDRESS: u32 = 700;
const LAUNCH_OUT_OF_RESOURCES: u32 = 701;
const LAUNCH_TIME_OUT: u32 = 702;
const ASSERT: u32 = 710;
const LAUNCH_FAILURE: u32 = 719;
const UNKNOWN: u32 = 999;

/// The error code of a function of the HIP runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HipError {
    call: &'static str,
    code: u32,
}

/// Returns an error if the result of a function is not success.
pub fn check(call: &'static str, code: u32) -> Result<(), HipError> {
    if code == sys::SUCCESS {
        return Ok(());
    }
    Err(HipError { call, code })
}

impl HipError {
    /// Makes the error of a runtime that succeeds in counting 0 devices.
    pub fn no_device() -> HipError {
        HipError {
            call: "hipGetDeviceCount",
            code: NO_DEVICE,
        }
    }

    /// Returns the remedy, if there is one.
    fn hint(self) -> Option<&'static str> {
        // Runtimes have different error codes for a missing device.
        if ["hipInit", "hipGetDeviceCount"].contains(&self.call) {
            return Some(
                "is the amdgpu driver loaded (is there a /dev/kfd), is the user in the groups `render` and `video`, \
                 and does HIP_VISIBLE_DEVICES leave a device?",
            );
        }
        Some(match self.code {
            INVALID_DEVICE => "`--hip-device` counts from 0 what HIP_VISIBLE_DEVICES leaves",
            OUT_OF_MEMORY => {
                "the card's memory is full: look for other programs on it, and run fewer tests at once (`--jobs`)"
            }
            INVALID_IMAGE | NO_BINARY_FOR_GPU | SHARED_OBJECT_INIT_FAILED => {
                "the code object is not for this card, or its version is beyond this runtime: see `deltanet-check inspect`, \
                 and build with --offload-arch=gfx906"
            }
            INVALID_VALUE | INVALID_CONFIGURATION | LAUNCH_OUT_OF_RESOURCES => {
                "the launch may ask for more work-items, registers or LDS than the card has: see `deltanet-check inspect`"
            }
            NOT_FOUND if self.call == "hipModuleGetGlobal" => {
                "the runtime finds variables that the code object exports: `extern \"C\"`, and not `static`"
            }
            NOT_FOUND => "kernels need the documented names, `extern \"C\"`",
            LAUNCH_FAILURE | ILLEGAL_ADDRESS | UNKNOWN => {
                "the kernel did what it may not do: `--device emulator` says where"
            }
            _ => return None,
        })
    }

    fn kind(self) -> DeviceErrorKind {
        match self.code {
            LAUNCH_FAILURE | ILLEGAL_ADDRESS | ASSERT | UNKNOWN => DeviceErrorKind::Fault,
            LAUNCH_TIME_OUT => DeviceErrorKind::Hang,
            OUT_OF_MEMORY => DeviceErrorKind::Memory,
            NOT_FOUND => DeviceErrorKind::MissingKernel,
            _ => DeviceErrorKind::Invalid,
        }
    }
}

impl fmt::Display for HipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HipError { call, code } = self;
        // SAFETY: any number may be passed. The result is null or a text that is never freed.
        let name = unsafe { text(sys::hipGetErrorName(*code)) }.filter(|name| !name.is_empty());
        // SAFETY: as above.
        let words = unsafe { text(sys::hipGetErrorString(*code)) };
        write!(f, "{call}: ")?;
        match &name {
            Some(name) => write!(f, "{name} ({code})")?,
            None => write!(f, "error {code}")?,
        }
        // Old runtimes return the name as the description.
        if let Some(words) = words.filter(|words| !words.is_empty() && Some(words) != name.as_ref())
        {
            write!(f, ", {words}")?;
        }
        match self.hint() {
            Some(hint) => write!(f, ": {hint}"),
            None => Ok(()),
        }
    }
}

/// # Safety
/// The pointer is null, or to a text that ends in a NUL and stays.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().trim().replace('\n', " "))
}

impl From<HipError> for DeviceError {
    fn from(error: HipError) -> DeviceError {
        DeviceError::of(error.kind(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_named_with_a_hint_and_unknown_codes_are_numbers() {
        let memory = check("hipMalloc", OUT_OF_MEMORY).expect_err("an error");
        let shown = memory.to_string();
        assert!(
            shown.starts_with("hipMalloc: hipErrorOutOfMemory (2)") && shown.contains("--jobs"),
            "{shown}"
        );
        let newer = check("hipFree", 4_000_000_123).expect_err("an error");
        assert!(
            newer.to_string().contains("(4000000123)")
                || newer.to_string().contains("error 4000000123")
        );
        assert_eq!(DeviceError::from(newer).kind, DeviceErrorKind::Invalid);
        assert_eq!(check("hipFree", 0), Ok(()));
    }

    #[test]
    fn whatever_a_runtime_says_without_a_device_the_hint_is_about_the_driver() {
        for code in [3, 35, 100, 101, 999] {
            let error = check("hipInit", code).expect_err("an error").to_string();
            assert!(error.contains("/dev/kfd"), "{error}");
        }
        assert!(HipError::no_device().to_string().contains("(100)"));
    }

    #[test]
    fn every_end_has_its_kind() {
        let kind = |code| {
            DeviceError::from(check("hipDeviceSynchronize", code).expect_err("an error")).kind
        };
        assert_eq!(kind(719), DeviceErrorKind::Fault);
        assert_eq!(kind(700), DeviceErrorKind::Fault);
        assert_eq!(kind(702), DeviceErrorKind::Hang);
        assert_eq!(kind(209), DeviceErrorKind::Invalid);
        assert_eq!(kind(2), DeviceErrorKind::Memory);
        assert_eq!(kind(500), DeviceErrorKind::MissingKernel);
    }
}
