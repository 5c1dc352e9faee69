//! `deltanet-check contracts`: what can be bound, its tensors, sizes and words, and the domain that it promises to hold for.

mod domain;

use serde::Serialize;

use domain::{Named, Shown};

use super::table;
use crate::args::{ContractsArgs, Format};
use crate::binding::{CONTRACT_VERSION, Described, DescribedTensor, Use};
use crate::contract::Function;
use crate::contract::Test;
use crate::contracts::functions;
use crate::exit::{Exit, Stop};
use crate::run::{Setup, Sources, contract};
use crate::text::{nearest, print};

/// A contract as JSON has it.
#[derive(Serialize)]
struct Contract<'a> {
    id: &'a str,
    version: i64,
    title: &'a str,
    /// Sizes of a case, from 1 up.
    sizes: &'a [&'a str],
    /// Other whole numbers of a case.
    integers: &'a [&'a str],
    choices: Vec<Named<'a>>,
    domain: Shown<'a>,
    outputs: &'a [&'a str],
    tensors: &'a [DescribedTensor],
    /// Ids of the tests that run it.
    tests: Vec<&'a str>,
}

/// Prints contracts.
///
/// # Errors
/// There is no contract of the name.
pub fn run(args: &ContractsArgs) -> Result<Exit, Stop> {
    let setup = Setup::new(Sources::default(), 0)?;
    let wanted = match &args.name {
        Some(name) => vec![find(name)?],
        None => functions().collect(),
    };
    let described: Vec<(&Function, Option<Described>)> = wanted
        .into_iter()
        .map(|function| {
            // A list of all does without their tensors, which take a while to find out.
            let asked = args.name.is_some() || args.format == Format::Json;
            (
                function,
                asked.then(|| contract(&setup.registry, function)).flatten(),
            )
        })
        .collect();
    let tests = |function: &Function| -> Vec<&Test> {
        let tests = setup.registry.tests();
        tests
            .filter(|test| test.function.name == function.name)
            .collect()
    };
    let text = match (args.format, &args.name) {
        (Format::Json, _) => {
            let contracts: Vec<Contract<'_>> = described
                .iter()
                .map(|(function, described)| Contract {
                    id: function.name,
                    version: CONTRACT_VERSION,
                    title: function.title,
                    sizes: function.dims,
                    integers: function.integers,
                    choices: function.words.iter().map(Named::from).collect(),
                    domain: (&function.domain).into(),
                    outputs: function.outputs,
                    tensors: described
                        .as_ref()
                        .map_or(&[], |described| described.tensors()),
                    tests: tests(function)
                        .iter()
                        .map(|test| test.id.as_str())
                        .collect(),
                })
                .collect();
            let json = serde_json::json!({ "schema": "deltanet-check/contracts/1", "contracts": contracts });
            format!("{json:#}\n")
        }
        (Format::Table, None) => list(described.iter().map(|(function, _)| *function)),
        (Format::Table, Some(_)) => {
            let one = |(function, described): &(&Function, Option<Described>)| {
                page(function, described.as_ref(), &tests(function))
            };
            described.iter().map(one).collect()
        }
    };
    print(&text)?;
    Ok(Exit::Passed)
}

/// The contract of a name.
///
/// # Errors
/// There is none: the nearest are named.
pub fn find(name: &str) -> Result<&'static Function, Stop> {
    functions()
        .find(|function| function.name == name)
        .ok_or_else(|| {
            let near = nearest(name, functions().map(|function| function.name), 3);
            let help = match near[..] {
                [] => "`deltanet-check contracts` lists them".into(),
                ref near => format!("did you mean {}?", near.join(" or ")),
            };
            Stop::usage(format!(
                "there is no contract `{}`: {help}",
                name.escape_debug()
            ))
        })
}

fn list<'a>(functions: impl Iterator<Item = &'a Function>) -> String {
    let rows = functions.map(|function| {
        let words: Vec<&str> = function.words.iter().map(|(name, _)| *name).collect();
        let sizes: Vec<&str> = function
            .dims
            .iter()
            .chain(function.integers)
            .copied()
            .collect();
        vec![
            function.name.to_owned(),
            function.title.to_owned(),
            sizes.join(" "),
            words.join(" "),
            function.outputs.join(" "),
        ]
    });
    let header = ["contract", "computes", "sizes", "choices", "outputs"];
    format!(
        "{}\n`deltanet-check contracts NAME` says what its tensors are.\n",
        table(&header, &[], rows)
    )
}

fn page(function: &Function, described: Option<&Described>, tests: &[&Test]) -> String {
    let mut text = format!("{}: {}\n\n", function.name, function.title);
    let mut line = |label: &str, what: String| {
        if !what.is_empty() {
            text += &format!("{label:<9} {what}\n");
        }
    };
    line("version", CONTRACT_VERSION.to_string());
    line("sizes", function.dims.join(" "));
    line("integers", function.integers.join(" "));
    for (name, words) in function.words {
        line("choice", format!("{name}: {}", words.join(" | ")));
    }
    for (label, what) in domain::lines(function) {
        line(label, what);
    }
    let tests: Vec<&str> = tests.iter().map(|test| test.id.as_str()).collect();
    line("tests", tests.join(", "));
    if let Some(described) = described {
        text += &format!("\n{}", tensors(described.tensors()));
        for (words, others) in described.others() {
            if !others.is_empty() {
                text += &format!("\nwhere {}\n{}", words.join(", "), tensors(&others));
            }
        }
    }
    text += "\nSizes, integers, choices and tensors are names in the formulas of a binding (docs/bindings.md). Hidden tensors are those that\n\
             the references know and the built-in kernels are not handed; a binding may hand them over. The domain is what a test with\n\
             `cases = \"design\"` runs: every two of its values meet in a case, but for what it is without. What is optional and what inputs\n\
             may hold a case may leave open: it then is of the first word.\n";
    text
}

fn tensors<'a>(tensors: impl IntoIterator<Item = &'a DescribedTensor>) -> String {
    let row = |tensor: &DescribedTensor| {
        let lengths = tensor
            .axes
            .iter()
            .map(|axis| axis.length.as_deref().unwrap_or("?"));
        let names: Vec<&str> = tensor.axes.iter().map(|axis| axis.name.as_str()).collect();
        let role = match tensor.role {
            Use::Input => "input",
            Use::Hidden => "hidden",
            Use::Output => "output",
            Use::InPlace => "in place",
        };
        let values = match (&tensor.values, &tensor.parts[..]) {
            (Some(values), _) => values.clone(),
            (None, []) if tensor.role == Use::Output => String::new(),
            (None, []) => "computed from others".into(),
            (None, parts) => format!("holds {}", parts.join(", then ")),
        };
        vec![
            tensor.name.clone(),
            role.into(),
            tensor.element.name().into(),
            format!("[{}]", lengths.collect::<Vec<_>>().join(", ")),
            names.join(", "),
            values,
        ]
    };
    let own = tensors.into_iter();
    table(
        &["tensor", "use", "element", "shape", "axes", "values"],
        &[],
        own.map(row),
    )
}
