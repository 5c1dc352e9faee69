//! A binding's tensors on the device: types, layouts, shared buffers, scratch.

use super::formula::{Formula, Trouble};
use super::scope::{Scope, TensorAxis, TensorShape};
use super::{Binding, DeclaredTensor, FileValue};
use crate::contract::{Numbers, Values};
use crate::files::FileError;
use crate::tensor::{ElementKind, Layout};
use crate::text::nearest;

/// The reason why a tensor of f64 has no other type in a binding, and what to do.
pub const ONLY_F64: &str = "its tolerance counts on digits that f32 lacks: take a contract with f32, as gdr_chunk_cumsum and the steps after it";

/// The maximum number of elements of a tensor, padding included.
const MAX_ELEMENTS: usize = 1 << 26;

impl Binding {
    /// Returns the tensors as the device has them: the contract's tensors in the binding's types and layouts, followed
    /// by its scratch.
    ///
    /// # Errors
    /// The binding names an unknown tensor or axis, or a type that the tensor cannot have.
    pub fn shapes(
        &self,
        contract: Vec<TensorShape>,
        values: &Values,
    ) -> Result<Vec<TensorShape>, FileError> {
        let mut shapes = contract;
        let names: Vec<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
        for (name, kind) in &self.types {
            let shape = self.known(&mut shapes, &names, name)?;
            let change = *kind != shape.kind;
            let narrow = |kind| {
                matches!(
                    kind,
                    ElementKind::F32 | ElementKind::F16 | ElementKind::Bf16
                )
            };
            let holds = match (shape.kind.range(), kind.range()) {
                (Some(own), Some(other)) => other.0 <= own.0 && own.1 <= other.1,
                _ => narrow(shape.kind) && narrow(*kind),
            };
            if change && !holds {
                let title = format!(
                    "`{}` is of {} and cannot be of {}",
                    name.value,
                    shape.kind.name(),
                    kind.name()
                );
                let help = match shape.kind.range() {
                    Some(_) => {
                        "whole numbers may have a type that holds all of theirs; `tensors` makes others by a formula"
                    }
                    None if shape.kind == ElementKind::F64 => ONLY_F64,
                    None => "f32, f16 and bf16 stand for each other",
                };
                return self.complain(&name.span, title, help);
            }
            shape.kind = *kind;
        }
        for (name, _) in &self.converted {
            self.known(&mut shapes, &names, name)?;
        }
        for (output, input) in &self.starts {
            let target = self.known(&mut shapes, &names, output)?.clone();
            let origin = self.known(&mut shapes, &names, input)?;
            // An axis of length 1 has no effect on positions.
            let axes = |shape: &TensorShape| -> Vec<(String, usize)> {
                let axes = shape.axes.iter().filter(|axis| axis.length != 1);
                axes.map(|axis| (axis.name.clone(), axis.length)).collect()
            };
            if axes(&target) != axes(origin) || target.name == origin.name {
                let title = format!(
                    "`{}` cannot begin as `{}`: {} is not {}",
                    output.value,
                    input.value,
                    origin.listed(),
                    target.listed(),
                );
                let help = "name an input with the same axes, or leave the case out with `when`";
                return self.complain(&input.span, title, help);
            }
        }
        let lets = self.named(values);
        for (name, spec) in &self.layouts {
            let pitch = match &spec.pitch {
                Some(pitch) => {
                    let scope = Scope::new(self.function, values, &shapes, &lets);
                    Some(self.size(&scope, pitch, "the pitch")?)
                }
                None => None,
            };
            let shape = self.known(&mut shapes, &names, name)?;
            let mut order = Vec::new();
            for axis in &spec.axes.value {
                match shape.axis(axis).filter(|axis| !order.contains(axis)) {
                    Some(axis) => order.push(axis),
                    None => {
                        let title =
                            format!("`{axis}` is no axis of `{}`, or there twice", name.value);
                        let help =
                            format!("its axes are {}, each once", shape.axis_names().join(" "));
                        return self.complain(&spec.axes.span, title, help);
                    }
                }
            }
            let lengths: Vec<usize> = shape.axes.iter().map(|axis| axis.length).collect();
            let layout = Layout::new(&lengths, &order, pitch);
            let Some(layout) = layout.filter(|layout| layout.count <= MAX_ELEMENTS) else {
                let title = format!("`{}` cannot stand so: {lengths:?}", name.value);
                let help = format!(
                    "name each of its axes ({}) once, and give no pitch below the innermost",
                    shape.axis_names().join(" ")
                );
                return self.complain(&spec.axes.span, title, help);
            };
            shape.layout = layout;
        }
        for (name, parts) in &self.buffers {
            let (mut kind, mut count) = (None, 0);
            for part in parts {
                let shape = &*self.known(&mut shapes, &names, part)?;
                if *kind.get_or_insert(shape.kind) != shape.kind {
                    let title = format!(
                        "`{}` is of another type than what stands before it",
                        part.value
                    );
                    return self.complain(
                        &part.span,
                        title,
                        "tensors of one buffer have elements of one type: see `types`",
                    );
                }
                count += shape.layout.count;
            }
            if names.contains(&name.value) {
                let title = "this is a tensor of the contract";
                return self.complain(&name.span, title, "give the buffer another name");
            }
            shapes.push(TensorShape {
                name: name.value.clone(),
                kind: kind.unwrap_or(ElementKind::F32),
                axes: vec![TensorAxis {
                    name: "element".into(),
                    symbol: String::new(),
                    length: count,
                }],
                layout: Layout::plain(&[count]),
                scalar: None,
                numbers: Numbers::None,
            });
        }
        self.make_indices(values, &mut shapes)?;
        for scratch in &self.scratch {
            let scope = Scope::new(self.function, values, &shapes, &lets);
            let shape = self.declare(&scope, scratch, "scratch")?;
            shapes.push(shape);
        }
        Ok(shapes)
    }

