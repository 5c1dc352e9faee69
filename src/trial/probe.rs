//! What tensors a test has, without a device: its function draws, allocates and says what it compares, and launches nothing.

use super::buffer::Role;
use super::{Mode, Trial, panics};
use crate::compare::ElementKind;
use crate::compare::guards::Guards;
use crate::device::{Allocated, DeviceError, Launch, Launched, Session};
use crate::phases::Function;
use crate::program::Program;
use crate::registry::Values;
use crate::verdict::Axis;

/// A tensor as a function made it.
#[derive(Clone, Debug)]
pub struct Probed {
    /// Its name.
    pub name: String,
    /// Its axes.
    pub axes: Vec<Axis>,
    /// The type of its elements.
    pub kind: ElementKind,
    /// Whether it starts with values.
    pub starts_with_values: bool,
    /// Whether launches write it.
    pub written: bool,
    /// Whether the built-in kernels are handed it.
    pub on_device: bool,
    /// Whether it is compared as a whole.
    pub compared: bool,
    /// Names of the outputs in it that are compared, where those are parts.
    pub parts: Vec<String>,
    /// How it is drawn.
    pub values: Option<String>,
}

/// The tensors of a function at a case; none where it does not take such a case.
pub fn probe(function: &Function, values: &Values) -> Option<Vec<Probed>> {
    if function.refuses(values).is_some() {
        return None;
    }
    let asked = panics::caught(|| {
        let mut trial = Trial::probing(values);
        (function.run)(&mut trial).ok()?;
        Some(trial.probed())
    });
    asked.ok().flatten()
}

impl<'a> Trial<'a> {
    fn probing(values: &'a Values) -> Trial<'a> {
        Trial {
            id: "probe",
            seed: 0,
            values,
            program: None,
            variant: super::Variant::Honest,
            session: Box::new(Nowhere),
            module: 0,
            planted: None,
            given: None,
            mode: Mode::Probe,
            tensors: Vec::new(),
            launches: Vec::new(),
            checks: Vec::new(),
            plant_used: false,
        }
    }

    fn probed(&self) -> Vec<Probed> {
        let each = self.tensors.iter().enumerate().map(|(at, tensor)| {
            let checks = || {
                self.checks
                    .iter()
                    .filter(move |check| check.buffer.tensor == at)
            };
            let parts = checks().filter(|check| check.name != tensor.name);
            Probed {
                name: tensor.name.clone(),
                axes: tensor.axes.clone(),
                kind: tensor.kind,
                starts_with_values: tensor.data.is_some(),
                written: tensor.role != Role::Input,
                on_device: tensor.on_device,
                compared: checks().any(|check| check.name == tensor.name),
                parts: parts.map(|check| check.name.clone()).collect(),
                values: tensor.values.clone(),
            }
        });
        each.collect()
    }
}

/// A session in which nothing runs.
struct Nowhere;

impl Session for Nowhere {
    fn load(&mut self, _: &Program) -> Result<usize, DeviceError> {
        Ok(0)
    }
    fn alloc(&mut self, _: &str, _: u64) -> Result<Allocated, DeviceError> {
        Ok(Allocated {
            address: 0,
            guards: Guards::default(),
        })
    }
    fn upload(&mut self, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }
    fn download(&mut self, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        Ok(())
    }
    fn launch(&mut self, _: usize, _: &Launch<'_>) -> Result<Launched, DeviceError> {
        Err(DeviceError::invalid("nothing runs here"))
    }
    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}
