//! `deltanet-check bind`: the skeleton of a binding, from what a code object says of its kernels; or a proposal of a whole binding, from
//! a recorded launch.

mod arguments;
pub(super) mod candidates;
mod case;
mod given;
mod kernarg;
mod lengths;
mod matching;
mod names;
mod number;
mod offer;
mod pipeline;
mod propose;
mod shape;
mod skeleton;
mod source;
mod structures;
mod tensors;
mod tiles;
mod written;

use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gfx906::code_object::{Kernel, SourceParameters};

use self::given::GivenSizes;
use self::offer::Offer;
use self::pipeline::Subject;
use self::propose::Proposal;
use self::skeleton::Skeletons;
use self::tensors::Tensors;
use super::exec::recorded;
use super::{contracts, load_program, no_kernel};
use crate::args::BindArgs;
use crate::binding;
use crate::contract::Function;
use crate::exit::{Exit, Stop};
use crate::run::{Setup, Sources, describe_contract};
use crate::text::{demangled, print, shown};

/// Prints a skeleton for each kernel, or a proposal from a record.
///
/// # Errors
/// The contract does not exist, the file is not a code object, or the case does not follow from the record.
pub fn run(args: &BindArgs) -> Result<Exit, Stop> {
    match (&args.from, &args.file, &args.contract) {
        (Some(record), _, Some(contract)) => from_record(args, record, contract),
        (_, Some(file), _) => skeletons(args, file),
        _ => Err(Stop::usage(
            "name a code object, or `--from RECORD.json --contract NAME`",
        )),
    }
}

/// Prints a binding that makes the recorded launch, with formulas in place of its numbers so that it serves other sizes, too.
fn from_record(args: &BindArgs, path: &Path, contract_name: &str) -> Result<Exit, Stop> {
    let (setup, function, file_line) = with_contract(Some(contract_name))?;
    let function = function.ok_or_else(|| Stop::usage("`--contract` names no contract"))?;
    let given = GivenSizes::read(function, &args.size)?;
    let launch = recorded::read(path)?;
    let file = args.kernels.as_ref().unwrap_or(&launch.code_object);
    let program = load_program(file)?;
    let object = program.object;
    let record = shown(path);
    let stopped = |why: &dyn Display| Stop::setup(format!("{record}: {why}"));
    let kernel = object.kernel(&launch.kernel).ok_or_else(|| {
        stopped(&format!(
            "{}: {}",
            shown(file),
            no_kernel(&object, &launch.kernel)
        ))
    })?;
    let kernel = &source::named(kernel, &SourceParameters::read(&program.bytes));
    kernarg::check(kernel, &launch).map_err(|misfit| stopped(&misfit))?;
    let described = describe_contract(&setup.registry, function).ok_or_else(|| {
        stopped(&format!(
            "the tensors of contract `{contract_name}` are not known"
        ))
    })?;
    let (names, numbers) = kernarg::names(kernel, &launch);
    let case = case::find(&described, &given, &launch, &names, &numbers)
        .map_err(|unknown| stopped(&unknown))?;
    let taken = Tensors::at(&case.candidates, &case.values).take(&launch.regions, &names);
    let text = Proposal {
        described: &described,
        object: &object,
        kernel,
        recorded: &launch,
        case: &case,
        taken: &taken,
        name: &record,
        given: &given.words,
    }
    .text()
    .replacen("schema = 1\n", &format!("schema = 1\n{file_line}"), 1);
    // The proposal must parse: a name that TOML or a formula cannot hold is an error here and not at the user's next command.
    let custom: Vec<&'static Function> = setup.registry.custom_functions().collect();
    binding::parse_with("the proposal", &text, &custom)?;
    print(&text)?;
    Ok(Exit::Passed)
}

