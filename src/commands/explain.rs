//! `explain`: what one element of an output came from.

use std::io;

use super::report_files::{Renderers, ReportFiles};
use crate::args::{ExplainArgs, Format};
use crate::device::Spec;
use crate::diagnose;
use crate::exit::{Exit, Stop};
use crate::report::model::CodeObjectReport;
use crate::run::{Selection, Setup, parse_seed};
use crate::tensor::count;
use crate::text::{nearest, print};
use crate::trial::{Experiment, ExperimentOutput};

/// Runs the command.
///
/// # Errors
/// A file is not usable, the test or the element does not exist, or the kernels do not run to their end.
pub fn run(args: &ExplainArgs) -> Result<Exit, Stop> {
    let seed = parse_seed(&args.seed)?;
    let mut files = ReportFiles::open(&args.report)?;
    let ids = [args.test.clone()];
    let selection = Selection {
        test: &ids,
        require_all: true,
        ..Selection::default()
    };
    let setup = Setup::for_selection(args.sources.sources(), seed, selection)?;
    let (selected, bindings) = setup.runnable(selection)?;
    let ([entry], [bound]) = (selected.as_slice(), bindings.as_slice()) else {
        return Err(Stop::usage(format!(
            "`{}` selects {} cases, and an element is one case's: name one with --test",
            args.test.escape_debug(),
            selected.len()
        )));
    };
    let device = Spec::EMULATOR.open()?;
    let plan = setup.plan(&*device, entry, *bound, seed);
    let id = &entry.case.id;
    let experiment = plan.experiment().ok_or_else(|| {
        Stop::setup(format!(
            "{id}: its kernels do not run to their end: `deltanet-check --test '{id}'` says why"
        ))
    })?;
    let at = match &args.element {
        Some(element) => element_of(&experiment, element).map_err(Stop::usage)?,
        None => diagnose::worst_element(&experiment)
            .ok_or_else(|| Stop::setup(format!("{id} has no element")))?,
    };
    let report = diagnose::explain(&experiment, id, at)
        .map_err(|error| Stop::setup(format!("{id}: {error}")))?;
    let json = || serde_json::to_string_pretty(&report).map_err(io::Error::from);
    files.finish(&Renderers {
        json: &|| json().map(|text| text + "\n"),
        page: &|| diagnose::page(&report, about(&setup.program().report)),
    })?;
    print(&match args.format {
        Format::Table => diagnose::text(&report),
        Format::Json => json().map_err(|error| Stop::setup(error.to_string()))? + "\n",
    })?;
    Ok(Exit::Passed)
}

/// Returns the lines of a page about the command: names, and their texts.
fn about(object: &CodeObjectReport) -> Vec<(&'static str, String)> {
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    vec![
        (
            "code object",
            format!("{}, sha256 {}", object.path, object.sha256),
        ),
        ("command", command.collect::<Vec<_>>().join(" ")),
    ]
}

/// Returns the number of the output and the flat position of an element that is written `o[0,5,1,17]`.
fn element_of(experiment: &Experiment<'_>, text: &str) -> Result<(usize, usize), String> {
    let shown = text.escape_debug();
    let outputs = experiment.outputs();
    let names = || outputs.iter().map(|output| output.name.as_str());
    let (name, indices) = match text.split_once('[') {
        None => (text, ""),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(']');
            let inner = inner.ok_or_else(|| format!("`{shown}` has no closing `]`"))?;
            (name, inner)
        }
    };
    let number = names()
        .position(|other| other == name.trim())
        .ok_or_else(|| {
            let list = names().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            let near = nearest(name, names(), 1);
            let hint = near
                .first()
                .map_or_else(String::new, |near| format!(" (`{near}`?)"));
            format!(
                "`{shown}` is no element of an output{hint}; the outputs are {}",
                list.join(", ")
            )
        })?;
    let output = &outputs[number];
    flat(output, indices).map(|at| (number, at)).ok_or_else(|| {
        format!(
            "`{shown}` is no element of `{}`, whose indices are {}",
            output.name,
            bounds(output)
        )
    })
}

/// Returns the flat position of an element by its indices; none if there is no such element.
fn flat(output: &ExperimentOutput, indices: &str) -> Option<usize> {
    let parsed = indices.split(',').map(|index| index.trim().parse().ok());
    let parsed: Vec<usize> = match indices.trim() {
        "" => Vec::new(),
        _ => parsed.collect::<Option<_>>()?,
    };
    if parsed.len() != output.axes.len() || count(&output.axes) == 0 {
        return None;
    }
    let mut flat = 0;
    for (index, axis) in parsed.into_iter().zip(&output.axes) {
        if index >= axis.length {
            return None;
        }
        flat = flat * axis.length + index;
    }
    Some(flat)
}

/// Returns the bounds of an output's indices: `token 0 to 5, head 0 to 3`.
fn bounds(output: &ExperimentOutput) -> String {
    let bounds = output
        .axes
        .iter()
        .map(|axis| format!("{} 0 to {}", axis.name, axis.length.saturating_sub(1)));
    bounds.collect::<Vec<_>>().join(", ")
}
