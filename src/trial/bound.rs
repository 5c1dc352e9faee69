//! The launches of a binding, on the tensors of a trial.

use std::sync::{Arc, OnceLock};

use super::{DeviceResult, Launching, Trial};
use crate::binding::{
    Binding, Call, CodeObjectRole, ContractTensors, Objects, PlantedSpec, Resolution, TensorAxis,
    TensorShape, built_in_of, convert,
};
use crate::contract::{Check, Function, Numbers, Role, Tensor};
use crate::device::{DeviceError, DeviceErrorKind, Launch, TensorView};
use crate::files::FileError;
use crate::program::Program;
use crate::report::model::Tolerance;
use crate::tensor::npy::Dtype;
use crate::tensor::{Axis, Data, ElementKind, guards, poison};
use crate::text::nearest;

/// The binding by which the kernels under test are launched.
#[derive(Clone, Copy)]
pub struct Bound<'a> {
    /// The binding.
    pub binding: &'a Binding,
    /// The tensors of the contract; none for a built-in binding.
    pub described: Option<&'a ContractTensors>,
    /// The planted bug, if any.
    pub planted: Option<PlantedKernel<'a>>,
}

/// A planted bug that is launched.
#[derive(Clone, Copy)]
pub struct PlantedKernel<'a> {
    /// The planted bug.
    pub bug: &'a PlantedSpec,
    /// The code object with the planted bug's kernels, which the object under test lacks.
    pub program: &'a Program,
}

impl Bound<'static> {
    /// Returns the binding of a contract's built-in kernels.
    ///
    /// # Errors
    /// No built-in binding computes the contract.
    pub fn built_in(function: &Function) -> Result<Bound<'static>, FileError> {
        let found = built_in_of(function.name)?;
        let missing = || {
            let name = function.name;
            FileError::Unusable(format!(
                "no built-in kernel computes `{name}`: say how yours is launched\n  \
                 with --bind FILE.toml, of which `deltanet-check bind` writes a first version"
            ))
        };
        Ok(Bound {
            binding: found.ok_or_else(missing)?,
            described: None,
            planted: None,
        })
    }
}

impl<'a> Bound<'a> {
    /// Returns the code objects in which kernels are looked up: the tested one, and that of the planted bug.
    pub fn objects(&self, tested: &'a Program) -> Objects<'a> {
        Objects {
            tested: &tested.object,
            planted: self.planted.map(|planted| &planted.program.object),
        }
    }

    /// Returns true if this is the binding of the built-in kernels.
    pub fn is_built_in(&self) -> bool {
        self.described.is_none()
    }

    /// Returns the kernels that the binding launches, each once.
    pub fn kernels(&self) -> Vec<String> {
        self.binding.kernels()
    }
}

fn invalid(error: FileError) -> DeviceError {
    let text = error.to_string();
    let text = text.trim_end();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    DeviceError::of(DeviceErrorKind::Arguments, text)
}

impl Trial<'_> {
    /// Makes the launches of the binding.
    pub(super) fn launch(&mut self) -> DeviceResult {
        let binding = self.bound.binding;
        self.shapes = binding
            .shapes(self.contract_shapes(), self.values)
            .map_err(invalid)?;
        let checks = &self.prepared.checks;
        let mut outputs: Vec<&str> = checks
            .iter()
            .map(|check| self.prepared.tensors[check.buffer.tensor].name.as_str())
            .collect();
        outputs.dedup();
        let objects = self.bound.objects(self.program);
        if self.bound.is_built_in() {
            let kernels = self.bound.kernels();
            let missing = kernels
                .iter()
                .find(|name| objects.tested.kernel(name).is_none());
            if let Some(name) = missing {
                return Err(missing_kernel(self.program, name));
            }
        }
        let resolved = binding.resolve(
            objects,
            self.values,
            &self.shapes,
            &outputs,
            self.bound.planted.map(|planted| planted.bug),
        );
        let calls = match resolved.map_err(invalid)? {
            Resolution::Launches(calls) => calls,
            Resolution::Skip(reason) => return Err(DeviceError::invalid(reason)),
        };
        if let Some(planted) = self.bound.planted
            && calls
                .iter()
                .any(|call| call.home == CodeObjectRole::Planted)
        {
            self.planted = Some(self.session.load(planted.program)?);
        }
        self.own = self.shapes[self.prepared.tensors.len()..]
            .iter()
            .map(own)
            .collect();
        self.placed.resize_with(self.shapes.len(), Default::default);
        for at in 0..self.shapes.len() {
            self.convert(at)?;
        }
        self.begin_outputs()?;
        for at in 0..self.shapes.len() {
            let shape = &self.shapes[at];
            if !shape.layout.is_plain() {
                self.placed[at].layout = Some(shape.layout.clone());
            }
            let named = |call: &Call| {
                call.slots
                    .iter()
                    .any(|slot| slot.place.tensor == shape.name)
            };
            if !calls.iter().any(named) {
                continue;
            }
            let whole = binding
                .buffers
                .iter()
                .find(|(name, _)| name.value == shape.name);
            match whole {
                Some((_, parts)) => {
                    self.put_together(at, parts.iter().map(|part| part.value.as_str()))?
                }
                None => self.put(at)?,
            }
        }
        if matches!(self.launching, Launching::Disabled) {
            return Ok(());
        }
        calls.into_iter().try_for_each(|call| self.call(call))
    }

