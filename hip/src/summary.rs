//! What a process ran: `GFX906_SUMMARY=FILE` has it written when the process ends, as one line of JSON behind those of other processes.
//!
//! `{"process": pid, "launches": n, "failed": n, "instructions": n, "findings": n, "kernels": [{"kernel": name, "launches": n,
//! "instructions": n}, ...]}`: `failed` of the launches did not come to their end, and their instructions are not counted. With
//! `GFX906_COUNTERS=1` each kernel has `counters`, too: what all of its launches did, also those that failed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::id;
use std::sync::{LazyLock, Mutex, PoisonError};

use gfx906::observe::{Profile, Space};
use serde_json::{Map, Value, json};

use crate::process::{End, at_end};
use crate::tell::tell;

/// Where it goes, if anywhere.
static FILE: LazyLock<Option<OsString>> =
    LazyLock::new(|| std::env::var_os("GFX906_SUMMARY").filter(|path| !path.is_empty()));

/// Launches of a kernel, and their wave instructions.
#[derive(Clone, Copy, Default)]
struct Run {
    launches: u64,
    instructions: u64,
    /// What they did, where that is counted.
    profile: Option<Profile>,
}

#[derive(Default)]
struct Ran {
    /// Of which process: a child does not count what its parent ran.
    process: u32,
    kernels: BTreeMap<String, Run>,
    failed: u64,
    findings: u64,
}

static RAN: Mutex<Option<Ran>> = Mutex::new(None);

/// Counts something, where a summary is asked for.
fn count(change: impl FnOnce(&mut Ran)) {
    if FILE.is_none() {
        return;
    }
    let mut ran = RAN.lock().unwrap_or_else(PoisonError::into_inner);
    let process = id();
    if ran.is_none() && !at_end(End::Summary, write) {
        tell("GFX906_SUMMARY: the end of the process cannot be waited for: there will be none");
    }
    let of_this = ran.take().filter(|ran| ran.process == process);
    let mut counted = of_this.unwrap_or_else(|| Ran {
        process,
        ..Ran::default()
    });
    change(&mut counted);
    *ran = Some(counted);
}

/// A launch came to its end (with its wave instructions), or did not.
pub fn launched(kernel: &str, instructions: Option<u64>) {
    count(|ran| {
        let run = ran.kernels.entry(kernel.to_owned()).or_default();
        run.launches += 1;
        run.instructions += instructions.unwrap_or(0);
        ran.failed += u64::from(instructions.is_none());
    });
}

/// What a launch did.
pub fn counted(kernel: &str, profile: &Profile) {
    count(|ran| {
        let run = ran.kernels.entry(kernel.to_owned()).or_default();
        run.profile.get_or_insert_default().add(profile);
    });
}

/// The sanitizer found something new.
pub fn found() {
    count(|ran| ran.findings += 1);
}

/// Writes it: at the end, or before the process is ended.
pub fn write() {
    let Some(path) = &*FILE else { return };
    let ran = RAN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(ran) = ran.filter(|ran| ran.process == id()) else {
        return;
    };
    // One write, so that lines of several processes do not mix.
    let line = format!("{}\n", ran.json());
    let file = OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        tell(format!("GFX906_SUMMARY={}: {error}", path.display()));
    }
}

/// Counters as reports have them.
fn counters(profile: &Profile) -> Value {
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

impl Ran {
    fn json(&self) -> Value {
        let sum = |of: fn(&Run) -> u64| self.kernels.values().map(of).sum::<u64>();
        let kernels = self.kernels.iter().map(|(name, run)| {
            let mut kernel = json!({ "kernel": name, "launches": run.launches, "instructions": run.instructions });
            if let Some(profile) = &run.profile {
                kernel["counters"] = counters(profile);
            }
            kernel
        });
        json!({
            "process": self.process,
            "launches": sum(|run| run.launches),
            "failed": self.failed,
            "instructions": sum(|run| run.instructions),
            "findings": self.findings,
            "kernels": kernels.collect::<Vec<_>>(),
        })
    }
}
