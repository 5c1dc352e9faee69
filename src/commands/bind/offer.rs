//! The offer of a contract to kernels: its tensors and sizes, and the arguments that its built-in kernels take.

use std::collections::BTreeSet;

use super::matching::Match;
use crate::binding::formula::{Formula, Node};
use crate::binding::{ArgSpec, Binding, ContractTensors, DescribedTensor, TensorUse, built_in};
use crate::contract::Choice;

/// The offer of a contract to kernels: tensors, sizes and numbers.
pub struct Offer<'a> {
    /// The contract.
    pub described: &'a ContractTensors,
    /// Its tensors, and the argument that hands over each: its name, or a formula that is null for some choices.
    pub(super) pointers: Vec<(DescribedTensor, String)>,
    /// Its sizes and whole numbers.
    pub(super) sizes: Vec<&'static str>,
    /// Numbers beside sizes that the built-in kernels take: types and formulas.
    pub(super) numbers: Vec<(String, String)>,
    /// Variables of the loops over launches (`each`) in the built-in binding.
    pub(super) tokens: Vec<String>,
}

impl<'a> Offer<'a> {
    /// Returns the outputs among some tensors, each with the only input of the same axes that is not among them.
    pub(super) fn beginnings<'s>(
        &'s self,
        taken: &'s BTreeSet<String>,
    ) -> impl Iterator<Item = (&'s str, &'s str)> {
        let of = |role: TensorUse| {
            let tensors = self.pointers.iter().map(|(tensor, _)| tensor);
            tensors.filter(move |tensor| tensor.role == role)
        };
        let outputs = of(TensorUse::Output).filter(|output| taken.contains(&output.name));
        outputs.filter_map(move |output| {
            let mut inputs = of(TensorUse::Input).filter(|input| {
                !output.axes.is_empty() && input.axes == output.axes && !taken.contains(&input.name)
            });
            let input = inputs.next()?;
            let is_only = inputs.next().is_none();
            is_only.then_some((output.name.as_str(), input.name.as_str()))
        })
    }

    /// Reads the tensors and sizes of a contract, and the formulas of its built-in binding.
    pub fn new(described: &'a ContractTensors) -> Offer<'a> {
        let function = described.function;
        let bindings = built_in().unwrap_or_default().iter();
        let built_in = bindings
            .filter(|binding| binding.function.name == function.name)
            .min_by_key(|binding| binding.name.is_some());
        let handed: Vec<HandedArgument> = built_in.map(handed).unwrap_or_default();
        let tokens = built_in.map_or(Vec::new(), |binding| {
            let loops = binding.launches().into_iter();
            let loops = loops.filter_map(|launch| launch.each.as_ref());
            loops.map(|each| each.value.name.clone()).collect()
        });
        // Some tensors exist for some choices only.
        let mut tensors: Vec<DescribedTensor> = described.tensors().to_vec();
        tensors.extend(described.of_other_choices());
        let pointers = tensors.into_iter().map(|tensor| {
            let conditional = handed.iter().find_map(|handed| match handed {
                HandedArgument::Or(name, text) if *name == tensor.name => Some(text.clone()),
                _ => None,
            });
            let text = conditional.unwrap_or_else(|| tensor.name.clone());
            (tensor, text)
        });
        let derived = function.derived.iter().map(|size| size.name);
        let sizes: Vec<&'static str> = function.sizes().chain(derived).collect();
        let mut numbers: Vec<(String, String)> = Vec::new();
        if built_in.is_none() {
            // A kernel may take a tensor of one element by value.
            let single = described.tensors().iter().filter(|tensor| {
                let lengths = tensor.axes.iter().map(|axis| axis.length.as_deref());
                tensor.role == TensorUse::Input && lengths.eq([Some("1")])
            });
            let single = single.map(|tensor| (tensor.element.name().into(), tensor.name.clone()));
            numbers.extend(single);
        }
        for handed in &handed {
            if let HandedArgument::Number(kind, formula) = handed
                && !sizes.contains(&formula.as_str())
                && formula.parse::<f64>().is_err()
                && !numbers.iter().any(|(_, known)| known == formula)
            {
                numbers.push((kind.clone(), formula.clone()));
            }
        }
        Offer {
            described,
            pointers: pointers.collect(),
            sizes,
            numbers,
            tokens,
        }
    }

    /// The names of the contract's outputs.
    pub fn outputs(&self) -> BTreeSet<&str> {
        let tensors = self.described.tensors().iter();
        let written =
            tensors.filter(|tensor| matches!(tensor.role, TensorUse::Output | TensorUse::InPlace));
        written.map(|tensor| tensor.name.as_str()).collect()
    }

    /// The number of inputs that no argument is matched with.
    pub fn inputs_left(&self, matches: &[Option<Match>]) -> usize {
        let has = |name: &str| {
            let mut found = matches.iter().flatten();
            found.any(|found| {
                found.tensor.as_deref() == Some(name) || found.text.ends_with(&format!(" {name}"))
            })
        };
        let tensors = self.described.tensors().iter();
        let inputs = tensors.filter(|tensor| tensor.role == TensorUse::Input && !has(&tensor.name));
        inputs.count()
    }

    /// Returns the choices, with their words, that arguments of the built-in kernels depend on and that none of these arguments mentions.
    pub fn unsaid(&self, arguments: &[String]) -> Vec<Choice> {
        let mentions = |text: &str, name: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| word == name)
        };
        let choices = self.described.function.choices().copied();
        choices
            .filter(|(name, _)| {
                let numbers = self.numbers.iter().map(|(_, formula)| formula);
                let pointers = self.pointers.iter().map(|(_, text)| text);
                let own = |text: &String| text != name && mentions(text, name);
                numbers.chain(pointers).any(own) && !arguments.iter().any(own)
            })
            .collect()
    }
}

/// An argument of a built-in kernel.
enum HandedArgument {
    /// A tensor that is null for some choices: its name, and the whole formula.
    Or(String, String),
    /// A number: its type and its formula.
    Number(String, String),
}

fn handed(binding: &Binding) -> Vec<HandedArgument> {
    let mut all = Vec::new();
    for launch in binding.launches() {
        for arg in &launch.args.value {
            let written = binding.source.text.get(arg.span.clone());
            let text = written.unwrap_or_default().trim_matches('"');
            match &arg.value {
                ArgSpec::Pointer(formula) => or_null(formula, text, &mut all),
                ArgSpec::Scalar(_, formula) => {
                    let kind = text.split_whitespace().next().unwrap_or_default();
                    let formula = text.get(formula.at.clone()).unwrap_or_default();
                    all.push(HandedArgument::Number(
                        kind.to_owned(),
                        formula.trim().to_owned(),
                    ));
                }
                _ => {}
            }
        }
    }
    all
}

/// Collects each `condition ? null : tensor` of a formula.
fn or_null(formula: &Formula, text: &str, out: &mut Vec<HandedArgument>) {
    let Node::Choice(condition, first, second) = &formula.node else {
        return;
    };
    if let (Node::Name(null), Node::Name(tensor) | Node::Word(tensor)) = (&first.node, &second.node)
        && null == "null"
    {
        let whole = text.get(condition.at.start..second.at.end);
        let whole = whole.unwrap_or_default().trim().to_owned();
        out.push(HandedArgument::Or(tensor.clone(), whole));
    }
    or_null(first, text, out);
    or_null(second, text, out);
}
