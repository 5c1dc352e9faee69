//! The emulator as a device.

use std::cell::OnceCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gfx906::code_object::{Lines, Symbol};
use gfx906::machine::{
    Counters, Gpu, GpuError, Launch as GpuLaunch, LaunchError, Limits as GpuLimits, Module, Nobody,
    Observer, TURN,
};
use gfx906::observe::sanitize::{self, Finding, Heap, Sanitizer, Site, find_argument, ranges};
use gfx906::observe::{Origin, Profile, Space};

use super::{
    Device, DeviceBuffer, DeviceError, DeviceErrorKind, Launch, LaunchResult, Limits, Session,
    Watch,
};
use crate::program::Program;
use crate::report::model::{
    BytesReport, CountersReport, DeviceReport, FindingReport, OriginReport, OtherReport, Severity,
    SiteReport,
};
use crate::tensor::guards::Guards;

/// The emulator.
pub struct Emulator {
    across: bool,
}

impl Emulator {
    /// Places each allocation across a 4 GiB boundary, so that tests notice truncated 32-bit address arithmetic.
    pub const ACROSS_LINES: Emulator = Emulator { across: true };

    /// Places allocations one after another, at addresses that are easy to read in a trace.
    pub const PLAIN: Emulator = Emulator { across: false };
}

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
        let limits = GpuLimits {
            instructions: limits.instructions.unwrap_or(u64::MAX),
            seconds: limits.seconds.unwrap_or(f64::INFINITY),
            turn: limits.turn.unwrap_or(TURN),
            schedule: limits.schedule.unwrap_or_default(),
        };
        let gpu = match self.across {
            true => Gpu::new().with_allocations_across_lines(),
            false => Gpu::new(),
        };
        let heap = watch.sanitize.is_some().then(Arc::<Heap>::default);
        Ok(Box::new(EmulatorSession {
            gpu,
            heap: heap.clone(),
            modules: Vec::new(),
            threads,
            limits,
            watch: watch.clone(),
            sanitizer: watch.sanitize.map(|sanitize| {
                Sanitizer::new(sanitize.checks).with_heap(heap.unwrap_or_default())
            }),
            findings: Vec::new(),
        }))
    }
}

/// A GPU with the choice between ordinary and cooperative launches.
struct ObservedGpu<'a> {
    gpu: &'a Gpu,
    cooperative: bool,
}

impl ObservedGpu<'_> {
    fn launch_observed<O: Observer>(
        &self,
        module: &Module,
        kernel: &str,
        launch: &GpuLaunch<'_>,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        match self.cooperative {
            true => self
                .gpu
                .launch_cooperative(module, kernel, launch, observer),
            false => self.gpu.launch_observed(module, kernel, launch, observer),
        }
    }
}

/// Runs a kernel with the observers of `watch`. Returns the counters if they are requested.
fn launch(
    gpu: &Gpu,
    module: &Module,
    of: &Launch<'_>,
    launch: &GpuLaunch<'_>,
    watch: &Watch,
    sanitizer: &mut Option<Sanitizer>,
) -> Result<(Counters, Option<CountersReport>), LaunchError> {
    let gpu = ObservedGpu {
        gpu,
        cooperative: of.cooperative,
    };
    let kernel = of.kernel;
    let mut profile = Profile::default();
    let traced = watch.trace.as_deref().filter(|trace| trace.wants(kernel));
    let done = match (traced, &watch.coverage, &watch.witness, sanitizer.take()) {
        (Some(tracing), _, _, looking) => {
            let mut trace = tracing.lock();
            let mut all = (&mut profile, (&mut *trace, looking));
            let done = gpu.launch_observed(module, kernel, launch, &mut all);
            *sanitizer = all.1.1;
            done
        }
        (None, _, _, Some(looking)) => {
            let mut both = (profile, looking);
            let done = gpu.launch_observed(module, kernel, launch, &mut both);
            profile = both.0;
            *sanitizer = Some(both.1);
            done
        }
        (None, Some(coverage), ..) => {
            gpu.launch_observed(module, kernel, launch, &mut *lock(coverage))
        }
        (None, None, Some(witness), _) => {
            gpu.launch_observed(module, kernel, launch, &mut *lock(witness))
        }
        _ => match (&watch.non_finite, watch.counters) {
            (Some(origins), _) => {
                let mut both = (&mut profile, &mut *lock(origins));
                gpu.launch_observed(module, kernel, launch, &mut both)
            }
            (None, true) => gpu.launch_observed(module, kernel, launch, &mut profile),
            (None, false) => match (&watch.history, &watch.writers) {
                (Some(history), _) => {
                    gpu.launch_observed(module, kernel, launch, &mut *lock(history))
                }
                (None, Some(writers)) => {
                    gpu.launch_observed(module, kernel, launch, &mut *lock(writers))
                }
                (None, None) => gpu.launch_observed(module, kernel, launch, &mut Nobody),
            },
        },
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
        (space.name().to_owned(), bytes)
    });
    CountersReport {
        by_kind: profile
            .by_kind()
            .map(|(kind, count)| (kind.to_owned(), count))
            .collect(),
        vector_instructions: profile.vector_instructions(),
        active_lanes: profile.active_lanes(),
        lane_utilisation: profile.lane_utilisation(),
        bytes: bytes.collect(),
        barriers: profile.barriers(),
        branches_taken: profile.branches_taken(),
    }
}

