//! The in-process gfx906 as a device.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gfx906::machine::{
    Counters, Gpu, GpuError, Launch as GpuLaunch, LaunchError, Limits as GpuLimits, Module, TURN,
};
use gfx906::observe::{Profile, Space};

use super::{
    Allocated, Device, DeviceError, DeviceErrorKind, Launch, Launched, Limits, Session, Watch,
};
use crate::compare::guards::Guards;
use crate::program::Program;
use crate::verdict::{BytesReport, CountersReport, DeviceReport};

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
            card: None,
        }
    }

    fn observes(&self) -> bool {
        true
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        // Writing a trace takes time that is not the kernel's; one that never ends meets the other limit.
        let seconds = limits.seconds.filter(|_| watch.trace.is_none());
        let limits = GpuLimits {
            instructions: limits.instructions.unwrap_or(u64::MAX),
            seconds: seconds.unwrap_or(f64::INFINITY),
            turn: limits.turn.unwrap_or(TURN),
            schedule: limits.schedule.unwrap_or_default(),
        };
        Ok(Box::new(EmulatorSession {
            gpu: Gpu::new().with_allocations_across_lines(),
            modules: Vec::new(),
            threads,
            limits,
            watch: watch.clone(),
        }))
    }
}

/// Runs a kernel, observed as `watch` says; the counters where they are asked for.
pub fn launch(
    gpu: &Gpu,
    module: &Module,
    kernel: &str,
    launch: &GpuLaunch<'_>,
    watch: &Watch,
) -> Result<(Counters, Option<CountersReport>), LaunchError> {
    let mut profile = Profile::default();
    let traced = watch.trace.as_deref().filter(|trace| trace.wants(kernel));
    let done = match (traced, &watch.coverage, &watch.witness) {
        (Some(tracing), ..) => {
            let mut trace = tracing.lock();
            let mut both = (&mut profile, &mut *trace);
            gpu.launch_observed(module, kernel, launch, &mut both)
        }
        (None, Some(coverage), _) => {
            gpu.launch_observed(module, kernel, launch, &mut *lock(coverage))
        }
        (None, None, Some(witness)) => {
            gpu.launch_observed(module, kernel, launch, &mut *lock(witness))
        }
        _ if watch.counters => gpu.launch_observed(module, kernel, launch, &mut profile),
        _ => gpu.launch(module, kernel, launch),
    };
    Ok((done?, watch.counters.then(|| report(&profile))))
}

fn lock<T>(observer: &Mutex<T>) -> MutexGuard<'_, T> {
    observer.lock().unwrap_or_else(PoisonError::into_inner)
}

fn report(profile: &Profile) -> CountersReport {
    let bytes = Space::ALL.into_iter().map(|space| {
        let bytes = profile.bytes(space);
        let bytes = BytesReport {
            read: bytes.read,
            written: bytes.written,
        };
        (space.name(), bytes)
    });
    CountersReport {
        by_kind: profile.by_kind().collect(),
        vector_instructions: profile.vector_instructions(),
        active_lanes: profile.active_lanes(),
        lane_utilisation: profile.lane_utilisation(),
        bytes: bytes.collect(),
        barriers: profile.barriers(),
        branches_taken: profile.branches_taken(),
    }
}

struct EmulatorSession {
    gpu: Gpu,
    modules: Vec<Module>,
    threads: usize,
    limits: GpuLimits,
    watch: Watch,
}

