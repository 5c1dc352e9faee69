//! The sanitizer: that of the environment (`GFX906_SANITIZE`), or one that the program gives its next launches.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use gfx906::machine::{Counters, Gpu, Launch, LaunchError, Nobody, Observer};
use gfx906::observe::sanitize::{
    Check, Checks, FREED, Finding, Heap, Sanitizer, Severity, SourceKey,
};
use gfx906::observe::{Footprint, Profile};

use crate::diagnostics::trap::demangle;
use crate::diagnostics::{self, messages, summary};
use crate::objects::module::Function;
use crate::oob;
use crate::settings;

/// Most findings that are logged. Further findings are only counted.
const TOLD: usize = 100;

/// Sanitizer of the process. Kernels of several streams run at the same time and may wait for each other, so each launch has its own
/// checker.
struct ProcessSanitizer {
    checks: Checks,
    /// Record of the memory's state.
    heap: Arc<Heap>,
    /// Checkers that no launch uses now.
    idle: Mutex<Vec<Sanitizer>>,
    told: Mutex<FindingLog>,
}

/// Findings that have been logged.
#[derive(Default)]
struct FindingLog {
    keys: BTreeSet<SourceKey>,
    /// Kernels and instructions that use freed memory.
    freed: BTreeSet<(String, u64)>,
    /// Allocations, addresses and events of which something has been logged at a call of the host.
    calls: BTreeSet<String>,
}

/// Sanitizer of the environment, if it is on.
static ENVIRONMENT: LazyLock<Option<Arc<ProcessSanitizer>>> =
    LazyLock::new(|| ProcessSanitizer::new(settings::environment().sanitize));

/// Sanitizer that the program has given its next launches, in place of the environment's. The inner value is none if they have none.
static GIVEN: Mutex<Option<Option<Arc<ProcessSanitizer>>>> = Mutex::new(None);

/// The file that gets findings besides stderr.
static LOG: LazyLock<Mutex<Option<File>>> = LazyLock::new(|| Mutex::new(open_log()));

/// Returns the sanitizer of launches that begin now.
fn current() -> Option<Arc<ProcessSanitizer>> {
    let given = lock(&GIVEN).clone();
    given.unwrap_or_else(|| ENVIRONMENT.clone())
}

/// Gives the next launches a sanitizer of the settings' checks, or the environment's if the program has given none. A given
/// sanitizer knows nothing of the memory and the findings of others.
pub fn renew(given: bool) {
    *lock(&GIVEN) = given.then(|| ProcessSanitizer::new(settings::launches().sanitize));
}

/// Returns the record of the memory's state, if the sanitizer is on.
pub fn heap() -> Option<Arc<Heap>> {
    current().map(|sanitizer| Arc::clone(&sanitizer.heap))
}

/// Opens the file that gets findings besides stderr: `GFX906_SANITIZE_LOG`.
fn open_log() -> Option<File> {
    let path = settings::sanitizer_log()?;
    match File::create(&path) {
        Ok(file) => Some(file),
        Err(error) => {
            let path = path.to_string_lossy();
            diagnostics::log(format!(
                "GFX906_SANITIZE_LOG={path}: {error}; findings go to stderr alone"
            ));
            None
        }
    }
}

/// Says once for each allocation that the host copies bytes of it that nobody has written. Copies of padding are right, so it is a hint.
pub fn copied_to_host(from: u64, bytes: usize) {
    let Some(sanitizer) = current().filter(|sanitizer| sanitizer.checks.has(Check::Init)) else {
        return;
    };
    let Some((range, block)) = sanitizer.heap.unwritten(from..from + bytes as u64) else {
        return;
    };
    let (first, last) = (range.start, range.end - 1);
    let text = format!(
        "hint: init: the host copies bytes that nobody has written: bytes {first} to {last} of {block}"
    );
    lock(&sanitizer.told).log_call(&block, Severity::Hint, text);
}

/// Says once for each target that a copy within the device's memory reads bytes that it writes. HIP leaves open what such a copy does.
pub fn copied_within(from: u64, to: u64, bytes: usize) {
    let Some(sanitizer) = current().filter(|sanitizer| sanitizer.checks.has(Check::Memory)) else {
        return;
    };
    let distance = from.abs_diff(to);
    if distance == 0 || distance >= bytes as u64 {
        return;
    }
    let text = format!(
        "memory: a copy's ranges overlap: {bytes} bytes from {from:#x} to {to:#x}, which is {distance} bytes away; copy by way of another buffer"
    );
    lock(&sanitizer.told).log_call(&format!("{to:#x}"), Severity::Mistake, text);
}

/// Says once for each event that a stream waits for it before it was recorded, which orders nothing.
pub fn waited_for_nothing(event: u64) {
    if let Some(sanitizer) = current().filter(|sanitizer| sanitizer.checks.has(Check::Race)) {
        let event = format!("event {event:#x}");
        let text = format!(
            "hint: race: a stream waits for {event}, which was never recorded: it does not wait"
        );
        lock(&sanitizer.told).log_call(&event, Severity::Hint, text);
    }
}