/// A code object on the device.
struct LoadedModule {
    module: Module,
    /// Its line tables, read when a first message needs them.
    lines: OnceCell<Option<Arc<Mutex<Lines>>>>,
    bytes: Arc<[u8]>,
}

impl LoadedModule {
    /// Returns the line tables, if the code object has some.
    fn lines(&self) -> Option<&Arc<Mutex<Lines>>> {
        let read = || Lines::read(&self.bytes).map(|lines| Arc::new(Mutex::new(lines)));
        self.lines.get_or_init(read).as_ref()
    }
}

struct EmulatorSession {
    gpu: Gpu,
    /// The heap that informs the sanitizer about memory.
    heap: Option<Arc<Heap>>,
    modules: Vec<LoadedModule>,
    threads: usize,
    limits: GpuLimits,
    watch: Watch,
    sanitizer: Option<Sanitizer>,
    findings: Vec<FindingReport>,
}

impl EmulatorSession {
    fn module(&self, number: usize) -> Result<&LoadedModule, DeviceError> {
        let found = self.modules.get(number);
        found.ok_or_else(|| DeviceError::invalid("no such code object is loaded"))
    }

    /// Collects the sanitizer's findings in a launch of a code object.
    fn gather(&mut self, number: usize) {
        let found = self.sanitizer.as_mut().map(Sanitizer::take_findings);
        let Some(mut found) = found.filter(|found| !found.is_empty()) else {
            return;
        };
        let loaded = &self.modules[number];
        if let Some(lines) = loaded.lines() {
            found.look_up(&lock(lines));
        }
        FindingReport::gather(&mut self.findings, found.iter().map(finding_report));
    }
}

/// Returns the origin of a non-finite value in its form in reports.
pub fn origin_report(origin: &Origin) -> OriginReport {
    OriginReport {
        kernel: origin.kernel.clone(),
        at: SiteReport {
            pc: origin.site.pc,
            text: origin.site.text.clone(),
            source: origin.site.source.clone(),
        },
        value: origin.value.clone(),
        tensor: None,
        text: origin.to_string(),
        place: origin.place(),
    }
}

/// Converts a finding to its form in reports.
fn finding_report(finding: &Finding) -> FindingReport {
    let site = |site: &Site| SiteReport {
        pc: site.pc,
        text: site.text.clone(),
        source: site.source.clone(),
    };
    FindingReport {
        check: finding.check.to_string(),
        kind: finding.kind.to_owned(),
        severity: match finding.severity() {
            sanitize::Severity::Hint => Severity::Hint,
            sanitize::Severity::Portability => Severity::Portability,
            sanitize::Severity::Mistake => Severity::Mistake,
        },
        kernel: finding.kernel.clone(),
        at: site(&finding.at),
        work_group: finding.group,
        wave: finding.wave,
        lanes: ranges(finding.lanes),
        what: finding.what.clone(),
        other: finding.other.as_ref().map(|other| OtherReport {
            did: other.did.clone(),
            at: other.site.as_ref().map(site),
            work_group: other.group,
            wave: other.wave,
        }),
        cure: finding.cure.clone(),
        count: finding.count,
    }
}

