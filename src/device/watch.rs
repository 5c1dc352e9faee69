//! Observation of running kernels: counters, a trace. Only the emulator supports it.

mod ledger;
mod ranges;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gfx906::observe::sanitize::Checks;
use gfx906::observe::{Coverage, Filter, History, NonFinite, Trace, Witness, Writers};
use globset::{GlobBuilder, GlobMatcher};

use crate::device::{SetupError, origin_report};
use crate::report::model::{FindingReport, OriginReport, Severity};
use crate::text::{nearest, shown};

pub use ledger::{LaunchCosts, Ledger};

/// The name of standard output.
const STDOUT: &str = "-";

/// The destination of a trace.
pub type Sink = BufWriter<Box<dyn Write + Send>>;

/// The settings of observation. By default nothing is observed, at no cost.
#[derive(Clone, Default)]
pub struct Watch {
    /// Counting of instructions, lanes, bytes and barriers.
    pub counters: bool,
    /// The trace of the kernels, one launch at a time.
    pub trace: Option<Arc<Tracing>>,
    /// The number of executions of each instruction.
    pub coverage: Option<Arc<Mutex<Coverage>>>,
    /// The watch of a single instruction.
    pub witness: Option<Arc<Mutex<Witness>>>,
    /// The origins of non-finite values.
    pub non_finite: Option<Arc<Mutex<NonFinite>>>,
    /// The record of the runs.
    pub history: Option<Arc<Mutex<History>>>,
    /// The last writers of a few addresses.
    pub writers: Option<Arc<Mutex<Writers>>>,
    /// The checks of the sanitizer that are active.
    pub sanitize: Option<Sanitize>,
    /// The ledger of costs. With a ledger nothing else is observed.
    pub costs: Option<Arc<Ledger>>,
}

/// The settings of the sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sanitize {
    /// The checks.
    pub checks: Checks,
    /// The heaviest findings that do not change the verdict.
    pub warn: Severity,
}

/// The settings that observe nothing.
pub static NOTHING: Watch = Watch {
    counters: false,
    trace: None,
    coverage: None,
    witness: None,
    non_finite: None,
    history: None,
    writers: None,
    sanitize: None,
    costs: None,
};

impl Watch {
    /// Makes settings that count the executions of each instruction.
    pub fn coverage() -> (Watch, Arc<Mutex<Coverage>>) {
        let coverage = Arc::default();
        let watch = Watch {
            coverage: Some(Arc::clone(&coverage)),
            ..Watch::default()
        };
        (watch, coverage)
    }

    /// Makes settings that watch the instruction at a link address.
    pub fn witness(address: u64) -> (Watch, Arc<Mutex<Witness>>) {
        let witness = Arc::new(Mutex::new(Witness::new(address)));
        let watch = Watch {
            witness: Some(Arc::clone(&witness)),
            ..Watch::default()
        };
        (watch, witness)
    }

    /// Makes settings that record what runs.
    pub fn history() -> (Watch, Arc<Mutex<History>>) {
        let history = Arc::default();
        let watch = Watch {
            history: Some(Arc::clone(&history)),
            ..Watch::default()
        };
        (watch, history)
    }

    /// Makes settings that watch the writes to a few addresses.
    pub fn writers(writers: Writers) -> (Watch, Arc<Mutex<Writers>>) {
        let writers = Arc::new(Mutex::new(writers));
        let watch = Watch {
            writers: Some(Arc::clone(&writers)),
            ..Watch::default()
        };
        (watch, writers)
    }

    /// Makes the settings that record costs in a ledger.
    pub fn costs(ledger: &Arc<Ledger>) -> Watch {
        Watch {
            costs: Some(Arc::clone(ledger)),
            ..Watch::default()
        }
    }

    /// Adds the sanitizer.
    pub fn with_sanitizer(self, sanitize: Option<Sanitize>) -> Watch {
        Watch { sanitize, ..self }
    }

    /// Adds the origins of non-finite values.
    pub fn with_non_finite(self, wanted: bool) -> Watch {
        Watch {
            non_finite: wanted.then(Arc::default),
            ..self
        }
    }

    /// Returns the origins of the first non-finite value that kernels have stored; none if they are not observed.
    pub fn first_origins(&self) -> Option<Vec<OriginReport>> {
        let non_finite = self.non_finite.as_ref()?;
        let non_finite = non_finite.lock().unwrap_or_else(PoisonError::into_inner);
        let origins = non_finite.first_origins().into_iter();
        Some(origins.map(origin_report).collect())
    }

    /// Returns true if observation adds time to the kernel's own.
    pub fn takes_time(&self) -> bool {
        self.trace.is_some()
            || self.sanitize.is_some()
            || self.non_finite.is_some()
            || self.costs.is_some()
    }

    /// Returns true if one of the sanitizer's findings counts against a trial.
    pub fn fails(&self, findings: &[FindingReport]) -> bool {
        let heaviest = findings.iter().map(|finding| finding.severity).max();
        let allowed = self.sanitize.map(|sanitize| sanitize.warn);
        allowed.is_some_and(|allowed| heaviest > Some(allowed))
    }

