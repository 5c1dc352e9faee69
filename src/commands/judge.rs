//! `judge`: outputs that another program computed from the inputs that `export` wrote.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::Dtype;
use serde_json::json;

use crate::args::{Format, JudgeArgs};
use crate::contract::catalog::functions;
use crate::exit::{Exit, Stop};
use crate::files;
use crate::report::model::{TrialReport, Verdict};
use crate::report::{failure_text, outputs};
use crate::run::{Selection, Setup, Sources};
use crate::tensor::{ElementKind, read_safetensors, safetensors_type};
use crate::text::{print, shown};
use crate::trial::{ComputedTensor, judge_elsewhere};

/// The largest file that is read.
const MAX_FILE: u64 = 4 << 30;

/// Runs the command.
///
/// # Errors
/// A file is not usable, or does not belong to a test.
pub fn run(args: &JudgeArgs) -> Result<Exit, Stop> {
    let mut reports = Vec::new();
    for path in &args.files {
        let report = judge(args, path);
        reports.push(report.map_err(|stop| Stop {
            message: format!("{}: {}", shown(path), stop.message),
            ..stop
        })?);
    }
    let passed = reports.iter().all(|report| report.verdict == Verdict::Pass);
    match args.format {
        Format::Table => print(&reports.iter().map(text).collect::<String>())?,
        Format::Json => {
            let report = json!({ "schema": "deltanet-check/judge/1", "tests": reports });
            print(&format!("{report:#}\n"))?;
        }
    }
    Ok(if passed { Exit::Passed } else { Exit::Failed })
}

fn text(report: &TrialReport) -> String {
    match report.verdict {
        Verdict::Pass => {
            let heading = format!("PASS {} (seed {})\n", report.id, report.seed);
            heading + &outputs(&report.outputs)
        }
        _ => failure_text(report),
    }
}

fn judge(args: &JudgeArgs, path: &Path) -> Result<TrialReport, Stop> {
    let bytes = files::read(path, MAX_FILE).map_err(Stop::setup)?;
    let (header, file) = read_safetensors(&bytes).map_err(Stop::setup)?;
    let metadata = header.metadata().as_ref();
    let entry = |key: &str| {
        let found = metadata.and_then(|metadata| metadata.get(key));
        let missing = || format!("its metadata has no `{key}`: `deltanet-check export` writes it");
        found.ok_or_else(|| Stop::setup(missing()))
    };
    let (test, seed) = (entry("test")?, crate::run::parse_seed(entry("seed")?)?);
    let mut tensors = BTreeMap::new();
    for (name, view) in file.tensors() {
        // The references in the file are not used: they are computed again.
        if name.starts_with("golden.") || name.starts_with("oracle.") {
            continue;
        }
        let kind = kind(view.dtype()).ok_or_else(|| {
            let (name, dtype) = (name.escape_debug(), view.dtype());
            Stop::setup(format!(
                "tensor `{name}` is of {dtype:?}: no test has that type"
            ))
        })?;
        let (shape, data) = (view.shape().to_vec(), view.data().to_vec());
        tensors.insert(name, ComputedTensor { kind, shape, data });
    }
    let sources = Sources {
        registry: args.registry.as_deref(),
        contract: &args.contract,
        ..Sources::default()
    };
    let mut setup = Setup::new(sources, seed)?;
    if let Some(contract) = metadata.and_then(|metadata| metadata.get("function"))
        && let custom = setup.registry.custom_functions()
        && !functions()
            .chain(custom)
            .any(|known| known.name == contract)
    {
        return Err(Stop::setup(format!(
            "its contract `{}` is not built in: name the contract's file with --contract FILE.toml",
            contract.escape_debug()
        )));
    }
    let tests = [test.clone()];
    setup.registry.add_described(&tests);
    let selected = setup.select(Selection {
        test: &tests,
        ..Selection::default()
    })?;
    let entry = selected.iter().find(|entry| entry.case.id == *test);
    let entry = entry.ok_or_else(|| {
        let test = test.escape_debug();
        Stop::setup(format!(
            "its metadata names the test `{test}`, and no case has this id"
        ))
    })?;
    let entry = (entry.phase.number, entry.test, entry.case);
    let tolerance = args.own_tolerance();
    judge_elsewhere(entry, seed, &tensors, tolerance.as_ref()).map_err(Stop::setup)
}

fn kind(dtype: Dtype) -> Option<ElementKind> {
    let mut kinds = ElementKind::ALL.into_iter();
    kinds.find(|kind| safetensors_type(*kind) == dtype)
}
