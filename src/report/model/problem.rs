//! Problems that the buffers of a trial can have, in the order of judgement.

use serde::{Deserialize, Serialize};

use super::number;
use crate::tensor::Axis;
pub use crate::tensor::guards::GuardSide;

/// The work-item that computes an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The number of the launch in the trial, from 0.
    pub launch: usize,
    /// Work-group id in x, y, z.
    pub work_group: [u32; 3],
    /// Work-item id within the group in x, y, z.
    pub work_item: [u32; 3],
}

/// One element of an output and its expected value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Index along each axis of the tensor.
    pub index: Vec<usize>,
    /// The value that the device wrote.
    #[serde(with = "number")]
    pub got: f64,
    /// The value of the reference.
    #[serde(with = "number")]
    pub want: f64,
    /// The error that this element is allowed.
    #[serde(with = "number")]
    pub allowed: f64,
    /// The work-item that computes the element, when known.
    pub owner: Option<Owner>,
}

/// The reference that an output was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reference {
    /// The reference of the kernel's own element type and order of operations.
    Golden,
    /// The reference that evaluates the formula in f64.
    Oracle,
}

/// The first position along an axis with a bad element in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstBad {
    /// The axis: `token`, `chunk`, `row`.
    pub axis: String,
    /// The lowest index along the axis that has a bad element.
    pub index: usize,
}

/// The storage that a kernel read before anything was written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnwrittenStorage {
    /// The storage is a register.
    Register,
    /// The storage is LDS of the work-group.
    Lds,
    /// The storage is scratch memory.
    Scratch,
    /// The storage is device memory.
    Memory,
}

/// Wrong elements that come from unwritten storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnwrittenSource {
    /// The storage that they come from.
    pub what: UnwrittenStorage,
    /// The number of wrong elements.
    pub count: usize,
}

/// A simple mistake that explains a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// Short stable name: `transposed`, `scale`, `sign`.
    pub name: String,
    /// The explanation in words.
    pub explanation: String,
    /// The largest error that remains if the explanation is right.
    #[serde(with = "number")]
    pub remaining: f64,
    /// True if the remaining error is within tolerance.
    pub explains_all: bool,
    /// Wrong elements that are no numbers and that the hypothesis does not explain; `remaining` and `explains_all` leave them out.
    pub except: usize,
}

/// Wrong elements that are numbers, in an output that has other elements that are not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongNumbers {
    /// The reference that these elements miss; the golden one where they miss both.
    pub against: Reference,
    /// The number of these elements.
    pub count: usize,
    /// The element whose error exceeds what it is allowed by most.
    pub worst: Element,
    /// The largest absolute difference of these elements.
    #[serde(with = "number")]
    pub max_abs: f64,
    /// The relative RMS error of all elements of the output that are numbers.
    #[serde(with = "number")]
    pub relative_rms: f64,
}

/// A problem of a trial. The variants are in the order of judgement; the first that applies is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Problem {
    /// A launch wrote outside a buffer.
    GuardOverwritten {
        /// The buffer whose guard was overwritten.
        buffer: String,
        /// The side of the buffer that the guard is on.
        side: GuardSide,
        /// The overwritten byte nearest to the buffer, counted from the buffer's first byte (negative before it);
        /// between rows the first overwritten byte.
        offset: i64,
        /// Overwritten bytes in this guard.
        count: usize,
        /// Size of the buffer in bytes.
        size: usize,
    },
    /// A launch wrote to one of its inputs.
    InputChanged {
        /// The input that changed.
        input: String,
        /// The input's axes, outermost first.
        axes: Vec<Axis>,
        /// The first changed element.
        index: Vec<usize>,
        /// The value that was uploaded.
        #[serde(with = "number")]
        was: f64,
        /// The value that the input has after the launch.
        #[serde(with = "number")]
        is: f64,
        /// The number of changed elements.
        count: usize,
        /// The number of elements of the input.
        total: usize,
    },
    /// An output has elements that no launch has written.
    PoisonLeft {
        /// The number of unwritten elements.
        count: usize,
        /// The number of elements of the output.
        total: usize,
        /// The number of elements that were written, and are wrong.
        wrong_besides: usize,
        /// The first unwritten element.
        index: Vec<usize>,
        /// The work-item that should have written it, when known.
        owner: Option<Owner>,
        /// The location of the unwritten elements in words, if there is a pattern.
        pattern: Option<String>,
    },
    /// An output has a NaN, or an infinity where the reference does not have the same infinity.
    NonFinite {
        /// The number of NaNs.
        nan: usize,
        /// The number of wrong infinities.
        inf: usize,
        /// The number of NaNs that carry a poison's payload: they were computed from unwritten storage.
        from_poison: usize,
        /// The unwritten storage that these NaNs come from.
        unwritten: Vec<UnwrittenSource>,
        /// The number of elements of the output.
        total: usize,
        /// The first NaN or wrong infinity.
        first: Element,
        /// The wrong elements that are numbers.
        besides: Option<WrongNumbers>,
        /// The location of all wrong elements in words, if there is a pattern.
        pattern: Option<String>,
        /// The explanations of the wrong elements, best first.
        hypotheses: Vec<Hypothesis>,
    },
    /// An output has elements whose error is larger than allowed.
    Mismatch {
        /// The reference that was missed; the golden one where both were missed.
        against: Reference,
        /// The number of mismatches.
        count: usize,
        /// The number of elements of the output.
        total: usize,
        /// The element whose error exceeds what it is allowed by most.
        worst: Element,
        /// First bad position along the axis that is computed in order (token, chunk, row).
        first_bad: Option<FirstBad>,
        /// The location of all mismatches in words, if there is a pattern.
        pattern: Option<String>,
        /// The wrong elements whose values are the fill of unwritten storage.
        unwritten: Vec<UnwrittenSource>,
        /// The explanations of the mismatches, best first.
        hypotheses: Vec<Hypothesis>,
    },
    /// Every element is within its tolerance, but the output as a whole is not.
    RelativeRms {
        /// The reference that was missed.
        against: Reference,
        /// Relative RMS error found.
        #[serde(with = "number")]
        found: f64,
        /// Relative RMS error allowed.
        #[serde(with = "number")]
        allowed: f64,
    },
    /// A law that needs no reference is broken.
    RelationBroken {
        /// The law's name.
        relation: String,
        /// The law in words.
        says: String,
        /// The output that breaks the law.
        output: String,
        /// The output's element type.
        element: String,
        /// The number of runs of the kernels that the law is about: 1 or 2.
        runs: u8,
        /// The number of elements that break the law.
        count: usize,
        /// The number of elements that the law was checked on.
        total: usize,
        /// The axes of these elements, outermost first.
        axes: Vec<Axis>,
        /// The element that breaks the law by most. `got` is the value of the second run, or the left side of the equation. `want` is the
        /// value that the law derives from the first run, or the right side.
        worst: Element,
        /// The location of these elements in words, if there is a pattern.
        pattern: Option<String>,
    },
    /// Two runs of the same trial gave different bits.
    NotRepeatable {
        /// The output that differs.
        output: String,
        /// The number of the repetition that differed from the first run, from 2.
        run: usize,
        /// The number of elements that differ.
        count: usize,
        /// The number of elements of the output.
        total: usize,
        /// The output's axes, outermost first.
        axes: Vec<Axis>,
        /// The first element that differs.
        index: Vec<usize>,
        /// The element's value in the first run.
        #[serde(with = "number")]
        first_run: f64,
        /// The element's value in this run.
        #[serde(with = "number")]
        this_run: f64,
        /// The location of the differing elements in words, if there is a pattern.
        pattern: Option<String>,
    },
}
