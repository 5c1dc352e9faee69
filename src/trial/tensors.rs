//! The tensors of a trial: drawn, uploaded, poisoned, read.

use super::buffer::{Buffer, Role, Tensor};
use super::{Data, Mode, Outcome, Trial};
use crate::compare::ElementKind;
use crate::compare::guards::Guards;
use crate::device::{DeviceError, DeviceErrorKind};
use crate::tensor::{Distribution, Stream};
use crate::verdict::Axis;

impl Trial<'_> {
    /// An input that stays on the host: drawn, and known to the references.
    pub fn draw(&mut self, name: &str, axes: Vec<Axis>, distribution: Distribution) -> Buffer {
        self.draw_as(ElementKind::F32, name, axes, distribution)
    }

    /// The same of another type than f32: what was drawn, rounded.
    pub fn draw_as(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Buffer {
        let kind = self.bound_kind(name, kind);
        let count = axes.iter().map(|axis| axis.length).product();
        let drawn = || Stream::new(self.seed, self.id, name).draw(count, distribution);
        let data = Data::from(self.given(name).unwrap_or_else(drawn)).to(kind);
        let kept = self.keep(name, axes, Role::Input, kind, Some(data));
        self.tensors[kept.tensor].values = Some(distribution.to_string());
        kept
    }

    /// An input on the device.
    pub fn input(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Outcome<Buffer> {
        self.input_as(ElementKind::F32, name, axes, distribution)
    }

    /// The same of another type than f32: what was drawn, rounded. Device and references see the same values.
    pub fn input_as(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Outcome<Buffer> {
        let drawn = self.draw_as(kind, name, axes, distribution);
        self.place(drawn)?;
        Ok(drawn)
    }

    /// An input on the device with values that the test computed from what it drew; its type is that of the values.
    pub fn upload(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        values: impl Into<Data>,
    ) -> Outcome<Buffer> {
        let values = values.into();
        let kind = self.bound_kind(name, values.kind());
        let values = match self.given(name) {
            Some(given) => Data::from(given).to(kind),
            None => values.to(kind),
        };
        let kept = self.keep(name, axes, Role::Input, kind, Some(values));
        self.place(kept)?;
        Ok(kept)
    }

    /// A tensor that launches write in part: it starts with these values, whose type it has, and is compared as a whole.
    pub fn update(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        values: impl Into<Data>,
    ) -> Outcome<Buffer> {
        let values = values.into();
        let kind = self.bound_kind(name, values.kind());
        let kept = self.keep(name, axes, Role::Updated, kind, Some(values.to(kind)));
        self.place(kept)?;
        Ok(kept)
    }

    /// A tensor that launches write: an output, or an intermediate result. It starts as poison.
    pub fn output(&mut self, name: &str, axes: Vec<Axis>) -> Outcome<Buffer> {
        self.output_as(ElementKind::F32, name, axes)
    }

    /// The same of another type than f32.
    pub fn output_as(&mut self, kind: ElementKind, name: &str, axes: Vec<Axis>) -> Outcome<Buffer> {
        let kind = self.bound_kind(name, kind);
        let kept = self.keep(name, axes, Role::Written, kind, None);
        self.place(kept)?;
        Ok(kept)
    }

    /// The values of an input of f32, or those of bf16 or f16 as f32.
    pub fn values(&self, buffer: Buffer) -> &[f32] {
        self.typed(buffer, "values", Data::floats)
    }

    /// The values of an input of f64.
    pub fn doubles(&self, buffer: Buffer) -> &[f64] {
        self.typed(buffer, "doubles", Data::doubles)
    }

    /// The values of an input of whole numbers.
    pub fn integers(&self, buffer: Buffer) -> &[i32] {
        self.typed(buffer, "integers", Data::integers)
    }

    /// The values of an input of any type in f64, for the oracle.
    pub fn wide(&self, buffer: Buffer) -> Vec<f64> {
        let all = self.tensors[buffer.tensor].data.as_ref();
        let all = all.map(Data::wide).unwrap_or_default();
        all[buffer.first..buffer.first + buffer.count].to_vec()
    }

    /// What the device holds of a tensor of floats now.
    pub fn fetch(&mut self, buffer: Buffer) -> Outcome<Vec<f32>> {
        if !matches!(self.mode, Mode::Coded) {
            // Nothing has run: the launches that this is for are not made either.
            return Ok(vec![0.0; buffer.count]);
        }
        let address = self.address(buffer)?;
        let kind = self.tensors[buffer.tensor].kind;
        let mut bytes = vec![0; buffer.count * kind.size()];
        self.session.download(address, &mut bytes)?;
        let elements = bytes.chunks_exact(kind.size());
        Ok(elements.map(|bytes| kind.value(bytes) as f32).collect())
    }

    /// The values of an input, which a test must ask for by its type.
    fn typed<'t, T>(
        &'t self,
        buffer: Buffer,
        asked: &str,
        get: impl Fn(&'t Data) -> Option<&'t [T]>,
    ) -> &'t [T] {
        let tensor = &self.tensors[buffer.tensor];
        match tensor.data.as_ref().and_then(get) {
            Some(all) => &all[buffer.first..buffer.first + buffer.count],
            // A mistake in the test's own code, which its first run shows; the pool makes an error of it.
            None => panic!(
                "`{}` is of {} and no input that `{asked}` can give",
                tensor.name,
                tensor.kind.name()
            ),
        }
    }

    fn given(&self, name: &str) -> Option<Vec<f32>> {
        self.given?.inputs.get(name).cloned()
    }

    pub(super) fn keep(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        role: Role,
        kind: ElementKind,
        data: Option<Data>,
    ) -> Buffer {
        let tensor = Tensor {
            name: name.into(),
            axes,
            role,
            kind,
            data,
            address: None,
            on_device: false,
            values: None,
            sent: None,
            layout: None,
            guards: Guards::default(),
        };
        let count = tensor.count();
        self.tensors.push(tensor);
        Buffer {
            tensor: self.tensors.len() - 1,
            first: 0,
            count,
        }
    }

    /// Puts a tensor on the device between its guards.
    fn place(&mut self, buffer: Buffer) -> Outcome {
        self.tensors[buffer.tensor].on_device = true;
        match self.mode {
            Mode::Coded => self.put(buffer.tensor),
            // A binding says what it needs there.
            Mode::Bound(_) | Mode::Probe => Ok(()),
        }
    }

    pub(super) fn address(&self, buffer: Buffer) -> Outcome<u64> {
        let tensor = &self.tensors[buffer.tensor];
        let base = tensor.address.ok_or_else(|| {
            DeviceError::of(
                DeviceErrorKind::Harness,
                format!(
                    "`{}` is not on the device: upload it before the launch",
                    tensor.name
                ),
            )
        })?;
        Ok(base + (buffer.first * tensor.kind.size()) as u64)
    }
}
