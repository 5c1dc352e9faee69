//! The one card: its memory, where that begins, and whether programs may see it.

use std::sync::LazyLock;

use crate::error::{HipError, Outcome};
use crate::settings;

/// Device memory of an MI50 with 16 GB in bytes, as its driver tells it.
pub const TOTAL: u64 = 16368 << 20;

/// Where device addresses start: above everything that a host program can have, which ends at 2^47.
pub const FIRST_ADDRESS: u64 = 1 << 47;

/// Compute units.
pub const COMPUTE_UNITS: u32 = 60;

/// The rate of s_memtime (`clock64`): the highest of the cores.
pub const CLOCK_KHZ: u32 = 1_725_000;
/// The rate of s_memrealtime (`wall_clock64`).
pub const COUNTER_KHZ: u32 = 25_000;

/// Whether programs may see the device: a list of visible ones hides those it does not name.
pub fn visible() -> bool {
    static VISIBLE: LazyLock<bool> = LazyLock::new(settings::first_device_is_visible);
    *VISIBLE
}

/// That there is a device.
pub fn any() -> Outcome {
    if !visible() {
        return Err(HipError::NoDevice);
    }
    Ok(())
}

/// Checks a device's number.
pub fn check(device: i32) -> Outcome {
    any()?;
    if device != 0 {
        return Err(HipError::InvalidDevice);
    }
    Ok(())
}

/// The greatest sides of an image: elements of a row, rows, planes or layers.
pub const MOST_SIDES: [usize; 3] = [16384, 16384, 8192];

/// The most elements, one after the other, that a texture may be over.
pub const MOST_LINEAR: usize = 1 << 27;
