//! Tensors from elsewhere, in place of the tensors that a test draws and computes.

use std::collections::BTreeMap;

use deltanet_reference::rule::Scale;

/// Tensors from elsewhere, by the names that the function gives its tensors.
#[derive(Clone, Debug, Default)]
pub struct ExternalTensors {
    /// Inputs, used in place of drawn ones. Each has as many elements as the function's own.
    pub inputs: BTreeMap<String, Vec<f32>>,
    /// Expected outputs, used in place of the golden reference. The oracle stays the harness's own.
    pub expected: BTreeMap<String, Vec<f32>>,
    /// The factor on the output; nothing: the function's own.
    pub scale: Option<f64>,
}

impl ExternalTensors {
    /// The factor on the output, as conventions have it.
    pub fn scale(&self) -> Scale {
        self.scale.map_or(Scale::InverseSqrtKeySize, Scale::Factor)
    }
}
