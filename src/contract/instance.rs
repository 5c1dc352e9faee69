//! An instance of a contract: the tensors of a case, drawn by seed, and the references of its outputs.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use deltanet_reference::rule::Scale;
use half::f16;

use super::tensor::{Buffer, Check, Mistake, Numbers, PreparedCase, Role, Tensor};
use super::{DeviceResult, ExternalTensors, Function, Values};
use crate::device::{DeviceError, DeviceErrorKind};
use crate::report::model::Rounding;
use crate::tensor::{Axis, Data, Distribution, ElementKind, Stream};

/// Types of tensors, by name, that differ from the contract's.
pub type Kinds<'a> = &'a dyn Fn(&str) -> Option<ElementKind>;

/// The builder of a contract's tensors and references in a case.
pub struct Instance<'a> {
    function: &'a Function,
    id: &'a str,
    seed: u64,
    values: &'a Values,
    given: Option<&'a ExternalTensors>,
    kinds: Kinds<'a>,
    /// False if only the tensors are asked for.
    computes: bool,
    made: PreparedCase,
    /// True if the contract has told its outputs, which ends a description.
    described: bool,
    /// Rounding of the checks that follow.
    rounding: Rounding,
    /// External inputs that the contract has used.
    used: BTreeSet<String>,
}

impl<'a> Instance<'a> {
    /// Prepares a case. Streams of random numbers are named by `id` and tensor.
    ///
    /// # Errors
    /// The contract contradicts itself, or does not have an external tensor. Both are mistakes in the harness.
    pub fn make(
        function: &'a Function,
        (id, values): (&'a str, &'a Values),
        seed: u64,
        given: Option<&'a ExternalTensors>,
        kinds: Kinds<'a>,
    ) -> DeviceResult<PreparedCase> {
        let instance = Instance {
            seed,
            given,
            kinds,
            ..Instance::of(function, (id, values))
        };
        instance.run()
    }

    /// Prepares a case of which only the tensors are asked for. A contract may leave out what the references cost.
    ///
    /// # Errors
    /// The contract contradicts itself.
    pub fn tensors(function: &'a Function, values: &'a Values) -> DeviceResult<PreparedCase> {
        let instance = Instance {
            computes: false,
            ..Instance::of(function, ("probe", values))
        };
        instance.run()
    }

    fn of(function: &'a Function, (id, values): (&'a str, &'a Values)) -> Instance<'a> {
        Instance {
            function,
            id,
            seed: 0,
            values,
            given: None,
            kinds: &|_| None,
            computes: true,
            made: PreparedCase::default(),
            described: false,
            rounding: Rounding::default(),
            used: BTreeSet::new(),
        }
    }

    fn run(mut self) -> DeviceResult<PreparedCase> {
        match (self.function.run)(&mut self) {
            Err(_) if self.described => return Ok(self.made),
            ran => ran?,
        }
        match self.unused() {
            Some(name) => Err(DeviceError::of(
                DeviceErrorKind::Harness,
                format!(
                    "`{name}` is given, and contract `{}` has no such tensor",
                    self.function.name
                ),
            )),
            None => Ok(self.made),
        }
    }

    /// Returns false if only the tensors are asked for.
    pub fn computes(&self) -> bool {
        self.computes
    }

    /// Names the outputs that will be checked whole, once all tensors are there. If only the tensors are asked for, the contract ends here,
    /// before it computes the references: its caller passes the error on.
    ///
    /// # Errors
    /// Only the tensors are asked for.
    pub fn outputs(&mut self, outputs: &[Buffer]) -> DeviceResult {
        if self.computes {
            return Ok(());
        }
        for &buffer in outputs {
            let tensor = &self.made.tensors[buffer.tensor];
            let (name, axes) = (tensor.name.clone(), tensor.axes.clone());
            self.push_check(
                buffer,
                (&name, axes),
                (Data::from(Vec::<f32>::new()), Vec::new()),
                Vec::new(),
            );
        }
        self.described = true;
        Err(DeviceError::of(
            DeviceErrorKind::Harness,
            "only the tensors are asked for".to_owned(),
        ))
    }

    /// Returns the contract.
    pub fn function(&self) -> &'a Function {
        self.function
    }

    /// Returns the case's stream of random numbers for a tensor.
    pub fn stream(&self, name: &str) -> Stream {
        Stream::new(self.seed, self.id, name)
    }

