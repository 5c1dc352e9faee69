//! Functions that launch a kernel of a module, or the kernel behind a host function.

use gfx906::code_object::MAX_WORK_GROUP;

use super::{LaunchRequest, launch};
use crate::boundary::{Address, In};
use crate::calls::module;
use crate::diagnostics::trap::demangle;
use crate::diagnostics::{self, log};
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::objects::module::Function;
use crate::objects::shape::Dim3;
use crate::runtime::state;
use crate::settings;

/// Fails for a null function. HIP versions before 6 have an error code of their own for it.
pub fn no_null(function: Address) -> HipResult {
    match function {
        0 if generation() == Generation::Five => Err(HipError::InvalidImage),
        0 => Err(HipError::InvalidHandle),
        _ => Ok(()),
    }
}

pub fn module_launch(
    function: Address,
    grid: [u32; 3],
    block: [u32; 3],
    lds: u32,
    stream: Address,
    parameters: In<Address>,
    extra: In<Address>,
) -> HipResult {
    no_null(function)?;
    check_sizes(grid, block)?;
    let request = LaunchRequest {
        parameters,
        extra,
        ..LaunchRequest::new(grid, block, lds.into(), stream)
    };
    launch(&module::function(function)?, function, &request)
}

/// Checks the sizes that `hipModuleLaunchKernel` reports in its own way from HIP 6 on.
fn check_sizes(grid: [u32; 3], block: [u32; 3]) -> HipResult {
    const MOST_GROUPS: [u32; 3] = [i32::MAX as u32, 1 << 16, 1 << 16];
    let is_large = (0..3).any(|d| grid[d] > MOST_GROUPS[d]);
    if is_large && generation() != Generation::Five {
        return Err(HipError::InvalidValue);
    }
    check_block(block)
}

/// Checks the size of a block. From HIP 6 on, launches of modules' kernels have an error code of their own for a block that is too large.
pub fn check_block(block: [u32; 3]) -> HipResult {
    // A block may have 2^32 work-items in each direction.
    let items: u128 = block.into_iter().map(u128::from).product();
    if items > MAX_WORK_GROUP.into() && generation() != Generation::Five {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// Returns the kernel behind a host function, for a launch. If the program has no code for this card, that is reported once for each kernel: a
/// program that ignores the error takes what its memory held before for a result.
pub fn host_kernel(host: Address) -> HipResult<Function> {
    let found = state().function_of(host);
    if matches!(found, Err(HipError::NoBinaryForGpu)) {
        let kernel = state().programs.first_refused(host).map(demangle);
        if let Some(kernel) = kernel {
            log(format!(
                "kernel {kernel} was not launched: the program has no code for gfx906"
            ));
        }
        if settings::ABORT.is_on() {
            diagnostics::abort(settings::ABORT.name());
        }
    }
    found
}

/// Returns the kernel that a host function or a module's function names.
pub fn kernel_of(named: Address) -> HipResult<Function> {
    if named == 0 {
        return Err(HipError::InvalidDeviceFunction);
    }
    match host_kernel(named) {
        Err(HipError::InvalidDeviceFunction) => {
            module::function(named).map_err(|_| HipError::InvalidDeviceFunction)
        }
        found => found,
    }
}

/// `hipExtModuleLaunchKernel`: counts work-items of the whole grid instead of work-groups, and records events.
pub fn ext_module_launch(
    function: Address,
    items: [u32; 3],
    block: [u32; 3],
    lds: usize,
    stream: Address,
    (parameters, extra): (In<Address>, In<Address>),
    events: [Address; 2],
) -> HipResult {
    no_null(function)?;
    if block.contains(&0) {
        return Err(HipError::InvalidValue);
    }
    check_block(block)?;
    // A block is no larger than the whole grid.
    let block = [0, 1, 2].map(|d| block[d].min(items[d].max(1)));
    let function_of = module::function(function)?;
    if (0..3).any(|d| !items[d].is_multiple_of(block[d])) {
        let uniform = function_of.kernel()?.uniform_work_groups;
        let why = if uniform {
            "the kernel was compiled for whole blocks"
        } else {
            "not supported"
        };
        log(format!(
            "{items:?} work-items are no whole number of blocks {block:?}: {why}"
        ));
        return Err(if uniform {
            HipError::InvalidValue
        } else {
            HipError::NotSupported
        });
    }
    let grid = [0, 1, 2].map(|d| items[d] / block[d]);
    let request = LaunchRequest {
        parameters,
        extra,
        events,
        ..LaunchRequest::new(grid, block, lds as u64, stream)
    };
    launch(&function_of, function, &request)
}

/// `hipLaunchKernel`: launches the kernel behind the host function that `<<<>>>` names, and records events.
pub fn host_launch(
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: usize,
    stream: Address,
    events: [Address; 2],
) -> HipResult {
    // HIP 7 also accepts the kernel of a library.
    let function = kernel_of(host)?;
    let request = LaunchRequest {
        parameters,
        events,
        ..LaunchRequest::new(grid, block, lds as u64, stream)
    };
    launch(&function, host, &request)
}

/// `hipLaunchKernelGGLImpl`, which older compilers call with arguments in their final layout.
pub fn host_launch_packed(
    host: Address,
    grid: In<Dim3>,
    block: In<Dim3>,
    lds: u32,
    stream: Address,
    extra: In<Address>,
) -> HipResult {
    let function = host_kernel(host)?;
    let request = LaunchRequest {
        extra,
        ..LaunchRequest::new(grid.get()?, block.get()?, lds.into(), stream)
    };
    launch(&function, host, &request)
}
