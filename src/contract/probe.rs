//! Discovery of a contract's tensors by preparing a case.

use super::{Function, Instance, Numbers, Role, Values};
use crate::panics;
use crate::tensor::{Axis, ElementKind};

/// A tensor of a contract in a case.
#[derive(Clone, Debug)]
pub struct TensorProbe {
    /// The tensor's name.
    pub name: String,
    /// The tensor's axes.
    pub axes: Vec<Axis>,
    /// The type of its elements.
    pub kind: ElementKind,
    /// True if the tensor starts with values.
    pub starts_with_values: bool,
    /// True if launches write it.
    pub written: bool,
    /// True if kernels are offered it.
    pub offered: bool,
    /// True if it is compared as a whole.
    pub compared: bool,
    /// Names of the outputs that are parts of it and are compared.
    pub parts: Vec<String>,
    /// The distribution that it is drawn from.
    pub values: Option<String>,
    /// Its values as formulas take them.
    pub numbers: Numbers,
    /// Its element, if it is an input of one element.
    pub scalar: Option<f64>,
}

/// Returns the tensors of a contract in a case; none if the contract refuses the case.
pub fn probe(function: &Function, values: &Values) -> Option<Vec<TensorProbe>> {
    if function.refuses(values).is_some() {
        return None;
    }
    let made = panics::caught(|| Instance::tensors(function, values));
    let made = made.ok()?.ok()?;
    let each = made.tensors.iter().enumerate().map(|(at, tensor)| {
        let checks = || {
            made.checks
                .iter()
                .filter(move |check| check.buffer.tensor == at)
        };
        let parts = checks().filter(|check| check.name != tensor.name);
        TensorProbe {
            name: tensor.name.clone(),
            axes: tensor.axes.clone(),
            kind: tensor.kind,
            starts_with_values: tensor.data.is_some(),
            written: tensor.role != Role::Input,
            offered: tensor.offered,
            compared: checks().any(|check| check.name == tensor.name),
            parts: parts.map(|check| check.name.clone()).collect(),
            values: tensor.values.clone(),
            numbers: tensor.numbers(),
            scalar: tensor.scalar(),
        }
    });
    Some(each.collect())
}