/// Reads what `--contract` names: a built-in contract, or one of a file, as `FILE.toml` or `FILE.toml:NAME`. Returns the line by which a
/// binding names the file, too.
fn with_contract(named: Option<&str>) -> Result<(Setup, Option<&'static Function>, String), Stop> {
    let in_file = named.and_then(|named| {
        let ends = named.ends_with(".toml").then_some((named, None));
        ends.or_else(|| {
            let (file, name) = named.rsplit_once(':')?;
            file.ends_with(".toml").then_some((file, Some(name)))
        })
    });
    let Some((file, name)) = in_file else {
        let setup = Setup::undrawn(Sources::default(), 0)?;
        let function = named.map(|name| contracts::find(name, &[])).transpose()?;
        return Ok((setup, function, String::new()));
    };
    let files = [PathBuf::from(file)];
    let sources = Sources {
        contract: &files,
        ..Sources::default()
    };
    let setup = Setup::undrawn(sources, 0)?;
    let custom: Vec<&'static Function> = setup.registry.custom_functions().collect();
    let function = match (name, &custom[..]) {
        (Some(name), all) => contracts::find(name, all)?,
        (None, [only]) => only,
        (None, all) => {
            let names: Vec<&str> = all.iter().map(|function| function.name).collect();
            return Err(Stop::usage(format!(
                "{file} has {} contracts: name one of them, as `--contract {file}:{}` ({})",
                all.len(),
                names.first().unwrap_or(&"NAME"),
                names.join(", ")
            )));
        }
    };
    let line = format!("contracts = [{}]\n", toml::Value::from(file));
    Ok((setup, Some(function), line))
}

fn skeletons(args: &BindArgs, file: &Path) -> Result<Exit, Stop> {
    let program = load_program(file)?;
    let object = &program.object;
    let parameters = SourceParameters::read(&program.bytes);
    let (setup, function, file_line) = with_contract(args.contract.as_deref())?;
    let described = function.and_then(|function| describe_contract(&setup.registry, function));
    let matcher = match &args.kernel {
        Some(pattern) => {
            let glob = globset::Glob::new(pattern).map_err(|error| {
                Stop::usage(format!(
                    "`--kernel {}` is no glob: {}",
                    pattern.escape_debug(),
                    error.kind()
                ))
            })?;
            Some(glob.compile_matcher())
        }
        None => None,
    };
    let wanted = |kernel: &&Kernel| {
        let matches = |glob: &globset::GlobMatcher| {
            glob.is_match(&kernel.name) || glob.is_match(demangled(&kernel.name))
        };
        matcher.as_ref().is_none_or(matches)
    };
    let kernels = object.kernels.iter().filter(wanted);
    let subjects: Vec<Subject<'_>> = kernels
        .map(|kernel| Subject::new(kernel, &parameters))
        .collect();
    if subjects.is_empty() {
        return Err(Stop::nothing(
            "no kernel of the code object matches --kernel: `deltanet-check inspect` lists them",
        ));
    }
    let offer = described.as_ref().map(Offer::new);
    let mut text = format!("schema = 1\n{file_line}");
    let advice = candidates::advice(&subjects);
    if let Some(advice) = &advice {
        text += &format!("# {advice}\n");
    }
    if offer.is_none() {
        for candidate in candidates::find(&setup.registry, &subjects) {
            text += &format!("# {}\n", candidate.to_line(file, args.kernel.as_deref()));
        }
    }
    let pipeline = offer
        .as_ref()
        .and_then(|offer| pipeline::find(offer, &subjects));
    let shapes = match (&pipeline, function) {
        (Some(_), Some(function)) => candidates::shapes(&setup.registry, function),
        _ => Vec::new(),
    };
    let skeletons = Skeletons {
        object,
        offer: offer.as_ref(),
        subjects: &subjects,
        shapes: &shapes,
    };
    let mut rest: Vec<usize> = (0..subjects.len()).collect();
    if let Some(pipeline) = &pipeline {
        text += &skeletons.pipeline(pipeline);
        rest.retain(|at| {
            !pipeline.order.contains(at) && !pipeline.alike.iter().any(|(_, other)| other == at)
        });
    }
    for at in rest {
        text += &skeletons.single(at);
    }
    print(&text)?;
    if let Some(advice) = advice {
        let _ = writeln!(std::io::stderr(), "note: {advice}");
    }
    Ok(Exit::Passed)
}
