//! The expected values of a custom contract.

use super::declaration::Declaration;
use super::function::{ArraySpec, PythonFunction};
use crate::contract::{Buffer, DeviceResult, Instance};
use crate::tensor::Axis;

/// The origin of the expected values.
pub(super) enum Reference {
    /// The results of a Python function.
    Python(PythonFunction),
}

impl Reference {
    /// Returns the expected values of the compared tensors.
    ///
    /// # Errors
    /// The reference has no results, or wrong ones.
    pub fn results(
        &self,
        of: &Declaration,
        t: &Instance<'_>,
        buffers: &[Buffer],
    ) -> DeviceResult<Vec<Vec<f64>>> {
        let Reference::Python(function) = self;
        let mut values = Vec::new();
        let given: Vec<(_, Buffer)> = of.given(buffers).collect();
        for (_, buffer) in &given {
            values.extend(t.wide(*buffer));
        }
        let axes = |buffer: &Buffer| -> &[Axis] { t.axes(*buffer) };
        let inputs: Vec<ArraySpec<'_>> = given
            .iter()
            .map(|(tensor, buffer)| tensor.spec(axes(buffer)))
            .collect();
        let compared: Vec<(_, Buffer)> = of.compared(buffers).collect();
        let outputs: Vec<ArraySpec<'_>> = compared
            .iter()
            .map(|(tensor, buffer)| tensor.spec(axes(buffer)))
            .collect();
        function.call(t.case_id(), (&inputs, values), of.arguments(t), &outputs)
    }
}
