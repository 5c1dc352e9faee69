//! A real card, through the HIP runtime. No other room of this program calls HIP.

mod error;
mod graph;
mod pick;
mod session;
mod sys;

use std::ffi::CStr;

use super::{Device, DeviceError, Limits, Session, SetupError, Watch};
use crate::report::model::{CardReport, DeviceReport};
use crate::text::shown;
use error::{HipError, check};
use pick::{VisibleDevice, pick};

/// Environment variable that makes the runtime treat any card as one of the given architecture.
const OVERRIDE: &str = "HSA_OVERRIDE_GFX_VERSION";

/// Environment variables that change the cards that the runtime shows, or their architecture.
const ENVIRONMENT: [&str; 3] = ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", OVERRIDE];

/// A card.
pub struct Hip {
    index: u32,
    report: DeviceReport,
}

impl Hip {
    /// Chooses the device of this number, or the first gfx906 that the runtime shows. With an override, other architectures are accepted.
    ///
    /// # Errors
    /// The runtime has no device, or none of a usable architecture.
    pub fn choose(wanted: Option<u32>) -> Result<Hip, SetupError> {
        let found = devices().map_err(|error| {
            SetupError::Unusable(format!(
                "no card can be used: {error}; `--device emulator` needs none"
            ))
        })?;
        let environment = environment();
        let overridden = environment.iter().any(|set| set.starts_with(OVERRIDE));
        let index = pick(&found, wanted, overridden)
            .map_err(|error| SetupError::Unusable(error.to_string()))?;
        let card = card(index, &found[index as usize], environment);
        Ok(Hip {
            index,
            report: DeviceReport {
                kind: "hip".into(),
                description: pick::describe(&card),
                card: Some(card),
            },
        })
    }

    /// Returns the index of the device among those that the runtime shows.
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl Device for Hip {
    fn describe(&self) -> DeviceReport {
        self.report.clone()
    }

    fn open(&self, _: usize, _: Limits, _: &Watch) -> Result<Box<dyn Session>, DeviceError> {
        session::open(self.index)
    }
}

/// Returns every device that the runtime shows.
fn devices() -> Result<Vec<VisibleDevice>, HipError> {
    // SAFETY: no memory is passed.
    check("hipInit", unsafe { sys::hipInit(0) })?;
    let mut count = 0;
    // SAFETY: the runtime writes an int there.
    check("hipGetDeviceCount", unsafe {
        sys::hipGetDeviceCount(&raw mut count)
    })?;
    if count < 1 {
        return Err(HipError::no_device());
    }
    Ok((0..count)
        .map(|index| VisibleDevice {
            name: name(index).unwrap_or_default(),
            architecture: architecture(index).unwrap_or_default(),
        })
        .collect())
}

fn name(index: i32) -> Option<String> {
    let mut buffer = [0u8; 256];
    // SAFETY: the runtime writes at most `buffer.len()` bytes.
    let code =
        unsafe { sys::hipDeviceGetName(buffer.as_mut_ptr().cast(), buffer.len() as i32, index) };
    if code != sys::SUCCESS {
        return None;
    }
    let name = CStr::from_bytes_until_nul(&buffer).ok()?.to_string_lossy();
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}

/// Returns the architecture of a device. Each major version of the runtime has another layout and size of the struct of properties, so the
/// architecture is found by its text.
fn architecture(index: i32) -> Option<String> {
    // ROCm 6 has two functions for two layouts, and may drop the older; every version has one of them.
    [c"hipGetDeviceProperties", c"hipGetDevicePropertiesR0600"]
        .into_iter()
        .find_map(|name| {
            let function = sys::properties_function(name)?;
            // The largest known layout takes less than a quarter of this.
            let mut buffer = vec![0u64; 1024];
            // SAFETY: the function is one of those that fill a struct of properties, which the buffer has room for.
            let code = unsafe { function(buffer.as_mut_ptr().cast(), index) };
            let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
            pick::architecture(&bytes).filter(|_| code == sys::SUCCESS)
        })
}

fn card(index: u32, found: &VisibleDevice, environment: Vec<String>) -> CardReport {
    let number = |code: u32, value: i32| {
        let value = u32::try_from(value).ok();
        value.filter(|&value| code == sys::SUCCESS && value > 0)
    };
    let device = i32::try_from(index).unwrap_or_default();
    let (mut units, mut runtime, mut driver, mut memory) = (0, 0, 0, 0usize);
    // SAFETY: the runtime writes an int there, as with the two below.
    let code =
        unsafe { sys::hipDeviceGetAttribute(&raw mut units, sys::MULTIPROCESSOR_COUNT, device) };
    let compute_units = number(code, units);
    // SAFETY: as above.
    let code = unsafe { sys::hipRuntimeGetVersion(&raw mut runtime) };
    let runtime = number(code, runtime);
    // SAFETY: as above.
    let code = unsafe { sys::hipDriverGetVersion(&raw mut driver) };
    let driver = number(code, driver);
    // SAFETY: the runtime writes a size_t there.
    let code = unsafe { sys::hipDeviceTotalMem(&raw mut memory, device) };
    CardReport {
        index,
        name: found.name.clone(),
        architecture: found.architecture.clone(),
        compute_units,
        memory: (code == sys::SUCCESS).then_some(memory as u64),
        runtime,
        driver,
        environment,
    }
}

/// Returns the environment variables that the runtime reads, as `NAME=value`.
fn environment() -> Vec<String> {
    let set = |name: &str| {
        let value = std::env::var_os(name)?;
        Some(format!("{name}={}", shown(std::path::Path::new(&value))))
    };
    ENVIRONMENT.into_iter().filter_map(set).collect()
}
