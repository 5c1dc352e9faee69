//! The emulator under a debugger. Each launch is handed to a [`Driver`], which runs it by single instructions, looks at its state, and sets it
//! back. The launch's result is what the driver leaves.

mod code;
mod element;
mod expression;
mod history;
mod inspect;
mod places;
mod stops;
mod timeline;

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use gfx906::code_object::Symbol;
use gfx906::machine::{
    Gpu, GpuError, Launch as GpuLaunch, LaunchError, Limits as GpuLimits, StepperState, TURN,
};

use super::{
    Device, DeviceBuffer, DeviceError, DeviceErrorKind, DeviceResult, Launch, LaunchResult, Limits,
    Session, TensorView, Watch,
};
use crate::device::emulator::Emulator;
use crate::program::Program;
use crate::report::model::DeviceReport;
use crate::tensor::guards::Guards;

pub use code::Code;
pub use element::shown_element;
pub use expression::{Condition, ExpressionError, evaluate};
pub use inspect::{Item, Node, items, length};
pub use places::{Place, WaveId};
pub use stops::{Breakpoint, StepKind, Stop, Stops, Watchpoint};
pub use timeline::{Moment, Timeline};

/// A debugger: decides how far a launch runs.
pub trait Driver: Send {
    /// Runs the newest launch of a timeline to its end or its trap. The timeline stands where the newest launch begins.
    ///
    /// # Errors
    /// The person who debugs has ended the session.
    fn drive(&mut self, timeline: &mut Timeline) -> DeviceResult;

    /// Tells of a launch that runs without the debugger, and why.
    fn skipped(&mut self, kernel: &str, reason: &str);
}

/// The emulator under a debugger.
pub struct DebugDevice {
    driver: Arc<Mutex<dyn Driver>>,
}

impl DebugDevice {
    /// Makes a device whose launches a driver runs.
    pub fn new(driver: Arc<Mutex<dyn Driver>>) -> DebugDevice {
        DebugDevice { driver }
    }
}

impl Device for DebugDevice {
    fn describe(&self) -> DeviceReport {
        Emulator::PLAIN.describe()
    }

    fn open(
        &self,
        _threads: usize,
        limits: Limits,
        _watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        Ok(Box::new(DebugSession {
            gpu: Gpu::new(),
            driver: Arc::clone(&self.driver),
            codes: Vec::new(),
            timeline: Timeline::default(),
            // A launch that is debugged takes as long as the person wants.
            limits: GpuLimits {
                instructions: u64::MAX,
                seconds: f64::INFINITY,
                turn: limits.turn.unwrap_or(TURN),
                schedule: limits.schedule.unwrap_or_default(),
            },
        }))
    }
}

struct DebugSession {
    gpu: Gpu,
    driver: Arc<Mutex<dyn Driver>>,
    codes: Vec<Rc<Code>>,
    timeline: Timeline,
    limits: GpuLimits,
}

impl DebugSession {
    fn code(&self, number: usize) -> Result<&Rc<Code>, DeviceError> {
        let found = self.codes.get(number);
        found.ok_or_else(|| DeviceError::invalid("no such code object is loaded"))
    }
}

impl Session for DebugSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        let module = self.gpu.load_again(&program.object, &program.decoded);
        let module = module.map_err(|error| memory_error(&error))?;
        self.codes.push(Rc::new(Code::new(module, program)));
        Ok(self.codes.len() - 1)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        Ok(self.code(module)?.module.base + symbol.address)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        let address = self.gpu.alloc_with_last_dword(name, bytes);
        let address = address.map_err(|error| memory_error(&error))?;
        Ok(DeviceBuffer {
            address,
            guards: Guards {
                before: 0,
                after: (bytes.next_multiple_of(4) - bytes) as usize,
            },
            zeroed: true,
        })
    }

    fn describe(&mut self, tensor: TensorView) {
        self.timeline.add_tensor(tensor);
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        let written = self.gpu.write(address, data);
        written.map_err(|error| memory_error(&error))
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        let read = self.gpu.read(address, data);
        read.map_err(|error| memory_error(&error))
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError> {
        let code = Rc::clone(self.code(module)?);
        let request = GpuLaunch {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            kernarg: launch.kernarg,
            limits: self.limits,
            threads: 1,
        };
        let driver = Arc::clone(&self.driver);
        let mut driver = driver.lock().unwrap_or_else(PoisonError::into_inner);
        if launch.cooperative {
            driver.skipped(launch.kernel, "its groups are all resident (cooperative)");
            let gpu = &self.gpu;
            let done = gpu.launch_cooperative(
                &code.module,
                launch.kernel,
                &request,
                &mut gfx906::machine::Nobody,
            );
            let done = done.map_err(launch_error)?;
            self.timeline.forget_launches();
            return Ok(result(done.instructions));
        }
        let stepper = self.gpu.stepper(&code.module, launch.kernel, &request);
        let stepper = stepper.map_err(launch_error)?;
        self.timeline.begin(stepper, code);
        driver.drive(&mut self.timeline)?;
        let instructions = self.timeline.stepper().map_or(0, |at| at.instructions());
        match self.timeline.state() {
            StepperState::Ended => Ok(result(instructions)),
            StepperState::Trapped(trap) => Err(DeviceError::trapped(trap.clone())),
            StepperState::Ready { .. } => Err(DeviceError::of(
                DeviceErrorKind::Harness,
                "the debugger left a launch before its end",
            )),
        }
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn result(instructions: u64) -> LaunchResult {
    LaunchResult {
        wave_instructions: Some(instructions),
        ..LaunchResult::default()
    }
}

fn memory_error(error: &GpuError) -> DeviceError {
    let kind = match error {
        GpuError::OutOfMemory { .. } => DeviceErrorKind::Memory,
        GpuError::Occupied { .. } | GpuError::NotAllocated { .. } => DeviceErrorKind::Invalid,
    };
    DeviceError::of(kind, error)
}

fn launch_error(error: LaunchError) -> DeviceError {
    match error {
        LaunchError::Invalid(message) => DeviceError::invalid(message),
        LaunchError::NoMemory(message) => DeviceError::of(DeviceErrorKind::Memory, message),
        LaunchError::Trap(trap) => DeviceError::trapped(trap),
    }
}

#[cfg(test)]
mod tests;