/// Returns true if a finding of freed memory has been logged for an instruction of a kernel.
pub fn has_told(kernel: &str, pc: u64) -> bool {
    let told = |sanitizer: Arc<ProcessSanitizer>| {
        let told = lock(&sanitizer.told);
        told.freed.contains(&(kernel.to_owned(), pc))
    };
    current().is_some_and(told)
}

/// Runs a kernel to its end, with the sanitizer and the counters if they are on. Each finding is logged once by a sanitizer.
pub fn launch(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
    footprint: &mut Option<Footprint>,
) -> Result<Counters, LaunchError> {
    let Some(sanitized) = current() else {
        return run_counted(gpu, function, launch, cooperative, footprint, Nobody).0;
    };
    let sanitizer = sanitized.take();
    let (done, mut sanitizer) =
        run_counted(gpu, function, launch, cooperative, footprint, sanitizer);
    let mut findings = sanitizer.take_findings();
    lock(&sanitized.idle).push(sanitizer);
    if let Some(lines) = &function.loaded.lines {
        findings.look_up(&lock(lines));
    }
    let news = {
        let mut finding_log = lock(&sanitized.told);
        findings
            .by_source()
            .iter()
            .filter(|finding| finding_log.log(finding) && finding.severity() > Severity::Hint)
            .count()
    };
    if news > 0 && settings::SANITIZE_ABORT.is_on() {
        diagnostics::abort(settings::SANITIZE_ABORT.name());
    }
    done
}

/// Runs a kernel under an observer, counts what it does if counters are on, and observes its footprint if there is one.
pub fn run_counted<O: Observer>(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
    footprint: &mut Option<Footprint>,
    mut observer: O,
) -> (Result<Counters, LaunchError>, O) {
    let profile = settings::COUNTERS.is_on().then(Profile::default);
    if profile.is_none() && footprint.is_none() {
        let done = run_observed(gpu, function, launch, cooperative, &mut observer);
        return (done, observer);
    }
    let mut all = ((profile, footprint.take()), observer);
    let done = run_observed(gpu, function, launch, cooperative, &mut all);
    let ((profile, observed), observer) = all;
    if let Some(profile) = &profile {
        summary::count_profile(&function.name, profile);
    }
    *footprint = observed;
    (done, observer)
}

fn run_observed<O: Observer>(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
    observer: &mut O,
) -> Result<Counters, LaunchError> {
    let (module, name) = (&function.loaded.module, &function.name);
    let done = if cooperative {
        gpu.launch_cooperative(module, name, launch, observer)
    } else {
        gpu.launch_observed(module, name, launch, observer)
    };
    oob::note(gpu, name);
    done
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProcessSanitizer {
    fn new(checks: Option<Checks>) -> Option<Arc<ProcessSanitizer>> {
        Some(Arc::new(ProcessSanitizer {
            checks: checks?,
            heap: Arc::default(),
            idle: Mutex::default(),
            told: Mutex::default(),
        }))
    }

    /// Returns a checker for a launch.
    fn take(&self) -> Sanitizer {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(|| Sanitizer::new(self.checks).with_heap(Arc::clone(&self.heap)))
    }
}

impl FindingLog {
    /// Logs what is wrong in a call of the host, once for what it concerns.
    fn log_call(&mut self, of: &str, severity: Severity, text: String) {
        if self.calls.insert(of.to_owned()) && self.calls.len() <= TOLD {
            summary::count_finding(severity);
            if severity > Severity::Hint {
                messages::keep_finding(&text);
            }
            diagnostics::log(text);
        }
    }

    /// Logs a finding unless it has been logged before. Returns true if it is new.
    fn log(&mut self, finding: &Finding) -> bool {
        if finding.kind == FREED {
            self.freed.insert((finding.kernel.clone(), finding.at.pc));
        }
        if !self.keys.insert(finding.key_in_source()) {
            return false;
        }
        summary::count_finding(finding.severity());
        if self.keys.len() <= TOLD {
            let finding = Finding {
                kernel: demangle(&finding.kernel),
                ..finding.clone()
            };
            if finding.severity() > Severity::Hint {
                messages::keep_finding(&finding.to_string());
            }
            diagnostics::log(finding);
        } else if self.keys.len() == TOLD + 1 {
            diagnostics::log(format!(
                "more than {TOLD} different findings: no more are told"
            ));
        }
        let mut file = lock(&LOG);
        if let Some(log) = &mut *file
            && let Err(error) = writeln!(log, "{finding}\n")
        {
            diagnostics::log(format!(
                "GFX906_SANITIZE_LOG: {error}; findings go to stderr alone"
            ));
            *file = None;
        }
        true
    }
}
