//! The launches of a binding, on the tensors of a trial.

use super::buffer::{Role, Tensor};
use super::{Buffer, Data, Grid, Outcome, Trial, Variant};
use crate::binding::{
    Binding, Call, Described, Layout, PlantedSpec, Resolved, Shape, Side, convert,
};
use crate::compare::{ElementKind, guards, poison};
use crate::device::{DeviceError, Launch};
use crate::exit::Stop;
use crate::verdict::{Axis, Tolerance};

/// A binding that a trial launches in place of the built-in launches.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The binding.
    pub binding: &'a Binding,
    /// Its contract's tensors.
    pub described: &'a Described,
    /// The wrong kernel that is planted, if any.
    pub planted: Option<&'a PlantedSpec>,
}

fn invalid(stop: Stop) -> DeviceError {
    DeviceError::invalid(stop.message)
}

impl Trial<'_> {
    /// Makes the launches of the binding, once the function has said what there is.
    pub(super) fn launch_bound(&mut self, bound: Bound<'_>) -> Outcome {
        let binding = bound.binding;
        let shapes = binding
            .shapes(self.shapes(&bound), self.values)
            .map_err(invalid)?;
        let object = match self.program {
            Some(program) => &program.object,
            None => return Err(DeviceError::invalid("there is no code object to launch")),
        };
        let outputs = bound.described.outputs();
        let resolved = binding.resolve(object, self.values, &shapes, &outputs, bound.planted);
        let calls = match resolved.map_err(invalid)? {
            Resolved::Launches(calls) => calls,
            Resolved::Skip(reason) => return Err(DeviceError::invalid(reason)),
        };
        self.plant_used = bound.planted.is_some();
        for shape in &shapes[self.tensors.len()..] {
            let axes = shape
                .axes
                .iter()
                .map(|axis| Axis::new(&axis.name, axis.length));
            self.keep(&shape.name, axes.collect(), Role::Written, shape.kind, None);
        }
        let named = |name: &str| {
            let here = |call: &Call| call.slots.iter().any(|slot| slot.place.tensor == name);
            calls.iter().any(here)
        };
        for (at, shape) in shapes.iter().enumerate() {
            self.convert(at, binding, &shapes)?;
            if !shape.layout.is_plain() {
                self.tensors[at].layout = Some(shape.layout.clone());
            }
            let whole = binding
                .buffers
                .iter()
                .find(|(name, _)| name.value == shape.name);
            match whole {
                Some((_, parts)) if named(&shape.name) => {
                    self.put_together(at, parts.iter().map(|part| part.value.as_str()))?
                }
                None if named(&shape.name) => self.put(at)?,
                _ => {}
            }
        }
        if matches!(self.variant, Variant::Silent) {
            return Ok(());
        }
        calls.iter().try_for_each(|call| self.call(call))
    }

    /// The tensors as the contract has them.
    fn shapes(&self, bound: &Bound<'_>) -> Vec<Shape> {
        let shape = |tensor: &Tensor| {
            let axes: Vec<Side> = tensor
                .axes
                .iter()
                .enumerate()
                .map(|(n, axis)| Side {
                    name: axis.name.clone(),
                    symbol: bound
                        .described
                        .symbol(self.values, &tensor.name, n)
                        .unwrap_or_default()
                        .into(),
                    length: axis.length,
                })
                .collect();
            let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
            let single = tensor.data.as_ref().filter(|_| tensor.count() == 1);
            Shape {
                name: tensor.name.clone(),
                kind: tensor.kind,
                layout: Layout::plain(&lengths),
                scalar: single.and_then(|data| data.wide().first().copied()),
                axes,
            }
        };
        self.tensors.iter().map(shape).collect()
    }

    /// Has an input handed over as the binding says; the references keep what was drawn.
    fn convert(&mut self, at: usize, binding: &Binding, shapes: &[Shape]) -> Outcome {
        let tensor = &self.tensors[at];
        let wanted = binding.converts(&tensor.name);
        let Some(data) = tensor.data.as_ref().filter(|_| wanted) else {
            return Ok(());
        };
        let elements = data.wide();
        let converted =
            convert(binding, self.values, shapes, &tensor.name, &elements).map_err(invalid)?;
        if let Some(elements) = converted {
            self.tensors[at].sent = Some(Data::nearest(tensor.kind, &elements));
        }
        Ok(())
    }

    /// Puts a tensor on the device between its guards, in its layout.
    pub(super) fn put(&mut self, at: usize) -> Outcome {
        let payload = self.payload(at);
        self.put_bytes(at, &payload)
    }

    fn put_bytes(&mut self, at: usize, payload: &[u8]) -> Outcome {
        let name = &self.tensors[at].name;
        let placed = self.session.alloc(name, payload.len() as u64)?;
        let image = guards::frame(payload, placed.guards);
        let start = placed.address - placed.guards.before as u64;
        self.session.upload(start, &image)?;
        self.tensors[at].guards = placed.guards;
        self.tensors[at].address = Some(placed.address);
        Ok(())
    }

    /// Puts several tensors on the device as one, between the guards of that.
    fn put_together<'n>(&mut self, at: usize, parts: impl Iterator<Item = &'n str>) -> Outcome {
        let find = |name: &str| self.tensors.iter().position(|tensor| tensor.name == name);
        let parts: Vec<usize> = parts.filter_map(find).collect();
        let payloads: Vec<Vec<u8>> = parts.iter().map(|&part| self.payload(part)).collect();
        self.put_bytes(at, &payloads.concat())?;
        let mut address = self.tensors[at].address;
        for (part, payload) in parts.into_iter().zip(payloads) {
            self.tensors[part].address = address;
            self.tensors[part].guards = guards::Guards::default();
            address = address.map(|address| address + payload.len() as u64);
        }
        Ok(())
    }

    /// What the device is to hold of a tensor before the first launch.
    fn payload(&self, at: usize) -> Vec<u8> {
        let tensor = &self.tensors[at];
        let poisoned = |elements: usize| {
            let mut bytes = vec![0; elements * tensor.kind.size()];
            poison::fill(tensor.kind, &mut bytes);
            bytes
        };
        let data = tensor
            .sent
            .as_ref()
            .or(tensor.data.as_ref())
            .map(Data::bytes);
        match (data, &tensor.layout) {
            (Some(data), Some(layout)) => {
                let mut bytes = poisoned(layout.count);
                layout.spread(&data, tensor.kind.size(), &mut bytes);
                bytes
            }
            (Some(data), None) => data,
            (None, layout) => poisoned(
                layout
                    .as_ref()
                    .map_or(tensor.count(), |layout| layout.count),
            ),
        }
    }

    fn call(&mut self, call: &Call) -> Outcome {
        let mut kernarg = call.kernarg.clone();
        let mut written = Vec::new();
        for slot in &call.slots {
            let found = self
                .tensors
                .iter()
                .position(|tensor| tensor.name == slot.place.tensor);
            let at = found.ok_or_else(|| {
                DeviceError::invalid(format!("there is no tensor `{}`", slot.place.tensor))
            })?;
            let whole = Buffer {
                tensor: at,
                first: 0,
                count: self.tensors[at].count(),
            };
            let address = self.address(whole)? + slot.place.offset;
            if let Some(room) = kernarg.get_mut(slot.at..slot.at + 8) {
                room.copy_from_slice(&address.to_le_bytes());
            }
            if self.tensors[at].role != Role::Input {
                written.push(whole);
            }
        }
        let grid = Grid::unsaid(call.grid, call.block);
        let request = Launch {
            kernel: &call.kernel,
            grid: call.grid,
            block: call.block,
            dynamic_lds: call.dynamic_lds,
            kernarg: &kernarg,
        };
        self.start(self.module, &request, grid, written)
    }

    /// The type that a tensor has on the device.
    pub(super) fn bound_kind(&self, name: &str, kind: ElementKind) -> ElementKind {
        match &self.mode {
            super::Mode::Bound(bound) => bound.binding.kind(name).unwrap_or(kind),
            _ => kind,
        }
    }

    /// What an output may differ by where a binding has it in a type of fewer bits: one value of that type, and its rounding on the whole.
    pub(super) fn bound_tolerance(&self, buffer: Buffer, contract: &Tolerance) -> Tolerance {
        let tensor = &self.tensors[buffer.tensor];
        let super::Mode::Bound(bound) = &self.mode else {
            return contract.clone();
        };
        let mut tensors = bound.described.tensors().iter();
        match tensors.find(|own| own.name == tensor.name) {
            Some(own) => narrowed(own.element, tensor.kind, contract),
            None => contract.clone(),
        }
    }
}

