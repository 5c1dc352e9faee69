//! The modelled cost of a program's launches. Each recorded launch runs once more, and its costs are observed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::HipArgs;
use crate::commands::exec;
use crate::exit::Stop;
use crate::profile::{
    Assumptions, CaseProfile, ProfileReport, UnprofiledCase, join, ledger, profile_launches, text,
};
use crate::text::shown;

/// The profile of the recorded launches.
pub struct RecordedProfile {
    assumptions: Assumptions,
    profiled: CaseProfile,
    /// Recorded launches that could not run once more, with the reasons.
    lost: Vec<UnprofiledCase>,
}

/// Runs each recorded launch of a directory once more, in the order of the launches.
///
/// # Errors
/// The directory cannot be read.
pub fn profile_records(
    args: &HipArgs,
    assumptions: Assumptions,
    directory: &Path,
    id: String,
) -> Result<RecordedProfile, Stop> {
    let (mut parts, mut lost) = (Vec::new(), Vec::new());
    let launches = launches(directory)?;
    for launch in launches {
        match profile_record(args, &assumptions, &launch) {
            Ok(part) => parts.push(part),
            Err(why) => lost.push(why),
        }
    }
    let profiled = join(id, parts);
    Ok(RecordedProfile {
        assumptions,
        profiled,
        lost,
    })
}

/// Returns the launch files of a directory of records, in the order of their names; none if nothing was recorded.
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

/// Profiles a record. A kernel that does not end alone has no profile. Results that differ from the record's, as sums by atomics may, do
/// not matter.
fn profile_record(
    args: &HipArgs,
    assumptions: &Assumptions,
    launch: &Path,
) -> Result<CaseProfile, UnprofiledCase> {
    let name = launch.parent().and_then(Path::file_name);
    let name = name.map_or_else(String::new, |name| shown(Path::new(name)));
    // The user knows the record by its name; the folder above the record is temporary.
    let folder = launch.parent().map(|folder| format!("{}/", shown(folder)));
    let lost = |message: String| UnprofiledCase {
        id: name.clone(),
        message: match &folder {
            Some(folder) => message.replace(folder, ""),
            None => message,
        },
    };
    let ledger = ledger(&assumptions.card);
    let done = exec::perform(&args.replay_args(launch), Some(&ledger));
    let done = done.map_err(|stop| lost(stop.message))?;
    let charged = ledger.take();
    if charged.is_empty() {
        return Err(lost("the kernel did not come to its end alone".into()));
    }
    let profiled = profile_launches(assumptions, &done.program, name.clone(), None, &charged);
    profiled.map_err(|error| lost(error.to_string()))
}

/// Returns the profile as text, with the launches that are not in it. `ran` is the number of launches of the program.
pub fn text_of(of: &RecordedProfile, ran: u64) -> String {
    let profiled = of.profiled.launches.len() as u64;
    let mut out = String::new();
    if profiled > 0 {
        out += &text(&report(of));
    }
    for UnprofiledCase { id, message } in &of.lost {
        out += &format!("not profiled: {id}: {message}\n");
    }
    if profiled < ran {
        out += &format!("profiled: {profiled} of {ran} launches\n");
    }
    out
}

/// Returns the profile as JSON.
///
/// # Errors
/// The profile cannot be serialized.
pub fn json(of: &RecordedProfile) -> Result<Value, Stop> {
    serde_json::to_value(report(of)).map_err(Stop::setup)
}

/// Returns a report with all recorded launches as one case.
fn report(of: &RecordedProfile) -> ProfileReport {
    ProfileReport {
        complete: true,
        profiles: vec![of.profiled.clone()],
        failed: of.lost.clone(),
        ..ProfileReport::nothing_yet(&of.assumptions, 1 + of.lost.len())
    }
}