impl Session for EmulatorSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        let module = self.gpu.load_again(&program.object, &program.decoded);
        let module = module.map_err(failed)?;
        self.modules.push(LoadedModule {
            module,
            lines: OnceCell::new(),
            bytes: Arc::clone(&program.bytes),
        });
        Ok(self.modules.len() - 1)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        Ok(self.module(module)?.module.base + symbol.address)
    }

    /// Allocates a buffer around which every access faults, reads included. Only the rest of the buffer's last dword
    /// does not fault, so only this rest needs a guard.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        let address = self.gpu.alloc_with_last_dword(name, bytes);
        let address = address.map_err(failed)?;
        if let Some(heap) = &self.heap {
            let end = address + bytes;
            let reached = address..end.next_multiple_of(4);
            heap.declare(name, address..end, reached, None);
        }
        Ok(DeviceBuffer {
            address,
            guards: Guards {
                before: 0,
                after: (bytes.next_multiple_of(4) - bytes) as usize,
            },
            zeroed: true,
        })
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        if let Some(heap) = &self.heap {
            heap.written(address..address + data.len() as u64);
        }
        self.gpu.write(address, data).map_err(failed)
    }

    fn unwritten(&mut self, address: u64, bytes: u64) {
        if let Some(heap) = &self.heap {
            heap.undefined(address..address + bytes);
        }
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.gpu.read(address, data).map_err(failed)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError> {
        let number = module;
        self.module(number)?;
        let request = GpuLaunch {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            kernarg: launch.kernarg,
            limits: self.limits,
            threads: self.threads,
        };
        if let Some(tracing) = &self.watch.trace {
            let lines = self.modules[number].lines();
            tracing.lock().look_up(lines.cloned());
        }
        let loaded = &self.modules[number].module;
        let done = match self.watch.costs.as_deref() {
            Some(ledger) => {
                let mut costs = ledger.open();
                let gpu = ObservedGpu {
                    gpu: &self.gpu,
                    cooperative: launch.cooperative,
                };
                let done = gpu.launch_observed(loaded, launch.kernel, &request, &mut costs);
                done.map(|done| {
                    ledger.enter(launch, costs);
                    (done, None)
                })
            }
            None => self::launch(
                &self.gpu,
                loaded,
                launch,
                &request,
                &self.watch,
                &mut self.sanitizer,
            ),
        };
        self.gather(number);
        if let Some(non_finite) = &self.watch.non_finite
            && let Some(lines) = self.modules[number].lines()
        {
            lock(non_finite).look_up(launch.kernel, &lock(lines));
        }
        if let Some(history) = &self.watch.history
            && let Some(lines) = self.modules[number].lines()
        {
            lock(history).look_up(launch.kernel, &lock(lines));
        }
        if let Some(writers) = &self.watch.writers
            && let Some(lines) = self.modules[number].lines()
        {
            lock(writers).look_up(launch.kernel, &lock(lines));
        }
        match done {
            Ok((done, counters)) => Ok(LaunchResult {
                wave_instructions: Some(done.instructions),
                counters,
                kernel_seconds: None,
            }),
            Err(LaunchError::Invalid(message)) => Err(DeviceError::invalid(message)),
            Err(LaunchError::NoMemory(message)) => {
                Err(DeviceError::of(DeviceErrorKind::Memory, message))
            }
            Err(LaunchError::Trap(mut trap)) => {
                let loaded = &self.modules[number].module;
                find_argument(&self.gpu, loaded, &request, launch.cooperative, &mut trap);
                if let Some(lines) = self.modules[number].lines() {
                    trap.look_up(&lock(lines));
                }
                Err(DeviceError::trapped(trap))
            }
        }
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn findings(&self) -> &[FindingReport] {
        &self.findings
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
mod tests;
