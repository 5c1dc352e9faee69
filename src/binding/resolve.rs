//! Resolution of a binding at one case: kernels, grids and argument bytes of every launch.

use std::ops::Range;
use std::sync::Arc;

use gfx906::code_object::CodeObject;

use super::formula::{Formula, Trouble};
use super::scope::{ElementReader, NamedFormula, Scope, TensorShape};
use super::value::{Value, integer};
use super::{Binding, FileValue, LaunchSpec, Loop, PlantedSpec, Step};
use crate::contract::Values;
use crate::files::FileError;
use crate::tensor::ElementKind;

/// Classes of values that contain numbers beyond the range of f16 (tested in `contract/catalog/values.rs`).
pub const BEYOND_F16: [&str; 4] = ["great", "huge", "opposed", "spread"];

/// The most launches of one case.
const MAX_LAUNCHES: i128 = 1 << 16;

/// The code objects that contain a binding's kernels.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// The code object under test.
    pub tested: &'a CodeObject,
    /// The code object of planted bugs, searched for kernels that the tested object lacks.
    pub planted: Option<&'a CodeObject>,
}

/// The code object that contains a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeObjectRole {
    /// The code object under test.
    Tested,
    /// The code object of planted bugs.
    Planted,
}

/// The result of resolving a binding at a case.
#[derive(Debug)]
pub enum Resolution {
    /// The binding does not take this case, for this reason.
    Skip(String),
    /// Its launches, in order.
    Launches(Vec<Call>),
}

/// A launch whose arguments are complete except for addresses.
#[derive(Clone, Debug)]
pub struct Call {
    /// The kernel's name in the code object.
    pub kernel: String,
    /// The code object that contains the kernel.
    pub home: CodeObjectRole,
    /// Work-groups of each dimension.
    pub grid: [u32; 3],
    /// Work-items of a work-group in each dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// The explicit part of the kernarg segment, with addresses as 0.
    pub kernarg: Vec<u8>,
    /// The slots that addresses go into.
    pub slots: Vec<AddressSlot>,
    /// True if arguments depend on results of earlier launches. Until they are resolved again, they are computed as if
    /// those results were 1.
    pub late: bool,
    /// The launch of the file that this call was resolved from.
    pub origin: Origin,
}

/// A launch of the file, and the loop variables around it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The launch.
    pub launch: Arc<LaunchSpec>,
    /// Values of the loop variables.
    pub locals: Vec<(String, Value)>,
}

/// An address among the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressSlot {
    /// Byte offset in the kernarg segment.
    pub at: usize,
    /// The target of the address.
    pub place: TensorOffset,
}

/// A byte offset in a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorOffset {
    /// The tensor.
    pub tensor: String,
    /// Bytes from the tensor's first element.
    pub offset: u64,
}

impl Binding {
    /// Returns the element type of a tensor on the device if it differs from the contract's.
    pub fn kind(&self, name: &str) -> Option<ElementKind> {
        let found = self.types.iter().find(|(known, _)| known.value == name);
        found.map(|(_, kind)| *kind)
    }

    /// Returns true if the binding converts the elements of a tensor before kernels get them.
    pub fn converts(&self, name: &str) -> bool {
        self.converted.iter().any(|(known, _)| known.value == name)
    }

