//! Structures that a kernel receives: the kernarg segment with its hidden arguments, the dispatch packet and the queue.

use std::sync::Arc;

use super::launch::{Launch, LaunchError};
use super::memory::{AddressSpace, PRIVATE_BASE, Region, SHARED_BASE};
use super::program::Module;
use crate::code_object::{Extent, HiddenArg, Kernel};

/// Size in bytes of the queue.
const QUEUE_BYTES: u64 = 256;

/// Guest addresses of the structures that a kernel receives.
#[derive(Clone, Copy)]
pub(super) struct RuntimeStructures {
    /// The kernarg segment.
    pub kernarg: u64,
    /// The dispatch packet.
    pub packet: u64,
    /// The queue.
    pub queue: u64,
    /// Address of the grid barrier's structure in a cooperative launch, or 0.
    pub grid: u64,
}

/// Places the runtime's structures into the address space. All but the grid's barrier are read-only for the kernel.
pub(super) fn hand_over(
    space: &mut AddressSpace,
    base: u64,
    module: &Module,
    kernel: &Kernel,
    launch: &Launch<'_>,
    lds: u32,
    cooperative: Option<&Extent>,
) -> Result<RuntimeStructures, LaunchError> {
    let handed = RuntimeStructures {
        kernarg: base,
        packet: base + (1 << 24),
        queue: base + (2 << 24),
        grid: cooperative.map_or(0, |_| base + (3 << 24)),
    };
    let mut put = |name: &str, address: u64, data: &[u8]| {
        let bytes = data.len();
        let none = || {
            let kernel = &kernel.name;
            let what = format!("kernel `{kernel}`: the host has no memory for its {name}");
            LaunchError::NoMemory(format!("{what}, {bytes} bytes"))
        };
        let writable = address == handed.grid;
        let region = Region::try_new(name, address, bytes as u64, writable).ok_or_else(none)?;
        region.copy_in(region.offset(address), data);
        space.insert(Arc::new(region));
        Ok(())
    };
    let hidden = |hidden: &HiddenArg| hidden_value(hidden, module, launch, &handed);
    let segment = kernel
        .kernarg_segment(launch.kernarg, hidden)
        .map_err(|error| LaunchError::Invalid(error.to_string()))?;
    put("kernel arguments", handed.kernarg, &segment)?;
    put(
        "dispatch packet",
        handed.packet,
        &packet(module, kernel, launch, lds, &handed),
    )?;
    put("queue", handed.queue, &queue())?;
    if let Some(extent) = cooperative {
        put("grid barrier", handed.grid, &grid(handed.grid, extent))?;
    }
    Ok(handed)
}

fn hidden_value(
    hidden: &HiddenArg,
    module: &Module,
    launch: &Launch<'_>,
    handed: &RuntimeStructures,
) -> u64 {
    let block = launch.block.map(u64::from);
    let grid = launch.grid.map(u64::from);
    match hidden {
        HiddenArg::BlockCountX => grid[0],
        HiddenArg::BlockCountY => grid[1],
        HiddenArg::BlockCountZ => grid[2],
        HiddenArg::GroupSizeX => block[0],
        HiddenArg::GroupSizeY => block[1],
        HiddenArg::GroupSizeZ => block[2],
        HiddenArg::GridDims => dimensions(launch) as u64,
        HiddenArg::PrivateBase => PRIVATE_BASE >> 32,
        HiddenArg::SharedBase => SHARED_BASE >> 32,
        HiddenArg::QueuePtr => handed.queue,
        HiddenArg::HostcallBuffer => module.hostcall,
        HiddenArg::HeapV1 => module.heap,
        HiddenArg::MultigridSyncArg => handed.grid,
        HiddenArg::DynamicLdsSize => launch.dynamic_lds as u64,
        // Offsets and remainders are zero, because grids consist of whole groups. The other buffers are not connected.
        _ => 0,
    }
}

fn dimensions(launch: &Launch<'_>) -> u16 {
    let used = |d: usize| launch.grid[d] > 1 || launch.block[d] > 1;
    if used(2) {
        3
    } else if used(1) {
        2
    } else {
        1
    }
}

/// Builds an HSA kernel dispatch packet.
fn packet(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch<'_>,
    lds: u32,
    handed: &RuntimeStructures,
) -> Vec<u8> {
    let mut packet = vec![0; 64];
    let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &2u16.to_le_bytes());
    put(2, &dimensions(launch).to_le_bytes());
    for d in 0..3 {
        put(4 + 2 * d, &(launch.block[d] as u16).to_le_bytes());
        put(
            12 + 4 * d,
            &launch.grid[d].wrapping_mul(launch.block[d]).to_le_bytes(),
        );
    }
    put(24, &kernel.private_segment_size.to_le_bytes());
    put(28, &lds.to_le_bytes());
    put(32, &(module.base + kernel.descriptor_address).to_le_bytes());
    put(40, &handed.kernarg.to_le_bytes());
    packet
}

/// Builds the structure that device libraries read in a cooperative launch (`mg_info` of ROCm): a barrier of all devices, of which this
/// device is the only one; its number; the number of devices; work-items before it and in all; its own barrier (from ROCm 6 on; earlier
/// versions use global wave sync); its number of groups.
fn grid(at: u64, extent: &Extent) -> Vec<u8> {
    const ALL: usize = 48;
    let mut grid = vec![0; ALL + 8];
    let items = extent.groups * u64::from(extent.work_items);
    grid[..8].copy_from_slice(&(at + ALL as u64).to_le_bytes());
    grid[12..16].copy_from_slice(&1u32.to_le_bytes());
    grid[24..32].copy_from_slice(&items.to_le_bytes());
    grid[40..44].copy_from_slice(&(extent.groups as u32).to_le_bytes());
    grid
}

/// Builds the part of an HSA queue that kernels read: the high halves of the apertures.
fn queue() -> Vec<u8> {
    let mut queue = vec![0; QUEUE_BYTES as usize];
    queue[0x40..0x44].copy_from_slice(&((SHARED_BASE >> 32) as u32).to_le_bytes());
    queue[0x44..0x48].copy_from_slice(&((PRIVATE_BASE >> 32) as u32).to_le_bytes());
    queue
}
