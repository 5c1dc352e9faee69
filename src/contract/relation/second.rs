//! The tensors of a second run.

use std::sync::OnceLock;

use super::Array;
use crate::contract::tensor::{Check, Prepared, Tensor};
use crate::contract::{Data, Role};

/// The tensors of a run that starts with these values, and has no references.
///
/// # Errors
/// A tensor has another number of elements: the law contradicts the contract.
pub fn second(prepared: &Prepared, inputs: &[Array]) -> Result<Prepared, String> {
    let tensor = |tensor: &Tensor| {
        let data = match &tensor.data {
            Some(_) => {
                let found = inputs.iter().find(|array| array.name == tensor.name);
                let fits = found.filter(|array| array.values.len() == tensor.count());
                match (fits, tensor.offered) {
                    (Some(array), _) => Some(Data::nearest(tensor.kind, &array.values)),
                    // Tensors that only the references know are not launched.
                    (None, false) => tensor.data.clone(),
                    (None, true) => return Err(misfit(tensor, found)),
                }
            }
            None => None,
        };
        Ok(Tensor {
            name: tensor.name.clone(),
            axes: tensor.axes.clone(),
            role: tensor.role,
            kind: tensor.kind,
            data,
            offered: tensor.offered,
            values: tensor.values.clone(),
            bytes: OnceLock::new(),
        })
    };
    let check = |check: &Check| Check {
        buffer: check.buffer,
        name: check.name.clone(),
        axes: check.axes.clone(),
        golden: Data::f64(Vec::new()),
        oracle: Vec::new(),
        mistakes: Vec::new(),
        uncomputed: check.uncomputed,
        yardsticks: OnceLock::new(),
        trivial: OnceLock::new(),
    };
    let tensors: Result<Vec<Tensor>, String> = prepared.tensors.iter().map(tensor).collect();
    Ok(Prepared {
        tensors: tensors?,
        checks: prepared.checks.iter().map(check).collect(),
    })
}

fn misfit(tensor: &Tensor, found: Option<&Array>) -> String {
    let (count, found) = (tensor.count(), found.map_or(0, |array| array.values.len()));
    format!(
        "it gives {found} elements of `{}`, which has {count}",
        tensor.name
    )
}

impl Prepared {
    /// Returns the arrays that a run starts with.
    pub fn starts(&self) -> Vec<Array> {
        let held = self
            .tensors
            .iter()
            .filter(|tensor| tensor.role != Role::Written);
        let array = |tensor: &Tensor| {
            let values = tensor.data.as_ref()?.wide();
            Some(Array::exact(
                &tensor.name,
                tensor.axes.clone(),
                tensor.kind,
                values,
            ))
        };
        held.filter_map(array).collect()
    }
}