    /// Returns the named formulas under the launch form of a case.
    pub(super) fn named(&self, values: &Values) -> Vec<NamedFormula<'_>> {
        let varied = |name: &str| {
            let (_, formulas) = self.varied.iter().find(|(known, _)| known == name)?;
            formulas.get(values.variant() % formulas.len().max(1))
        };
        let named = self.lets.iter().map(|(name, formula)| NamedFormula {
            name: &name.value,
            formula: &varied(&name.value).unwrap_or(formula).value,
        });
        named.collect()
    }

    /// Returns the reason why the binding does not take a case: a convention that the binding never mentions, values
    /// beyond the range of one of its types, or its `when` condition as written.
    pub fn refuses(&self, values: &Values) -> Result<Option<String>, FileError> {
        if let Some(name) = self.unaware_of(values) {
            return Ok(Some(format!("its binding says nothing of {name}")));
        }
        let class = values.word("values");
        let class = class.filter(|class| BEYOND_F16.contains(class));
        // Values of the class `great` may stand in f16 outputs, which saturate, but not in f16 inputs.
        let holds = |name: &str| class == Some("great") && self.function.outputs.contains(&name);
        let mut types = self.types.iter();
        let narrow = types.rfind(|(name, kind)| *kind == ElementKind::F16 && !holds(&name.value));
        if let (Some(class), Some((name, _))) = (class, narrow) {
            return Ok(Some(format!(
                "its binding has `{}` in f16, which does not hold values = {class}",
                name.value
            )));
        }
        let Some(when) = &self.when else {
            return Ok(None);
        };
        let lets = self.named(values);
        let scope = Scope::new(self.function, values, &[], &lets);
        let wanted = self.truth(&scope, when)?;
        Ok((!wanted).then(|| {
            let text = self.source.text.get(when.span.clone()).unwrap_or_default();
            format!("its binding is for when = {text}")
        }))
    }

    /// Returns true if a planted bug shows at a case.
    ///
    /// # Errors
    /// The bug's `when` does not fit the case.
    pub fn plants(&self, planted: &PlantedSpec, values: &Values) -> Result<bool, FileError> {
        let lets = self.named(values);
        let scope = Scope::new(self.function, values, &[], &lets);
        planted
            .when
            .as_ref()
            .map_or(Ok(true), |when| self.truth(&scope, when))
    }

    pub(super) fn truth(
        &self,
        scope: &Scope<'_>,
        when: &FileValue<Formula>,
    ) -> Result<bool, FileError> {
        let value = scope.number(&when.value);
        let truth = value.and_then(|value| {
            let help = "write a comparison";
            value
                .truth()
                .map_err(|why| Trouble::new(&when.value.at, why, help))
        });
        truth.map_err(|trouble| self.source.error(&when.span, trouble))
    }

    /// Makes an error about a place of the binding's file, a string between quotes.
    ///
    /// # Errors
    /// Always.
    pub fn complain<T>(
        &self,
        span: &Range<usize>,
        title: impl ToString,
        help: impl Into<String>,
    ) -> Result<T, FileError> {
        let length = span.len().saturating_sub(2);
        Err(self
            .source
            .error(span, Trouble::new(&(0..length), title, help)))
    }

    /// Resolves the launches at a case, on tensors as [`Binding::shapes`] gives them.
    ///
    /// # Errors
    /// Something in the file does not fit the case or the code object: file, line and caret.
    pub fn resolve(
        &self,
        objects: Objects<'_>,
        values: &Values,
        shapes: &[TensorShape],
        outputs: &[&str],
        planted: Option<&PlantedSpec>,
    ) -> Result<Resolution, FileError> {
        if let Some(reason) = self.refuses(values)? {
            return Ok(Resolution::Skip(reason));
        }
        self.starts_fit(outputs)?;
        let lets = self.named(values);
        let mut walk = Walk {
            binding: self,
            objects,
            planted,
            scope: Scope::new(self.function, values, shapes, &lets),
            calls: Vec::new(),
            rounds: 0,
        };
        walk.steps(&self.steps)?;
        let calls = walk.calls;
        for output in outputs {
            let held = self
                .buffers
                .iter()
                .find(|(_, parts)| parts.iter().any(|part| part.value == *output));
            let holder = held.map_or(*output, |(name, _)| name.value.as_str());
            let named =
                |slot: &AddressSlot| slot.place.tensor == *output || slot.place.tensor == holder;
            if planted.is_none() && !calls.iter().any(|call| call.slots.iter().any(named)) {
                let title = format!("no launch is handed the output `{output}`");
                return Err(self.source.error(
                    &self.span,
                    Trouble::new(
                        &(0..self.function.name.len()),
                        title,
                        format!("the kernels must write it: name `{output}` among the `args`"),
                    ),
                ));
            }
        }
        Ok(Resolution::Launches(calls))
    }

    /// Resolves a launch again whose arguments depend on results of earlier launches.
    ///
    /// # Errors
    /// The same as for [`Binding::resolve`].
    pub fn resolve_again(
        &self,
        objects: Objects<'_>,
        values: &Values,
        shapes: &[TensorShape],
        call: &Call,
        held: &ElementReader<'_>,
    ) -> Result<Call, FileError> {
        let lets = self.named(values);
        let mut scope = Scope::new(self.function, values, shapes, &lets);
        scope.locals.clone_from(&call.origin.locals);
        scope.held = Some(held);
        self.call(objects, &scope, &call.origin.launch)
    }

    /// Returns the work-item, in x, y and z over the whole grid, that computes an element of a tensor in a launch; none
    /// if the binding declares no owner. `flat` counts from the first element of the tensor.
    pub fn owner(
        &self,
        values: &Values,
        shapes: &[TensorShape],
        call: &Call,
        tensor: &str,
        flat: usize,
    ) -> Option<[u32; 3]> {
        let launch = &call.origin.launch;
        let lets = self.named(values);
        let mut scope = Scope::new(self.function, values, shapes, &lets);
        scope.locals.clone_from(&call.origin.locals);
        let (first, sides) =
            launch
                .owners
                .iter()
                .find_map(|(name, sides)| match scope.name(&name.value)? {
                    Value::Pointer(known, offset) if known == tensor => Some((offset, sides)),
                    _ => None,
                })?;
        let shape = shapes.iter().find(|shape| shape.name == tensor)?;
        let first = usize::try_from(first).ok()? / shape.kind.size();
        let element = flat.checked_sub(first)?;
        scope.locals.push(("i".into(), integer(element as i128)));
        let mut item = [0; 3];
        for (side, formula) in item.iter_mut().zip(sides) {
            let number = scope.number(&formula.value).ok()?.rounded(false).ok()?;
            *side = u32::try_from(number.integer().ok()?).ok()?;
        }
        Some(item)
    }
}