    /// Returns the id of the case.
    pub fn case_id(&self) -> &'a str {
        self.id
    }

    /// Sets the description of the values that a tensor was drawn from.
    pub fn describe(&mut self, buffer: Buffer, values: &str) {
        self.made.tensors[buffer.tensor].values = Some(values.into());
    }

    /// Returns the parameters of the case.
    pub fn parameters(&self) -> &'a Values {
        self.values
    }

    /// Returns an external tensor that the contract has not used.
    fn unused(&self) -> Option<&'a String> {
        let given = self.given?;
        let checked = |name: &str| self.made.checks.iter().any(|check| check.name == name);
        let inputs = given
            .inputs
            .keys()
            .filter(|name| !self.used.contains(*name));
        let expected = given.expected.keys().filter(|name| !checked(name));
        inputs.chain(expected).next()
    }

    /// Panics because the contract's code asks for a name that it does not declare. The trial turns the panic into an
    /// error.
    fn undeclared(&self, what: &str, name: &str) -> ! {
        panic!(
            "contract `{}` declares no {what} `{name}`",
            self.function.name
        )
    }

    /// Returns a word of the case. A choice that the case leaves open has the first of its words.
    pub fn word(&self, name: &str) -> &'static str {
        let first = || {
            let declared = self.function.choices().find(|(known, _)| *known == name);
            declared.and_then(|(_, words)| words.first().copied())
        };
        let word = self.values.word(name).or_else(first);
        word.unwrap_or_else(|| self.undeclared("choice", name))
    }

    /// Returns a word of the case, or none if the contract lacks the choice, for code that several contracts share.
    pub fn chosen(&self, name: &str) -> Option<&'static str> {
        let declared = self.function.choices().any(|(known, _)| *known == name);
        declared.then(|| self.word(name))
    }

    /// Returns true if the contract has a dimension.
    pub fn has(&self, name: &str) -> bool {
        self.function.dims.contains(&name)
    }

    /// Returns the factor on the output: that of the external tensors, or the default.
    pub fn scale(&self) -> Scale {
        self.given
            .map_or(Scale::InverseSqrtKeySize, ExternalTensors::scale)
    }

    /// Returns the bounds of packed sequences that external tensors have.
    pub fn bounds(&self) -> Option<Vec<usize>> {
        self.given.and_then(|given| given.bounds.clone())
    }

    /// Returns the flags of an input: those of the external tensor of this name, or else these.
    pub fn flags(&self, name: &str, flags: impl Iterator<Item = bool>) -> Vec<bool> {
        let flags: Vec<bool> = flags.collect();
        let given = self.given.and_then(|given| given.inputs.get(name));
        match given.map(Data::wide) {
            Some(given) if given.len() == flags.len() => given.iter().map(|x| *x != 0.0).collect(),
            _ => flags,
        }
    }

    /// Returns a size of the case.
    pub fn dim(&self, name: &str) -> usize {
        let dim = self.values.dim(name);
        dim.unwrap_or_else(|| self.undeclared("size", name))
    }

    /// Returns a whole number of the case, which may be negative.
    pub fn integer(&self, name: &str) -> i32 {
        let number = self
            .values
            .get(name)
            .and_then(|number| i32::try_from(number).ok());
        number.unwrap_or_else(|| self.undeclared("number", name))
    }

    /// Returns the type of a tensor: `kind` is the contract's, which the binding may replace.
    fn kind(&self, name: &str, kind: ElementKind) -> ElementKind {
        (self.kinds)(name).unwrap_or(kind)
    }

    /// Draws a tensor that only the references know, until it is offered to kernels.
    pub fn draw(&mut self, name: &str, axes: Vec<Axis>, distribution: Distribution) -> Buffer {
        self.draw_as(ElementKind::F32, name, axes, distribution)
    }

    /// Draws a tensor of another type than f32; drawn values are rounded.
    pub fn draw_as(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Buffer {
        self.draw_changed(kind, name, axes, distribution, |_, _| {})
    }

    /// Draws a tensor and replaces some of its values. `change` has its own stream of numbers, so that all other values
    /// stay the same.
    pub fn draw_changed(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
        change: impl FnOnce(&mut [f32], &mut Stream),
    ) -> Buffer {
        let kind = self.kind(name, kind);
        let count = axes.iter().map(|axis| axis.length).product();
        let given = self.given(name);
        let drawn = || {
            if !self.computes {
                return vec![0.0; count];
            }
            let mut drawn = Stream::new(self.seed, self.id, name).draw(count, distribution);
            let mut more = Stream::new(self.seed, self.id, &format!("{name}, changed"));
            change(&mut drawn, &mut more);
            drawn
        };
        let data = given.unwrap_or_else(|| drawn().into()).to(kind);
        let kept = self.keep(name, axes, Role::Input, kind, Some(data));
        self.made.tensors[kept.tensor].values = Some(distribution.to_string());
        match self.computes {
            true => kept,
            false => self.leave_undrawn(kept),
        }
    }

    /// Draws a tensor from a stream of another name. Streams keep their names, so that seeds keep their meaning.
    pub fn draw_from(
        &mut self,
        stream: &str,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Buffer {
        let drawn = self.draw(stream, axes, distribution);
        self.made.tensors[drawn.tensor].name = name.into();
        drawn
    }

    /// Adds a number that a kernel may take by value.
    pub fn scalar(&mut self, name: &str, value: f32) -> Buffer {
        let axes = super::elements(1);
        self.keep(
            name,
            axes,
            Role::Input,
            ElementKind::F32,
            Some(vec![value].into()),
        )
    }

    /// Draws an input of the kernels.
    pub fn input(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> DeviceResult<Buffer> {
        self.input_as(ElementKind::F32, name, axes, distribution)
    }

    /// Draws an input of another type than f32; drawn values are rounded, and device and references see the same
    /// values.
    pub fn input_as(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> DeviceResult<Buffer> {
        let drawn = self.draw_as(kind, name, axes, distribution);
        Ok(self.offer(drawn))
    }

    /// Adds an input on the device with values that the test computed from drawn values. Its type is the type of the values.
    pub fn upload(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        values: impl Into<Data>,
    ) -> DeviceResult<Buffer> {
        let held = self.hold(name, axes, values);
        Ok(self.offer(held))
    }

    /// Adds an input that follows from others, and that kernels may take in their place. Returns it if its values are given: then they count,
    /// and need not follow from the others.
    pub fn alternative(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        values: impl Into<Data>,
    ) -> DeviceResult<Option<Buffer>> {
        let buffer = self.upload(name, axes, values)?;
        self.made.tensors[buffer.tensor].alternative = true;
        let is_given = self.given(name).is_some();
        Ok(is_given.then_some(buffer))
    }

    /// Adds a tensor with these values that only the references know, until it is offered to kernels.
    pub fn hold(&mut self, name: &str, axes: Vec<Axis>, values: impl Into<Data>) -> Buffer {
        let values = values.into();
        let kind = self.kind(name, values.kind());
        let values = match self.given(name) {
            Some(given) => given.to(kind),
            None => values.to(kind),
        };
        self.keep(name, axes, Role::Input, kind, Some(values))
    }

    /// Adds a tensor that launches write in part. It starts with these values, has their type, and is compared as a whole.
    pub fn update(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        values: impl Into<Data>,
    ) -> DeviceResult<Buffer> {
        let values = values.into();
        let kind = self.kind(name, values.kind());
        let kept = self.keep(name, axes, Role::Updated, kind, Some(values.to(kind)));
        Ok(self.offer(kept))
    }

    /// Adds a tensor that launches write. It starts as poison.
    pub fn output(&mut self, name: &str, axes: Vec<Axis>) -> DeviceResult<Buffer> {
        self.output_as(ElementKind::F32, name, axes)
    }

    /// Adds an output of another type than f32.
    pub fn output_as(
        &mut self,
        kind: ElementKind,
        name: &str,
        axes: Vec<Axis>,
    ) -> DeviceResult<Buffer> {
        let kind = self.kind(name, kind);
        let kept = self.keep(name, axes, Role::Written, kind, None);
        Ok(self.offer(kept))
    }

    /// Returns the type of a tensor's elements.
    pub fn kind_of(&self, buffer: Buffer) -> ElementKind {
        self.made.tensors[buffer.tensor].kind
    }

    /// Returns the axes of a tensor.
    pub fn axes(&self, buffer: Buffer) -> &[Axis] {
        &self.made.tensors[buffer.tensor].axes
    }

    /// Returns the values of an input of f32, or of bf16 or f16 as f32.
    pub fn values(&self, buffer: Buffer) -> &[f32] {
        self.typed(buffer, "values", Data::floats)
    }

    /// Returns the values of an input of f64.
    pub fn doubles(&self, buffer: Buffer) -> &[f64] {
        self.typed(buffer, "doubles", Data::doubles)
    }

    /// Returns the values of an input of whole numbers.
    pub fn integers(&self, buffer: Buffer) -> &[i32] {
        self.typed(buffer, "integers", Data::integers)
    }

    /// Returns the values of a tensor as formulas take them.
    pub fn numbers(&self, buffer: Buffer) -> Numbers {
        self.made.tensors[buffer.tensor].numbers()
    }

    /// Returns the values of an input of any type in f64, for the oracle.
    pub fn wide(&self, buffer: Buffer) -> Vec<f64> {
        let all = self.made.tensors[buffer.tensor].data.as_ref();
        let all = all.map(Data::wide).unwrap_or_default();
        all[buffer.first..buffer.first + buffer.count].to_vec()
    }

    /// Returns the values of an input. `get` must fit its type.
    fn typed<'t, T>(
        &'t self,
        buffer: Buffer,
        asked: &str,
        get: impl Fn(&'t Data) -> Option<&'t [T]>,
    ) -> &'t [T] {
        let tensor = &self.made.tensors[buffer.tensor];
        match tensor.data.as_ref().and_then(get) {
            Some(all) => &all[buffer.first..buffer.first + buffer.count],
            // The contract's code is wrong, which its first run shows. The trial turns the panic into an error.
            None => panic!(
                "`{}` is of {} and no input that `{asked}` can give",
                tensor.name,
                tensor.kind.name()
            ),
        }
    }

    fn given(&mut self, name: &str) -> Option<Data> {
        let given = self.given?.inputs.get(name).cloned()?;
        self.used.insert(name.to_owned());
        Some(given)
    }

    /// Marks the values of a tensor as placeholders for values that a case draws.
    pub fn leave_undrawn(&mut self, buffer: Buffer) -> Buffer {
        self.made.tensors[buffer.tensor].undrawn = true;
        buffer
    }

    /// Offers a tensor to kernels, and returns it.
    pub fn offer(&mut self, buffer: Buffer) -> Buffer {
        self.made.tensors[buffer.tensor].offered = true;
        buffer
    }

    fn keep(
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
            undrawn: false,
            offered: false,
            alternative: false,
            values: None,
            bytes: OnceLock::new(),
        };
        let count = tensor.count();
        self.made.tensors.push(tensor);
        Buffer {
            tensor: self.made.tensors.len() - 1,
            first: 0,
            count,
        }
    }

    /// Returns true if the values are all 0, or are those of an input but for roundings: a gate may be closed, and then a state stays.
    fn is_zero_or_copy(&self, values: &Data) -> bool {
        let wide = values.wide();
        let largest = wide
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let is_near = |copy: &[f64]| {
            let mut pairs = wide.iter().zip(copy);
            pairs.all(|(value, copy)| value == copy || (value - copy).abs() <= ROUNDED * largest)
        };
        let inputs = self
            .made
            .tensors
            .iter()
            .filter_map(|tensor| tensor.data.as_ref());
        let mut inputs = inputs.filter(|data| data.count() == wide.len());
        wide.iter().all(|value| *value == 0.0) || inputs.any(|data| is_near(&data.wide()))
    }

    /// Sets the errors that right kernels may make in the outputs that are checked from here on, even if a test allows less.
    pub fn allow_rounding(&mut self, rounding: Rounding) {
        self.rounding = rounding;
    }

    /// Sets the references of a tensor: the golden reference and the oracle.
    pub fn check<G: Into<Data>>(
        &mut self,
        buffer: Buffer,
        references: (G, Vec<f64>),
    ) -> DeviceResult {
        self.check_or(buffer, references, Vec::new())
    }

    /// Sets the values that a tensor must have exactly: copies, integers, everything that is not rounded.
    pub fn check_exact(&mut self, buffer: Buffer, values: impl Into<Data>) -> DeviceResult {
        let values = values.into();
        let wide = values.wide();
        self.check_or(buffer, (values, wide), Vec::new())
    }

    /// Checks a tensor as [`Instance::check`] does, with the mistakes that a report should recognise. A golden
    /// reference of floats is rounded to the tensor's type.
    pub fn check_or<G: Into<Data>>(
        &mut self,
        buffer: Buffer,
        (golden, oracle): (G, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) -> DeviceResult {
        let tensor = &self.made.tensors[buffer.tensor];
        let (name, axes) = (tensor.name.clone(), tensor.axes.clone());
        self.check_part(buffer, (&name, axes), (golden, oracle), mistakes)
    }

    /// Checks a part of a tensor that holds several outputs. The part is judged and reported by its own name and axes.
    pub fn check_part<G: Into<Data>>(
        &mut self,
        buffer: Buffer,
        (name, axes): (&str, Vec<Axis>),
        (golden, oracle): (G, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) -> DeviceResult {
        let tensor = &self.made.tensors[buffer.tensor];
        let expected = self.given.and_then(|given| given.expected.get(name));
        let golden = expected.map_or_else(|| golden.into(), |values| values.clone().into());
        if golden.kind().is_float() && !tensor.kind.is_float() {
            return Err(DeviceError::of(
                DeviceErrorKind::Harness,
                format!(
                    "`{name}` is of {} and its golden reference of {}: the test must give it in whole numbers",
                    tensor.kind.name(),
                    golden.kind().name()
                ),
            ));
        }
        let (golden, oracle) = saturate(tensor.kind, golden, oracle);
        let rounded = golden.to(tensor.kind);
        self.push_check(buffer, (name, axes), (rounded, oracle), mistakes);
        Ok(())
    }

    fn push_check(
        &mut self,
        buffer: Buffer,
        (name, axes): (&str, Vec<Axis>),
        (golden, oracle): (Data, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) {
        // A user's draw or tensors may make the right output zeros or a copy, which is no mistake of the contract.
        let of_a_user =
            self.function.is_custom() || self.given.is_some_and(|given| !given.expected.is_empty());
        let drawn_so = of_a_user && self.is_zero_or_copy(&golden);
        self.made.checks.push(Check {
            buffer,
            name: name.into(),
            axes,
            golden,
            oracle,
            rounding: self.rounding,
            mistakes,
            few: buffer.count <= FEW,
            uncomputed: drawn_so || self.function.domain.is_uncomputed(self.values),
            limits: OnceLock::new(),
            trivial: OnceLock::new(),
        });
    }
}

/// The share of the largest value by which a copy may differ, as by a term that f32 rounds away.
const ROUNDED: f64 = 1e-6;

/// The number of elements up to which an output may be near a copy of an input by chance.
const FEW: usize = 16;

/// Saturates the references of an output of f16: a finite number beyond the type's range becomes the largest number of its sign.
fn saturate(kind: ElementKind, golden: Data, oracle: Vec<f64>) -> (Data, Vec<f64>) {
    let largest = f64::from(f16::MAX);
    if kind != ElementKind::F16 || !oracle.iter().any(|x| x.is_finite() && x.abs() > largest) {
        return (golden, oracle);
    }
    let saturated = |x: f64| match x.is_finite() {
        true => x.clamp(-largest, largest),
        false => x,
    };
    let golden: Vec<f64> = golden.wide().into_iter().map(saturated).collect();
    let oracle = oracle.into_iter().map(saturated).collect();
    (Data::f64(golden), oracle)
}

/// Computes the golden reference in f32 and the oracle in f64 by the same expression on the same inputs.
///
/// `references!(t, |a, b| mul(a, b))` takes the inputs `a` and `b` of the instance `t`, once as f32 (bf16 and f16 widened) and once
/// as f64, and gives the pair of results. Inputs after a semicolon, as `g` in `|a, b; g|`, are f64 in both.
#[macro_export]
macro_rules! references {
    ($trial:expr, |$($name:ident),* $(; $($double:ident),+)?| $body:expr) => {{
        $($(let $double: &[f64] = $trial.doubles($double);)+)?
        let golden = {
            $(let $name: &[f32] = $trial.values($name);)*
            $body
        };
        let oracle = {
            $(let $name: &[f64] = &$trial.wide($name);)*
            $body
        };
        (golden, oracle)
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_f16_are_its_largest_and_infinities_stay() {
        let far = [1e30, -65_505.0, 65_503.0, 0.5, f64::INFINITY];
        let narrow: Vec<f32> = far.iter().map(|x| *x as f32).collect();
        let (golden, oracle) = saturate(ElementKind::F16, narrow.clone().into(), far.to_vec());
        let largest = [65_504.0, -65_504.0, 65_503.0, 0.5, f64::INFINITY];
        assert_eq!(oracle, largest);
        assert_eq!(golden.wide(), largest);
        // The largest number is what a plain conversion does not give.
        assert!(f16::from_f64(far[0]).is_infinite());
        assert_eq!(golden.to(ElementKind::F16).wide()[..2], largest[..2]);
        for kind in [ElementKind::F32, ElementKind::Bf16] {
            let (golden, oracle) = saturate(kind, narrow.clone().into(), far.to_vec());
            assert_eq!(oracle, far);
            assert_eq!(golden, Data::from(narrow.clone()));
        }
    }
}
