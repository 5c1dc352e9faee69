//! The laws of a custom contract, tried on the contract's own reference. A law that the reference breaks is declared wrongly: a kernel that
//! computes what the reference does breaks it as well.

use super::{DeviceResult, claims_of_two_runs};
use crate::contract::relation::{
    Array, Claim, Closeness, Law, Relation, RunArrays, allowances, judge,
};
use crate::contract::{Case, ExternalTensors, Instance, PreparedCase, Role, Test};
use crate::tensor::Data;
use crate::text::shortest;

/// A law that the reference of its contract breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct LawMistake {
    /// The law in words.
    pub law: &'static str,
    /// The numbers of the element that breaks it most.
    pub numbers: String,
}

/// Tries the law of a contract at a position on the contract's own reference, with the inputs of a case. Returns the mistake if the reference
/// breaks the law.
///
/// # Errors
/// The reference has no results for the inputs of the case, or for those of the law.
pub fn law_mistake(
    (test, case): (&Test, &Case),
    seed: u64,
    position: usize,
) -> DeviceResult<Option<LawMistake>> {
    let laws = test.function.domain.relations;
    let applies = |law: &&Relation| (law.applies)(&case.values);
    let Some(relation) = laws.get(position).filter(applies) else {
        return Ok(None);
    };
    let prepare = |inputs: &ExternalTensors| {
        let case = (case.id.as_str(), &case.values);
        Instance::make(test.function, case, seed, Some(inputs), &|_| None)
    };
    let first = prepare(&ExternalTensors::default())?;
    let inputs = first.starts();
    let outputs = right_outputs(test, &first);
    let seen = RunArrays {
        inputs: &inputs,
        outputs: &outputs,
    };
    let mut run = |_, changed: &[Array]| {
        let prepared = prepare(&changed_inputs(&first, changed))?;
        Ok(right_outputs(test, &prepared))
    };
    let (claims, closeness) = match &relation.law {
        Law::OneRun(law) => {
            let claims = law(&case.values, &seen).unwrap_or_default();
            (claims, Closeness::Tolerance)
        }
        Law::TwoRuns(twice) => {
            let claims = claims_of_two_runs(twice, &case.values, seen, &mut run)?;
            (claims, twice.closeness)
        }
    };
    let mistake = |claim: &Claim| {
        let violation = judge(&claim.left, &claim.right, closeness)?;
        let worst = &violation.worst;
        Some(LawMistake {
            law: relation.says,
            numbers: format!(
                "`{}`{:?}: the law wants {}, the reference computes {}, allowed {}; {} of {} elements",
                claim.right.name,
                worst.index,
                shortest(worst.want),
                shortest(worst.got),
                shortest(worst.allowed),
                violation.count,
                violation.total,
            ),
        })
    };
    Ok(claims.iter().find_map(mistake))
}

/// Returns the inputs that differ from those of the first run. A tensor that is updated in place starts from an input.
fn changed_inputs(first: &PreparedCase, arrays: &[Array]) -> ExternalTensors {
    let changed = arrays.iter().filter_map(|array| {
        let mut tensors = first.tensors.iter();
        let tensor = tensors.find(|tensor| tensor.name == array.name)?;
        let before = tensor
            .data
            .as_ref()
            .filter(|_| tensor.role == Role::Input)?;
        let differs = before.wide() != array.values;
        differs.then(|| (array.name.clone(), Data::f64(array.values.clone())))
    });
    ExternalTensors {
        inputs: changed.collect(),
        ..ExternalTensors::default()
    }
}

/// Returns the outputs that a kernel without any error leaves.
fn right_outputs(test: &Test, prepared: &PreparedCase) -> Vec<Array> {
    let checks = prepared.checks.iter();
    let arrays = checks.filter_map(|check| {
        let tolerance = &test.outputs.get(&check.name)?.tolerance;
        let kind = prepared.tensors[check.buffer.tensor].kind;
        let values = check.golden.wide();
        Some(Array {
            name: check.name.clone(),
            axes: check.axes.clone(),
            kind,
            allowed: allowances(kind, tolerance, &values),
            values,
        })
    });
    arrays.collect()
}
