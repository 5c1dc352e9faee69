//! A planted bug, and the cases in which it shows.

use crate::binding::{Binding, Objects, PlantedSpec};
use crate::exit::Stop;
use crate::run::{SelectedCase, Setup};
use crate::trial::{Bound, PlantedKernel};

/// A planted bug: launches of a binding, changed.
#[derive(Clone, Copy)]
pub(super) struct Bug<'a> {
    pub binding: &'a Binding,
    pub planted: &'a PlantedSpec,
}

impl<'a> Bug<'a> {
    /// Returns the bug in the form that a trial launches.
    pub(super) fn planted_kernel(&self, setup: &'a Setup) -> PlantedKernel<'a> {
        PlantedKernel {
            bug: self.planted,
            program: &setup.planted,
        }
    }

    /// Returns true if the bug shows in a case.
    ///
    /// # Errors
    /// A user's planted bug does not fit the case or the code object.
    pub(super) fn applies(
        &self,
        entry: &SelectedCase<'_>,
        bound: &Bound<'_>,
        setup: &Setup,
    ) -> Result<bool, Stop> {
        let values = &entry.case.values;
        if !std::ptr::eq(self.binding, bound.binding)
            || !self.binding.plants(self.planted, values)?
        {
            return Ok(false);
        }
        if let Some(described) = bound.described
            && let Some(shapes) = described.shapes(values)
        {
            let shapes = self.binding.shapes(shapes, values)?;
            let objects = Objects {
                tested: &setup.program().object,
                planted: Some(&setup.planted.object),
            };
            let outputs = described.outputs(values);
            let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
            self.binding
                .resolve(objects, values, &shapes, &outputs, Some(self.planted))?;
        }
        Ok(true)
    }
}
