//! A contract as its file declares it, and the tensors of a case that follow from it.

use std::path::PathBuf;
use std::sync::Arc;

use super::function::{ArraySpec, value_mistake};
use super::reference::Reference;
use super::values::{Class, Generator};
use crate::binding::formula::{Formula, Trouble};
use crate::binding::{Elements, NamedFormula, Scope, Source, TensorAxis, TensorShape};
use crate::contract::{Buffer, DeviceResult, Function, Instance, Numbers, Values, list_of};
use crate::device::{DeviceError, DeviceErrorKind};
use crate::tensor::{Axis, Data, ElementKind};
use crate::text::shortest;

/// A formula of the file, with its place.
#[derive(Clone, Debug)]
pub(super) struct FileFormula {
    /// Byte range of the text in the file.
    pub span: std::ops::Range<usize>,
    /// The formula.
    pub formula: Formula,
}

/// A contract as its file declares it.
pub(super) struct Declaration {
    /// The file.
    pub source: Arc<Source>,
    /// Sizes that follow from other sizes.
    pub derived: Vec<(String, FileFormula)>,
    /// Numbers that kernels may take by value.
    pub scalars: Vec<(String, f64)>,
    /// Tensors, in the order of the file.
    pub tensors: Vec<TensorSpec>,
    /// The origin of the expected values.
    pub reference: Reference,
}

/// A tensor of a contract.
#[derive(Clone)]
pub(super) struct TensorSpec {
    /// Its name.
    pub name: String,
    /// Its axes, outermost first: names and lengths.
    pub axes: Vec<(String, FileFormula)>,
    /// The type of its elements.
    pub kind: ElementKind,
    /// Its role.
    pub role: TensorRole,
    /// The classes of values that it is drawn from; a case chooses if there are several.
    pub classes: Vec<Class>,
    /// The name of the choice between the classes.
    pub choice: String,
    /// Byte range of the classes in the file.
    pub values_span: std::ops::Range<usize>,
}

/// The role of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TensorRole {
    /// An input.
    Input,
    /// An output.
    Output,
    /// An input that kernels change, and whose last values are compared.
    InPlace,
}

impl TensorSpec {
    /// Returns true if the values are the same for each seed, so that a file of expected values need not have them.
    pub fn is_fixed(&self) -> bool {
        let fixed =
            |class: &Class| matches!(class.generator, Generator::Constant(_) | Generator::Iota);
        self.classes.iter().all(fixed)
    }

    /// Returns the name under which the values before the launches are given.
    pub fn given_name(&self) -> String {
        match self.role {
            TensorRole::InPlace => format!("{} before", self.name),
            _ => self.name.clone(),
        }
    }

    /// Returns the tensor as a function takes or returns it.
    pub fn spec<'a>(&'a self, axes: &'a [Axis]) -> ArraySpec<'a> {
        ArraySpec {
            name: &self.name,
            kind: self.kind,
            axes,
        }
    }
}

