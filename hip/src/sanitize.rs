//! The sanitizer, where the environment asks for it: `GFX906_SANITIZE`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use gfx906::machine::{Counters, Gpu, Launch, LaunchError, Nobody, Observer};
use gfx906::observe::Profile;
use gfx906::observe::sanitize::{Checks, Finding, Heap, Sanitizer};

use crate::diagnostics::{self, messages, summary};
use crate::objects::module::Function;
use crate::oob;
use crate::settings::{self, SETTINGS};

/// Findings that are told at most; what is beyond is only counted.
const TOLD: usize = 100;

/// What makes two findings of a process the same.
type Key = (String, String, u64, Option<u64>);

/// The process's sanitizer. Kernels of several streams run at the same time, and may wait for each other: each launch has checks of its own.
struct Sanitized {
    checks: Checks,
    /// Those that no launch uses just now.
    idle: Mutex<Vec<Sanitizer>>,
    told: Mutex<Told>,
}

/// What has been told of what was found.
struct Told {
    keys: BTreeSet<Key>,
    log: Option<File>,
}

/// None where nobody asked for one.
static SANITIZED: LazyLock<Option<Sanitized>> = LazyLock::new(|| {
    Some(Sanitized {
        checks: SETTINGS.sanitize?,
        idle: Mutex::default(),
        told: Mutex::new(Told {
            keys: BTreeSet::new(),
            log: open_log(),
        }),
    })
});

/// What the sanitizer is told of memory.
static HEAP: LazyLock<Option<Arc<Heap>>> =
    LazyLock::new(|| SETTINGS.sanitize.map(|_| Arc::default()));

/// Who tells the sanitizer of memory, where there is one.
pub fn heap() -> Option<&'static Heap> {
    HEAP.as_deref()
}

/// Where findings go besides stderr: `GFX906_SANITIZE_LOG`.
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

/// Runs a kernel to its end, with the sanitizer and counters where they are asked for. Each finding is told once a process.
pub fn launch(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
) -> Result<Counters, LaunchError> {
    let Some(sanitized) = &*SANITIZED else {
        return counted(gpu, function, launch, cooperative, Nobody).0;
    };
    let (done, mut sanitizer) = counted(gpu, function, launch, cooperative, sanitized.take());
    let mut found = sanitizer.take_findings();
    lock(&sanitized.idle).push(sanitizer);
    if let Some(lines) = &function.loaded.lines {
        found.look_up(&lock(lines));
    }
    let news = {
        let mut told = lock(&sanitized.told);
        found.iter().filter(|finding| told.log(finding)).count()
    };
    if news > 0 && settings::SANITIZE_ABORT.is_on() {
        diagnostics::abort(settings::SANITIZE_ABORT.name());
    }
    done
}

/// Runs a kernel before an observer, and counts what it does where that is asked for.
fn counted<O: Observer>(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
    mut observer: O,
) -> (Result<Counters, LaunchError>, O) {
    if !settings::COUNTERS.is_on() {
        let done = observed(gpu, function, launch, cooperative, &mut observer);
        return (done, observer);
    }
    let mut both = (Profile::default(), observer);
    let done = observed(gpu, function, launch, cooperative, &mut both);
    summary::count_profile(&function.name, &both.0);
    (done, both.1)
}

fn observed<O: Observer>(
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

impl Sanitized {
    /// Checks for a launch.
    fn take(&self) -> Sanitizer {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(|| {
            Sanitizer::new(self.checks).with_heap(HEAP.clone().unwrap_or_default())
        })
    }
}

impl Told {
    /// Tells a finding unless it has been told before; whether it was new.
    fn log(&mut self, finding: &Finding) -> bool {
        let other = finding.other.as_ref().and_then(|other| other.site.as_ref());
        let rule = format!("{}: {}", finding.check, finding.kind);
        let key = (
            finding.kernel.clone(),
            rule,
            finding.at.pc,
            other.map(|site| site.pc),
        );
        if !self.keys.insert(key) {
            return false;
        }
        summary::count_finding();
        if self.keys.len() <= TOLD {
            messages::keep_finding(&finding.to_string());
            diagnostics::log(finding);
        } else if self.keys.len() == TOLD + 1 {
            diagnostics::log(format!(
                "more than {TOLD} different findings: no more are told"
            ));
        }
        if let Some(log) = &mut self.log
            && let Err(error) = writeln!(log, "{finding}\n")
        {
            diagnostics::log(format!(
                "GFX906_SANITIZE_LOG: {error}; findings go to stderr alone"
            ));
            self.log = None;
        }
        true
    }
}
