//! `export`: inputs, references and outputs of tests, as files that other languages read.

use std::path::{Path, PathBuf};

use crate::args::{ExportArgs, rerun_flags};
use crate::exit::{Exit, Stop};
use crate::report::model::TrialReport;
use crate::run::{Setup, parse_seed, threads};
use crate::text::{file_name, print, shown};
use crate::trial::{Dump, Plan, Progress, run_all};

/// Runs the command. The tensors of a failed test are written as well, and its verdict is printed.
///
/// # Errors
/// Nothing is selected, or a file cannot be written.
pub fn run(args: &ExportArgs) -> Result<Exit, Stop> {
    let seed = parse_seed(&args.seed)?;
    let selection = args.selection.selection(true);
    let setup = Setup::for_selection(args.sources.sources(), seed, selection)?;
    // `true`: a selected case that cannot run is an error.
    let (selected, bindings) = setup.runnable(args.selection.selection(true))?;
    let device = args.device.spec()?.open()?;
    let ids: Vec<&str> = selected
        .iter()
        .map(|entry| entry.case.id.as_str())
        .collect();
    let paths = paths(&args.out, &ids)?;
    let jobs = args.device.jobs(args.jobs);
    let flags = rerun_flags(&args.sources.sources(), &[args.device.words()]);
    let plans: Vec<Plan<'_>> = selected
        .iter()
        .zip(&bindings)
        .zip(&paths)
        .map(|((entry, binding), path)| Plan {
            threads: threads(jobs, selected.len()),
            dump: Some(Dump::Safetensors(path)),
            flags: &flags,
            ..setup.plan(&*device, entry, *binding, seed)
        })
        .collect();
    let mut lines = vec![String::new(); plans.len()];
    let mut first_error = None;
    run_all(&plans, jobs, |position, progress| {
        if let Progress::Finished(finished) = progress {
            let path = &paths[position];
            let report = &finished.report;
            lines[position] = line(path, report);
            // A test that ended before it had tensors leaves no file.
            let missing = || {
                let why = report.error.as_deref().unwrap_or_default();
                format!("{} could not be run: {why}", report.id)
            };
            let error = finished.dump_error.clone();
            first_error = first_error
                .take()
                .or(error)
                .or_else(|| (!path.exists()).then(missing));
        }
    });
    if let Some(error) = first_error {
        return Err(Stop::setup(error));
    }
    print(&lines.concat())?;
    Ok(Exit::Passed)
}

fn line(path: &Path, report: &TrialReport) -> String {
    format!(
        "{}: {}, {}\n",
        shown(path),
        report.id,
        report.verdict.word()
    )
}

/// Returns the path of the file of each test.
fn paths(out: &Path, ids: &[&str]) -> Result<Vec<PathBuf>, Stop> {
    let is_file = out.extension().is_some_and(|end| end == "safetensors") && !out.is_dir();
    match ids {
        [_] if is_file => return Ok(vec![out.to_path_buf()]),
        _ if is_file => {
            return Err(Stop::usage(format!(
                "{} tests are selected and `--out {}` is one file: name a directory, or one test",
                ids.len(),
                shown(out)
            )));
        }
        _ => {}
    }
    // A name with an extension names a file, unless there is a directory of this name.
    let ends_in_slash = out.to_string_lossy().ends_with('/');
    if out.extension().is_some() && !out.is_dir() && !ends_in_slash {
        return Err(Stop::usage(format!(
            "--out {0}: its name must end in .safetensors, or be that of a directory: {0}/",
            shown(out)
        )));
    }
    std::fs::create_dir_all(out).map_err(|error| {
        Stop::setup(format!(
            "cannot create {}: {error}; name a directory, or a file that ends in .safetensors",
            shown(out)
        ))
    })?;
    let path = |id: &&str| out.join(format!("{}.safetensors", file_name(id)));
    Ok(ids.iter().map(path).collect())
}