    /// Returns the contract's tensors as the binding's formulas see them.
    fn contract_shapes(&self) -> Vec<TensorShape> {
        let shape = |tensor: &Tensor| {
            let axes = match self.bound.described {
                Some(described) => described.axes(self.values, &tensor.name, &tensor.axes),
                None => tensor.axes.iter().map(TensorAxis::unnamed).collect(),
            };
            TensorShape {
                scalar: tensor.scalar(),
                numbers: tensor.numbers(),
                ..TensorShape::plain(&tensor.name, tensor.kind, axes)
            }
        };
        self.prepared.tensors.iter().map(shape).collect()
    }

    /// Converts an input by the binding's formula. The references keep the drawn values.
    fn convert(&mut self, at: usize) -> DeviceResult {
        let binding = self.bound.binding;
        let tensor = self.tensor(at);
        let wanted = binding.converts(&tensor.name);
        let Some(data) = tensor.data.as_ref().filter(|_| wanted) else {
            return Ok(());
        };
        let elements = data.wide();
        let converted = convert(binding, self.values, &self.shapes, &tensor.name, &elements)
            .map_err(invalid)?;
        self.placed[at].sent = converted.map(|elements| Data::nearest(tensor.kind, &elements));
        Ok(())
    }

    /// Gives outputs the initial values of inputs, converted to the outputs' types, as the binding's `start` demands.
    fn begin_outputs(&mut self) -> DeviceResult {
        for (output, input) in &self.bound.binding.starts {
            let known = |name: &str| {
                let missing = || DeviceError::invalid(format!("there is no tensor `{name}`"));
                self.position(name).ok_or_else(missing)
            };
            let (at, from) = (known(&output.value)?, known(&input.value)?);
            let sent = self.placed[from].sent.as_ref();
            let Some(data) = sent.or(self.tensor(from).data.as_ref()) else {
                let text = format!(
                    "`{}` holds nothing that `{}` could begin as",
                    input.value, output.value
                );
                return Err(DeviceError::of(DeviceErrorKind::Arguments, text));
            };
            self.placed[at].sent = Some(data.clone().to(self.tensor(at).kind));
        }
        Ok(())
    }