/// The tolerance of an output that a contract has in one type and a binding in another.
fn narrowed(contract: ElementKind, device: ElementKind, tolerance: &Tolerance) -> Tolerance {
    let rounding = match device {
        ElementKind::Bf16 => 2f64.powi(-8),
        ElementKind::F16 => 2f64.powi(-11),
        _ => return tolerance.clone(),
    };
    // What is of few bits in the contract is judged as the contract says.
    if contract.size() <= device.size() {
        return tolerance.clone();
    }
    Tolerance {
        ulp: Some(tolerance.ulp.unwrap_or(0).max(1)),
        relative_rms: Some(tolerance.relative_rms.unwrap_or(0.0).max(rounding)),
        ..tolerance.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binding that repeats the contract's own type loosened the bound.
    #[test]
    fn only_a_type_of_fewer_bits_than_the_contracts_has_a_wider_tolerance() {
        let exact = Tolerance::absolute(0.0, 1e-5);
        for (contract, device, wider) in [
            (ElementKind::F32, ElementKind::F32, false),
            (ElementKind::F32, ElementKind::Bf16, true),
            (ElementKind::F32, ElementKind::F16, true),
            (ElementKind::Bf16, ElementKind::Bf16, false),
            (ElementKind::Bf16, ElementKind::F32, false),
            (ElementKind::F64, ElementKind::F64, false),
        ] {
            let found = narrowed(contract, device, &exact);
            assert_eq!(found != exact, wider, "{contract:?} {device:?}");
            assert_eq!(found.ulp, wider.then_some(1));
        }
    }
}
