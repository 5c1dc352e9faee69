//! The in-process gfx906 as a device.

use gfx906::machine::{Gpu, Launch as GpuLaunch, LaunchError, Limits, Module};

use super::{Device, DeviceError, DeviceErrorKind, Launch, Launched, Session};
use crate::program::Program;
use crate::verdict::DeviceReport;

/// The second line of defence against kernels that never end.
const SECONDS: f64 = 30.0;

/// The emulator.
pub struct Emulator;

impl Device for Emulator {
    fn describe(&self) -> DeviceReport {
        DeviceReport {
            kind: "emulator".into(),
            description: format!(
                "gfx906 emulator {} (in process, wave64)",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }

    fn open(&self, threads: usize, budget: u64) -> Result<Box<dyn Session>, DeviceError> {
        let limits = Limits {
            instructions: budget,
            seconds: SECONDS,
        };
        Ok(Box::new(EmulatorSession {
            gpu: Gpu::new(),
            modules: Vec::new(),
            threads,
            limits,
        }))
    }
}

struct EmulatorSession {
    gpu: Gpu,
    modules: Vec<Module>,
    threads: usize,
    limits: Limits,
}

impl Session for EmulatorSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        self.modules
            .push(self.gpu.load(&program.object).map_err(invalid)?);
        Ok(self.modules.len() - 1)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, DeviceError> {
        self.gpu.alloc(name, bytes).map_err(invalid)
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.gpu.write(address, data).map_err(invalid)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.gpu.read(address, data).map_err(invalid)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<Launched, DeviceError> {
        let module = self
            .modules
            .get(module)
            .ok_or_else(|| DeviceError::invalid("no such code object is loaded"))?;
        let request = GpuLaunch {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: 0,
            kernarg: launch.kernarg,
            limits: self.limits,
            threads: self.threads,
        };
        match self.gpu.launch(module, launch.kernel, &request) {
            Ok(counters) => Ok(Launched {
                wave_instructions: Some(counters.instructions),
            }),
            Err(LaunchError::Invalid(message)) => Err(DeviceError::invalid(message)),
            Err(LaunchError::Trap(trap)) => {
                let kind = if trap.is_hang() {
                    DeviceErrorKind::Hang
                } else {
                    DeviceErrorKind::Fault
                };
                Err(DeviceError {
                    message: trap.to_string(),
                    kind,
                })
            }
        }
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn invalid(error: impl std::fmt::Display) -> DeviceError {
    DeviceError::invalid(error.to_string())
}