    /// Puts a tensor on the device between its guards, in its layout.
    fn put(&mut self, at: usize) -> DeviceResult {
        let prepared = Arc::clone(&self.prepared);
        let placed = &self.placed[at];
        let plain = placed.sent.is_none() && placed.layout.is_none();
        let tensor = prepared.tensors.get(at).filter(|_| plain);
        match tensor.and_then(Tensor::bytes) {
            Some(bytes) => self.put_bytes(at, bytes),
            None => {
                let payload = self.payload(at);
                self.put_bytes(at, &payload)?;
                let held = self.placed[at].sent.is_some() || self.tensor(at).bytes().is_some();
                if let Some(address) = self.placed[at].address.filter(|_| !held) {
                    self.session.unwritten(address, payload.len() as u64);
                }
                Ok(())
            }
        }
    }

    fn put_bytes(&mut self, at: usize, payload: &[u8]) -> DeviceResult {
        let name = self.tensor(at).name.clone();
        let there = self.session.alloc(&name, payload.len() as u64)?;
        if there.guards == guards::Guards::default() {
            self.session.upload(there.address, payload)?;
        } else {
            let image = guards::frame(payload, there.guards);
            let start = there.address - there.guards.before as u64;
            self.session.upload(start, &image)?;
        }
        self.placed[at].guards = there.guards;
        self.placed[at].address = Some(there.address);
        self.describe(at);
        Ok(())
    }

    /// Tells the session how a tensor lies in memory.
    fn describe(&mut self, at: usize) {
        let (tensor, placed) = (self.tensor(at), &self.placed[at]);
        let Some(address) = placed.address else {
            return;
        };
        let dtype = Dtype::of(tensor.kind);
        let axes = tensor.axes.clone();
        let mut view = TensorView::plain(&tensor.name, address, dtype, axes);
        if let Some(layout) = &placed.layout {
            view.strides.clone_from(&layout.strides);
        }
        self.session.describe(view);
    }

