//! Shape of a launch, and its check: grid, block and LDS against the limits of the hardware and of the kernel.
//!
//! Source: the AMDGPU backend's user guide of LLVM (kernel descriptor, dispatch packet), and the Vega 7nm ISA for LDS and scratch.

use super::kernel::{Kernel, MAX_LDS, MAX_SCRATCH, MAX_WORK_GROUP};

/// Compute units of the card.
pub const COMPUTE_UNITS: u32 = 60;
/// Lanes of a wave.
const LANES: u32 = 64;
/// SIMDs of a compute unit.
const SIMDS: u32 = 4;
/// Waves of a SIMD that AMD's runtime counts on. A SIMD holds 10, but the dispatcher is said to place no more than 32 in a compute unit.
const WAVES: u32 = 8;
/// Vector registers per lane of a SIMD, and the granule of their allocation.
const VGPRS: (u32, u32) = (256, 4);
/// Scalar registers of a SIMD, and the granule of their allocation.
const SGPRS: (u32, u32) = (800, 16);

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS of a work-group.
    pub dynamic_lds: u64,
}

/// Resources of a launch that has passed the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Work-groups.
    pub groups: u64,
    /// Work-items of a work-group.
    pub work_items: u32,
    /// LDS of a work-group in bytes, static and dynamic.
    pub lds: u32,
}

/// Reason why a launch is not possible, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}`: {problem}")]
pub struct ShapeError {
    /// The kernel.
    pub kernel: String,
    /// The problem.
    pub problem: ShapeProblem,
}

/// Problem of a launch shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeProblem {
    /// The launch has no work-items.
    #[error("grid {grid:?} of blocks {block:?} is empty")]
    Empty {
        /// Work-groups.
        grid: [u32; 3],
        /// Work-items of a group.
        block: [u32; 3],
    },
    /// The block has more work-items than the hardware permits in a work-group.
    #[error("block {block:?} is {items} work-items, a work-group has at most {MAX_WORK_GROUP}")]
    Block {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// Work-items of a group in all.
        items: u64,
    },
    /// The block has more work-items than the kernel's launch bounds permit.
    #[error("block {block:?} is {items} work-items, it was compiled for at most {most}")]
    Bounds {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// Work-items of a group in all.
        items: u32,
        /// The launch bounds.
        most: u32,
    },
    /// The kernel was compiled for another block.
    #[error("block {block:?}, but it was compiled for {required:?} only")]
    Required {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// Required work-items in x, y, z.
        required: [u32; 3],
    },
    /// The launch has more work-items than a dispatch can count.
    #[error(
        "{grid} work-groups of {block} along {axis} are more than the {} work-items that a dispatch counts",
        u32::MAX
    )]
    Grid {
        /// The axis: x, y or z.
        axis: char,
        /// Work-groups along it.
        grid: u32,
        /// Work-items of a group along it.
        block: u32,
    },
    /// The launch needs more LDS than a work-group can have.
    #[error(
        "{} bytes of LDS ({fixed} of its own, {dynamic} dynamic), a work-group has at most {MAX_LDS}",
        u64::from(*fixed).saturating_add(*dynamic)
    )]
    Lds {
        /// Static bytes of the kernel.
        fixed: u32,
        /// Dynamic bytes.
        dynamic: u64,
    },
    /// The kernel needs more scratch than the hardware has for a work-item.
    #[error("{bytes} bytes of scratch a work-item, the hardware has at most {MAX_SCRATCH}")]
    Scratch {
        /// Bytes of a work-item.
        bytes: u32,
    },
}

/// Returns the number of work-groups of `items` work-items that a compute unit holds at a time.
pub fn groups_at_a_time(kernel: &Kernel, items: u32, dynamic_lds: usize) -> u32 {
    let waves = items.div_ceil(LANES);
    let by = |have: (u32, u32), used: u32| match used.next_multiple_of(have.1) {
        0 => WAVES,
        used => (have.0 / used).min(WAVES),
    };
    let simd = by(VGPRS, kernel.vgpr_count).min(by(SGPRS, kernel.sgpr_count));
    let by_waves = SIMDS * simd / waves;
    let lds = kernel.lds_size as usize + dynamic_lds;
    let by_lds = (MAX_LDS as usize).checked_div(lds);
    by_lds.map_or(by_waves, |by_lds| by_waves.min(by_lds as u32))
}

impl LaunchShape {
    /// Checks that a kernel can be launched with this shape.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] has the first reason why the launch is not possible.
    pub fn check(&self, kernel: &Kernel) -> Result<Extent, ShapeError> {
        self.extent(kernel).map_err(|problem| ShapeError {
            kernel: kernel.name.clone(),
            problem,
        })
    }

    fn extent(&self, kernel: &Kernel) -> Result<Extent, ShapeProblem> {
        let LaunchShape { grid, block, .. } = *self;
        if grid.contains(&0) || block.contains(&0) {
            return Err(ShapeProblem::Empty { grid, block });
        }
        let items = block.iter().fold(1u64, |product, &side| {
            product.saturating_mul(u64::from(side))
        });
        let work_items = u32::try_from(items)
            .ok()
            .filter(|items| *items <= MAX_WORK_GROUP)
            .ok_or(ShapeProblem::Block { block, items })?;
        let most = kernel.max_flat_work_group_size;
        // The value 0 means that the compiler recorded no bound.
        if most != 0 && work_items > most {
            let items = work_items;
            return Err(ShapeProblem::Bounds { block, items, most });
        }
        if let Some(required) = kernel.required_work_group_size
            && required != block
        {
            return Err(ShapeProblem::Required { block, required });
        }
        for ((grid, block), axis) in grid.into_iter().zip(block).zip(['x', 'y', 'z']) {
            if u64::from(grid) * u64::from(block) > u64::from(u32::MAX) {
                return Err(ShapeProblem::Grid { axis, grid, block });
            }
        }
        let (fixed, dynamic) = (kernel.lds_size, self.dynamic_lds);
        let lds = u64::from(fixed).saturating_add(dynamic);
        let lds = u32::try_from(lds)
            .ok()
            .filter(|lds| *lds <= MAX_LDS)
            .ok_or(ShapeProblem::Lds { fixed, dynamic })?;
        let bytes = kernel.private_segment_size;
        if bytes > MAX_SCRATCH {
            return Err(ShapeProblem::Scratch { bytes });
        }
        let groups = grid.iter().fold(1u64, |product, &side| {
            product.saturating_mul(u64::from(side))
        });
        Ok(Extent {
            groups,
            work_items,
            lds,
        })
    }
}

#[cfg(test)]
mod tests;
