//! `export`: inputs, references and outputs of a test, for looking at them from another language.

use std::path::{Path, PathBuf};

use crate::args::{ExportArgs, again};
use crate::device::{Limits, NOTHING};
use crate::exit::{Exit, Stop};
use crate::run::{Selection, Setup, Sources, seed, threads};
use crate::text::{file_name, print, shown};
use crate::trial::{Dump, Plan, Progress, Variant, run_all};
use crate::verdict::TrialReport;

/// Runs the command. What the kernels computed may be wrong: the verdict is printed, and the tensors are written.
///
/// # Errors
/// Nothing is selected, or a file cannot be written.
pub fn run(args: &ExportArgs) -> Result<Exit, Stop> {
    let sources = Sources {
        registry: args.registry.as_deref(),
        kernels: args.kernels.as_deref(),
        bind: &args.bind,
    };
    let seed = seed(&args.seed)?;
    let mut setup = Setup::new(sources)?;
    setup.redesign(seed);
    let setup = setup;
    let (selected, ways) = setup.runnable(Selection {
        test: &args.test,
        // What is missing is said of each test.
        require_all: true,
        ..Selection::default()
    })?;
    let device = args.device.spec()?.open()?;
    let ids: Vec<&str> = selected.iter().map(|one| one.case.id.as_str()).collect();
    let places = places(&args.out, &ids)?;
    let jobs = args.device.jobs(args.jobs);
    let again = again(&sources, None, &args.device);
    let plans: Vec<Plan<'_>> = selected
        .iter()
        .zip(&ways)
        .zip(&places)
        .map(|((one, way), place)| Plan {
            device: &*device,
            threads: threads(jobs, selected.len()),
            limits: Limits::default(),
            twin: None,
            program: setup.program(),
            variant: Variant::Honest,
            phase: one.phase.number,
            test: one.test,
            case: one.case,
            seed,
            repeat: 1,
            watch: &NOTHING,
            dump: Some(Dump::Safetensors(place)),
            given: None,
            bound: *way,
            relations: false,
            shared: None,
            flags: &again,
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
    std::fs::create_dir_all(out).map_err(|error| {
        Stop::setup(format!(
            "cannot create {}: {error}; name a directory, or a file that ends in .safetensors",
            shown(out)
        ))
    })?;
    let place = |id: &&str| out.join(format!("{}.safetensors", file_name(id)));
    Ok(ids.iter().map(place).collect())
}