    /// Puts several tensors on the device as one buffer between one pair of guards.
    fn put_together<'n>(
        &mut self,
        at: usize,
        parts: impl Iterator<Item = &'n str>,
    ) -> DeviceResult {
        let parts: Vec<usize> = parts.filter_map(|name| self.position(name)).collect();
        let payloads: Vec<Vec<u8>> = parts.iter().map(|&part| self.payload(part)).collect();
        self.put_bytes(at, &payloads.concat())?;
        let mut address = self.placed[at].address;
        for (part, payload) in parts.into_iter().zip(payloads) {
            self.placed[part].address = address;
            self.placed[part].guards = guards::Guards::default();
            self.describe(part);
            address = address.map(|address| address + payload.len() as u64);
        }
        Ok(())
    }

    /// Returns the initial bytes of a tensor on the device.
    fn payload(&self, at: usize) -> Vec<u8> {
        let (tensor, placed) = (self.tensor(at), &self.placed[at]);
        let poisoned = |elements: usize| {
            let mut bytes = vec![0; elements * tensor.kind.size()];
            poison::fill(tensor.kind, &mut bytes);
            bytes
        };
        let sent = placed.sent.as_ref().map(Data::bytes);
        let data = sent.or_else(|| tensor.bytes().map(<[u8]>::to_vec));
        let layout = placed.layout.as_ref();
        match (data, layout) {
            (Some(data), Some(layout)) => {
                let mut bytes = poisoned(layout.count);
                layout.spread(&data, tensor.kind.size(), &mut bytes);
                bytes
            }
            (Some(data), None) => data,
            (None, layout) => poisoned(layout.map_or(tensor.count(), |layout| layout.count)),
        }
    }

    /// Fills in the addresses of a launch, and makes the launch.
    fn call(&mut self, call: Call) -> DeviceResult {
        let call = if call.late { self.late(call)? } else { call };
        let mut kernarg = call.kernarg.clone();
        for slot in &call.slots {
            let name = &slot.place.tensor;
            let at = self
                .position(name)
                .ok_or_else(|| DeviceError::invalid(format!("there is no tensor `{name}`")))?;
            let address = self.address(at)? + slot.place.offset;
            if let Some(room) = kernarg.get_mut(slot.at..slot.at + 8) {
                room.copy_from_slice(&address.to_le_bytes());
            }
        }
        let module = match call.home {
            CodeObjectRole::Tested => self.module,
            CodeObjectRole::Planted => self.planted.ok_or_else(|| {
                let text = format!("`{}` is launched before it is loaded", call.kernel);
                DeviceError::of(DeviceErrorKind::Harness, text)
            })?,
        };
        self.plant_used |= call.origin.launch.planted;
        let kernel = call.kernel.clone();
        let request = Launch {
            kernel: &kernel,
            grid: call.grid,
            block: call.block,
            dynamic_lds: call.dynamic_lds,
            cooperative: false,
            kernarg: &kernarg,
        };
        self.start(module, &request, call)
    }

    /// Completes a launch whose arguments depend on the results of earlier launches.
    fn late(&mut self, call: Call) -> DeviceResult<Call> {
        let placed: Vec<(String, Option<u64>)> = self
            .all()
            .map(|(tensor, placed)| (tensor.name.clone(), placed.address))
            .collect();
        let session = std::cell::RefCell::new(&mut self.session);
        let held = |shape: &TensorShape, offset: i128| -> DeviceResult<f64> {
            let found = placed.iter().find(|(name, _)| *name == shape.name);
            let address = found.and_then(|(_, address)| *address);
            let address = address.ok_or_else(|| {
                let text = format!("`{}` is not on the device", shape.name);
                DeviceError::of(DeviceErrorKind::Harness, text)
            })?;
            let mut bytes = vec![0; shape.kind.size()];
            let at = address + u64::try_from(offset).unwrap_or(0);
            session.borrow_mut().download(at, &mut bytes)?;
            Ok(shape.kind.value(&bytes))
        };
        let binding = self.bound.binding;
        binding
            .resolve_again(
                self.bound.objects(self.program),
                self.values,
                &self.shapes,
                &call,
                &held,
            )
            .map_err(invalid)
    }

    fn address(&self, at: usize) -> DeviceResult<u64> {
        let missing = || {
            let name = &self.tensor(at).name;
            let text = format!("`{name}` is not on the device: upload it before the launch");
            DeviceError::of(DeviceErrorKind::Harness, text)
        };
        self.placed[at].address.ok_or_else(missing)
    }

    /// Returns the tolerance of an output. If the binding keeps the output in a narrower type than the contract, at least one place of that
    /// type and its rounding error are allowed.
    pub(super) fn bound_tolerance(&self, check: &Check, contract: &Tolerance) -> Tolerance {
        let tensor = self.tensor(check.buffer.tensor);
        let described = self.bound.described;
        let own = described.and_then(|described| {
            let tensors = described.tensors_at(self.values)?;
            let own = tensors.iter().find(|own| own.name == tensor.name)?;
            Some(own.element)
        });
        let mut tolerance = match own {
            Some(own) => narrowed(own, tensor.kind, contract),
            None => contract.clone(),
        };
        if tolerance.absolute_rms > 0.0 {
            tolerance.absolute_rms *= self.largest_number();
        }
        tolerance
    }

    /// Returns the largest finite size among the floats that the tensors start with, at least 1. Roundings on the way to a result may be
    /// those of numbers of this size, even if the result is small.
    fn largest_number(&self) -> f64 {
        let data = self.prepared.tensors.iter().filter_map(|tensor| {
            let data = tensor.data.as_ref()?;
            data.kind().is_float().then(|| data.wide())
        });
        let sizes = data.flatten().map(f64::abs);
        sizes.filter(|size| size.is_finite()).fold(1.0, f64::max)
    }
}