impl Declaration {
    /// Makes a scope in which the contract's own formulas are evaluated.
    pub fn scope<'a>(
        &'a self,
        function: &'a Function,
        values: &'a Values,
        lets: &'a [NamedFormula<'a>],
    ) -> Scope<'a> {
        let mut scope = Scope::new(function, values, &[], lets);
        for (name, value) in &self.scalars {
            scope.add_number(name, *value);
        }
        // Each size is computed once, as soon as the sizes that it depends on are known. Those of a circle stay named formulas.
        let mut left: Vec<&(String, FileFormula)> = self.derived.iter().collect();
        loop {
            let before = left.len();
            left.retain(|(name, placed)| {
                let mut names = Vec::new();
                placed.formula.collect_names(&mut names);
                let unknown = self
                    .derived
                    .iter()
                    .any(|(other, _)| names.contains(other) && scope.local(other).is_none());
                let value = match unknown {
                    true => None,
                    false => scope.number(&placed.formula).ok(),
                };
                if let Some(value) = &value {
                    scope.locals.push((name.clone(), value.clone()));
                }
                value.is_none()
            });
            if left.len() == before {
                return scope;
            }
        }
    }

    /// Returns the sizes that follow from others, as named formulas.
    pub fn lets(&self) -> Vec<NamedFormula<'_>> {
        let derived = self.derived.iter();
        derived
            .map(|(name, placed)| NamedFormula {
                name,
                formula: &placed.formula,
            })
            .collect()
    }

    /// Returns the length of an axis in a case.
    ///
    /// # Errors
    /// The formula has no value there, or the value is no length.
    pub fn length(scope: &Scope<'_>, of: &FileFormula) -> Result<usize, Trouble> {
        let at = &of.formula.at;
        let value = scope.number(&of.formula)?;
        let number = value
            .integer()
            .map_err(|error| Trouble::new(at, error, "choose sizes at which it is whole"))?;
        let length = usize::try_from(number).ok().filter(|length| *length > 0);
        length.ok_or_else(|| {
            let title = format!("a length of {number}");
            Trouble::new(at, title, "a length is at least 1")
        })
    }

    /// Returns the shapes of inputs, with the values that are the same for each seed.
    ///
    /// # Errors
    /// An axis has no length in the case, or a formula no values.
    pub fn undrawn(
        &self,
        tensors: &[&TensorSpec],
        scope: &Scope<'_>,
    ) -> Result<Vec<TensorShape>, Trouble> {
        let mut shapes: Vec<TensorShape> = Vec::new();
        for tensor in tensors {
            let axes = tensor.axes.iter().map(|(name, placed)| {
                let length = Self::length(scope, placed)?;
                Ok(TensorAxis::unnamed(&Axis::new(name, length)))
            });
            let axes = axes.collect::<Result<Vec<_>, Trouble>>()?;
            let mut shape = TensorShape::plain(&tensor.name, tensor.kind, axes);
            let class = match &tensor.classes[..] {
                [only] => Some(&only.generator),
                _ => None,
            };
            let made = match class {
                Some(Generator::Formula(formula)) => {
                    Self::made(formula, shape.count(), &shapes, scope)?
                }
                _ => None,
            };
            shape.numbers = match made {
                _ if tensor.kind.is_float() || tensor.role == TensorRole::Output => Numbers::None,
                Some(values) => Numbers::Known(values.into()),
                None => Numbers::Undrawn,
            };
            shapes.push(shape);
        }
        Ok(shapes)
    }

    /// Returns the values that a formula gives a tensor of so many elements; none as long as the tensors that it names are not drawn.
    ///
    /// # Errors
    /// The formula has no values, or another number of them.
    pub fn made(
        formula: &Formula,
        count: usize,
        shapes: &[TensorShape],
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<f64>>, Trouble> {
        let Some(Elements { lengths, values }) = scope.with_shapes(shapes).elements(formula)?
        else {
            return Ok(None);
        };
        let values: Result<Vec<f64>, _> = values.iter().map(|value| value.float()).collect();
        let values = values.map_err(|error| {
            Trouble::new(&formula.at, error, "write a formula of whole numbers")
        })?;
        match values.len() {
            1 if lengths.is_empty() => Ok(Some(vec![values[0]; count])),
            own if own == count => Ok(Some(values)),
            own => {
                let title = format!("this gives {own} values, and the tensor has {count} elements");
                Err(Trouble::new(
                    &formula.at,
                    title,
                    "make the axes fit the formula",
                ))
            }
        }
    }

    /// Draws the inputs of a case, and computes the references of its outputs.
    pub fn run(&self, t: &mut Instance<'_>) -> DeviceResult {
        let lets = self.lets();
        let scope = self.scope(t.function(), t.parameters(), &lets);
        let mut buffers: Vec<Buffer> = Vec::new();
        for tensor in &self.tensors {
            let axes = self.axes(&scope, tensor)?;
            let buffer = match tensor.role {
                TensorRole::Output => t.output_as(tensor.kind, &tensor.name, axes)?,
                role => self.draw_input(t, (tensor, axes), &scope, &buffers, role)?,
            };
            buffers.push(buffer);
        }
        for (name, value) in &self.scalars {
            let scalar = t.scalar(name, *value as f32);
            t.offer(scalar);
            t.describe(scalar, &shortest(*value));
        }
        let results = match t.computes() {
            true => self.reference.results(self, t, &buffers)?,
            false => self.placeholders(&buffers),
        };
        for ((tensor, buffer), oracle) in self.compared(&buffers).zip(results) {
            let golden = match tensor.kind.is_float() {
                true => Data::f64(oracle.clone()),
                false => Data::nearest(tensor.kind, &oracle),
            };
            t.check(buffer, (golden, oracle))?;
        }
        Ok(())
    }

    /// Returns the files that values come from, beside those of expected values.
    pub fn files(&self) -> Vec<PathBuf> {
        let classes = self.tensors.iter().flat_map(|tensor| &tensor.classes);
        let generators = classes.filter_map(|class| match &class.generator {
            Generator::Python(function) => Some(function.file.clone()),
            _ => None,
        });
        let reference = match &self.reference {
            Reference::Python(function) => Some(function.file.clone()),
            Reference::Kernel(kernel) => Some(kernel.path.clone()),
            Reference::Files(_) | Reference::Nothing => None,
        };
        let mut files: Vec<PathBuf> = reference.into_iter().chain(generators).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Returns the tensors that are compared.
    pub fn compared<'a>(
        &'a self,
        buffers: &'a [Buffer],
    ) -> impl Iterator<Item = (&'a TensorSpec, Buffer)> {
        let all = self.tensors.iter().zip(buffers.iter().copied());
        all.filter(|(tensor, _)| tensor.role != TensorRole::Input)
    }

    /// Returns the tensors that hold values before the launches.
    pub fn with_values<'a>(
        &'a self,
        buffers: &'a [Buffer],
    ) -> impl Iterator<Item = (&'a TensorSpec, Buffer)> {
        let all = self.tensors.iter().zip(buffers.iter().copied());
        all.filter(|(tensor, _)| tensor.role != TensorRole::Output)
    }

    /// Returns the scalars, choices and sizes of a case, as a reference takes them.
    ///
    /// # Errors
    /// A size that follows from others has no value in the case.
    pub fn arguments(
        &self,
        t: &Instance<'_>,
    ) -> DeviceResult<serde_json::Map<String, serde_json::Value>> {
        let function = t.function();
        let mut all = serde_json::Map::new();
        for name in function.dims {
            all.insert((*name).into(), t.dim(name).into());
        }
        let lets = self.lets();
        let scope = self.scope(function, t.parameters(), &lets);
        for (name, placed) in &self.derived {
            let length = Declaration::length(&scope, placed);
            let length = length.map_err(|trouble| self.failed(&placed.span, trouble))?;
            all.insert(name.clone(), length.into());
        }
        for (name, _) in function.words {
            let word = t.word(name);
            let value = match function.lists.contains(name) {
                true => list_of(word).into(),
                false => word.into(),
            };
            all.insert((*name).into(), value);
        }
        for (name, value) in &self.scalars {
            // A kernel takes the scalar as f32, and the reference must see the same number.
            all.insert(name.clone(), f64::from(*value as f32).into());
        }
        Ok(all)
    }

    /// Returns zeros for each compared tensor.
    pub fn placeholders(&self, buffers: &[Buffer]) -> Vec<Vec<f64>> {
        let compared = self.compared(buffers);
        compared
            .map(|(_, buffer)| vec![0.0; buffer.count])
            .collect()
    }

    fn axes(&self, scope: &Scope<'_>, tensor: &TensorSpec) -> DeviceResult<Vec<Axis>> {
        let axes = tensor.axes.iter().map(|(name, placed)| {
            let length = Declaration::length(scope, placed);
            let length = length.map_err(|trouble| self.failed(&placed.span, trouble))?;
            Ok(Axis::new(name, length))
        });
        axes.collect()
    }

    /// Draws an input in the class of the case.
    fn draw_input(
        &self,
        t: &mut Instance<'_>,
        (tensor, axes): (&TensorSpec, Vec<Axis>),
        scope: &Scope<'_>,
        buffers: &[Buffer],
        role: TensorRole,
    ) -> DeviceResult<Buffer> {
        let chosen = match &tensor.classes[..] {
            [only] => only,
            classes => {
                let word = t.word(&tensor.choice);
                let mut classes = classes.iter();
                let found = classes.find(|class| class.word == word);
                found.ok_or_else(|| {
                    let message = format!("`{}` has no values `{word}`", tensor.name);
                    DeviceError::of(DeviceErrorKind::Harness, message)
                })?
            }
        };
        let count = axes.iter().map(|axis| axis.length).product();
        for bound in chosen.generator.formulas() {
            let value = scope.number(bound).and_then(|value| {
                let help = "write a number";
                value
                    .float()
                    .map_err(|error| Trouble::new(&bound.at, error, help))
            });
            value.map_err(|trouble| self.failed(&tensor.values_span, trouble))?;
        }
        let number = |formula: &Formula| {
            let value = scope.number(formula).ok();
            value
                .and_then(|value| value.float().ok())
                .unwrap_or_default()
        };
        let mut stream = t.stream(&tensor.name);
        let stored = self.reference.input(t, tensor, &axes)?;
        let mut undrawn = false;
        let mut placeholders = || {
            undrawn = true;
            vec![0.0; count]
        };
        let values = match &chosen.generator {
            _ if stored.is_some() => stored.unwrap_or_default(),
            Generator::Formula(formula) => {
                let known = self.tensors.iter().zip(buffers);
                let shapes = known.map(|(other, &buffer)| {
                    let axes = t.axes(buffer).iter().map(TensorAxis::unnamed).collect();
                    TensorShape {
                        numbers: t.numbers(buffer),
                        ..TensorShape::plain(&other.name, other.kind, axes)
                    }
                });
                let shapes: Vec<TensorShape> = shapes.collect();
                let made = Self::made(formula, count, &shapes, scope);
                let made = made.map_err(|trouble| self.failed(&tensor.values_span, trouble))?;
                made.unwrap_or_else(placeholders)
            }
            _ if !t.computes() => placeholders(),
            Generator::Python(function) => {
                let mut arguments = self.arguments(t)?;
                let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
                arguments.insert("shape".into(), lengths.into());
                arguments.insert("seed".into(), stream.below(1 << 31).into());
                let outputs = [tensor.spec(&axes)];
                let nothing = (&[][..], Vec::new());
                let made = function.call(t.case_id(), nothing, arguments, &outputs)?;
                made.into_iter().next().unwrap_or_default()
            }
            generator => generator.draw(&mut stream, (tensor.kind, count), &number),
        };
        let mistake = match values.len() < count {
            true => Some(format!(
                "`{}` has {count} elements, and {} values",
                tensor.name,
                values.len()
            )),
            false => value_mistake(&values, &tensor.spec(&axes)),
        };
        if let Some(mistake) = mistake {
            let help = "choose other values, or other sizes";
            let trouble = Trouble::new(&(0..0), format!("{mistake} in case {}", t.case_id()), help);
            return Err(self.failed(&tensor.values_span, trouble));
        }
        let data = Data::nearest(tensor.kind, &values);
        if role != TensorRole::InPlace {
            let buffer = t.upload(&tensor.name, axes, data)?;
            t.describe(buffer, &chosen.text);
            if undrawn {
                t.leave_undrawn(buffer);
            }
            return Ok(buffer);
        }
        // Experiments and external tensors change the values before the launches under a name of their own.
        let before = t.hold(&tensor.given_name(), axes.clone(), data);
        t.describe(before, &chosen.text);
        let values = Data::nearest(tensor.kind, &t.wide(before));
        let updated = t.update(&tensor.name, axes, values)?;
        Ok(match undrawn {
            true => t.leave_undrawn(updated),
            false => updated,
        })
    }

    /// Makes the error of a formula that has no value in a case.
    fn failed(&self, span: &std::ops::Range<usize>, trouble: Trouble) -> DeviceError {
        let error = self.source.error(span, trouble);
        DeviceError::of(DeviceErrorKind::Test, error)
    }
}
