//! Attributes and occupancy of kernels.
//!
//! Source of a compute unit's limits: the Vega ISA document, and the user guide of LLVM's AMDGPU backend.

use gfx906::code_object::{Kernel, MAX_LDS, MAX_WORK_GROUP, groups_at_a_time};
use gfx906::machine::LANES;

use crate::boundary::{Address, Out, Text};
use crate::calls::module;
use crate::card::COMPUTE_UNITS;
use crate::error::{HipError, HipResult};
use crate::objects::module::Function;
use crate::properties::ITEMS_PER_UNIT;
use crate::runtime::state;

/// Granule of the allocation of LDS, in bytes: 128 dwords.
const LDS_GRANULE: u32 = 512;

/// `hipFuncAttributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Always 906, the processor's number.
    pub binary_version: i32,
    /// Always 0.
    pub cache_mode: i32,
    /// Always 0: constants are in global memory.
    pub constant_bytes: usize,
    /// Scratch bytes of a work-item.
    pub local_bytes: usize,
    /// Most dynamic LDS of a launch.
    pub most_dynamic_lds: i32,
    /// Most work-items of a work-group.
    pub most_items: i32,
    /// Vector registers.
    pub registers: i32,
    /// Always 0.
    pub carveout: i32,
    /// Always 30, as AMD's runtime reports.
    pub ptx_version: i32,
    /// Static LDS of a work-group.
    pub lds_bytes: usize,
}

fn describe(kernel: &Kernel) -> FunctionAttributes {
    FunctionAttributes {
        binary_version: 906,
        cache_mode: 0,
        constant_bytes: 0,
        local_bytes: kernel.private_segment_size as usize,
        most_dynamic_lds: (MAX_LDS - kernel.lds_size.min(MAX_LDS)) as i32,
        most_items: kernel.max_flat_work_group_size as i32,
        registers: kernel.vgpr_count as i32,
        carveout: 0,
        ptx_version: 30,
        lds_bytes: kernel.lds_size as usize,
    }
}

/// Returns the kernel of a module's function. A null function is an invalid value to the functions of occupancy.
pub fn module_function(function: Address) -> HipResult<Function> {
    match function {
        0 => Err(HipError::InvalidValue),
        _ => module::function(function),
    }
}

/// Returns the kernel behind a host function.
pub fn host_function(host: Address) -> HipResult<Function> {
    state().function_of(host)
}

pub fn attributes(out: Out<FunctionAttributes>, host: Address) -> HipResult {
    out.required()?;
    let function = host_function(host)?;
    out.put(describe(function.kernel()?))
}

pub fn attribute(out: Out<i32>, attribute: u32, function: Address) -> HipResult {
    out.required()?;
    let function = module::function(function)?;
    let a = describe(function.kernel()?);
    out.put(match attribute {
        0 => a.most_items,
        1 => a.lds_bytes as i32,
        2 => a.constant_bytes as i32,
        3 => a.local_bytes as i32,
        4 => a.registers,
        5 => a.ptx_version,
        6 => a.binary_version,
        7 => a.cache_mode,
        8 => a.most_dynamic_lds,
        9 => a.carveout,
        _ => return Err(HipError::InvalidValue),
    })
}