/// Makes the error of a built-in kernel's name that the code object lacks, with the nearest name that it has.
fn missing_kernel(program: &Program, name: &str) -> DeviceError {
    let kernels = program.object.kernels.iter();
    let near = nearest(name, kernels.map(|kernel| kernel.name.as_str()), 1);
    let hint = match near.first() {
        Some(near) => format!(
            "the nearest it has is `{near}`; kernels need the documented names, `extern \"C\"`, or a binding"
        ),
        None => "give it the kernel under this name, `extern \"C\"`, or a binding".into(),
    };
    let path = &program.report.path;
    let text = format!("code object {path} has no kernel `{name}`: {hint}");
    DeviceError::of(DeviceErrorKind::MissingKernel, text)
}

/// Makes a tensor of the binding's own: scratch, a buffer of several tensors, or an index tensor, which holds numbers.
fn own(shape: &TensorShape) -> Tensor {
    let axes = shape.axes.iter();
    let data = match &shape.numbers {
        Numbers::Known(numbers) => Some(Data::nearest(shape.kind, numbers)),
        Numbers::Undrawn | Numbers::None => None,
    };
    Tensor {
        name: shape.name.clone(),
        axes: axes
            .map(|axis| Axis::new(&axis.name, axis.length))
            .collect(),
        role: match data {
            Some(_) => Role::Input,
            None => Role::Written,
        },
        kind: shape.kind,
        data,
        undrawn: false,
        offered: true,
        alternative: false,
        values: None,
        bytes: OnceLock::new(),
    }
}

/// Returns the tolerance of an output that has one type in the contract and another on the device.
pub(super) fn narrowed(
    contract: ElementKind,
    device: ElementKind,
    tolerance: &Tolerance,
) -> Tolerance {
    let Some(place) = device.place().filter(|_| device.size() == 2) else {
        return tolerance.clone();
    };
    // Types that are as narrow in the contract keep the contract's tolerance.
    if contract.size() <= device.size() {
        return tolerance.clone();
    }
    Tolerance {
        ulp: Some(tolerance.ulp.unwrap_or(0).max(1)),
        // Small outputs whose absolute tolerance is larger than they are have no limit of their relative RMS, in any type.
        relative_rms: tolerance
            .relative_rms
            .map(|rms| Tolerance::rounded_rms(rms, place)),
        ..tolerance.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Rounding;

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

    /// The tolerance of a narrower type allows what the contract's tolerance allows, so it has no criterion of its own.
    #[test]
    fn a_narrower_type_refuses_nothing_that_the_contract_allows() {
        let plain = Tolerance::absolute(1e-3, 1e-2);
        let limited = |relative_rms| Tolerance {
            relative_rms: Some(relative_rms),
            ..plain.clone()
        };
        let places = Tolerance {
            ulp: Some(48),
            ..limited(2.1e-6)
        };
        for contract in [plain.clone(), limited(1e-5), limited(0.5), places] {
            for device in [ElementKind::Bf16, ElementKind::F16] {
                let found = narrowed(ElementKind::F32, device, &contract);
                assert_eq!(found.union(&contract), found, "{contract:?} {device:?}");
            }
        }
    }

    #[test]
    fn the_rounding_of_a_case_widens_a_tolerance_and_leaves_an_exact_one() {
        let of = |absolute, relative_rms| Rounding {
            absolute,
            relative_rms,
        };
        let exact = Tolerance::absolute(0.0, 1e-5);
        assert_eq!(exact.with_rounding(of(1e-3, 1e-3)), exact);
        let rule = Tolerance {
            relative_rms: Some(1e-5),
            scaled: true,
            ..Tolerance::absolute(1e-5, 1e-5)
        };
        assert_eq!(rule.with_rounding(of(1e-6, 1e-6)), rule);
        let wider = rule.with_rounding(of(1e-4, 1e-3));
        assert_eq!((wider.absolute, wider.relative_rms), (1e-4, Some(1e-3)));
        assert_eq!(wider.union(&rule), wider);
    }
}
