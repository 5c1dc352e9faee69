//! Cooperative launches: all work-groups of the grid are resident, so the grid has at most as many as the card holds.

use gfx906::code_object::{Kernel, LaunchShape, MAX_LDS, MAX_WORK_GROUP, groups_at_a_time};

use super::entries::{check_block, kernel_of, no_null};
use super::{LaunchRequest, launch};
use crate::boundary::{Address, In};
use crate::calls::{module, submit};
use crate::card::COMPUTE_UNITS;
use crate::diagnostics::log;
use crate::diagnostics::trap::demangle;
use crate::error::{HipError, HipResult};
use crate::objects::shape::Dim3;

/// `hipLaunchParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostLaunch {
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: usize,
    stream: Address,
}

/// `hipFunctionLaunchParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ModuleLaunch {
    function: Address,
    grid: Dim3,
    block: Dim3,
    lds: u32,
    stream: Address,
    parameters: In<Address>,
}

impl HostLaunch {
    fn submit(&self, cooperative: bool) -> HipResult {
        let request = LaunchRequest {
            parameters: self.parameters,
            cooperative,
            ..LaunchRequest::new(self.grid, self.block, self.lds as u64, self.stream)
        };
        submit::check(self.stream)?;
        // HIP 7 also accepts a kernel's handle.
        launch(&kernel_of(self.host)?, self.host, &request)
    }
}

/// Fails if the card cannot hold the whole grid at a time.
pub fn check(kernel: &Kernel, shape: &LaunchShape) -> HipResult {
    let items = shape.block.iter().product();
    let each = groups_at_a_time(kernel, items, shape.dynamic_lds as usize);
    let most = u64::from(each) * u64::from(COMPUTE_UNITS);
    let groups: u64 = shape.grid.into_iter().map(u64::from).product();
    if groups > most {
        log(format!(
            "kernel `{}`: a cooperative launch of {groups} groups of {items}, of which the card holds {most} at a time \
             (hipOccupancyMaxActiveBlocksPerMultiprocessor says {each} a compute unit)",
            demangle(&kernel.name)
        ));
        return Err(HipError::CooperativeLaunchTooLarge);
    }
    Ok(())
}

pub fn host_launch(
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: u32,
    stream: Address,
) -> HipResult {
    let launch = HostLaunch {
        host,
        grid,
        block,
        parameters,
        lds: lds as usize,
        stream,
    };
    submit::check(stream)?;
    kernel_of(host)?;
    let [x, y, z] = block.into();
    let fits = u128::from(x) * u128::from(y) * u128::from(z) <= MAX_WORK_GROUP.into();
    // Only this call takes too much LDS for a grid that cannot be resident.
    if fits && lds > MAX_LDS {
        return Err(HipError::CooperativeLaunchTooLarge);
    }
    launch.submit(true)
}

pub fn module_launch(
    function: Address,
    grid: [u32; 3],
    block: [u32; 3],
    lds: u32,
    stream: Address,
    parameters: In<Address>,
) -> HipResult {
    no_null(function)?;
    check_block(block)?;
    let request = LaunchRequest {
        parameters,
        cooperative: true,
        ..LaunchRequest::new(grid, block, lds.into(), stream)
    };
    launch(&module::function(function)?, function, &request)
}

/// Returns the launch of the only device, from a list of one launch per device.
fn only_launch<T: Copy>(launches: In<T>, count: u32) -> HipResult<T> {
    if count != 1 {
        return Err(HipError::InvalidValue);
    }
    launches.get()
}

/// Launches a kernel on all devices, of which there is one.
pub fn host_launch_on(launches: In<HostLaunch>, count: i32, cooperative: bool) -> HipResult {
    let of = only_launch(launches, u32::try_from(count).unwrap_or(0))?;
    // The null stream belongs to no device in particular.
    if of.stream == 0 {
        return Err(HipError::InvalidHandle);
    }
    of.submit(cooperative)
}

pub fn module_launch_on(launches: In<ModuleLaunch>, count: u32) -> HipResult {
    let of = only_launch(launches, count)?;
    if of.stream == 0 {
        return Err(HipError::InvalidHandle);
    }
    check_block(of.block.into())?;
    let request = LaunchRequest {
        parameters: of.parameters,
        cooperative: true,
        ..LaunchRequest::new(of.grid, of.block, of.lds.into(), of.stream)
    };
    launch(&module::function(of.function)?, of.function, &request)
}