/// A walk through the launches of a case, in order.
struct Walk<'a> {
    binding: &'a Binding,
    objects: Objects<'a>,
    planted: Option<&'a PlantedSpec>,
    scope: Scope<'a>,
    calls: Vec<Call>,
    /// Loop iterations so far. The walk limits them because nested loops may launch nothing and never end.
    rounds: i128,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), FileError> {
        for step in steps {
            match step {
                Step::Launch(launch) => {
                    self.each(launch.when.as_ref(), launch.each.as_ref(), &mut |walk| {
                        walk.launch(launch)
                    })?;
                }
                Step::Group(group) => {
                    self.each(group.when.as_ref(), group.each.as_ref(), &mut |walk| {
                        walk.steps(&group.steps)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Runs a step once, or for each number of its loop, or not at all if its condition is false.
    fn each(
        &mut self,
        when: Option<&FileValue<Formula>>,
        each: Option<&FileValue<Loop>>,
        work: &mut dyn FnMut(&mut Self) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let binding = self.binding;
        if let Some(when) = when
            && !binding.truth(&self.scope, when)?
        {
            return Ok(());
        }
        let Some(each) = each else {
            return work(self);
        };
        let end = |formula: &Formula| FileValue {
            span: each.span.clone(),
            value: formula.clone(),
        };
        let from = binding.whole(&self.scope, &end(&each.value.from))?;
        let to = binding.whole(&self.scope, &end(&each.value.to))?;
        if to.saturating_sub(from) > MAX_LAUNCHES {
            return self.too_many(&each.span, to.saturating_sub(from));
        }
        for number in from..to {
            self.rounds += 1;
            if self.rounds > MAX_LAUNCHES {
                return self.too_many(&each.span, self.rounds);
            }
            let local = (each.value.name.clone(), integer(number));
            self.scope.locals.push(local);
            work(self)?;
            self.scope.locals.pop();
        }
        Ok(())
    }

    fn launch(&mut self, launch: &LaunchSpec) -> Result<(), FileError> {
        let changed = self.planted.and_then(|planted| planted.changed(launch));
        if let (Some(planted), Some(changed)) = (self.planted, &changed)
            && planted.replacement(launch).is_some()
        {
            let (binding, scope) = (self.binding, &self.scope);
            binding.same_arguments(self.objects, scope, &launch.symbol, changed)?;
        }
        let launch = changed.as_ref().unwrap_or(launch);
        if self.calls.len() as i128 >= MAX_LAUNCHES {
            return self.too_many(&launch.span, MAX_LAUNCHES + 1);
        }
        self.calls
            .push(self.binding.call(self.objects, &self.scope, launch)?);
        Ok(())
    }

    fn too_many(&self, span: &Range<usize>, number: i128) -> Result<(), FileError> {
        let title = format!("these are {number} launches");
        self.binding
            .complain(span, title, format!("make at most {MAX_LAUNCHES}"))
    }
}

/// Applies a binding's conversion to the elements of an input.
pub fn convert(
    binding: &Binding,
    values: &Values,
    shapes: &[TensorShape],
    name: &str,
    elements: &[f64],
) -> Result<Option<Vec<f64>>, FileError> {
    let Some((_, formula)) = binding
        .converted
        .iter()
        .find(|(known, _)| known.value == name)
    else {
        return Ok(None);
    };
    let lets = binding.named(values);
    let mut scope = Scope::new(binding.function, values, shapes, &lets);
    let mut out = Vec::with_capacity(elements.len());
    for &element in elements {
        scope.locals.push((name.to_owned(), Value::Float(element)));
        let value = scope.number(&formula.value).and_then(|value| {
            let help = "give a number for each element";
            value
                .float()
                .map_err(|why| Trouble::new(&formula.value.at, why, help))
        });
        out.push(value.map_err(|trouble| binding.source.error(&formula.span, trouble))?);
        scope.locals.pop();
    }
    Ok(Some(out))
}
