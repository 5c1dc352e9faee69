//! The launches so far, one after another, and the moment at which they stand. Time goes back by running again from a saved moment.

use std::rc::Rc;

use gfx906::machine::{Stepper, StepperState, WaveStatus};

use super::code::Code;
use super::history::{History, LastAddresses};
use super::places::WaveId;
use crate::device::TensorView;

/// A moment: between two instructions of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Number of the launch.
    pub launch: usize,
    /// Number of the launch's instructions before the moment.
    pub instruction: u64,
}

/// An instruction that has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedInstruction {
    /// The wave.
    pub wave: WaveId,
    /// The link address.
    pub address: u64,
}

/// The launches so far, and the moment at which they stand.
#[derive(Default)]
pub struct Timeline {
    launches: Vec<DebuggedLaunch>,
    current: usize,
    tensors: Vec<TensorView>,
}

struct DebuggedLaunch {
    stepper: Stepper,
    code: Rc<Code>,
    history: History,
    last: LastAddresses,
}

impl Timeline {
    /// Adds a launch, and goes to its beginning.
    pub(super) fn begin(&mut self, stepper: Stepper, code: Rc<Code>) {
        self.launches.push(DebuggedLaunch {
            history: History::new(&stepper),
            stepper,
            code,
            last: LastAddresses::default(),
        });
        self.current = self.launches.len() - 1;
    }

    /// Forgets all launches: something else has changed the memory.
    pub(super) fn forget_launches(&mut self) {
        self.launches.clear();
        self.current = 0;
    }

    /// Adds a tensor, in place of another of the same name.
    pub(super) fn add_tensor(&mut self, tensor: TensorView) {
        match self.tensors.iter_mut().find(|at| at.name == tensor.name) {
            Some(at) => *at = tensor,
            None => self.tensors.push(tensor),
        }
    }

    /// Returns the tensors in device memory.
    pub fn tensors(&self) -> &[TensorView] {
        &self.tensors
    }

    fn launch(&self) -> Option<&DebuggedLaunch> {
        self.launches.get(self.current)
    }

    /// Returns the launch at the present moment.
    pub fn stepper(&self) -> Option<&Stepper> {
        self.launch().map(|launch| &launch.stepper)
    }

    /// Returns the code object of the launch at the present moment.
    pub fn code(&self) -> Option<&Code> {
        self.launch().map(|launch| &*launch.code)
    }

    /// Returns the condition of the launch at the present moment. Without a launch it has ended.
    pub fn state(&self) -> &StepperState {
        self.stepper()
            .map_or(&StepperState::Ended, |stepper| stepper.state())
    }

    /// Returns the present moment.
    pub fn now(&self) -> Moment {
        Moment {
            launch: self.current,
            instruction: self.stepper().map_or(0, Stepper::instructions),
        }
    }

    /// Returns the number of a launch's position: the current launch, from 0.
    pub fn launches(&self) -> usize {
        self.launches.len()
    }

    /// Returns the wave whose instruction is next.
    pub fn next_wave(&self) -> Option<WaveId> {
        match *self.state() {
            StepperState::Ready { wave } => Some(self.wave(wave)),
            _ => None,
        }
    }

    /// Returns the identity of a wave of the current group.
    pub fn wave(&self, wave: usize) -> WaveId {
        WaveId {
            launch: self.current,
            place: self.stepper().map_or(0, Stepper::place),
            wave,
        }
    }

    /// Returns true if a wave belongs to the current group.
    pub fn has(&self, id: WaveId) -> bool {
        let waves = self.stepper().map_or(0, |stepper| stepper.waves().len());
        id.wave < waves && id == self.wave(id.wave)
    }

    /// Returns true if a wave of the current group has ended, or if it does not belong to the current group.
    pub fn is_over(&self, id: WaveId) -> bool {
        let status = |stepper: &Stepper| stepper.status(id.wave) == WaveStatus::Ended;
        !self.has(id) || self.stepper().is_none_or(status)
    }

    /// Returns the link address of a wave's next instruction, or of the last one of a wave that has ended. Returns none if the wave does not
    /// belong to the current group.
    pub fn address(&self, id: WaveId) -> Option<u64> {
        let stepper = self.stepper().filter(|_| self.has(id))?;
        if stepper.status(id.wave) == WaveStatus::Ended {
            return self.last_address(id);
        }
        let wave = stepper.waves().get(id.wave)?;
        Some(wave.pc.wrapping_sub(stepper.base()))
    }

    /// Returns the link address of a wave's last instruction.
    pub(super) fn last_address(&self, id: WaveId) -> Option<u64> {
        let launch = self.launch().filter(|_| self.has(id))?;
        launch.last[id.wave % 16]
    }

    /// Runs an instruction. Behind the end of a launch, the next one begins if it has run before.
    pub fn step(&mut self) -> Option<ExecutedInstruction> {
        let wave = self.next_wave()?;
        let address = self.address(wave)?;
        let launch = self.launches.get_mut(self.current)?;
        launch.last[wave.wave % 16] = Some(address);
        launch.stepper.step();
        if launch.stepper.place() != wave.place {
            launch.last = LastAddresses::default();
        }
        launch.history.keep(&launch.stepper, &launch.last);
        let ended = *launch.stepper.state() == StepperState::Ended;
        if ended && self.current + 1 < self.launches.len() {
            self.restore(Moment {
                launch: self.current + 1,
                instruction: 0,
            });
        }
        Some(ExecutedInstruction { wave, address })
    }

    /// Goes to the latest saved moment that is not behind `at`, and returns it.
    pub(super) fn restore(&mut self, at: Moment) -> Moment {
        self.current = at.launch.min(self.launches.len().saturating_sub(1));
        if let Some(launch) = self.launches.get_mut(self.current) {
            let checkpoint = launch.history.latest(at.instruction);
            launch.stepper.restore(&checkpoint.saved);
            launch.last = checkpoint.last;
        }
        self.now()
    }

    /// Goes to a moment.
    pub fn go_to(&mut self, to: Moment) {
        self.restore(to);
        while self.now() < to && self.step().is_some() {}
    }

    /// Returns the latest saved moment before `at`, unless `at` is the first moment of all.
    pub(super) fn saved_before(&self, at: Moment) -> Option<Moment> {
        let saved = |launch: usize, instruction: u64| {
            let history = &self.launches.get(launch)?.history;
            let instruction = history.latest(instruction).saved.instructions();
            Some(Moment {
                launch,
                instruction,
            })
        };
        match at.instruction.checked_sub(1) {
            Some(before) => saved(at.launch, before),
            None => saved(at.launch.checked_sub(1)?, u64::MAX),
        }
    }
}
