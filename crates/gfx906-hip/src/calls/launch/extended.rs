//! Launches with attributes: `hipLaunchKernelExC`, `hipDrvLaunchKernelEx`.

use super::entries::{kernel_of, no_null};
use super::{LaunchRequest, launch};
use crate::boundary::{Address, In};
use crate::calls::module;
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::objects::shape::Dim3;

/// `hipLaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    id: u32,
    pad: u32,
    /// Union of 64 bytes.
    value: [i32; 16],
}

/// `hipLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostConfig {
    grid: Dim3,
    block: Dim3,
    lds: usize,
    stream: Address,
    attributes: In<Attribute>,
    count: u32,
}

/// `HIP_LAUNCH_CONFIG`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ModuleConfig {
    grid: Dim3,
    block: Dim3,
    lds: u32,
    stream: Address,
    attributes: In<Attribute>,
    count: u32,
}

/// Returns true if the attributes ask for a cooperative launch. A window of the cache and a priority change nothing.
fn is_cooperative(attributes: In<Attribute>, count: u32) -> HipResult<bool> {
    const WINDOW: u32 = 1;
    const COOPERATIVE: u32 = 2;
    const PRIORITY: u32 = 8;
    let mut cooperative = false;
    for n in 0..count as usize {
        let attribute = attributes.nth(n)?;
        match attribute.id {
            COOPERATIVE => cooperative = attribute.value[0] != 0,
            WINDOW | PRIORITY => {}
            id => {
                log(format!("a launch with attribute {id}: not supported"));
                return Err(HipError::InvalidValue);
            }
        }
    }
    Ok(cooperative)
}

pub fn host_launch(config: In<HostConfig>, host: Address, parameters: In<Address>) -> HipResult {
    let config = config.get()?;
    let request = LaunchRequest {
        parameters,
        cooperative: is_cooperative(config.attributes, config.count)?,
        ..LaunchRequest::new(config.grid, config.block, config.lds as u64, config.stream)
    };
    launch(&kernel_of(host)?, host, &request)
}

pub fn module_launch(
    config: In<ModuleConfig>,
    function: Address,
    parameters: In<Address>,
    extra: In<Address>,
) -> HipResult {
    let config = config.get()?;
    no_null(function)?;
    let request = LaunchRequest {
        parameters,
        extra,
        cooperative: is_cooperative(config.attributes, config.count)?,
        ..LaunchRequest::new(config.grid, config.block, config.lds.into(), config.stream)
    };
    launch(&module::function(function)?, function, &request)
}
