//! The expected values of a custom contract.

use super::declaration::{Declaration, TensorSpec};
use super::expected::ExpectedFiles;
use super::function::{ArraySpec, PythonFunction};
use super::kernel::ReferenceKernel;
use crate::contract::{Buffer, DeviceResult, Instance};
use crate::tensor::{Axis, Data};

/// The origin of the expected values.
pub(super) enum Reference {
    /// The results of a Python function.
    Python(PythonFunction),
    /// Files, which have the inputs, too.
    Files(ExpectedFiles),
    /// The results of a plain kernel.
    Kernel(Box<ReferenceKernel>),
    /// Zeros, where a reference kernel is launched and nothing is compared.
    Nothing,
}

impl Reference {
    /// Returns false if the expected values are in files, which hold for their own inputs alone.
    pub fn takes_any_inputs(&self) -> bool {
        !matches!(self, Reference::Files(_))
    }

    /// Returns the values of an input that does not come from a generator.
    ///
    /// # Errors
    /// The file of the case cannot be read, or lacks the input.
    pub fn input(
        &self,
        t: &Instance<'_>,
        tensor: &TensorSpec,
        axes: &[Axis],
    ) -> DeviceResult<Option<Vec<f64>>> {
        let Reference::Files(files) = self else {
            return Ok(None);
        };
        if !t.computes() || tensor.is_fixed() {
            return Ok(None);
        }
        let case = t.parameters();
        let file = files.tensors(case)?;
        let values = files.values((case, &file), &tensor.spec(axes))?;
        Ok(Some(values))
    }

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
        let given: Vec<(&TensorSpec, Buffer)> = of.with_values(buffers).collect();
        let compared: Vec<(&TensorSpec, Buffer)> = of.compared(buffers).collect();
        fn specs<'a>(
            t: &'a Instance<'_>,
            tensors: &[(&'a TensorSpec, Buffer)],
        ) -> Vec<ArraySpec<'a>> {
            let tensors = tensors.iter();
            tensors
                .map(|(tensor, buffer)| tensor.spec(t.axes(*buffer)))
                .collect()
        }
        let (inputs, outputs) = (specs(t, &given), specs(t, &compared));
        match self {
            Reference::Python(function) => {
                let values = given.iter().flat_map(|(_, buffer)| t.wide(*buffer));
                let inputs = (&inputs[..], values.collect());
                function.call(t.case_id(), inputs, of.arguments(t)?, &outputs)
            }
            Reference::Nothing => Ok(of.placeholders(buffers)),
            Reference::Kernel(kernel) => {
                // A tensor that is updated in place is given under the name of its first values.
                let named = given
                    .iter()
                    .map(|(tensor, buffer)| (tensor.given_name(), t.wide(*buffer)));
                let case = (t.case_id(), t.parameters());
                kernel.run(case, named.collect(), &outputs)
            }
            Reference::Files(files) => {
                let case = t.parameters();
                let file = files.tensors(case)?;
                for ((tensor, buffer), spec) in given.iter().zip(&inputs) {
                    if tensor.is_fixed() {
                        continue;
                    }
                    let stored = files.values((case, &file), spec)?;
                    let rounded = Data::nearest(t.kind_of(*buffer), &stored).wide();
                    if rounded != t.wide(*buffer) {
                        return Err(files.other_inputs(&tensor.name));
                    }
                }
                let outputs = outputs.iter();
                outputs
                    .map(|output| files.values((case, &file), output))
                    .collect()
            }
        }
    }
}
