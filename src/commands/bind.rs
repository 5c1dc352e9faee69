//! `deltanet-check bind`: the beginnings of a binding, from what a code object says of its kernels; or a whole one, from a launch that
//! was recorded.

mod arguments;
mod case;
mod given;
mod kernarg;
mod lengths;
mod number;
mod propose;
mod shape;
mod structures;
mod tensors;
mod tiles;
mod written;

use std::path::Path;

use gfx906::code_object::{Arg, ArgKind, CodeObject, Kernel};

use self::given::Given;
use self::kernarg::scalar;
use self::propose::Proposal;
use self::tensors::Tensors;
use self::written::{key, quoted, short};
use super::exec::recorded;
use super::inspect::dynamic_lds;
use super::{contracts, load_code_object, no_kernel};
use crate::args::BindArgs;
use crate::binding::{self, Described, Use, described};
use crate::contract::{Value, Values};
use crate::exit::{Exit, Stop};
use crate::run::{Setup, Sources, contract};
use crate::text::{demangled, print, shown};

/// Prints a skeleton for each kernel, or a proposal from a record.
///
/// # Errors
/// There is no such contract, or the file is no code object; or a record does not tell enough.
pub fn run(args: &BindArgs) -> Result<Exit, Stop> {
    match (&args.from, &args.file, &args.contract) {
        (Some(record), _, Some(contract)) => from_record(args, record, contract),
        (_, Some(file), _) => skeletons(args, file),
        _ => Err(Stop::usage(
            "name a code object, or `--from RECORD.json --contract NAME`",
        )),
    }
}

/// A binding that makes the recorded launch, and those of other sizes as well as one can tell.
fn from_record(args: &BindArgs, path: &Path, contract_name: &str) -> Result<Exit, Stop> {
    let function = contracts::find(contract_name)?;
    let given = Given::read(function, &args.size)?;
    let launch = recorded::read(path)?;
    let file = args.kernels.as_ref().unwrap_or(&launch.code_object);
    let object = load_code_object(file)?;
    let record = shown(path);
    let unusable = |why: String| Stop::setup(format!("{record}: {why}"));
    let kernel = object.kernel(&launch.kernel).ok_or_else(|| {
        unusable(format!(
            "{}: {}",
            shown(file),
            no_kernel(&object, &launch.kernel)
        ))
    })?;
    kernarg::check(kernel, &launch).map_err(unusable)?;
    let setup = Setup::new(Sources::default(), 0)?;
    let described = contract(&setup.registry, function).ok_or_else(|| {
        unusable(format!(
            "the tensors of contract `{contract_name}` are not known"
        ))
    })?;
    let (names, numbers) = kernarg::names(kernel, &launch);
    let case = case::find(&described, &given, &launch, &names, &numbers).map_err(unusable)?;
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
    .text();
    // What is printed is read again: a name that TOML or a formula cannot hold is told here.
    binding::parse("the proposal", &text)?;
    print(&text)?;
    Ok(Exit::Passed)
}

fn skeletons(args: &BindArgs, file: &Path) -> Result<Exit, Stop> {
    let object = load_code_object(file).map_err(|error| Stop::setup(format!("{error:#}")))?;
    let found = match &args.contract {
        Some(name) => {
            let function = contracts::find(name)?;
            let setup = Setup::new(Sources::default(), 0)?;
            contract(&setup.registry, function)
        }
        None => None,
    };
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
    let kernels: Vec<&Kernel> = object.kernels.iter().filter(wanted).collect();
    if kernels.is_empty() {
        return Err(Stop::nothing(
            "no kernel of the code object matches --kernel: `deltanet-check inspect` lists them",
        ));
    }
    let name = args.contract.as_deref();
    let mut text = String::from("schema = 1\n");
    for kernel in kernels {
        text += &skeleton(&object, kernel, name, found.as_ref());
    }
    print(&text)?;
    Ok(Exit::Passed)
}

