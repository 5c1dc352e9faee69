//! Tensors of an instance, and their expected values.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};

use crate::compare::{OutputLimits, Unusable};
use crate::report::model::Rounding;
use crate::tensor::{Axis, Data, ElementKind};

/// A tensor of an instance, or a part of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The tensor's index among the tensors of its instance.
    pub tensor: usize,
    /// The first element.
    pub first: usize,
    /// Elements.
    pub count: usize,
}

impl Buffer {
    /// Returns the part of `count` elements from element `first` on.
    pub fn part(self, first: usize, count: usize) -> Buffer {
        Buffer {
            tensor: self.tensor,
            first: self.first + first,
            count,
        }
    }
}

/// The role of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It starts with values that no launch may change.
    Input,
    /// It starts as poison, and launches write it.
    Written,
    /// It starts with values, and launches write a part of it.
    Updated,
}

/// The most elements of a tensor whose values formulas take.
pub const MAX_NUMBERS: usize = 1 << 20;

/// The values of a tensor of whole numbers, as formulas take them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Numbers {
    /// The tensor has no values for formulas: it is of floats, too large, or written by launches alone.
    #[default]
    None,
    /// The values are drawn when the case runs.
    Undrawn,
    /// The values in the contract's order.
    Known(Arc<[f64]>),
}

/// A tensor of an instance.
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// Its role.
    pub role: Role,
    /// The type of its elements.
    pub kind: ElementKind,
    /// Its initial values; none for a tensor that launches write.
    pub data: Option<Data>,
    /// True if the values are placeholders for values that a case draws, because only the tensors were asked for.
    pub undrawn: bool,
    /// True if kernels are offered it; otherwise only the references know it.
    pub offered: bool,
    /// True if kernels may take it in the place of the inputs that it follows from.
    pub alternative: bool,
    /// The distribution that it was drawn from; none if it follows from other tensors.
    pub values: Option<String>,
    /// The initial bytes on the device, computed on first use.
    pub bytes: OnceLock<Option<Vec<u8>>>,
}

impl Tensor {
    /// Returns the initial bytes in the contract's order.
    pub fn bytes(&self) -> Option<&[u8]> {
        let made = || self.data.as_ref().map(Data::bytes);
        self.bytes.get_or_init(made).as_deref()
    }

    /// Elements.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }

    /// Returns the element of an input of one element.
    pub fn scalar(&self) -> Option<f64> {
        let data = self.data.as_ref().filter(|_| self.count() == 1)?;
        data.wide().first().copied()
    }

    /// Returns the values as formulas take them.
    pub fn numbers(&self) -> Numbers {
        let takes = !self.kind.is_float() && self.count() <= MAX_NUMBERS;
        match self.data.as_ref().filter(|_| takes) {
            None => Numbers::None,
            Some(_) if self.undrawn => Numbers::Undrawn,
            Some(data) => Numbers::Known(data.wide().into()),
        }
    }
}

/// Returns one axis of `n` elements.
pub fn elements(n: usize) -> Vec<Axis> {
    axes([("element", n)])
}

/// Returns the axes of a matrix.
pub fn table(rows: usize, columns: usize) -> Vec<Axis> {
    axes([("row", rows), ("column", columns)])
}

/// Makes axes by name and length, outermost first.
pub fn axes<const N: usize>(named: [(&str, usize); N]) -> Vec<Axis> {
    named
        .into_iter()
        .map(|(name, length)| Axis::new(name, length))
        .collect()
}

/// An output and its expected values.
pub struct Check {
    /// The output's buffer.
    pub buffer: Buffer,
    /// The name in reports: the tensor's name, or a part's name.
    pub name: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// The golden reference, in the tensor's type.
    pub golden: Data,
    /// The expected values in f64.
    pub oracle: Vec<f64>,
    /// Errors that a right kernel may make in this case, even if the test allows less.
    pub rounding: Rounding,
    /// Mistakes that a report should recognise.
    pub mistakes: Vec<Mistake>,
    /// True if the right output may be zeros or a copy of an input.
    pub uncomputed: bool,
    /// True if the right output may be near a copy of an input by chance, because it has few elements.
    pub few: bool,
    /// The limits of the comparison, or the reason why nothing can be compared.
    pub limits: OnceLock<Result<OutputLimits, Unusable>>,
    /// A trivial output that would pass, if there is one: zeros, or a copy of an input.
    pub trivial: OnceLock<Option<String>>,
}

/// A mistake that a kernel may make, and the output that it leaves.
pub struct Mistake {
    /// Short stable name: `state-dropped`.
    pub name: &'static str,
    /// The explanation of such an output: `the state is dropped at chunk boundaries`.
    pub explanation: Cow<'static, str>,
    /// Computes that output.
    compute: Box<dyn Fn() -> Vec<f64> + Send + Sync>,
    made: OnceLock<Vec<f64>>,
}

impl Mistake {
    /// Makes a mistake from its short name, its explanation, and the output that it leaves.
    pub fn new(
        name: &'static str,
        explanation: impl Into<Cow<'static, str>>,
        values: impl Fn() -> Vec<f64> + Send + Sync + 'static,
    ) -> Mistake {
        Mistake {
            name,
            explanation: explanation.into(),
            compute: Box::new(values),
            made: OnceLock::new(),
        }
    }

    /// Makes a mistake of two outputs that one computation leaves, as it shows in each.
    pub fn pair(
        name: &'static str,
        explanation: &'static str,
        values: impl FnOnce() -> (Vec<f64>, Vec<f64>) + Send + Sync + 'static,
    ) -> [Mistake; 2] {
        type Both = dyn FnOnce() -> (Vec<f64>, Vec<f64>) + Send + Sync;
        let both = Arc::new(LazyLock::new(Box::new(values) as Box<Both>));
        let other = Arc::clone(&both);
        [
            Mistake::new(name, explanation, move || both.0.clone()),
            Mistake::new(name, explanation, move || other.1.clone()),
        ]
    }

    /// Returns the output that the mistake leaves. It is computed at the first call, because only a wrong output needs it.
    pub fn values(&self) -> &[f64] {
        self.made.get_or_init(|| (self.compute)())
    }
}

/// A case with its tensors and the expected values of its outputs.
#[derive(Default)]
pub struct PreparedCase {
    /// Tensors, in the order in which the contract names them.
    pub tensors: Vec<Tensor>,
    /// Outputs and their expected values.
    pub checks: Vec<Check>,
}

impl PreparedCase {
    /// Returns the bytes of the tensors and of all that comparisons keep of the expected values, roughly.
    pub fn bytes(&self) -> u64 {
        // A tensor has values and initial bytes; an output has the reference and the oracle, and both again in its limits.
        let tensors = self.tensors.iter().map(|tensor| 8 * tensor.count());
        let checks = self.checks.iter().map(|check| 48 * check.oracle.len());
        tensors.chain(checks).sum::<usize>() as u64
    }
}
