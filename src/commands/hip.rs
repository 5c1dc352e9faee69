//! `hip`: runs a HIP program on the emulator's HIP runtime.

#[cfg(target_os = "linux")]
mod confinement;
mod install;
mod library;
mod machine;
mod profile;
mod summary;

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::args::HipArgs;
use crate::exit::{Exit, Stop};
use crate::files::{allowed_by_flags, check_place, write_atomically};
use crate::report::Format;
use crate::report::model::Severity;
use crate::text::shown;

use library::RunDirectory;
use summary::Summary;

/// Runs the command.
///
/// # Errors
/// There is no library, or the program does not start.
pub fn run(args: &HipArgs) -> Result<Exit, Stop> {
    if args.install {
        return install::run();
    }
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Stop::usage("name a program: deltanet-check hip -- PROGRAM"));
    };
    if let Some(path) = &args.report {
        let format = Format::among(&[Format::Json], "--report", path);
        format.map_err(Stop::usage)?;
        check_place(path).map_err(Stop::setup)?;
    }
    if !args.profile && !args.model.is_empty() {
        return Err(Stop::usage(
            "--clock, --card, --hot and --timing are flags of the model: add --profile",
        ));
    }
    let assumptions = args.model.assumptions()?;
    let place = RunDirectory::new(&library::find()?)?;
    let view = match args.rocm_view {
        true => place.rocm_view()?,
        false => Vec::new(),
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_LIBRARY_PATH", place.search_path(args.stand_ins)?)
        .envs(place.command_path()?.map(|path| ("PATH", path)))
        .env("GFX906_SUMMARY", place.summary())
        .envs(view)
        .envs(args.environment())
        .envs(args.profile.then(|| ("GFX906_RECORD", place.records())));
    let status = match args.untrusted {
        true => confined(&mut command, args, &place)?,
        false => command.status(),
    };
    let status = status.map_err(|error| {
        Stop::setup(format!("cannot run {}: {error}", shown(Path::new(program))))
    })?;
    let summary = Summary::read(&place.summary());
    let (sanitizes, warns) = (args.sanitize.sanitize.is_some(), args.sanitize.warns());
    let counts = sanitizes && warns < Severity::Mistake;
    let unnoticed = summary.unnoticed(
        code(status),
        match (sanitizes, counts) {
            (false, _) => "; --sanitize makes that exit code 1",
            (true, true) => ", which --sanitize makes 1",
            (true, false) => "",
        },
    );
    tell(program, status, &summary);
    let profiled = if args.profile {
        let id = shown(Path::new(program));
        let records = place.records();
        Some(profile::profile_records(args, assumptions, &records, id)?)
    } else {
        None
    };
    if let Some(profiled) = &profiled {
        let text = profile::text_of(profiled, summary.launches());
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    if let Some(path) = &args.report {
        let mut report = summary.json(code(status));
        if let Some(profiled) = &profiled {
            report["profile"] = profile::json(profiled)?;
        }
        let text = format!("{report:#}\n");
        write_atomically(path, text.as_bytes()).map_err(Stop::setup)?;
    }
    let _ = std::io::stderr().write_all(unnoticed.as_bytes());
    let found = summary.findings_above(warns) > 0;
    let lost = counts && summary.lost_launches() > 0;
    Ok(match code(status) {
        0 if found || lost => Exit::Failed,
        code => Exit::Program(code),
    })
}

/// Runs an untrusted program.
///
/// # Errors
/// A folder that it may use is not there.
#[cfg(target_os = "linux")]
fn confined(
    command: &mut Command,
    args: &HipArgs,
    place: &RunDirectory,
) -> Result<std::io::Result<ExitStatus>, Stop> {
    let mut writable = vec![Path::new(".").into(), place.path().to_owned()];
    writable.extend_from_slice(allowed_by_flags());
    if let Some(records) = &args.record {
        std::fs::create_dir_all(records)
            .map_err(|error| Stop::setup(format!("cannot create {}: {error}", shown(records))))?;
        writable.push(records.clone());
    }
    let mut readable: Vec<PathBuf> = place.folder_of_libraries().into_iter().collect();
    readable.extend(confinement::folder_of(command.get_program()));
    command.env("TMPDIR", place.path());
    confinement::run(command, &readable, &writable)
}

/// Refuses to run an untrusted program.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
fn confined(
    _: &mut Command,
    _: &HipArgs,
    _: &RunDirectory,
) -> Result<std::io::Result<ExitStatus>, Stop> {
    Err(Stop::usage("--untrusted needs Linux"))
}

/// Returns the exit code of the program as a shell gives it.
fn code(status: ExitStatus) -> u8 {
    let signal = status.signal().map(|signal| signal.saturating_add(128));
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// Prints the summary on standard error, because standard output belongs to the program.
fn tell(program: &OsStr, status: ExitStatus, summary: &Summary) {
    let mut text = String::new();
    if let Some(signal) = status.signal() {
        let program = shown(Path::new(program));
        text = format!("deltanet-check hip: {program} was ended by signal {signal}\n");
    }
    text += &summary.text();
    // A reader may close the stream; the program's exit code matters more.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
