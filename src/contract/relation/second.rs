//! The tensors of a second run.

use std::sync::OnceLock;

use super::Array;
use crate::contract::Role;
use crate::contract::tensor::{Check, PreparedCase, Tensor};
use crate::tensor::Data;

/// An error: a law gives a tensor another number of elements than the contract does.
#[derive(Debug, thiserror::Error)]
#[error("it gives {found} elements of `{tensor}`, which has {count}")]
pub struct Misfit {
    tensor: String,
    found: usize,
    count: usize,
}

/// Returns the tensors of a run that starts with these values and has no references.
///
/// # Errors
/// A tensor has another number of elements: the law contradicts the contract.
pub fn second(prepared: &PreparedCase, inputs: &[Array]) -> Result<PreparedCase, Misfit> {
    let tensor = |tensor: &Tensor| {
        let data = match &tensor.data {
            Some(_) => {
                let found = inputs.iter().find(|array| array.name == tensor.name);
                let fits = found.filter(|array| array.values.len() == tensor.count());
                match (fits, tensor.offered) {
                    (Some(array), _) => Some(Data::nearest(tensor.kind, &array.values)),
                    // Kernels do not get tensors that only the references know.
                    (None, false) => tensor.data.clone(),
                    (None, true) => {
                        return Err(Misfit {
                            tensor: tensor.name.clone(),
                            found: found.map_or(0, |array| array.values.len()),
                            count: tensor.count(),
                        });
                    }
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
            undrawn: false,
            offered: tensor.offered,
            alternative: tensor.alternative,
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
        rounding: check.rounding,
        mistakes: Vec::new(),
        uncomputed: check.uncomputed,
        few: check.few,
        limits: OnceLock::new(),
        trivial: OnceLock::new(),
    };
    let tensors: Result<Vec<Tensor>, Misfit> = prepared.tensors.iter().map(tensor).collect();
    Ok(PreparedCase {
        tensors: tensors?,
        checks: prepared.checks.iter().map(check).collect(),
    })
}

impl PreparedCase {
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
