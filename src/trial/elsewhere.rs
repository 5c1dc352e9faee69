//! Judgement of outputs that another program computed from the files of `export`.
//!
//! A tensor may have another type than the contract's. Inputs are then rounded before the references see them, and outputs of a narrower
//! type get the tolerance that a binding's outputs of that type get.

use std::collections::BTreeMap;

use super::TrialError;
use super::bound::narrowed;
use super::judge::{judge_values, tolerance};
use crate::contract::{Case, Check, Instance, PreparedCase, Role, Tensor, Test};
use crate::report::model::{OutputReport, Tolerance, TrialReport, Verdict};
use crate::tensor::{ElementKind, decode, with_element};
use crate::text::again;

/// A tensor from another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedTensor {
    /// The type of its elements.
    pub kind: ElementKind,
    /// The lengths of its axes.
    pub shape: Vec<usize>,
    /// The tensor's elements, in order.
    pub data: Vec<u8>,
}

/// Judges outputs of a case with the inputs of a seed. Tensors have the names that `export` gives them: `input.q`, `before.state`,
/// `output.o`. Inputs among them must equal the seed's; `own` is a tolerance in place of the registry's.
///
/// # Errors
/// A tensor is not of the case, an input differs from what the seed draws, or there is no output to judge.
pub(crate) fn judge_elsewhere(
    (phase, test, case): (u32, &Test, &Case),
    seed: u64,
    tensors: &BTreeMap<String, ComputedTensor>,
    own: Option<&Tolerance>,
) -> Result<TrialReport, TrialError> {
    let make = |kinds: &dyn Fn(&str) -> Option<ElementKind>| {
        let at = (case.id.as_str(), &case.values);
        Instance::make(test.function, at, seed, None, kinds)
    };
    let contract = make(&|_| None)?;
    check_names(&contract, tensors)?;
    let kind = |name: &str| {
        let named =
            ["input", "before", "output"].map(|kind| tensors.get(&format!("{kind}.{name}")));
        named.into_iter().flatten().next().map(|tensor| tensor.kind)
    };
    let prepared = make(&kind)?;
    for tensor in &prepared.tensors {
        check_input(tensor, tensors, &format!("seed {seed} of {}", case.id))?;
    }
    let mut outputs = Vec::new();
    for check in &prepared.checks {
        let Some(found) = tensors.get(&format!("output.{}", check.name)) else {
            continue;
        };
        check_shape(&format!("output.{}", check.name), check, found)?;
        let was = contract.tensors[check.buffer.tensor].kind;
        let registry = tolerance(test, check)?;
        let tolerance = own.map_or_else(|| narrowed(was, found.kind, &registry), Tolerance::clone);
        outputs.push(judged(&prepared, check, &tolerance, found)?);
    }
    let passed = outputs.iter().all(|output| output.verdict == Verdict::Pass);
    Ok(TrialReport {
        id: case.id.clone(),
        phase,
        title: test.title.clone(),
        contract: test.function.name.into(),
        shape: case.values.to_string(),
        documented: test.documented,
        verdict: if passed { Verdict::Pass } else { Verdict::Fail },
        problem: None,
        outputs,
        findings: Vec::new(),
        relations: Vec::new(),
        error: None,
        error_kind: None,
        diagnosis: None,
        seed,
        launches: Vec::new(),
        wave_instructions: None,
        seconds: 0.0,
        rerun: again(&case.id, seed, ""),
    })
}

/// Checks that the case has all these tensors, and that an output is among them.
fn check_names(
    prepared: &PreparedCase,
    tensors: &BTreeMap<String, ComputedTensor>,
) -> Result<(), TrialError> {
    let outputs = prepared.checks.iter().map(|check| &check.name);
    let outputs: Vec<String> = outputs.map(|name| format!("output.{name}")).collect();
    let starts = prepared.tensors.iter().filter_map(start);
    let mut known = starts.chain(outputs.iter().cloned());
    let names: Vec<String> = known.by_ref().collect();
    if let Some(name) = tensors.keys().find(|name| !names.contains(name)) {
        return Err(TrialError::UnknownTensor {
            name: name.escape_debug().to_string(),
            known: names.join(", "),
        });
    }
    if !outputs.iter().any(|name| tensors.contains_key(name)) {
        return Err(TrialError::NoOutput(outputs.join(" or ")));
    }
    Ok(())
}

/// Returns the name that `export` gives a tensor with initial values.
fn start(tensor: &Tensor) -> Option<String> {
    tensor.data.as_ref()?;
    match tensor.role {
        Role::Input => Some(format!("input.{}", tensor.name)),
        Role::Updated => Some(format!("before.{}", tensor.name)),
        Role::Written => None,
    }
}

/// Checks that a given input, if present, equals the input that the references are computed from.
fn check_input(
    tensor: &Tensor,
    tensors: &BTreeMap<String, ComputedTensor>,
    drawn: &str,
) -> Result<(), TrialError> {
    let Some((name, found)) = start(tensor).and_then(|name| tensors.get_key_value(&name)) else {
        return Ok(());
    };
    let shape: Vec<usize> = tensor.axes.iter().map(|axis| axis.length).collect();
    if found.shape == shape && Some(found.data.as_slice()) == tensor.bytes() {
        return Ok(());
    }
    Err(TrialError::OtherInput {
        name: name.clone(),
        drawn: drawn.into(),
    })
}

fn check_shape(name: &str, check: &Check, found: &ComputedTensor) -> Result<(), TrialError> {
    let shape: Vec<usize> = check.axes.iter().map(|axis| axis.length).collect();
    if found.shape == shape {
        return Ok(());
    }
    let axes: Vec<&str> = check.axes.iter().map(|axis| axis.name.as_str()).collect();
    Err(TrialError::OtherShape {
        name: name.into(),
        found: found.shape.clone(),
        axes: axes.join(", "),
        shape,
    })
}

fn judged(
    prepared: &PreparedCase,
    check: &Check,
    tolerance: &Tolerance,
    found: &ComputedTensor,
) -> Result<OutputReport, TrialError> {
    let tensors = prepared.tensors.iter();
    with_element!(found.kind, E => judge_values::<E>(tensors, check, tolerance, (None, true), &decode(&found.data)))
}
