//! A binding at one case: which kernels are launched on which grids with which bytes as arguments.

use std::ops::Range;

use gfx906::code_object::{Arg, ArgKind, CodeObject, Kernel, MAX_LDS, MAX_WORK_GROUP};

use super::arguments::{Piece, pieces};
use super::formula::{Formula, Trouble};
use super::layout::Layout;
use super::scope::{Named, Scope, Shape, Side};
use super::symbol::find;
use super::value::{Value, integer};
use super::{ArgSpec, Binding, LaunchSpec, Placed, PlantedSpec};
use crate::compare::ElementKind;
use crate::exit::Stop;
use crate::registry::Values;
use crate::text::nearest;

/// The most launches of one case.
const MAX_LAUNCHES: i128 = 1 << 16;
/// The most elements of a tensor with its pitch.
const MAX_ELEMENTS: usize = 1 << 26;

/// A binding at a case.
#[derive(Debug, PartialEq)]
pub enum Resolved {
    /// It is not for this case, for this reason.
    Skip(String),
    /// Its launches, in order.
    Launches(Vec<Call>),
}

/// A launch whose arguments lack nothing but addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The kernel, as the code object calls it.
    pub kernel: String,
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

    /// The formulas with names.
    fn named(&self) -> Vec<Named<'_>> {
        let named = self.lets.iter().map(|(name, formula)| Named {
            name: &name.value,
            formula: &formula.value,
        });
        named.collect()
    }

    /// What keeps it from a case: its `when`, as written.
    pub fn refuses(&self, values: &Values) -> Result<Option<String>, Stop> {
        let Some(when) = &self.when else {
            return Ok(None);
        };
        let lets = self.named();
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
        let lets = self.named();
        let scope = Scope::new(self.function, values, &[], &lets);
        planted
            .when
            .as_ref()
            .map_or(Ok(true), |when| self.truth(&scope, when))
    }

    fn truth(&self, scope: &Scope<'_>, when: &Placed<Formula>) -> Result<bool, Stop> {
        let value = scope.number(&when.value);
        let truth = value.and_then(|value| {
            let help = "write a comparison";
            value
                .truth()
                .map_err(|why| Trouble::new(&when.value.at, why, help))
        });
        truth.map_err(|trouble| self.source.stop(&when.span, trouble))
    }

    fn complain<T>(
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

    /// Tensors as the device has them: types and layouts of the binding, and its scratch behind the contract's.
    ///
    /// # Errors
    /// It names a tensor or an axis that there is not, or a type that the tensor cannot have.
    pub fn shapes(&self, contract: Vec<Shape>, values: &Values) -> Result<Vec<Shape>, Stop> {
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
            if change && !(narrow(shape.kind) && narrow(*kind)) {
                let title = format!(
                    "`{}` is of {} and cannot be of {}",
                    name.value,
                    shape.kind.name(),
                    kind.name()
                );
                return self.complain(&name.span, title, "f32, f16 and bf16 stand for each other");
            }
            shape.kind = *kind;
        }
        for (name, _) in &self.converted {
            self.known(&mut shapes, &names, name)?;
        }
        let lets = self.named();
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
            shapes.push(Shape {
                name: name.value.clone(),
                kind: kind.unwrap_or(ElementKind::F32),
                axes: vec![Side {
                    name: "element".into(),
                    symbol: String::new(),
                    length: count,
                }],
                layout: Layout::plain(&[count]),
                scalar: None,
            });
        }
        for scratch in &self.scratch {
            let scope = Scope::new(self.function, values, &shapes, &lets);
            let name = &scratch.name.value;
            if scope.shape(name).is_some() {
                return self.complain(
                    &scratch.name.span,
                    format!("`{name}` is a tensor of the contract"),
                    "give scratch another name",
                );
            }
            let mut axes = Vec::new();
            for length in &scratch.lengths {
                let length = self.size(&scope, length, "a length")?;
                axes.push(Side {
                    name: format!("axis {}", axes.len()),
                    symbol: String::new(),
                    length,
                });
            }
            let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
            let plain: Vec<usize> = (0..lengths.len()).collect();
            let Some(layout) =
                Layout::new(&lengths, &plain, None).filter(|layout| layout.count <= MAX_ELEMENTS)
            else {
                return self.complain(
                    &scratch.name.span,
                    format!("`{name}` is too large"),
                    format!("give it at most {MAX_ELEMENTS} elements"),
                );
            };
            shapes.push(Shape {
                name: name.clone(),
                kind: scratch.kind,
                axes,
                layout,
                scalar: None,
            });
        }
        Ok(shapes)
    }

    fn known<'s>(
        &self,
        shapes: &'s mut [Shape],
        names: &[String],
        name: &Placed<String>,
    ) -> Result<&'s mut Shape, Stop> {
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
                // A bare key has no quotes around it.
                Err(self
                    .source
                    .stop(&name.span, Trouble::new(&(0..0), title, help)))
            }
        }
    }

    /// A whole number from 1 up.
    fn size(
        &self,
        scope: &Scope<'_>,
        formula: &Placed<Formula>,
        what: &str,
    ) -> Result<usize, Stop> {
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

    fn whole(&self, scope: &Scope<'_>, formula: &Placed<Formula>) -> Result<i128, Stop> {
        let number = scope.number(&formula.value).and_then(|value| {
            let help = "round it, or leave the case out with `when`";
            value
                .integer()
                .map_err(|why| Trouble::new(&formula.value.at, why, help))
        });
        number.map_err(|trouble| self.source.stop(&formula.span, trouble))
    }

    /// The launches at a case, on tensors as [`Binding::shapes`] gives them.
    ///
    /// # Errors
    /// Something in the file does not fit the case or the code object: file, line and caret.
    pub fn resolve(
        &self,
        object: &CodeObject,
        values: &Values,
        shapes: &[Shape],
        outputs: &[&str],
        planted: Option<&PlantedSpec>,
    ) -> Result<Resolved, Stop> {
        if let Some(reason) = self.refuses(values)? {
            return Ok(Resolved::Skip(reason));
        }
        let lets = self.named();
        let mut scope = Scope::new(self.function, values, shapes, &lets);
        let mut calls = Vec::new();
        for (number, launch) in self.launches.iter().enumerate() {
            let changed = planted.filter(|planted| planted.launch == number);
            let launch = changed.map_or_else(|| launch.clone(), |planted| planted.change(launch));
            if let Some(when) = &launch.when
                && !self.truth(&scope, when)?
            {
                continue;
            }
            let Some(each) = &launch.each else {
                calls.push(self.call(object, &scope, &launch)?);
                continue;
            };
            let part = |formula: &Formula| Placed {
                span: each.span.clone(),
                value: formula.clone(),
            };
            let (from, to) = (
                self.whole(&scope, &part(&each.value.from))?,
                self.whole(&scope, &part(&each.value.to))?,
            );
            if to.saturating_sub(from) > MAX_LAUNCHES {
                let title = format!("these are {} launches", to - from);
                return self.complain(&each.span, title, format!("make at most {MAX_LAUNCHES}"));
            }
            for number in from..to {
                scope
                    .locals
                    .push((each.value.name.clone(), integer(number)));
                calls.push(self.call(object, &scope, &launch)?);
                scope.locals.pop();
            }
        }
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

    fn call(
        &self,
        object: &CodeObject,
        scope: &Scope<'_>,
        launch: &LaunchSpec,
    ) -> Result<Call, Stop> {
        let symbol = &launch.symbol;
        let wanted = symbol
            .value
            .at(scope)
            .map_err(|trouble| self.source.stop(&symbol.span, trouble))?;
        let names = object.kernels.iter().map(|kernel| kernel.name.as_str());
        let kernel = match find(&wanted, names) {
            Ok(name) => object.kernel(name),
            Err((title, help)) => return self.complain(&symbol.span, title, help),
        };
        let Some(kernel) = kernel else {
            return self.complain(
                &symbol.span,
                format!("the code object has no kernel `{wanted}`"),
                "`deltanet-check inspect` lists them",
            );
        };
        let grid = self.sides(scope, &launch.grid, "grid", u128::from(u32::MAX) >> 1)?;
        let block = self.sides(scope, &launch.block, "block", 1024)?;
        let dynamic_lds = match &launch.dynamic_lds {
            Some(formula) => {
                let bytes = self.whole(scope, formula)?;
                let room = MAX_LDS.saturating_sub(kernel.lds_size);
                match u32::try_from(bytes).ok().filter(|bytes| *bytes <= room) {
                    Some(bytes) => bytes,
                    None => {
                        let title = format!(
                            "{bytes} bytes of dynamic LDS beside {} of the kernel's own",
                            kernel.lds_size
                        );
                        return self.complain(
                            &formula.span,
                            title,
                            format!("a work-group has {MAX_LDS} bytes in all"),
                        );
                    }
                }
            }
            None => 0,
        };
        self.block_fits(kernel, launch, block)?;
        let (kernarg, slots) = self.lay_out(kernel, scope, &launch.args)?;
        Ok(Call {
            kernel: kernel.name.clone(),
            grid,
            block,
            dynamic_lds,
            kernarg,
            slots,
        })
    }

    fn sides(
        &self,
        scope: &Scope<'_>,
        formulas: &[Placed<Formula>],
        what: &str,
        most: u128,
    ) -> Result<[u32; 3], Stop> {
        let mut sides = [1; 3];
        for (side, formula) in sides.iter_mut().zip(formulas) {
            let number = self.whole(scope, formula)?;
            let fits = u128::try_from(number).is_ok_and(|number| (1..=most).contains(&number));
            match u32::try_from(number).ok().filter(|_| fits) {
                Some(number) => *side = number,
                None => {
                    let title = format!("a side of the {what} is {number}");
                    return self.complain(
                        &formula.span,
                        title,
                        format!("give 1 to {most}, or leave the case out with `when`"),
                    );
                }
            }
        }
        Ok(sides)
    }

    fn block_fits(
        &self,
        kernel: &Kernel,
        launch: &LaunchSpec,
        block: [u32; 3],
    ) -> Result<(), Stop> {
        let [x, y, z] = block;
        let items: u64 = block.iter().map(|&side| u64::from(side)).product();
        let span = match (launch.block.first(), launch.block.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => launch.span.clone(),
        };
        let compiled = match kernel.max_flat_work_group_size {
            0 => MAX_WORK_GROUP,
            most => most,
        };
        if items > u64::from(compiled) {
            let title = format!("a block of {x} x {y} x {z} has {items} work-items");
            return self.complain(
                &span,
                title,
                format!("`{}` was compiled for at most {compiled}", kernel.name),
            );
        }
        match kernel.required_work_group_size {
            Some(required) if required != block => {
                let title = format!("a block of {x} x {y} x {z}");
                self.complain(
                    &span,
                    title,
                    format!("`{}` was compiled for {required:?} only", kernel.name),
                )
            }
            _ => Ok(()),
        }
    }

    fn lay_out(
        &self,
        kernel: &Kernel,
        scope: &Scope<'_>,
        args: &Placed<Vec<Placed<ArgSpec>>>,
    ) -> Result<(Vec<u8>, Vec<Slot>), Stop> {
        let wanted: Vec<&Arg> = kernel.explicit_args().collect();
        if wanted.len() != args.value.len() {
            let title = format!(
                "`{}` takes {} arguments, these are {}",
                kernel.name,
                wanted.len(),
                args.value.len()
            );
            return self.complain(&args.span, title, format!("it takes {}", listed(&wanted)));
        }
        let mut segment = vec![0; kernel.explicit_kernarg_size() as usize];
        let mut slots = Vec::new();
        for (position, (arg, spec)) in wanted.iter().zip(&args.value).enumerate() {
            let pieces = pieces(&spec.value, scope)
                .map_err(|trouble| self.source.stop(&spec.span, trouble))?;
            let size: usize = pieces.iter().map(Piece::size).sum();
            let pointer = matches!(pieces[..], [Piece::Pointer(..)])
                || matches!(&spec.value, ArgSpec::Pointer(_));
            let kind_fits = match arg.kind {
                ArgKind::GlobalBuffer => pointer,
                _ => true,
            };
            if size != arg.size as usize || !kind_fits {
                let title = format!(
                    "argument {position} of `{}` is {}, this is {}",
                    kernel.name,
                    described(arg),
                    given(&spec.value, size)
                );
                return self.complain(&spec.span, title, format!("it takes {}", listed(&wanted)));
            }
            let mut at = arg.offset as usize;
            for piece in pieces {
                let size = piece.size();
                let Some(room) = segment.get_mut(at..at + size) else {
                    return self.complain(
                        &spec.span,
                        "the code object's metadata places this argument beyond its segment",
                        "build it again",
                    );
                };
                match piece {
                    Piece::Bytes(bytes) => room.copy_from_slice(&bytes),
                    Piece::Pointer(tensor, offset) => slots.push(Slot {
                        at,
                        place: self.place(scope, spec, tensor, offset)?,
                    }),
                }
                at += size;
            }
        }
        Ok((segment, slots))
    }

    fn place(
        &self,
        scope: &Scope<'_>,
        spec: &Placed<ArgSpec>,
        tensor: String,
        offset: i128,
    ) -> Result<Place, Stop> {
        let shape = scope.shape(&tensor);
        let bytes = shape.map_or(0, |shape| shape.layout.count * shape.kind.size());
        match u64::try_from(offset)
            .ok()
            .filter(|offset| *offset <= bytes as u64)
        {
            Some(offset) => Ok(Place { tensor, offset }),
            None => self.complain(
                &spec.span,
                format!("{offset} bytes behind the first of `{tensor}`"),
                format!("it has {bytes} bytes"),
            ),
        }
    }
}

/// An argument as the metadata has it.
pub fn described(arg: &Arg) -> String {
    let kind = match &arg.kind {
        ArgKind::GlobalBuffer => "pointer".to_owned(),
        ArgKind::ByValue => format!("{} bytes", arg.size),
        other => format!("{other:?}"),
    };
    match &arg.name {
        Some(name) => format!("{kind} `{name}`"),
        None => kind,
    }
}

fn listed(args: &[&Arg]) -> String {
    let args: Vec<String> = args.iter().map(|arg| described(arg)).collect();
    args.join(", ")
}

fn given(spec: &ArgSpec, size: usize) -> String {
    match spec {
        ArgSpec::Pointer(_) => "a pointer".into(),
        ArgSpec::Struct(_) => format!("a struct of {size} bytes"),
        _ => format!("{size} bytes"),
    }
}

impl PlantedSpec {
    /// The launch with what the planted bug changes.
    fn change(&self, honest: &LaunchSpec) -> LaunchSpec {
        let mut launch = honest.clone();
        if let Some(symbol) = &self.symbol {
            launch.symbol = symbol.clone();
        }
        if let Some(grid) = &self.grid {
            launch.grid = grid.clone();
        }
        if let Some(block) = &self.block {
            launch.block = block.clone();
        }
        if let Some(args) = &self.args {
            launch.args = args.clone();
        }
        launch
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
    let lets = binding.named();
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
