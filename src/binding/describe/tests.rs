use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::*;
use crate::binding::parse;
use crate::contract::catalog::functions;
use crate::contract::design::design;

/// Returns the designed cases of a contract.
fn cases(function: &'static Function) -> Vec<Values> {
    design(function, None, 0)
}

/// The tensors of each contract. Tests share them, because descriptions of all combinations of choices take long.
static DESCRIBED: LazyLock<BTreeMap<&str, ContractTensors>> = LazyLock::new(|| {
    let described = |function: &'static Function| {
        let described = describe(function, &[], &[]);
        (
            function.name,
            described.expect("a contract that takes some choices"),
        )
    };
    functions().map(described).collect()
});

fn described(function: &Function) -> &'static ContractTensors {
    &DESCRIBED[function.name]
}

/// Axes of the catalog whose length is given by no formula over the sizes. Bindings call them by their names alone.
fn is_named_alone(function: &Function, axis: &str) -> bool {
    axis == "chunk"
        && (function.name == "gdr_prepare_chunk_indices" || function.name.starts_with("gdn_packed"))
}

/// A regression: descriptions once ended at 32 combinations, and the rest took the axes of another combination.
#[test]
fn every_case_has_the_axes_of_its_own_choices() {
    for function in functions() {
        let described = described(function);
        for values in cases(function) {
            let probed = probe(function, &values).expect("a case of the domain");
            let shapes = described.shapes(&values).expect("a case of the domain");
            assert_eq!(shapes.len(), probed.len(), "{function:?} {values}");
            for (shape, probed) in shapes.iter().zip(&probed) {
                let at = format!("{function:?} {values}: {}", probed.name);
                assert_eq!(
                    (&shape.name, shape.kind),
                    (&probed.name, probed.kind),
                    "{at}"
                );
                let lengths = |axes: &[TensorAxis]| -> Vec<(String, usize)> {
                    axes.iter()
                        .map(|axis| (axis.name.clone(), axis.length))
                        .collect()
                };
                let own = probed
                    .axes
                    .iter()
                    .map(TensorAxis::unnamed)
                    .collect::<Vec<_>>();
                assert_eq!(lengths(&shape.axes), lengths(&own), "{at}");
                assert_eq!(
                    shape.axes,
                    described.axes(&values, &shape.name, &probed.axes),
                    "{at}"
                );
                for axis in &shape.axes {
                    let alone = is_named_alone(function, &axis.name);
                    assert_eq!(axis.symbol.is_empty(), alone, "{at}: {}", axis.name);
                }
            }
        }
    }
}

/// A tensor that only some choices have is found without a description of every combination.
#[test]
fn tensors_of_other_choices_are_those_that_all_descriptions_have() {
    let mut found = 0;
    // Descriptions of many combinations take long.
    for function in functions().filter(|function| described(function).combinations.len() <= 8) {
        let described = described(function);
        let is_first = |name: &str| described.tensors().iter().any(|first| first.name == name);
        let all = described.others().into_iter();
        let all: BTreeSet<String> = all
            .flat_map(|(_, tensors)| tensors)
            .map(|tensor| tensor.name)
            .filter(|name| !is_first(name))
            .collect();
        let more = described.of_other_choices();
        let names: Vec<String> = more.into_iter().map(|tensor| tensor.name).collect();
        let once: BTreeSet<String> = names.iter().cloned().collect();
        assert_eq!(names.len(), once.len(), "{function:?}");
        assert_eq!(once, all, "{function:?}");
        found += once.len();
    }
    assert!(found > 5, "{found} tensors of other choices");
}

/// An axis answers to its length formula, if no other axis has the same formula, and to its name. Both must mean the
/// same axis at every case.
#[test]
fn every_spelling_of_an_axis_means_the_same() {
    for function in functions() {
        let described = described(function);
        let mut seen = BTreeSet::new();
        for values in cases(function) {
            if !seen.insert(words(function, &values)) {
                continue;
            }
            for shape in described.shapes(&values).expect("a case of the domain") {
                let layout = |spelled: &dyn Fn(usize) -> String| {
                    let axes: Vec<String> = (0..shape.axes.len()).rev().map(spelled).collect();
                    let text = format!(
                        "schema = 1\n[[binding]]\ncontract = \"{}\"\nlayout = {{ \"{}\" = \"{}\" }}\nsymbol = \"x\"\ngrid = [1]\nblock = [1]\nargs = []\n",
                        function.name,
                        shape.name,
                        axes.join(" ")
                    );
                    let binding = parse("t", &text).expect("a binding").remove(0);
                    let contract = described.shapes(&values).expect("a case");
                    let shapes = binding.shapes(contract, &values).expect(&text);
                    let found = shapes.into_iter().find(|found| found.name == shape.name);
                    found.expect("the tensor").layout
                };
                let word = |at: usize| shape.axes[at].name.replace(' ', "_");
                let unique = |at: usize| {
                    let mut words = (0..shape.axes.len()).filter(|other| *other != at);
                    words.all(|other| word(other) != word(at))
                };
                let letter = |at: usize| {
                    let symbol = &shape.axes[at].symbol;
                    let mut others = (0..shape.axes.len()).filter(|other| *other != at);
                    let alone = others.all(|other| shape.axes[other].symbol != *symbol);
                    let whole = !symbol.is_empty() && !symbol.contains(' ');
                    if (alone && whole) || !unique(at) {
                        symbol.clone()
                    } else {
                        word(at)
                    }
                };
                let by_word = |at: usize| if unique(at) { word(at) } else { letter(at) };
                let mixed = |at: usize| {
                    if at.is_multiple_of(2) {
                        letter(at)
                    } else {
                        by_word(at)
                    }
                };
                let lengths: Vec<usize> = shape.axes.iter().map(|axis| axis.length).collect();
                let order: Vec<usize> = (0..lengths.len()).rev().collect();
                let wanted = crate::tensor::Layout::new(&lengths, &order, None);
                for found in [layout(&by_word), layout(&letter), layout(&mixed)] {
                    let at = format!("{function:?} {values}: {}", shape.name);
                    assert_eq!(Some(found), wanted, "{at}");
                }
            }
        }
    }
}
