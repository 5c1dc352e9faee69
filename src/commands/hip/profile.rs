//! What a program's launches would cost: each as the runtime recorded it, run once more with its costs observed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::HipArgs;
use crate::commands::exec;
use crate::exit::Stop;
use crate::profile::{Card, Profiled, SCHEMA, joined, ledger, of_charged, text};
use crate::text::shown;

/// The launches that were recorded.
pub struct OfRecords {
    profiled: Profiled,
    /// What was recorded and could not be run once more, and why.
    lost: Vec<String>,
}

/// Runs what was recorded in a directory, in the order of its launches.
///
/// # Errors
/// The directory cannot be read.
pub fn of_records(args: &HipArgs, directory: &Path, id: String) -> Result<OfRecords, Stop> {
    let (mut parts, mut lost) = (Vec::new(), Vec::new());
    for launch in launches(directory)? {
        match of_record(args, &launch) {
            Ok(part) => parts.push(part),
            Err(why) => lost.push(why),
        }
    }
    let profiled = joined(id, parts);
    Ok(OfRecords { profiled, lost })
}

/// The launch files of a directory of records, in the order of their numbers; none where nothing was recorded.
fn launches(directory: &Path) -> Result<Vec<PathBuf>, Stop> {
    let cannot = |error| Stop::setup(format!("cannot read {}: {error}", shown(directory)));
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot)? {
        let launch = entry.map_err(cannot)?.path().join("launch.json");
        if launch.exists() {
            found.push(launch);
        }
    }
    found.sort();
    Ok(found)
}

/// The profile of a record, or why there is none: its kernel did not come to its end. That it leaves other bits than it did in the program, as
/// sums by atomics may, changes nothing.
fn of_record(args: &HipArgs, launch: &Path) -> Result<Profiled, String> {
    let name = launch.parent().and_then(Path::file_name);
    let name = name.map_or_else(String::new, |name| shown(Path::new(name)));
    let ledger = ledger();
    let done = exec::perform(&args.replay(launch), Some(&ledger));
    let done = done.map_err(|stop| format!("{name}: {}", stop.message))?;
    let charged = ledger.take();
    if charged.is_empty() {
        return Err(format!("{name}: the kernel did not come to its end alone"));
    }
    of_charged(card(args), &done.program, name, None, &charged).map_err(|stop| stop.message)
}

fn card(args: &HipArgs) -> Card {
    Card { clock: args.clock }
}

/// For people: the profile, and what is not in it.
pub fn told(args: &HipArgs, of: &OfRecords, ran: u64) -> String {
    let profiled = of.profiled.launches.len() as u64;
    let mut out = String::new();
    if profiled > 0 {
        out += &text(card(args), std::slice::from_ref(&of.profiled));
    }
    for why in &of.lost {
        out += &format!("not profiled: {why}\n");
    }
    if profiled < ran {
        out += &format!("profiled: {profiled} of {ran} launches\n");
    }
    out
}

/// For programs.
pub fn json(args: &HipArgs, of: &OfRecords) -> Value {
    json!({
        "schema": SCHEMA,
        "clock_mhz": args.clock,
        "profiles": [of.profiled],
        "not_profiled": of.lost,
    })
}
