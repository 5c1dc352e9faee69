//! A binding at one case: which kernels are launched on which grids with which bytes as arguments.

use std::ops::Range;
use std::sync::Arc;

use gfx906::code_object::CodeObject;

use super::formula::{Formula, Trouble};
use super::scope::{Held, Named, Scope, Shape};
use super::value::{Value, integer};
use super::{Binding, LaunchSpec, Loop, Placed, PlantedSpec, Step};
use crate::compare::ElementKind;
use crate::contract::Values;
use crate::exit::Stop;

/// Classes of values with numbers that f16 does not hold (tested in `contracts/values.rs`).
pub const BEYOND_F16: [&str; 4] = ["great", "huge", "opposed", "spread"];

/// The most launches of one case.
const MAX_LAUNCHES: i128 = 1 << 16;

/// The code objects that a binding's kernels are in.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// The one under test.
    pub tested: &'a CodeObject,
    /// That of planted bugs, where those are looked for that the first does not have.
    pub planted: Option<&'a CodeObject>,
}

/// Which of the code objects a kernel is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The one under test.
    Tested,
    /// That of planted bugs.
    Planted,
}

/// A binding at a case.
#[derive(Debug)]
pub enum Resolved {
    /// It is not for this case, for this reason.
    Skip(String),
    /// Its launches, in order.
    Launches(Vec<Call>),
}

/// A launch whose arguments lack nothing but addresses.
#[derive(Clone, Debug)]
pub struct Call {
    /// The kernel, as the code object calls it.
    pub kernel: String,
    /// Which code object.
    pub home: Home,
    /// Work-groups.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// The explicit part of the kernarg segment, addresses being 0.
    pub kernarg: Vec<u8>,
    /// Where addresses go.
    pub slots: Vec<Slot>,
    /// Whether arguments depend on what launches before it write: they are those for ones.
    pub late: bool,
    /// What it was made from.
    pub origin: Origin,
}

/// A launch of the file, and the numbers of the loops around it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The launch.
    pub launch: Arc<LaunchSpec>,
    /// The variables of loops.
    pub locals: Vec<(String, Value)>,
}

/// An address among the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where in the kernarg segment.
    pub at: usize,
    /// What it points to.
    pub place: Place,
}

/// A place in a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The tensor.
    pub tensor: String,
    /// Bytes behind its first.
    pub offset: u64,
}

impl Binding {
    /// The type that a tensor's elements have on the device, if not the contract's.
    pub fn kind(&self, name: &str) -> Option<ElementKind> {
        let found = self.types.iter().find(|(known, _)| known.value == name);
        found.map(|(_, kind)| *kind)
    }

    /// Whether the elements of a tensor are handed over as another function of themselves.
    pub fn converts(&self, name: &str) -> bool {
        self.converted.iter().any(|(known, _)| known.value == name)
    }

