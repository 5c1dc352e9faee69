//! Inputs and references of a case. They are computed once per case and seed, and shared by the run under test, planted
//! bugs, the no-launch check and repeats.

use std::sync::Arc;

use super::DeviceResult;
use super::plan::Plan;
use crate::contract::{Instance, PreparedCase};

impl Plan<'_> {
    /// Returns the inputs and references of the case: from the shared slot, or newly made.
    pub(super) fn prepared(&self) -> DeviceResult<Arc<PreparedCase>> {
        match self.shared {
            Some(slot) => slot.get_or_prepare(|| self.prepare()),
            None => self.prepare(),
        }
    }

    fn prepare(&self) -> DeviceResult<Arc<PreparedCase>> {
        let binding = self.bound.binding;
        let made = Instance::make(
            self.test.function,
            (&self.case.id, &self.case.values),
            self.seed,
            self.given,
            &|name| binding.kind(name),
        );
        made.map(Arc::new)
    }
}
