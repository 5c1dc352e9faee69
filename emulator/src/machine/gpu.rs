//! A GPU: its memory, loaded modules, launches.

mod memory;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::dispatch;
use super::handler::Level;
use super::memory::{AddressSpace, Region};
use super::program::Program;
use super::trap::Trap;
use crate::code_object::{CodeObject, Kernel};
use crate::observe::{Nobody, Observer};

/// Device memory of an MI50: 32 GiB.
pub const DEVICE_MEMORY: u64 = 32 << 30;

/// Where allocations start, unless the user of the GPU says otherwise.
const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;

/// An error in the use of device memory.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GpuError {
    /// More than the device has.
    #[error("out of device memory: `{name}` asks for {bytes} bytes and {left} are left")]
    OutOfMemory {
        /// The allocation's name.
        name: String,
        /// What it asked for.
        bytes: u64,
        /// What is left.
        left: u64,
    },
    /// An address range that is taken.
    #[error("an allocation is in the way of {bytes} bytes at {address:#x}")]
    Occupied {
        /// First address.
        address: u64,
        /// Size.
        bytes: u64,
    },
    /// An address range that no allocation covers.
    #[error("no allocation covers {bytes} bytes at {address:#x}")]
    NotAllocated {
        /// First address.
        address: u64,
        /// Size.
        bytes: u64,
    },
}

/// What a launch may use up before it counts as a hang.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wave instructions of the whole dispatch.
    pub instructions: u64,
    /// Seconds.
    pub seconds: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            instructions: 20_000_000_000,
            seconds: 60.0,
        }
    }
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Work-groups.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// The explicit arguments, laid out as the metadata says.
    pub kernarg: &'a [u8],
    /// When it counts as a hang.
    pub limits: Limits,
    /// Host threads; 0: all cores.
    pub threads: usize,
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Wave instructions.
    pub instructions: u64,
    /// Waves.
    pub waves: u64,
    /// Work-groups.
    pub work_groups: u64,
    /// Seconds on the host.
    pub seconds: f64,
}

/// Why a launch did not come to its end.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// It could not start.
    #[error("{0}")]
    Invalid(String),
    /// It stopped within.
    #[error("{0}")]
    Trap(Box<Trap>),
}

/// A code object in device memory.
pub struct Module {
    /// Guest address of link address 0.
    pub base: u64,
    /// Bytes of device memory that it takes.
    size: u64,
    /// Guest addresses of its segments.
    segments: Vec<u64>,
    /// Guest address of the buffer in which its kernels send requests to the host (the hidden argument `hostcall_buffer`); 0: nobody answers.
    pub hostcall: u64,
    pub(super) programs: Vec<Program>,
    pub(super) kernels: Vec<Kernel>,
}

impl Module {
    /// The kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }
}

struct State {
    space: AddressSpace,
    first: u64,
    next: u64,
    used: u64,
}

/// A GPU with memory of its own.
pub struct Gpu {
    state: Mutex<State>,
}

impl Default for Gpu {
    fn default() -> Gpu {
        Gpu::new()
    }
}

impl Gpu {
    /// A GPU with nothing in memory.
    pub fn new() -> Gpu {
        Gpu::at(FIRST_ADDRESS)
    }

    /// A GPU with nothing in memory, whose allocations start at an address, a multiple of 4096 well below 2^48: a user who shares memory of
    /// the host with it keeps the two apart.
    pub fn at(first: u64) -> Gpu {
        Gpu {
            state: Mutex::new(State {
                space: AddressSpace::default(),
                first,
                next: first,
                used: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a code object: its segments into memory, relocated; its code decoded when it first runs.
    ///
    /// # Errors
    /// When the device's memory does not suffice.
    pub fn load(&self, object: &CodeObject) -> Result<Module, GpuError> {
        self.load_at(object, Level::host())
    }

    /// As [`Gpu::load`], to run at a feature level below the host's: for who compares levels.
    ///
    /// # Errors
    /// When the device's memory does not suffice.
    #[doc(hidden)]
    pub fn load_at(&self, object: &CodeObject, level: Level) -> Result<Module, GpuError> {
        let level = level.min(Level::host());
        let mut state = self.state();
        let base = state.reserve("code object", object.image.size)?;
        let mut programs = Vec::new();
        let mut loaded = Vec::new();
        let mut segments = object.image.segments.clone();
        for relocation in &object.image.relocations {
            let value = base.wrapping_add(relocation.value).to_le_bytes();
            for segment in &mut segments {
                let at = relocation.offset.wrapping_sub(segment.address) as usize;
                if let Some(place) = at
                    .checked_add(8)
                    .and_then(|end| segment.data.get_mut(at..end))
                {
                    place.copy_from_slice(&value);
                }
            }
        }
        for segment in segments {
            let what = if segment.executable { "code" } else { "data" };
            let name = format!("{what} of the code object at {:#x}", segment.address);
            let address = base + segment.address;
            let region = Region::new(
                &name,
                address,
                segment.data.len() as u64,
                segment.writable && !segment.executable,
            );
            region.copy_in(0, &segment.data);
            state.space.insert(Arc::new(region));
            loaded.push(address);
            if segment.executable {
                programs.push(Program::new(address, segment.data, level));
            }
        }
        Ok(Module {
            base,
            size: object.image.size,
            segments: loaded,
            hostcall: 0,
            programs,
            kernels: object.kernels.clone(),
        })
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// When it cannot start, or stops within.
    pub fn launch(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
    ) -> Result<Counters, LaunchError> {
        self.launch_observed(module, kernel, launch, &mut Nobody)
    }

    /// Runs a kernel to its end while an observer looks on, which has seen what it has also where the kernel does not end.
    ///
    /// # Errors
    /// When it cannot start, or stops within.
    pub fn launch_observed<O: Observer>(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        let space = self.state().space.clone();
        dispatch::run(space, module, kernel, launch, observer)
    }
}
