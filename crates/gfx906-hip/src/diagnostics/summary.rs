//! Summary of a process: with `GFX906_SUMMARY=FILE`, one line of JSON is appended to the file when the process ends, also by a signal that
//! can be caught.
//!
//! `{"process": pid, "launches": n, "failed": n, "refused": n, "instructions": n, "findings": n, "portability": n, "kernels":
//! [{"kernel": name, "launches": n, "instructions": n}, ...]}`. `findings` leaves hints out, and `portability` counts those of this severity.
//! `failed` counts the launches that did not complete; their instructions are not counted. `refused` counts calls that launch a kernel and
//! returned an error instead. With `GFX906_COUNTERS=1` each kernel has `counters` too, which sum over all of its launches, failed ones
//! included.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::id;
use std::sync::{Mutex, OnceLock, PoisonError};

use gfx906::observe::sanitize::Severity;
use gfx906::observe::{Profile, Space};
use serde_json::{Map, Value, json};

use super::{log, signals};
use crate::process::{ExitAction, at_end};

/// File that the summary is appended to. Nothing is counted without it.
static FILE: OnceLock<OsString> = OnceLock::new();

/// Sums over the launches of one kernel.
#[derive(Clone, Copy, Default)]
struct KernelSums {
    launches: u64,
    /// Wave instructions.
    instructions: u64,
    /// Counters of the launches, if `GFX906_COUNTERS=1`.
    profile: Option<Profile>,
}

#[derive(Default)]
struct ProcessSums {
    /// Process that the sums belong to. A forked child starts anew and does not count its parent's launches.
    process: u32,
    kernels: BTreeMap<String, KernelSums>,
    failed: u64,
    refused: u64,
    findings: u64,
    /// Findings of the severity `portability`.
    portability: u64,
}

static SUMS: Mutex<Option<ProcessSums>> = Mutex::new(None);

/// Makes the summary go to a file.
pub fn write_at_end(file: OsString) {
    signals::watch(&file);
    // A second call has the same value of the environment.
    _ = FILE.set(file);
    if !at_end(ExitAction::Summary, write) {
        log("GFX906_SUMMARY: the end of the process cannot be waited for: there will be none");
    }
}

/// Changes this process's sums, if there will be a summary.
fn count(change: impl FnOnce(&mut ProcessSums)) {
    if FILE.get().is_none() {
        return;
    }
    let mut sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = id();
    let own = sums.take().filter(|sums| sums.process == process);
    let mut own = own.unwrap_or_else(|| ProcessSums {
        process,
        ..ProcessSums::default()
    });
    change(&mut own);
    signals::set_last_words(own.line(), process);
    *sums = Some(own);
}

/// Counts a launch. `instructions` are its wave instructions, or none for a launch that failed.
pub fn count_launch(kernel: &str, instructions: Option<u64>) {
    count(|sums| {
        let kernel = sums.kernels.entry(kernel.to_owned()).or_default();
        kernel.launches += 1;
        kernel.instructions += instructions.unwrap_or(0);
        sums.failed += u64::from(instructions.is_none());
    });
}

/// Counts a call that was to launch a kernel and has returned an error.
pub fn count_refused() {
    count(|sums| sums.refused += 1);
}

/// Adds the counters of a launch.
pub fn count_profile(kernel: &str, profile: &Profile) {
    count(|sums| {
        let kernel = sums.kernels.entry(kernel.to_owned()).or_default();
        kernel.profile.get_or_insert_default().add(profile);
    });
}

/// Counts a new finding of the sanitizer. Hints are no findings that count.
pub fn count_finding(severity: Severity) {
    count(|sums| {
        sums.findings += u64::from(severity > Severity::Hint);
        sums.portability += u64::from(severity == Severity::Portability);
    });
}

/// Appends the summary to its file: when the process ends, or before it is aborted.
pub fn write() {
    let Some(path) = FILE.get() else { return };
    let sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(sums) = sums.filter(|sums| sums.process == id()) else {
        return;
    };
    signals::forget_last_words();
    // A single write keeps the lines of several processes apart.
    let line = sums.line();
    let file = OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        log(format!("GFX906_SUMMARY={}: {error}", path.display()));
    }
}

/// Returns the counters in the JSON form of `deltanet-check`'s reports.
fn counters_json(profile: &Profile) -> Value {
    let kinds: Map<String, Value> = profile
        .by_kind()
        .map(|(kind, count)| (kind.to_owned(), count.into()))
        .collect();
    let bytes = Space::ALL.into_iter().map(|space| {
        let bytes = profile.bytes(space);
        let bytes = json!({ "read": bytes.read, "written": bytes.written });
        (space.name().to_owned(), bytes)
    });
    json!({
        "by_kind": kinds,
        "vector_instructions": profile.vector_instructions(),
        "active_lanes": profile.active_lanes(),
        "lane_utilisation": profile.lane_utilisation(),
        "bytes": bytes.collect::<Map<_, _>>(),
        "barriers": profile.barriers(),
        "branches_taken": profile.branches_taken(),
    })
}

impl ProcessSums {
    fn line(&self) -> String {
        format!("{}\n", self.json())
    }

    fn json(&self) -> Value {
        let sum = |field: fn(&KernelSums) -> u64| self.kernels.values().map(field).sum::<u64>();
        let kernels = self.kernels.iter().map(|(name, sums)| {
            let mut kernel = json!({ "kernel": name, "launches": sums.launches, "instructions": sums.instructions });
            if let Some(profile) = &sums.profile {
                kernel["counters"] = counters_json(profile);
            }
            kernel
        });
        json!({
            "process": self.process,
            "launches": sum(|sums| sums.launches),
            "failed": self.failed,
            "refused": self.refused,
            "instructions": sum(|sums| sums.instructions),
            "findings": self.findings,
            "portability": self.portability,
            "kernels": kernels.collect::<Vec<_>>(),
        })
    }
}
