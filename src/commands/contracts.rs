//! `contracts`: the contracts that kernels can be bound to, with tensors, sizes, choices and domain.

mod domain;

use serde::Serialize;

use domain::{ChoiceJson, DomainJson};

use super::table;
use crate::args::{ContractsArgs, Format};
use crate::binding::{CONTRACT_VERSION, ContractTensors, DescribedTensor, TensorUse};
use crate::contract::catalog::functions;
use crate::contract::{Formula, Function, Test, sides};
use crate::exit::{Exit, Stop};
use crate::run::{Setup, Sources, describe_contract};
use crate::text::{nearest, print};

/// Width of the labels of a contract's page, in columns.
const LABEL: usize = 9;
/// Width of a contract's page, in columns.
const WIDTH: usize = 100;
/// The number of contracts that are suggested for an unknown name.
const SUGGESTED: usize = 5;

/// A contract as JSON has it.
#[derive(Serialize)]
struct Contract<'a> {
    id: &'a str,
    version: i64,
    title: &'a str,
    /// Sizes of a case, which are at least 1.
    sizes: &'a [&'a str],
    /// Other whole numbers of a case.
    integers: &'a [&'a str],
    /// Sizes that follow from others.
    derived: Vec<DerivedJson>,
    /// A formula for each output; a name that is neither a tensor nor a size has a formula of its own.
    formulas: Vec<FormulaText>,
    choices: Vec<ChoiceJson<'a>>,
    domain: DomainJson<'a>,
    outputs: &'a [&'a str],
    tensors: &'a [DescribedTensor],
    /// Ids of the tests of the contract.
    tests: Vec<&'a str>,
}

/// A size that follows from others, as JSON has it.
#[derive(Serialize)]
struct DerivedJson {
    name: &'static str,
    formula: &'static str,
}

/// A formula as JSON has it.
#[derive(Serialize)]
struct FormulaText {
    left: &'static str,
    right: &'static str,
    /// Conditions and definitions in words.
    remark: &'static str,
}

impl From<&Formula> for FormulaText {
    fn from(formula: &Formula) -> FormulaText {
        let (left, right) = sides(formula);
        let (right, remark) = right.split_once("; ").unwrap_or((right, ""));
        FormulaText {
            left,
            right,
            remark,
        }
    }
}

fn derived(function: &Function) -> impl Iterator<Item = DerivedJson> {
    let sizes = function.derived.iter();
    sizes.map(|size| DerivedJson {
        name: size.name,
        formula: size.formula,
    })
}

