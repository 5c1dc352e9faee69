//! A GPU with its memory, loaded modules and launches.

mod memory;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::dispatch;
use super::launch::{Counters, Launch, LaunchError, Manner, Patience};
use super::level::Level;
use super::memory::{AddressSpace, Region};
use super::observer::{Nobody, Observer};
use super::program::{CodeCache, Module};
use super::stepper::Stepper;
use super::time::Time;
use crate::code_object::CodeObject;

/// Device memory of an MI50: 32 GiB.
pub const DEVICE_MEMORY: u64 = 32 << 30;

/// Address of the first allocation, unless the owner of the GPU chooses another.
const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;

/// An error in the use of device memory.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GpuError {
    /// The device has too little free memory.
    #[error("out of device memory: `{name}` asks for {bytes} bytes and {left} are left")]
    OutOfMemory {
        /// Name of the allocation.
        name: String,
        /// Requested bytes.
        bytes: u64,
        /// Free bytes.
        left: u64,
    },
    /// The address range is in use.
    #[error("an allocation is in the way of {bytes} bytes at {address:#x}")]
    Occupied {
        /// First address.
        address: u64,
        /// Size.
        bytes: u64,
    },
    /// No allocation covers the address range.
    #[error("no allocation covers {bytes} bytes at {address:#x}")]
    NotAllocated {
        /// First address.
        address: u64,
        /// Size.
        bytes: u64,
    },
}

struct DeviceMemory {
    space: AddressSpace,
    first: u64,
    next: u64,
    used: u64,
    /// True if each allocation is placed across a 4 GiB boundary.
    across: bool,
}

/// A GPU with its own memory.
pub struct Gpu {
    state: Mutex<DeviceMemory>,
    manner: Manner,
}

impl Default for Gpu {
    fn default() -> Gpu {
        Gpu::new()
    }
}

impl Gpu {
    /// Creates a GPU with empty memory.
    pub fn new() -> Gpu {
        Gpu::at(FIRST_ADDRESS)
    }

    /// Creates a GPU with empty memory whose allocations start at an address, a multiple of 4096 well below 2^48. A user who shares host
    /// memory with the GPU keeps both address ranges apart this way.
    pub fn at(first: u64) -> Gpu {
        Gpu {
            state: Mutex::new(DeviceMemory {
                space: AddressSpace::default(),
                first,
                next: first,
                used: 0,
                across: false,
            }),
            manner: Manner::default(),
        }
    }

    /// Places allocations more than 4 GiB apart, and each one across a 4 GiB boundary if its size permits. The upper halves of addresses
    /// then differ between allocations and within one, as they may on a card, and truncated 32-bit address arithmetic shows.
    pub fn with_allocations_across_lines(self) -> Gpu {
        self.state().across = true;
        self
    }

    /// Sets the callback for launches that take long.
    pub fn with_patience(mut self, patience: Patience) -> Gpu {
        self.manner.patience = Some(patience);
        self
    }

    /// Sets the source of the time that kernels read.
    pub fn with_time(mut self, time: Time) -> Gpu {
        self.manner.time = time;
        self
    }

