//! A launch that runs one instruction at a time, and that can be looked at, saved and set back between two instructions.

use std::sync::Arc;

use super::dispatch::{Dispatch, SCRATCH_STEP};
use super::env::Env;
use super::group::{Budget, Failure, Meter, Stepping, WaveState};
use super::kernarg::RuntimeStructures;
use super::launch::{Launch, LaunchError, Manner};
use super::lds::Lds;
use super::memory::{AddressSpace, SavedMemory};
use super::op::Op;
use super::program::Module;
use super::trap::Trap;
use super::wave::Wave;

/// Condition of a launch between two instructions.
#[derive(Clone, Debug, PartialEq)]
pub enum StepperState {
    /// A wave of the current group runs next.
    Ready {
        /// Number of the wave within the group.
        wave: usize,
    },
    /// All groups have ended.
    Ended,
    /// A wave cannot continue.
    Trapped(Box<Trap>),
}

/// Condition of a wave of the current group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveStatus {
    /// The wave can run.
    Running,
    /// The wave waits at a barrier.
    AtBarrier,
    /// The wave has ended.
    Ended,
}

/// A launch at one moment: everything that its waves can read or write.
pub struct SavedLaunch {
    progress: LaunchProgress,
    memory: SavedMemory,
}

impl SavedLaunch {
    /// Returns the number of instructions before the moment.
    pub fn instructions(&self) -> u64 {
        self.progress.clock
    }

    /// Returns the memory that the copy takes in bytes.
    pub fn size(&self) -> u64 {
        let waves = size_of::<Wave>() + size_of::<super::registers::Registers>();
        let waves = waves * self.progress.waves.len();
        self.memory.size() + waves as u64 + u64::from(self.progress.lds.size())
    }
}

/// The parts of a launch that change while it runs, except memory.
#[derive(Clone)]
struct LaunchProgress {
    /// Position of the current group in the order in which groups begin.
    place: u64,
    clock: u64,
    waves: Vec<Wave>,
    lds: Lds,
    group: Stepping,
    state: StepperState,
}

/// A launch that runs one instruction at a time. Groups run one after another, and the waves of a group in the same turns as in a launch on one
/// thread, so that the same launch takes the same steps.
pub struct Stepper {
    module: Arc<Module>,
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_lds: u32,
    kernarg: Vec<u8>,
    handed: RuntimeStructures,
    lds: u32,
    scratch_bytes: u32,
    groups: u64,
    manner: Manner,
    budget: Budget,
    space: AddressSpace,
    /// Guest address of the scratch.
    scratch: u64,
    progress: LaunchProgress,
}

impl Stepper {
    /// Prepares a launch, and begins its first group. The launch's limits of instructions and time do not apply.
    pub(super) fn new(
        mut space: AddressSpace,
        module: Arc<Module>,
        kernel: &str,
        launch: &Launch<'_>,
        manner: Manner,
    ) -> Result<Stepper, LaunchError> {
        let manner = Manner {
            patience: None,
            cooperative: false,
            ..manner
        };
        let dispatch = Dispatch::new(&mut space, &module, kernel, launch, manner)?;
        let scratch = dispatch.allocate_scratch(&mut space, 0, 1, SCRATCH_STEP)?;
        let (handed, lds, scratch_bytes) = (dispatch.handed, dispatch.lds, dispatch.scratch);
        let (groups, waves) = (dispatch.groups, dispatch.waves);
        let mut stepper = Stepper {
            kernel: kernel.to_owned(),
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            kernarg: launch.kernarg.to_vec(),
            handed,
            lds,
            scratch_bytes,
            groups,
            manner,
            budget: Budget::new(launch.limits, None),
            space,
            scratch,
            progress: LaunchProgress {
                place: 0,
                clock: 0,
                waves: (0..waves).map(|_| Wave::new()).collect(),
                lds: Lds::default(),
                group: Stepping::new(waves, 0),
                state: StepperState::Ended,
            },
            module,
        };
        stepper.begin_group();
        Ok(stepper)
    }