impl Session for EmulatorSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        self.modules
            .push(self.gpu.load(&program.object).map_err(failed)?);
        Ok(self.modules.len() - 1)
    }

    /// What lies beyond a buffer faults here, for reads too, but for the rest of its last dword: only that needs a guard.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<Allocated, DeviceError> {
        let address = self.gpu.alloc_with_last_dword(name, bytes);
        Ok(Allocated {
            address: address.map_err(failed)?,
            guards: Guards {
                before: 0,
                after: (bytes.next_multiple_of(4) - bytes) as usize,
            },
        })
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.gpu.write(address, data).map_err(failed)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.gpu.read(address, data).map_err(failed)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<Launched, DeviceError> {
        let module = self
            .modules
            .get(module)
            .ok_or_else(|| DeviceError::invalid("no such code object is loaded"))?;
        let request = GpuLaunch {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            kernarg: launch.kernarg,
            limits: self.limits,
            threads: self.threads,
        };
        match self::launch(&self.gpu, module, launch.kernel, &request, &self.watch) {
            Ok((done, counters)) => Ok(Launched {
                wave_instructions: Some(done.instructions),
                counters,
                kernel_seconds: None,
            }),
            Err(LaunchError::Invalid(message)) => Err(DeviceError::invalid(message)),
            Err(LaunchError::NoMemory(message)) => {
                Err(DeviceError::of(DeviceErrorKind::Memory, message))
            }
            Err(LaunchError::Trap(trap)) => {
                let kind = if trap.is_hang() {
                    DeviceErrorKind::Hang
                } else {
                    DeviceErrorKind::Fault
                };
                Err(DeviceError::of(kind, trap.to_string()))
            }
        }
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn failed(error: GpuError) -> DeviceError {
    let kind = match error {
        GpuError::OutOfMemory { .. } => DeviceErrorKind::Memory,
        GpuError::Occupied { .. } | GpuError::NotAllocated { .. } => DeviceErrorKind::Invalid,
    };
    DeviceError::of(kind, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::NOTHING;

    /// A kernel that reads past the end of its input got a finite number there, and passed where it did nothing with it.
    #[test]
    fn a_read_beyond_a_buffer_faults_and_names_the_lane() {
        let program = Program::built_in().expect("built in");
        let mut session = Emulator
            .open(1, Limits::default(), &NOTHING)
            .expect("it is there");
        let module = session.load(&program).expect("it loads");
        let mut pointer = |name: &str, n: u64| {
            let allocated = session.alloc(name, 4 * n).expect("memory");
            assert_eq!(allocated.guards, Guards::default());
            allocated.address
        };
        let (x, out) = (pointer("in", 65), pointer("out", 80));
        let mut launch = |n: i32| {
            let (x, out, n) = (x.to_le_bytes(), out.to_le_bytes(), n.to_le_bytes());
            let kernarg = [&x[..], &out, &n].concat();
            session.launch(
                module,
                &Launch {
                    kernel: "kernel_neg",
                    grid: [1, 1, 1],
                    block: [256, 1, 1],
                    dynamic_lds: 0,
                    kernarg: &kernarg,
                },
            )
        };
        assert!(launch(65).is_ok());
        let error = launch(66).expect_err("a fault");
        assert_eq!(error.kind, DeviceErrorKind::Fault);
        let told = &error.message;
        assert!(
            told.starts_with("memory fault: read of 4 bytes outside every allocation\n"),
            "{told}"
        );
        assert!(
            told.contains("wave 1, lane 1 (work-item (65, 0, 0))"),
            "{told}"
        );
        assert!(
            told.contains("right behind the end of `in` (260 bytes"),
            "{told}"
        );
    }

    /// Kernels reach the last dword of a buffer as a whole: what of it is not the buffer's has a guard.
    #[test]
    fn the_rest_of_the_last_dword_is_guarded() {
        let mut session = Emulator
            .open(1, Limits::default(), &NOTHING)
            .expect("it is there");
        for (bytes, after) in [(2, 2), (4, 0), (6, 2), (7, 1), (0, 0)] {
            let allocated = session.alloc("x", bytes).expect("memory");
            assert_eq!(allocated.guards, Guards { before: 0, after });
            let image = vec![7; bytes as usize + after];
            session.upload(allocated.address, &image).expect("written");
            let mut back = vec![0; image.len()];
            session
                .download(allocated.address, &mut back)
                .expect("read");
            assert_eq!(back, image);
            let beyond = session.upload(allocated.address, &vec![0; image.len() + 1]);
            assert!(beyond.is_err());
        }
    }
}