    fn state(&self) -> MutexGuard<'_, DeviceMemory> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a code object: its relocated segments are placed in memory, and its code is decoded when it first runs.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn load(&self, object: &CodeObject) -> Result<Module, GpuError> {
        self.load_at(object, Level::host())
    }

    /// Loads a code object that is loaded repeatedly, on this GPU or others: `decoded` keeps the decoded code for the next load.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn load_again(&self, object: &CodeObject, decoded: &CodeCache) -> Result<Module, GpuError> {
        self.load_decoded(object, Level::host(), decoded)
    }

    /// Loads a code object that runs at a feature level, or at the host's level if that is lower. All levels compute the same.
    ///
    /// # Errors
    ///
    /// The device's memory is too small.
    pub fn load_at(&self, object: &CodeObject, level: Level) -> Result<Module, GpuError> {
        self.load_decoded(object, level, &CodeCache::default())
    }

    fn load_decoded(
        &self,
        object: &CodeObject,
        level: Level,
        decoded: &CodeCache,
    ) -> Result<Module, GpuError> {
        let level = level.min(Level::host());
        let mut state = self.state();
        let base = state.reserve("code object", object.image.size)?;
        let mut programs = Vec::new();
        let mut loaded = Vec::new();
        let segments = object.image.segments.iter();
        let mut data: Vec<Cow<'_, [u8]>> = segments.map(|of| Cow::from(&of.data)).collect();
        for relocation in &object.image.relocations {
            let value = base.wrapping_add(relocation.value).to_le_bytes();
            for (segment, data) in object.image.segments.iter().zip(&mut data) {
                let at = relocation.offset.wrapping_sub(segment.address) as usize;
                let end = at.checked_add(8).filter(|&end| end <= data.len());
                if let Some(end) = end {
                    data.to_mut()[at..end].copy_from_slice(&value);
                }
            }
        }
        for (segment, data) in object.image.segments.iter().zip(data) {
            let what = if segment.executable { "code" } else { "data" };
            let name = format!("{what} of the code object at {:#x}", segment.address);
            let address = base + segment.address;
            let bytes = data.len() as u64;
            let region = if segment.executable {
                let program = decoded.program(address, &data, level);
                let region = program.region(&name);
                programs.push(program);
                region
            } else {
                let region = Region::try_new(&name, address, bytes, segment.writable);
                region.map(|region| {
                    region.copy_in(region.offset(address), &data);
                    Arc::new(region)
                })
            };
            let Some(region) = region else {
                loaded.iter().for_each(|&at| drop(state.space.remove(at)));
                state.used -= object.image.size;
                let left = 0;
                return Err(GpuError::OutOfMemory { name, bytes, left });
            };
            state.space.insert(region);
            loaded.push(address);
        }
        Ok(Module {
            base,
            size: object.image.size,
            segments: loaded,
            hostcall: 0,
            heap: 0,
            programs,
            kernels: object.kernels.clone(),
        })
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// The kernel cannot start, or a wave stops before its end.
    pub fn launch(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
    ) -> Result<Counters, LaunchError> {
        self.launch_observed(module, kernel, launch, &mut Nobody)
    }

    /// Runs a kernel to its end under an observer. The observer keeps its observations even if the kernel fails.
    ///
    /// # Errors
    ///
    /// The kernel cannot start, or a wave stops before its end.
    pub fn launch_observed<O: Observer>(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        let space = self.state().space.clone();
        dispatch::run(space, module, kernel, launch, self.manner, observer)
    }

    /// Runs a kernel under an observer on a copy of the memory, so that the launch leaves no trace. Returns `None` if the writable memory has
    /// more than `most` bytes.
    pub fn launch_apart<O: Observer>(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
        cooperative: bool,
        most: u64,
        observer: &mut O,
    ) -> Option<Result<Counters, LaunchError>> {
        let space = self.state().space.apart(most)?;
        let manner = Manner {
            cooperative,
            patience: None,
            ..self.manner
        };
        Some(dispatch::run(
            space, module, kernel, launch, manner, observer,
        ))
    }

    /// Returns the allocation that starts at `base` as seen from an address.
    pub fn allocation_from(&self, base: u64, address: u64) -> Option<super::Nearest> {
        self.state().space.allocation_from(base, address)
    }

    /// Prepares a launch that the caller runs by single instructions. The memory is the GPU's own, so nothing else may run meanwhile.
    ///
    /// # Errors
    ///
    /// The kernel cannot start.
    pub fn stepper(
        &self,
        module: &Arc<Module>,
        kernel: &str,
        launch: &Launch<'_>,
    ) -> Result<Stepper, LaunchError> {
        let space = self.state().space.clone();
        Stepper::new(space, Arc::clone(module), kernel, launch, self.manner)
    }

    /// Runs a cooperative launch to its end: all groups are resident and take turns, so that they may wait for one another. An observer
    /// that cannot be forked is told of a group each time that the group continues.
    ///
    /// # Errors
    ///
    /// The kernel cannot start, or a wave stops before its end.
    pub fn launch_cooperative<O: Observer>(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        let space = self.state().space.clone();
        let manner = Manner {
            cooperative: true,
            ..self.manner
        };
        dispatch::run(space, module, kernel, launch, manner, observer)
    }
}