    /// The formulas with names, in the way in which a case is launched.
    pub(super) fn named(&self, values: &Values) -> Vec<Named<'_>> {
        let varied = |name: &str| {
            let (_, formulas) = self.varied.iter().find(|(known, _)| known == name)?;
            formulas.get(values.variant() % formulas.len().max(1))
        };
        let named = self.lets.iter().map(|(name, formula)| Named {
            name: &name.value,
            formula: &varied(&name.value).unwrap_or(formula).value,
        });
        named.collect()
    }

    /// What keeps it from a case: a convention that it says nothing of, numbers that a type of its does not hold, or its `when`, as written.
    pub fn refuses(&self, values: &Values) -> Result<Option<String>, Stop> {
        if let Some(name) = self.unaware_of(values) {
            return Ok(Some(format!("its binding says nothing of {name}")));
        }
        let class = values.word("values");
        let class = class.filter(|class| BEYOND_F16.contains(class));
        // Great values may stand in outputs of f16, which saturate, but not in inputs.
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

    /// Whether a planted bug is wrong at a case.
    ///
    /// # Errors
    /// Its `when` does not fit the case.
    pub fn plants(&self, planted: &PlantedSpec, values: &Values) -> Result<bool, Stop> {
        let lets = self.named(values);
        let scope = Scope::new(self.function, values, &[], &lets);
        planted
            .when
            .as_ref()
            .map_or(Ok(true), |when| self.truth(&scope, when))
    }

    pub(super) fn truth(&self, scope: &Scope<'_>, when: &Placed<Formula>) -> Result<bool, Stop> {
        let value = scope.number(&when.value);
        let truth = value.and_then(|value| {
            let help = "write a comparison";
            value
                .truth()
                .map_err(|why| Trouble::new(&when.value.at, why, help))
        });
        truth.map_err(|trouble| self.source.stop(&when.span, trouble))
    }

    pub(super) fn complain<T>(
        &self,
        span: &Range<usize>,
        title: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, Stop> {
        let length = span.len().saturating_sub(2);
        Err(self
            .source
            .stop(span, Trouble::new(&(0..length), title, help)))
    }

    /// The launches at a case, on tensors as [`Binding::shapes`] gives them.
    ///
    /// # Errors
    /// Something in the file does not fit the case or the code object: file, line and caret.
    pub fn resolve(
        &self,
        objects: Objects<'_>,
        values: &Values,
        shapes: &[Shape],
        outputs: &[&str],
        planted: Option<&PlantedSpec>,
    ) -> Result<Resolved, Stop> {
        if let Some(reason) = self.refuses(values)? {
            return Ok(Resolved::Skip(reason));
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
            let named = |slot: &Slot| slot.place.tensor == *output || slot.place.tensor == holder;
            if planted.is_none() && !calls.iter().any(|call| call.slots.iter().any(named)) {
                let title = format!("no launch is handed the output `{output}`");
                return Err(self.source.stop(
                    &self.span,
                    Trouble::new(
                        &(0..self.function.name.len()),
                        title,
                        format!("the kernels must write it: name `{output}` among the `args`"),
                    ),
                ));
            }
        }
        Ok(Resolved::Launches(calls))
    }

    /// A launch whose arguments depend on what launches before it have written.
    ///
    /// # Errors
    /// As for [`Binding::resolve`].
    pub fn resolve_again(
        &self,
        objects: Objects<'_>,
        values: &Values,
        shapes: &[Shape],
        call: &Call,
        held: &Held<'_>,
    ) -> Result<Call, Stop> {
        let lets = self.named(values);
        let mut scope = Scope::new(self.function, values, shapes, &lets);
        scope.locals.clone_from(&call.origin.locals);
        scope.held = Some(held);
        self.call(objects, &scope, &call.origin.launch)
    }

    /// The work-item, in x, y and z over the whole grid, that computes an element of a tensor in a launch; nothing where the binding
    /// does not say. `flat` counts from the first element of the tensor.
    pub fn owner(
        &self,
        values: &Values,
        shapes: &[Shape],
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

/// The launches of a case, one after the other.
struct Walk<'a> {
    binding: &'a Binding,
    objects: Objects<'a>,
    planted: Option<&'a PlantedSpec>,
    scope: Scope<'a>,
    calls: Vec<Call>,
    /// How often a loop has gone round: loops within loops may launch nothing and never end.
    rounds: i128,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
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

    /// Does something once, or for each number of a loop, or not at all.
    fn each(
        &mut self,
        when: Option<&Placed<Formula>>,
        each: Option<&Placed<Loop>>,
        work: &mut dyn FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let binding = self.binding;
        if let Some(when) = when
            && !binding.truth(&self.scope, when)?
        {
            return Ok(());
        }
        let Some(each) = each else {
            return work(self);
        };
        let end = |formula: &Formula| Placed {
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

    fn launch(&mut self, launch: &LaunchSpec) -> Result<(), Stop> {
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

    fn too_many(&self, span: &Range<usize>, number: i128) -> Result<(), Stop> {
        let title = format!("these are {number} launches");
        self.binding
            .complain(span, title, format!("make at most {MAX_LAUNCHES}"))
    }
}

/// Elements of an input as a binding has them handed over.
pub fn convert(
    binding: &Binding,
    values: &Values,
    shapes: &[Shape],
    name: &str,
    elements: &[f64],
) -> Result<Option<Vec<f64>>, Stop> {
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
        out.push(value.map_err(|trouble| binding.source.stop(&formula.span, trouble))?);
        scope.locals.pop();
    }
    Ok(Some(out))
}