fn skeleton(
    object: &CodeObject,
    kernel: &Kernel,
    contract: Option<&str>,
    found: Option<&Described>,
) -> String {
    let plain = demangled(&kernel.name);
    let short = &short(&plain);
    let mut text = format!(
        "\n[[binding]]\ncontract = {}\n",
        quoted(contract.unwrap_or("?"))
    );
    if contract.is_none() {
        text = text.trim_end().to_owned() + "   # `deltanet-check contracts` lists them\n";
    }
    text += &format!("symbol = {}\n", quoted(short));
    if plain != kernel.name && *short != plain {
        text += &format!("# {}\n", crate::text::escaped(&plain));
    }
    text +=
        "grid = [\"?\"]   # work-groups in x, y, z: formulas over the sizes, as in ceil(N / 64)\n";
    text += &match kernel.required_work_group_size {
        Some([x, y, z]) => {
            format!("block = [{x}, {y}, {z}]   # the kernel was compiled for this\n")
        }
        None => format!(
            "block = [\"?\"]   # work-items of a group: at most {}\n",
            kernel.max_flat_work_group_size
        ),
    };
    let lds = kernel.lds_size;
    text += &match dynamic_lds(object, kernel) {
        true => format!("dynamic_lds = \"?\"   # bytes, beside {lds} of its own\n"),
        false if lds > 0 => format!("# {lds} bytes of LDS\n"),
        false => String::new(),
    };
    text += "args = [\n";
    for (position, arg) in kernel.explicit_args().enumerate() {
        let guess = quoted(&guess(arg, found)) + ",";
        let type_name = arg.type_name.as_deref().map(|name| format!(", {name}"));
        let told = described(arg) + &type_name.unwrap_or_default();
        text += &format!(
            "    {guess:<20} # {position}: {}\n",
            crate::text::escaped(&told)
        );
    }
    text += "]\n";
    if let Some(found) = found {
        let outputs = found
            .tensors()
            .iter()
            .filter(|tensor| matches!(tensor.role, Use::Output | Use::InPlace));
        let outputs: Vec<&str> = outputs.map(|tensor| tensor.name.as_str()).collect();
        let outputs = outputs.join(", ");
        let inputs = found
            .tensors()
            .iter()
            .filter(|tensor| tensor.role == Use::Input);
        let inputs: Vec<&str> = inputs.map(|tensor| tensor.name.as_str()).collect();
        text += &format!("# inputs: {}; outputs: {outputs}\n", inputs.join(", "));
        text += &in_place(found);
    }
    text
}

/// How a state that is read and written in one buffer begins.
fn in_place(found: &Described) -> String {
    // Under the choices that say that there is a state to begin with.
    let values = found.function.words.iter().filter_map(|(name, words)| {
        let random = words.iter().copied().find(|word| *word == "random")?;
        Some(((*name).to_owned(), Value::Word(random)))
    });
    let values = Values::new(values.collect());
    let begins = |state: String| {
        let inputs = found.beginnings(&values, &state);
        Some(format!("{} = {}", key(&state), quoted(inputs.first()?)))
    };
    let states = found.states(&values).into_iter();
    let starts: Vec<String> = states.filter_map(begins).collect();
    match &starts[..] {
        [] => String::new(),
        starts => format!(
            "# a state that is read and written in one buffer: start = {{ {} }}\n",
            starts.join(", ")
        ),
    }
}

/// What an argument may be: the tensor or size of its name, or its type and a question.
fn guess(arg: &Arg, found: Option<&Described>) -> String {
    let pointer = arg.kind == ArgKind::GlobalBuffer;
    let scalar = scalar(arg);
    let name = arg.name.as_deref().unwrap_or_default();
    let alike = |known: &str| known.eq_ignore_ascii_case(name);
    let by_name = found.filter(|_| !name.is_empty()).and_then(|found| {
        if pointer {
            let mut tensors = found.tensors().iter();
            return tensors
                .find(|tensor| alike(&tensor.name))
                .map(|tensor| tensor.name.clone());
        }
        let mut sizes = found.function.dims.iter().chain(found.function.integers);
        sizes
            .find(|size| alike(size))
            .map(|size| format!("{} {size}", scalar.clone().unwrap_or_default()))
    });
    match (by_name, pointer, scalar) {
        (Some(guess), ..) => guess,
        (None, true, _) => "?".into(),
        (None, false, Some(scalar)) => format!("{scalar} ?"),
        (None, false, None) => format!("raw {}", "00".repeat(arg.size as usize)),
    }
}
