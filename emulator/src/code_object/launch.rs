//! How a kernel is launched, and whether that may run: grid, block and LDS against the hardware's limits and the kernel's own.
//!
//! Source: the AMDGPU backend's user guide of LLVM (kernel descriptor, dispatch packet), and the Vega 7nm ISA for LDS and scratch.

use super::kernel::{Kernel, MAX_LDS, MAX_SCRATCH, MAX_WORK_GROUP};

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS of a work-group.
    pub dynamic_lds: u64,
}

/// What a launch that may run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Work-groups.
    pub groups: u64,
    /// Work-items of a work-group.
    pub work_items: u32,
    /// Bytes of LDS of a work-group, static and dynamic.
    pub lds: u32,
}

/// Why a launch may not run, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}`: {problem}")]
pub struct ShapeError {
    /// The kernel.
    pub kernel: String,
    /// What is wrong.
    pub problem: ShapeProblem,
}

/// What is wrong with how a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeProblem {
    /// Nothing would run.
    #[error("grid {grid:?} of blocks {block:?} is empty")]
    Empty {
        /// Work-groups.
        grid: [u32; 3],
        /// Work-items of a group.
        block: [u32; 3],
    },
    /// A block of more work-items than the hardware has in a work-group.
    #[error("block {block:?} is {items} work-items, a work-group has at most {MAX_WORK_GROUP}")]
    Block {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// And in all.
        items: u64,
    },
    /// A block of more work-items than the kernel's launch bounds say.
    #[error("block {block:?} is {items} work-items, it was compiled for at most {most}")]
    Bounds {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// And in all.
        items: u32,
        /// The launch bounds.
        most: u32,
    },
    /// Another block than the one that the kernel was compiled for.
    #[error("block {block:?}, but it was compiled for {required:?} only")]
    Required {
        /// Work-items of a group in x, y, z.
        block: [u32; 3],
        /// Those that are required.
        required: [u32; 3],
    },
    /// More work-items than a dispatch counts.
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
    /// More LDS than a work-group has.
    #[error(
        "{} bytes of LDS ({fixed} of its own, {dynamic} dynamic), a work-group has at most {MAX_LDS}",
        u64::from(*fixed).saturating_add(*dynamic)
    )]
    Lds {
        /// Bytes of the kernel's own.
        fixed: u32,
        /// Dynamic bytes.
        dynamic: u64,
    },
    /// More scratch than the hardware has for a work-item.
    #[error("{bytes} bytes of scratch a work-item, the hardware has at most {MAX_SCRATCH}")]
    Scratch {
        /// Bytes of a work-item.
        bytes: u32,
    },
}

impl LaunchShape {
    /// Whether a kernel may be launched so.
    ///
    /// # Errors
    /// It may not: the first reason of several.
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
        // 0 where nothing is noted.
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