    /// Makes settings with counters and a trace of a code object with these kernels. `taken` is true if standard output is for JSON.
    ///
    /// # Errors
    /// The trace cannot be opened: [`Tracing::open`].
    pub fn open<'a>(
        counters: bool,
        trace: Option<&TraceSpec>,
        kernels: impl Iterator<Item = &'a str> + Clone,
        taken: bool,
    ) -> Result<Watch, SetupError> {
        let trace = trace.map(|spec| Tracing::open(spec, kernels, taken));
        Ok(Watch {
            counters,
            trace: trace.transpose()?,
            ..Watch::default()
        })
    }

    /// Returns the flag that requests observation, for messages; none if nothing is observed, or only coverage or a witness.
    pub fn flag(&self) -> Option<&'static str> {
        if self.costs.is_some() {
            return Some("profile");
        }
        if self.non_finite.is_some() {
            return Some("--first-nonfinite");
        }
        match (&self.trace, &self.sanitize, self.counters) {
            (Some(_), ..) => Some("--trace"),
            (None, Some(_), _) => Some("--sanitize"),
            (None, None, true) => Some("--counters"),
            (None, None, false) => None,
        }
    }
}

/// A trace that all launches of a run write to.
pub struct Tracing {
    name: String,
    kernels: Option<Kernels>,
    trace: Mutex<Trace<Sink>>,
}

/// A kernel's name, or a glob.
enum Kernels {
    Name(String),
    Glob(Box<GlobMatcher>),
}

impl Kernels {
    fn has(&self, kernel: &str) -> bool {
        match self {
            Kernels::Name(name) => name == kernel,
            Kernels::Glob(glob) => glob.is_match(kernel),
        }
    }
}

/// A request for a trace, as the user writes it.
#[derive(Clone, Debug)]
pub struct TraceSpec {
    /// The file that is written; `-` is standard output.
    pub path: PathBuf,
    /// A kernel's name or a glob [none: all kernels].
    pub kernel: Option<String>,
    /// Work-groups, `X,Y,Z[-X,Y,Z]`.
    pub groups: Option<String>,
    /// Waves of a work-group, `N[-M]`.
    pub waves: Option<String>,
    /// Addresses of instructions in hex, `START[-END]`.
    pub pcs: Option<String>,
    /// Most instructions that are traced.
    pub limit: u64,
}

impl Tracing {
    /// Creates the trace's file. `kernels` are the kernels of the code object; `taken` is true if standard output is for JSON.
    ///
    /// # Errors
    /// A word of the specification is wrong, or the file cannot be created.
    pub fn open<'a>(
        spec: &TraceSpec,
        kernels: impl Iterator<Item = &'a str> + Clone,
        taken: bool,
    ) -> Result<Arc<Tracing>, SetupError> {
        let path = &spec.path;
        let filter = Filter {
            groups: spec.groups.as_deref().map(ranges::groups).transpose()?,
            waves: spec.waves.as_deref().map(ranges::waves).transpose()?,
            pcs: spec.pcs.as_deref().map(ranges::pcs).transpose()?,
        };
        let pattern = spec.kernel.as_deref();
        let wanted = pattern
            .map(|pattern| wanted(pattern, kernels))
            .transpose()?;
        let name = shown(path);
        let out: Box<dyn Write + Send> = if name != STDOUT {
            Box::new(File::create(path).map_err(|error| refused(&name, &error))?)
        } else if taken {
            let title = "`--trace -` and `--format json` both write to standard output: name a file for the trace";
            return Err(SetupError::Flag(title.into()));
        } else {
            Box::new(io::stdout())
        };
        Ok(Arc::new(Tracing {
            name,
            kernels: wanted,
            trace: Mutex::new(Trace::new(BufWriter::new(out), filter, spec.limit)),
        }))
    }

    /// Returns true if launches of a kernel are traced.
    pub fn wants(&self, kernel: &str) -> bool {
        self.kernels
            .as_ref()
            .is_none_or(|kernels| kernels.has(kernel))
    }

    /// Locks the trace.
    pub fn lock(&self) -> MutexGuard<'_, Trace<Sink>> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the buffered rest of the trace.
    ///
    /// # Errors
    /// The trace could not be written in full. A closed pipe is no error.
    pub fn finish(&self) -> Result<(), SetupError> {
        let mut trace = self.lock();
        match trace.finish() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(refused(&self.name, &error));
            }
            _ => {}
        }
        if trace.lines() == 0 {
            // A warning that cannot be written is no reason to stop.
            let _ = writeln!(
                io::stderr(),
                "warning: the trace is empty: no instruction that ran passed the --trace filters"
            );
        }
        Ok(())
    }
}

fn refused(name: &str, error: &io::Error) -> SetupError {
    SetupError::Unusable(format!(
        "cannot write the trace to {name}: {error}; choose a path that can be written"
    ))
}

/// Parses `--trace-kernel`, which must match at least one kernel.
fn wanted<'a>(
    pattern: &str,
    kernels: impl Iterator<Item = &'a str> + Clone,
) -> Result<Kernels, SetupError> {
    let shown = pattern.escape_debug();
    if !pattern.contains(['*', '?', '[', '{']) {
        if kernels.clone().any(|kernel| kernel == pattern) {
            return Ok(Kernels::Name(pattern.to_owned()));
        }
        let near = nearest(pattern, kernels, 1);
        let hint = near.first().map_or_else(
            || "`deltanet-check inspect` lists those of a code object".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(SetupError::Flag(format!(
            "`--trace-kernel {shown}`: there is no such kernel; {hint}"
        )));
    }
    let glob = GlobBuilder::new(pattern).build().map_err(|error| {
        SetupError::Flag(format!(
            "`--trace-kernel {shown}` is not a glob: {}",
            error.kind()
        ))
    })?;
    let wanted = Kernels::Glob(Box::new(glob.compile_matcher()));
    if kernels.clone().any(|kernel| wanted.has(kernel)) {
        Ok(wanted)
    } else {
        Err(SetupError::Flag(format!(
            "`--trace-kernel {shown}` matches no kernel; `deltanet-check inspect` lists those of a code object"
        )))
    }
}