    /// Calls a function with the dispatch that the launch is.
    fn with_dispatch<T>(&self, use_it: impl FnOnce(&Dispatch<'_>) -> T) -> Option<T> {
        let launch = Launch {
            grid: self.grid,
            block: self.block,
            dynamic_lds: self.dynamic_lds,
            kernarg: &self.kernarg,
            limits: super::launch::Limits::default(),
            threads: 1,
        };
        let kernel = self.module.kernel(&self.kernel)?;
        Some(use_it(&Dispatch {
            module: &self.module,
            kernel,
            launch: &launch,
            handed: self.handed,
            lds: self.lds,
            scratch: self.scratch_bytes,
            waves: self.progress.waves.len(),
            groups: self.groups,
            manner: self.manner,
        }))
    }

    /// Begins the group at the current place, or ends the launch behind the last group.
    fn begin_group(&mut self) {
        if self.progress.place >= self.groups {
            self.progress.state = StepperState::Ended;
            return;
        }
        let number = self.number();
        let (id, scratch) = (self.group(), self.scratch);
        let mut waves = std::mem::take(&mut self.progress.waves);
        let mut env = Env {
            lds: std::mem::take(&mut self.progress.lds),
            ..Env::new(&self.space)
        };
        self.with_dispatch(|dispatch| {
            dispatch.renew_scratch(&self.space, scratch);
            dispatch.set_up(&mut waves, &mut env, id, scratch);
        });
        let lds = env.lds;
        self.progress.lds = lds;
        self.progress.group = Stepping::new(waves.len(), number);
        self.progress.waves = waves;
        self.settle();
    }

    /// Finds the wave that runs next.
    fn settle(&mut self) {
        let meter = Meter::unlimited(&self.budget);
        match self.progress.group.next(&meter) {
            Some(wave) => self.progress.state = StepperState::Ready { wave },
            None => {
                self.progress.place += 1;
                self.begin_group();
            }
        }
    }

    /// Runs one instruction. Does nothing if the launch has ended or trapped.
    pub fn step(&mut self) {
        let StepperState::Ready { wave } = self.progress.state else {
            return;
        };
        let mut env = Env {
            lds: std::mem::take(&mut self.progress.lds),
            clock: self.progress.clock,
            time: self.manner.time,
            ..Env::new(&self.space)
        };
        let mut meter = Meter::unlimited(&self.budget);
        let (group, waves) = (&mut self.progress.group, &mut self.progress.waves);
        let done = group.step(wave, waves, &mut env, &self.module.programs, &mut meter);
        self.progress.clock = env.clock;
        self.progress.lds = env.lds;
        match done {
            Ok(()) => self.settle(),
            Err(failure) => self.trap(failure),
        }
    }

    fn trap(&mut self, failure: Failure) {
        self.progress.waves[failure.wave].pc = failure.pc;
        let number = self.number();
        let trap = self.with_dispatch(|dispatch| dispatch.explain(&self.space, number, failure));
        self.progress.state = trap.map_or(StepperState::Ended, |trap| {
            StepperState::Trapped(Box::new(trap))
        });
    }

    /// Returns the condition of the launch.
    pub fn state(&self) -> &StepperState {
        &self.progress.state
    }

    /// Returns the number of instructions so far, including one that trapped.
    pub fn instructions(&self) -> u64 {
        self.progress.clock
    }

    /// Returns the name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Returns the explicit arguments, as they lie in memory.
    pub fn kernarg(&self) -> &[u8] {
        &self.kernarg
    }

    /// Returns the number of work-groups along each axis.
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// Returns the number of work-items of a group along each axis.
    pub fn block(&self) -> [u32; 3] {
        self.block
    }

    /// Returns the position of the current group in the order in which groups begin.
    pub fn place(&self) -> u64 {
        self.progress.place.min(self.groups.saturating_sub(1))
    }

    fn number(&self) -> u64 {
        self.budget.schedule().group(self.place(), self.groups)
    }

    /// Returns the id of the current group.
    pub fn group(&self) -> [u32; 3] {
        let number = self.number();
        self.with_dispatch(|dispatch| dispatch.id(number))
            .unwrap_or_default()
    }

    /// Returns the waves of the current group.
    pub fn waves(&self) -> &[Wave] {
        &self.progress.waves
    }

    /// Returns the condition of a wave of the current group.
    pub fn status(&self, wave: usize) -> WaveStatus {
        match self.progress.group.state(wave) {
            WaveState::Ready => WaveStatus::Running,
            WaveState::AtBarrier | WaveState::AtGrid(_) => WaveStatus::AtBarrier,
            WaveState::Ended => WaveStatus::Ended,
        }
    }

    /// Returns the LDS of the current group.
    pub fn lds(&self) -> &Lds {
        &self.progress.lds
    }

    /// Returns the guest address of link address 0.
    pub fn base(&self) -> u64 {
        self.module.base
    }

    /// Returns the instruction at a guest address.
    pub fn op(&self, pc: u64) -> Option<&Op> {
        self.module.programs.iter().find_map(|code| code.fetch(pc))
    }

    /// Returns the guest address of a byte of a lane's scratch, if the work-items have that many bytes.
    pub fn scratch_byte(&self, wave: usize, lane: usize, offset: u64) -> Option<u64> {
        let stride = self.with_dispatch(|dispatch| dispatch.scratch_stride())?;
        let inside = offset < u64::from(self.scratch_bytes) && wave < self.waves().len();
        // Scratch is interleaved by dwords: the same dword of all lanes is contiguous.
        inside.then(|| {
            self.scratch + wave as u64 * stride + offset / 4 * 256 + lane as u64 * 4 + offset % 4
        })
    }

    /// Reads memory that the kernel reaches, and returns false if an allocation does not cover all of it.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        match self.space.holding(address, bytes.len() as u64) {
            Some(region) => {
                region.copy_out(region.offset(address), bytes);
                true
            }
            None => false,
        }
    }

    /// Returns the number of bytes from an address to the end of its allocation; 0 if no allocation covers the address.
    pub fn readable(&self, address: u64) -> u64 {
        let region = self.space.holding(address, 1);
        region.map_or(0, |region| {
            region.base + region.size - address.min(region.base + region.size)
        })
    }

    /// Copies the launch and the memory that it can write.
    pub fn save(&self) -> SavedLaunch {
        SavedLaunch {
            progress: self.progress.clone(),
            memory: self.space.save(),
        }
    }

    /// Sets the launch back to a moment of its own.
    pub fn restore(&mut self, saved: &SavedLaunch) {
        self.progress.clone_from(&saved.progress);
        self.space.restore(&saved.memory);
    }
}

#[cfg(test)]
mod tests;
