//! `export`: inputs, references and outputs of a test, for looking at them from another language.

use std::path::{Path, PathBuf};

use crate::args::{ExportArgs, rerun_flags};
use crate::exit::{Exit, Stop};
use crate::run::{Setup, seed, threads};
use crate::text::{file_name, print, shown};
use crate::trial::{Dump, Plan, Progress, run_all};
use crate::verdict::TrialReport;

/// Runs the command. What the kernels computed may be wrong: the verdict is printed, and the tensors are written.
///
/// # Errors
/// Nothing is selected, or a file cannot be written.
pub fn run(args: &ExportArgs) -> Result<Exit, Stop> {
    let seed = seed(&args.seed)?;
    let setup = Setup::new(args.sources.sources(), seed)?;
    // What is missing is said of each test.
    let (selected, ways) = setup.runnable(args.selection.selection(true))?;
    let device = args.device.spec()?.open()?;
    let ids: Vec<&str> = selected.iter().map(|one| one.case.id.as_str()).collect();
    let places = places(&args.out, &ids)?;
    let jobs = args.device.jobs(args.jobs);
    let flags = rerun_flags(&args.sources.sources(), &[args.device.words()]);
    let plans: Vec<Plan<'_>> = selected
        .iter()
        .zip(&ways)
        .zip(&places)
        .map(|((one, way), place)| Plan {
            threads: threads(jobs, selected.len()),
            dump: Some(Dump::Safetensors(place)),
            flags: &flags,
            ..setup.plan(&*device, one, *way, seed)
        })
        .collect();
    let mut lines = vec![String::new(); plans.len()];
    let mut trouble = None;
    run_all(&plans, jobs, |position, progress| {
        if let Progress::Finished(done) = progress {
            let place = &places[position];
            let report = &done.report;
            lines[position] = line(place, report);
            // A test that ended before it had tensors leaves no file.
            let missing = || {
                let why = report.error.as_deref().unwrap_or_default();
                format!("{} could not be run: {why}", report.id)
            };
            let error = done.dump_error.clone();
            trouble = trouble
                .take()
                .or(error)
                .or_else(|| (!place.exists()).then(missing));
        }
    });
    if let Some(error) = trouble {
        return Err(Stop::setup(error));
    }
    print(&lines.concat())?;
    Ok(Exit::Passed)
}

fn line(place: &Path, report: &TrialReport) -> String {
    format!(
        "{}: {}, {}\n",
        shown(place),
        report.id,
        report.verdict.word()
    )
}

/// One file for each test.
fn places(out: &Path, ids: &[&str]) -> Result<Vec<PathBuf>, Stop> {
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
    // A name with an ending is that of a file, unless there is such a directory.
    let ends_open = out.to_string_lossy().ends_with('/');
    if out.extension().is_some() && !out.is_dir() && !ends_open {
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
    let place = |id: &&str| out.join(format!("{}.safetensors", file_name(id)));
    Ok(ids.iter().map(place).collect())
}