    /// Returns the shape of a tensor of the binding's own.
    pub(super) fn declare(
        &self,
        scope: &Scope<'_>,
        declared: &DeclaredTensor,
        what: &str,
    ) -> Result<TensorShape, FileError> {
        let name = &declared.name.value;
        if scope.shape(name).is_some() {
            return self.complain(
                &declared.name.span,
                format!("there is a tensor `{name}` already"),
                format!("give {what} another name"),
            );
        }
        let mut axes = Vec::new();
        for length in &declared.lengths {
            let length = self.size(scope, length, "a length")?;
            axes.push(TensorAxis {
                name: format!("axis {}", axes.len()),
                symbol: String::new(),
                length,
            });
        }
        let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
        let plain: Vec<usize> = (0..lengths.len()).collect();
        let layout = Layout::new(&lengths, &plain, None);
        let Some(layout) = layout.filter(|layout| layout.count <= MAX_ELEMENTS) else {
            return self.complain(
                &declared.name.span,
                format!("`{name}` is too large"),
                format!("give it at most {MAX_ELEMENTS} elements"),
            );
        };
        Ok(TensorShape {
            name: name.clone(),
            kind: declared.kind,
            axes,
            layout,
            scalar: None,
            numbers: Numbers::None,
        })
    }

    fn known<'s>(
        &self,
        shapes: &'s mut [TensorShape],
        names: &[String],
        name: &FileValue<String>,
    ) -> Result<&'s mut TensorShape, FileError> {
        match shapes.iter_mut().find(|shape| shape.name == name.value) {
            Some(shape) => Ok(shape),
            None => {
                let near = nearest(&name.value, names.iter().map(String::as_str), 1);
                let help = match near.first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its tensors are {}", names.join(", ")),
                };
                let title = format!(
                    "contract `{}` has no tensor `{}`",
                    self.function.name, name.value
                );
                // A bare TOML key has no quotes around it.
                Err(self
                    .source
                    .error(&name.span, Trouble::new(&(0..0), title, help)))
            }
        }
    }

    /// Evaluates a whole number from 1 up.
    fn size(
        &self,
        scope: &Scope<'_>,
        formula: &FileValue<Formula>,
        what: &str,
    ) -> Result<usize, FileError> {
        let number = self.whole(scope, formula)?;
        match usize::try_from(number).ok().filter(|number| *number > 0) {
            Some(size) => Ok(size),
            None => self.complain(
                &formula.span,
                format!("{what} is {number}"),
                "give a whole number from 1 up, or leave the case out with `when`",
            ),
        }
    }

    pub(super) fn whole(
        &self,
        scope: &Scope<'_>,
        formula: &FileValue<Formula>,
    ) -> Result<i128, FileError> {
        let number = scope.number(&formula.value).and_then(|value| {
            let help = "round it, or leave the case out with `when`";
            value
                .integer()
                .map_err(|why| Trouble::new(&formula.value.at, why, help))
        });
        number.map_err(|trouble| self.source.error(&formula.span, trouble))
    }
}
