//! A planted bug, and where it is one.

use crate::binding::{Binding, Objects, PlantedSpec};
use crate::exit::Stop;
use crate::run::{SelectedCase, Setup};
use crate::trial::{Bound, PlantedKernel};

/// A wrong kernel that a test must catch: launches of a binding, changed.
#[derive(Clone, Copy)]
pub(super) struct Bug<'a> {
    pub binding: &'a Binding,
    pub planted: &'a PlantedSpec,
}

impl<'a> Bug<'a> {
    /// Returns the bug in the form that a trial launches.
    pub(super) fn launched(&self, setup: &'a Setup) -> PlantedKernel<'a> {
        PlantedKernel {
            bug: self.planted,
            program: &setup.planted,
        }
    }

    /// Returns true if the bug shows in a case.
    ///
    /// # Errors
    /// A user's binding declares a condition that does not fit the case or the code object.
    pub(super) fn applies(
        &self,
        one: &SelectedCase<'_>,
        way: &Bound<'_>,
        setup: &Setup,
    ) -> Result<bool, Stop> {
        let values = &one.case.values;
        if !std::ptr::eq(self.binding, way.binding) || !self.binding.plants(self.planted, values)? {
            return Ok(false);
        }
        if let Some(described) = way.described
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
