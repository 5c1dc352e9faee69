//! The run of one case: inputs, launches, outputs, comparison.
//!
//! A contract gives the tensors and the expected outputs; a binding gives the launches. Poison, guards, read-back and the order of
//! judgement are the same for all tests and happen here.

mod bound;
mod dump;
mod elsewhere;
mod error;
mod experiment;
mod hang;
mod how;
mod isolate;
mod judge;
mod launch;
mod plan;
mod pool;
mod prepare;
mod races;
mod reference;
mod relations;
mod run;
mod slice;
mod twin;

use std::sync::Arc;

use crate::binding::{Call, TensorShape};
use crate::contract::{PreparedCase, Tensor, Values};
use crate::device::{DeviceResult, Session};
use crate::program::Program;
use crate::report::model::LaunchReport;
use crate::tensor::guards::Guards;
use crate::tensor::{Data, Layout};

pub use bound::{Bound, PlantedKernel};
pub use elsewhere::ComputedTensor;
pub(crate) use elsewhere::judge_elsewhere;
use error::TrialError;
pub use experiment::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};
pub use how::{how, not_passed};
pub use isolate::{CHILD, ChildError, serve};
pub use plan::{Dump, FinishedTrial, Plan, PreparedCaseSlot};
pub use pool::{Progress, default_jobs, each, run_all, run_until};
pub use reference::run_reference;
pub use relations::{LawMistake, law_mistake};
pub use slice::{ElementSlice, SliceError, SourceElement, SourceTensor};

/// The choice whether a trial launches kernels.
#[derive(Clone, Copy)]
pub enum Launching {
    /// The trial launches the kernels of its binding, with a planted bug if there is one.
    Enabled,
    /// The trial launches no kernel, so that every output keeps its poison.
    Disabled,
}

/// A test being run.
pub struct Trial<'a> {
    values: &'a Values,
    program: &'a Program,
    launching: Launching,
    session: Box<dyn Session>,
    module: usize,
    /// The number of the loaded code object of planted bugs, if a planted bug is launched.
    planted: Option<usize>,
    bound: Bound<'a>,
    prepared: Arc<PreparedCase>,
    /// The binding's own tensors: scratch, and buffers of several tensors.
    own: Vec<Tensor>,
    /// Each tensor on the device: the contract's tensors, then the binding's own.
    placed: Vec<DeviceTensor>,
    /// The tensors as the binding's formulas see them.
    shapes: Vec<TensorShape>,
    launches: Vec<TrialLaunch>,
    plant_used: bool,
}

/// A tensor on the device.
#[derive(Default)]
struct DeviceTensor {
    /// Address of the first element, if it is there.
    address: Option<u64>,
    /// The converted values that the device gets in place of the contract's.
    sent: Option<Data>,
    /// The memory layout, if it is not the plain order.
    layout: Option<Layout>,
    /// The guards around it.
    guards: Guards,
}

/// A launch that has been made.
struct TrialLaunch {
    report: LaunchReport,
    call: Call,
}

impl<'a> Trial<'a> {
    fn new(
        plan: &Plan<'a>,
        session: Box<dyn Session>,
        prepared: Arc<PreparedCase>,
    ) -> DeviceResult<Trial<'a>> {
        let mut session = session;
        let module = session.load(plan.program)?;
        let placed = prepared.tensors.iter().map(|_| DeviceTensor::default());
        Ok(Trial {
            values: &plan.case.values,
            program: plan.program,
            launching: plan.launching,
            session,
            module,
            planted: None,
            bound: plan.bound,
            placed: placed.collect(),
            prepared,
            own: Vec::new(),
            shapes: Vec::new(),
            launches: Vec::new(),
            plant_used: false,
        })
    }

    /// Returns a tensor of the contract or of the binding by its index in `placed`.
    fn tensor(&self, at: usize) -> &Tensor {
        let contract = &self.prepared.tensors;
        contract
            .get(at)
            .unwrap_or_else(|| &self.own[at - contract.len()])
    }

    /// Returns every tensor with its state on the device.
    fn all(&self) -> impl Iterator<Item = (&Tensor, &DeviceTensor)> {
        let tensors = self.prepared.tensors.iter().chain(&self.own);
        tensors.zip(&self.placed)
    }

    /// Returns the address of an element of a tensor, and its size in bytes.
    fn element(&self, at: usize, element: usize) -> Option<(u64, u64)> {
        let placed = self.placed.get(at)?;
        let place = match &placed.layout {
            Some(layout) => layout.places().nth(element)?,
            None => element,
        };
        let size = self.tensor(at).kind.size() as u64;
        Some((placed.address? + place as u64 * size, size))
    }

    /// Returns true if a tensor of the contract was handed to a launch.
    fn has_placed(&self, name: &str) -> bool {
        self.all()
            .any(|(tensor, placed)| tensor.name == name && placed.address.is_some())
    }

    /// Returns the tensor that holds an address, and the distance of the address from its first byte.
    fn tensor_at(&self, address: u64) -> Option<(&str, u64)> {
        self.all().find_map(|(tensor, placed)| {
            let distance = address.checked_sub(placed.address?)?;
            let count = placed
                .layout
                .as_ref()
                .map_or(tensor.count(), |layout| layout.count);
            let bytes = (count * tensor.kind.size()) as u64;
            (distance < bytes).then_some((tensor.name.as_str(), distance))
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.all().position(|(tensor, _)| tensor.name == name)
    }
}

#[cfg(test)]
mod tests;