/// Accepts attributes of a kernel. They change nothing, as on the card.
pub fn set_attribute(host: Address, attribute: u32, value: i32) -> HipResult {
    const DYNAMIC_LDS: u32 = 8;
    const CARVEOUT: u32 = 9;
    let function = host_function(host)?;
    match attribute {
        DYNAMIC_LDS if (0..=describe(function.kernel()?).most_dynamic_lds).contains(&value) => {
            Ok(())
        }
        CARVEOUT if (-1..=100).contains(&value) => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn prefer_cache(host: Address, config: u32) -> HipResult {
    host_function(host)?;
    cache_preference(config)
}

pub fn prefer_banks(host: Address, config: u32) -> HipResult {
    host_function(host)?;
    banks_preference(config)
}

/// Checks a preference between LDS and cache. The card does not share memory between the two, so the preference has no effect.
pub fn cache_preference(config: u32) -> HipResult {
    const LAST: u32 = 3;
    match config {
        0..=LAST => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}

/// Checks a preference for the width of LDS banks. The width is fixed on this card, so the preference has no effect.
pub fn banks_preference(config: u32) -> HipResult {
    const LAST: u32 = 2;
    match config {
        0..=LAST => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}

/// Returns the name of a kernel.
pub fn name_of(function: HipResult<Function>) -> Text {
    match function {
        // Programs may keep the name for good. The leak is bounded by the number of kernels.
        Ok(function) => Text::leak(&function.name),
        Err(_) => Text::null(),
    }
}

/// Stores the number of work-groups of a kernel that a compute unit holds at a time.
pub fn most_blocks(
    out: Out<i32>,
    function: impl FnOnce() -> HipResult<Function>,
    items: i32,
    lds: usize,
    flags: u32,
) -> HipResult {
    check_flags(flags)?;
    out.required()?;
    let function = function()?;
    let kernel = function.kernel()?;
    let items = u32::try_from(items).unwrap_or(0);
    if items == 0 {
        return Err(HipError::InvalidValue);
    }
    let fits = items <= MAX_WORK_GROUP && items <= kernel.max_flat_work_group_size;
    let groups = if fits {
        groups_at_a_time(kernel, items, lds)
    } else {
        0
    };
    out.put(groups as i32)
}

/// Stores the most bytes of dynamic LDS with which a compute unit holds `groups` work-groups of `items` work-items at a time.
///
/// More work-groups than a compute unit has work-items for count as that many. The result is 0 if the kernel's static LDS alone is too large.
///
/// # Errors
///
/// The value is invalid if `groups` or `items` is not positive, or if a compute unit has fewer work-items than `items`.
pub fn available_lds(out: Out<usize>, host: Address, groups: i32, items: i32) -> HipResult {
    out.required()?;
    let positive = |n: i32| u32::try_from(n).ok().filter(|&n| n > 0);
    let (groups, items) = positive(groups)
        .zip(positive(items))
        .ok_or(HipError::InvalidValue)?;
    let function = host_function(host)?;
    let kernel = function.kernel()?;
    let by_items = ITEMS_PER_UNIT as u32 / items;
    if by_items == 0 {
        return Err(HipError::InvalidValue);
    }
    let each = MAX_LDS / groups.min(by_items);
    let granules = each / LDS_GRANULE * LDS_GRANULE;
    out.put(granules.saturating_sub(kernel.lds_size) as usize)
}

/// Stores the work-items of a block, and the number of such blocks, that fill the card with a kernel.
pub fn best_block(
    grid: Out<i32>,
    block: Out<i32>,
    function: impl FnOnce() -> HipResult<Function>,
    lds: usize,
    most: i32,
    flags: u32,
) -> HipResult {
    check_flags(flags)?;
    grid.required()?;
    block.required()?;
    let function = function()?;
    let kernel = function.kernel()?;
    // No limit, like one beyond the card's, is the card's.
    let most = match u32::try_from(most) {
        Ok(0) | Err(_) => MAX_WORK_GROUP,
        Ok(most) => most.min(MAX_WORK_GROUP),
    };
    let most = most.min(kernel.max_flat_work_group_size);
    let sizes = (1..=most.div_ceil(LANES as u32)).map(|n| (n * LANES as u32).min(most));
    // Among block sizes with the same number of resident work-items, the largest one is chosen.
    let items = sizes.max_by_key(|&n| (groups_at_a_time(kernel, n, lds) * n, n));
    let items = items.ok_or(HipError::InvalidValue)?;
    grid.put((COMPUTE_UNITS * groups_at_a_time(kernel, items, lds)) as i32)?;
    block.put(items as i32)
}

fn check_flags(flags: u32) -> HipResult {
    if flags > 1 {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}
