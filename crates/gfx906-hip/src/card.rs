//! The card: its memory, addresses, clocks and visibility.

use std::sync::LazyLock;

use crate::error::{HipError, HipResult};
use crate::settings;

/// Bytes of device memory of an MI50 with 16 GB, as its driver reports them.
pub const TOTAL: u64 = 16368 << 20;

/// First device address. Host programs have addresses below 2^47 only.
pub const FIRST_ADDRESS: u64 = 1 << 47;

pub use gfx906::code_object::COMPUTE_UNITS;

/// Rate of s_memtime (`clock64`): the highest of the cores.
pub const CLOCK_KHZ: u32 = 1_725_000;
/// Rate of s_memrealtime (`wall_clock64`).
pub const COUNTER_KHZ: u32 = 25_000;

/// Returns true if programs may see the device. A list of visible devices hides every device that it does not name.
pub fn visible() -> bool {
    static VISIBLE: LazyLock<bool> = LazyLock::new(settings::first_device_is_visible);
    *VISIBLE
}

/// Fails if programs may not see the device.
pub fn check_visible() -> HipResult {
    if !visible() {
        return Err(HipError::NoDevice);
    }
    Ok(())
}

/// Checks a device's number.
pub fn check(device: i32) -> HipResult {
    check_visible()?;
    if device != 0 {
        return Err(HipError::InvalidDevice);
    }
    Ok(())
}

/// Greatest sides of an image: elements of a row, rows, planes or layers.
pub const MOST_SIDES: [usize; 3] = [16384, 16384, 8192];

/// Most elements of a texture over linear memory.
pub const MOST_LINEAR: usize = 1 << 27;