/// Prints contracts.
///
/// # Errors
/// There is no contract of the name.
pub fn run(args: &ContractsArgs) -> Result<Exit, Stop> {
    let setup = Setup::undrawn(
        Sources {
            contract: &args.contract,
            ..Sources::default()
        },
        0,
    )?;
    let custom: Vec<&'static Function> = setup.registry.custom_functions().collect();
    let functions = match &args.name {
        Some(name) => vec![find(name, &custom)?],
        None if custom.is_empty() => functions().collect(),
        None => custom,
    };
    let described: Vec<(&Function, Option<ContractTensors>)> = functions
        .into_iter()
        .map(|function| {
            // The list of all contracts has no tensors, because describing them takes a while.
            let has_tensors = args.name.is_some() || args.format == Format::Json;
            (
                function,
                has_tensors
                    .then(|| describe_contract(&setup.registry, function))
                    .flatten(),
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
                    derived: derived(function).collect(),
                    formulas: function.formulas.iter().map(FormulaText::from).collect(),
                    choices: function.words.iter().map(ChoiceJson::from).collect(),
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
            let page = |(function, described): &(&Function, Option<ContractTensors>)| {
                page(function, described.as_ref(), &tests(function))
            };
            described.iter().map(page).collect()
        }
    };
    print(&text)?;
    Ok(Exit::Passed)
}

/// Returns the built-in or custom contract of a name.
///
/// # Errors
/// There is no such contract. The message suggests contracts that have the words of the name, or else similar names.
pub fn find(name: &str, custom: &[&'static Function]) -> Result<&'static Function, Stop> {
    let all = || functions().chain(custom.iter().copied());
    if let Some(function) = all().find(|function| function.name == name) {
        return Ok(function);
    }
    let mut likely = find_by_words(name, all());
    if likely.is_empty() {
        let near = nearest(name, all().map(|function| function.name), 3);
        let known = |name: &&str| all().find(|function| function.name == *name);
        likely = near.iter().filter_map(known).collect();
    }
    likely.truncate(SUGGESTED);
    let shown = name.escape_debug();
    if likely.is_empty() {
        return Err(Stop::usage(format!(
            "there is no contract `{shown}`: `deltanet-check contracts` lists them"
        )));
    }
    let lines = likely
        .iter()
        .map(|function| format!("\n  {}: {}", function.name, function.title));
    Err(Stop::usage(format!(
        "there is no contract `{shown}`: did you mean one of these?{}",
        lines.collect::<String>()
    )))
}

/// Returns the contracts whose descriptions have every word, in the order of the number of these words in their names.
fn find_by_words(
    words: &str,
    all: impl Iterator<Item = &'static Function>,
) -> Vec<&'static Function> {
    let lower = words.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= 2)
        .collect();
    let mut found: Vec<(usize, &'static Function)> = all
        .filter_map(|function| {
            let formulas = function.formulas.iter().map(|formula| sides(formula).1);
            let text: Vec<&str> = [function.name, function.title]
                .into_iter()
                .chain(formulas)
                .collect();
            let text = text.join(" ").to_ascii_lowercase();
            let has_all = !words.is_empty() && words.iter().all(|word| text.contains(word));
            let in_name = words.iter().filter(|word| function.name.contains(**word));
            has_all.then(|| (in_name.count(), function))
        })
        .collect();
    found.sort_by_key(|(in_name, _)| std::cmp::Reverse(*in_name));
    found.into_iter().map(|(_, function)| function).collect()
}

fn list<'a>(functions: impl Iterator<Item = &'a Function>) -> String {
    let rows = functions.map(|function| {
        let words: Vec<&str> = function.words.iter().map(|(name, _)| *name).collect();
        let sizes: Vec<&str> = function.sizes().collect();
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

fn page(function: &Function, described: Option<&ContractTensors>, tests: &[&Test]) -> String {
    let mut text = format!("{}: {}\n\n", function.name, function.title);
    let mut line = |label: &str, what: String| {
        if !what.is_empty() {
            text += &format!("{label:<LABEL$} {what}\n");
        }
    };
    line("version", CONTRACT_VERSION.to_string());
    line("sizes", function.dims.join(" "));
    line("integers", function.integers.join(" "));
    for DerivedJson { name, formula } in derived(function) {
        line("derived", format!("{name} = {formula}"));
    }
    for formula in function.formulas {
        line("formula", equation(&formula.into()));
    }
    let choices = function.words.iter();
    let choices = choices.flat_map(|choice| {
        let is_list = function.lists.contains(&choice.0);
        domain::words(if is_list { "list" } else { "choice" }, choice, function)
    });
    for (label, what) in choices.chain(domain::lines(function)) {
        line(label, what);
    }
    let ids: Vec<&str> = tests.iter().map(|test| test.id.as_str()).collect();
    line("tests", ids.join(", "));
    // The tests of a built-in contract have tolerances of their own.
    for (output, judged) in tests.iter().flat_map(|test| &test.outputs) {
        if function.is_custom() {
            line("tolerance", format!("{output}: {}", judged.in_words()));
        }
    }
    if let Some(described) = described {
        text += &format!("\n{}", tensors(described.tensors()));
        for (words, others) in described.others() {
            if !others.is_empty() {
                let choices = function.words.iter().zip(&words);
                let choices = choices.filter(|((name, _), _)| !function.lists.contains(name));
                let choices: Vec<String> = choices
                    .map(|((name, _), word)| format!("{name} = {word}"))
                    .collect();
                text += &format!("\nwhere {}\n{}", choices.join(", "), tensors(&others));
            }
        }
    }
    text += "\nSizes, integers, choices and tensors are names in the formulas of a binding (docs/bindings.md). Hidden tensors are those that\n\
             the references know and the built-in kernels are not handed; a binding may hand them over. The domain is what a test with\n\
             `cases = \"design\"` runs: every two of its values meet in a case, but for what it is without. What is optional and what inputs\n\
             may hold a case may leave open: it then is of the first word.\n";
    text
}

/// Formats a formula, with its remark on the same line if both fit, else below.
fn equation(formula: &FormulaText) -> String {
    let FormulaText {
        left,
        right,
        remark,
    } = formula;
    let text = format!("{left} = {right}");
    if remark.is_empty() {
        return text;
    }
    let indent = " ".repeat(LABEL + 5);
    let options = textwrap::Options::new(WIDTH).subsequent_indent(&indent);
    let whole = format!("{text}; {remark}");
    if whole.len() + LABEL < WIDTH {
        return whole;
    }
    let below = textwrap::fill(remark, options.initial_indent(&indent));
    format!("{text}\n{below}")
}

fn tensors<'a>(tensors: impl IntoIterator<Item = &'a DescribedTensor>) -> String {
    let row = |tensor: &DescribedTensor| {
        let lengths = tensor
            .axes
            .iter()
            .map(|axis| axis.length.as_deref().unwrap_or("?"));
        let names: Vec<&str> = tensor.axes.iter().map(|axis| axis.name.as_str()).collect();
        let role = match tensor.role {
            TensorUse::Input => "input",
            TensorUse::Hidden => "hidden",
            TensorUse::Output => "output",
            TensorUse::InPlace => "in place",
        };
        let values = match (&tensor.values, &tensor.parts[..]) {
            (Some(values), _) => values.clone(),
            (None, []) if tensor.role == TensorUse::Output => String::new(),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry::Registry;

    /// Names that every formula may use: constants, functions and indices.
    const COMMON: &[&str] = &[
        "e", "I", "ln", "sqrt", "abs", "max", "sum", "sigmoid", "softplus", "cumsum", "safe_exp",
        "bf16", "ceil", "last", "i", "j", "t", "n", "c", "b",
    ];

    fn names(text: &str) -> Vec<String> {
        let plain = text.replace("^T", " ");
        let names = plain.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
            .map(str::to_owned)
            .collect()
    }

    /// Returns a name, and the name without its subscript.
    fn parts(name: &str) -> Vec<&str> {
        let name = name.trim_end_matches('_');
        let below = name.rsplit_once('_').map(|(name, _)| name);
        std::iter::once(name).chain(below).collect()
    }

    #[test]
    fn every_output_has_a_formula_in_the_letters_of_its_contract() {
        let registry = Registry::built_in().expect("a good registry");
        for function in functions() {
            let described = describe_contract(&registry, function).expect("described");
            let lefts: Vec<String> = function
                .formulas
                .iter()
                .filter_map(|formula| names(sides(formula).0).into_iter().next())
                .collect();
            let defined = |name: &str| lefts.iter().any(|left| parts(left).contains(&name));
            for output in function.outputs {
                assert!(
                    defined(output),
                    "{}: no formula for {output}",
                    function.name
                );
            }
            let others = described.of_other_choices();
            let tensors = described.tensors().iter().chain(&others);
            let tensors: Vec<&str> = tensors.map(|tensor| tensor.name.as_str()).collect();
            let sizes = function.dims.iter().chain(function.integers).copied();
            let choices = function.choices().map(|(choice, _)| *choice);
            let common = COMMON.iter().copied();
            let known: BTreeSet<&str> = sizes.chain(choices).chain(common).chain(tensors).collect();
            for (left, right) in function.formulas.iter().map(|formula| sides(formula)) {
                let right = right.split(';').next().unwrap_or_default();
                for name in names(left).into_iter().skip(1).chain(names(right)) {
                    let mut parts = parts(&name).into_iter();
                    let explained = parts.any(|name| known.contains(name) || defined(name));
                    assert!(
                        explained,
                        "{}: {left} = {right}: what is {name}?",
                        function.name
                    );
                }
            }
        }
    }
}
