//! External tensors, which replace the tensors that a contract draws and computes.

use std::collections::BTreeMap;

use deltanet_reference::rule::Scale;

use crate::tensor::Data;

/// External tensors, by the contract's names.
#[derive(Clone, Debug, Default)]
pub struct ExternalTensors {
    /// Inputs that replace drawn ones. Each has as many elements as the contract's own, and is rounded to the contract's type.
    pub inputs: BTreeMap<String, Data>,
    /// Expected outputs that replace the golden reference. The oracle stays the harness's own.
    pub expected: BTreeMap<String, Vec<f32>>,
    /// The factor on the output; none for the contract's default.
    pub scale: Option<f64>,
    /// The first token of each packed sequence, and the number of tokens; none for the contract's own lengths.
    pub bounds: Option<Vec<usize>>,
}

impl ExternalTensors {
    /// Returns the factor on the output as a part of a convention.
    pub fn scale(&self) -> Scale {
        self.scale.map_or(Scale::InverseSqrtKeySize, Scale::Factor)
    }
}
