//! What can be wrong with the buffers of a trial, in the order of judgement.

use serde::{Deserialize, Serialize};

use super::{Axis, number};

/// The work-item that computes an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Which launch of the trial, from 0.
    pub launch: usize,
    /// Work-group id in x, y, z.
    pub work_group: [u32; 3],
    /// Work-item id within the group in x, y, z.
    pub work_item: [u32; 3],
}

/// One element of an output beside what it should have been.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Index along each axis of the tensor.
    pub index: Vec<usize>,
    /// What the device wrote.
    #[serde(with = "number")]
    pub got: f64,
    /// What the reference says.
    #[serde(with = "number")]
    pub want: f64,
    /// The error this element is allowed.
    #[serde(with = "number")]
    pub allowed: f64,
    /// The work-item that owned it, when known.
    pub owner: Option<Owner>,
}

/// Where in relation to a buffer a guard stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Below the first byte.
    Before,
    /// Above the last byte.
    After,
    /// Between the rows of a tensor that stand further apart than they are long.
    Between,
}

/// Which reference an output was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reference {
    /// The same element type and order of operations as the kernel.
    Golden,
    /// The formula in f64.
    Oracle,
}

/// The first position along an axis with a bad element in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstBad {
    /// The axis: `token`, `chunk`, `row`.
    pub axis: String,
    /// The lowest index along it that has a bad element.
    pub index: usize,
}

/// What nobody had written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// A register.
    Register,
    /// LDS of the work-group.
    Lds,
    /// Stack memory.
    Scratch,
    /// Device memory.
    Memory,
}

/// Wrong elements that come from something that nobody had written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritten {
    /// What that was.
    pub what: Whose,
    /// How many elements.
    pub count: usize,
}

/// A cheap explanation that accounts for a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// Short stable name: `transposed`, `scale`, `sign`.
    pub name: String,
    /// What would explain the difference, in words.
    pub explanation: String,
    /// The largest error that remains if so.
    #[serde(with = "number")]
    pub remaining: f64,
    /// Whether what remains is within tolerance.
    pub explains_all: bool,
    /// Wrong elements that are no numbers and that it does not explain; `remaining` and `explains_all` are of the others.
    pub except: usize,
}

/// Wrong elements that are numbers, in an output of which others are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Besides {
    /// The reference that they miss; the golden one where they miss both.
    pub against: Reference,
    /// How many.
    pub count: usize,
    /// The worst by excess over what it is allowed.
    pub worst: Element,
    /// Their largest absolute difference.
    #[serde(with = "number")]
    pub max_abs: f64,
    /// The relative RMS error of all elements of the output that are numbers.
    #[serde(with = "number")]
    pub relative_rms: f64,
}

/// What is wrong. The variants stand in the order of judgement: the first that applies is the one reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Problem {
    /// A launch wrote outside a buffer.
    GuardOverwritten {
        /// The buffer whose guard it was.
        buffer: String,
        /// Which guard.
        side: Side,
        /// The overwritten byte nearest to the buffer, counted from its first byte (negative before it);
        /// between rows the first.
        offset: i64,
        /// Overwritten bytes in this guard.
        count: usize,
        /// Size of the buffer in bytes.
        size: usize,
    },
    /// A launch wrote to one of its inputs.
    InputChanged {
        /// The input.
        input: String,
        /// Its axes, outermost first.
        axes: Vec<Axis>,
        /// First changed element.
        index: Vec<usize>,
        /// What was uploaded.
        #[serde(with = "number")]
        was: f64,
        /// What was there afterwards.
        #[serde(with = "number")]
        is: f64,
        /// Changed elements.
        count: usize,
        /// Elements of the input.
        total: usize,
    },
    /// Elements that no launch has written.
    PoisonLeft {
        /// How many.
        count: usize,
        /// Of how many.
        total: usize,
        /// Elements that were written, and wrong.
        wrong_besides: usize,
        /// The first unwritten element.
        index: Vec<usize>,
        /// The work-item that should have written it, when known.
        owner: Option<Owner>,
        /// Where they lie, when there is a pattern.
        pattern: Option<String>,
    },
    /// NaN, or an infinity where the reference has not the same one.
    NonFinite {
        /// NaNs.
        nan: usize,
        /// Wrong infinities.
        inf: usize,
        /// NaNs among them that carry a poison's payload: computed from what nobody had written.
        from_poison: usize,
        /// What that was.
        unwritten: Vec<Unwritten>,
        /// Elements of the output.
        total: usize,
        /// The first of either.
        first: Element,
        /// Elements that are numbers, and wrong.
        besides: Option<Besides>,
        /// Where all wrong elements lie, when there is a pattern.
        pattern: Option<String>,
        /// What would explain the wrong elements, best first.
        hypotheses: Vec<Hypothesis>,
    },
    /// Elements further from the reference than they are allowed.
    Mismatch {
        /// The reference that was missed; the golden one where both were.
        against: Reference,
        /// How many elements.
        count: usize,
        /// Of how many.
        total: usize,
        /// The worst by excess over what it is allowed.
        worst: Element,
        /// First bad position along the axis that is computed in order (token, chunk, row).
        first_bad: Option<FirstBad>,
        /// Where all mismatches lie, when there is a pattern.
        pattern: Option<String>,
        /// Wrong elements that hold what stands where nobody has written.
        unwritten: Vec<Unwritten>,
        /// What would explain it, best first.
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
        /// Its name.
        relation: String,
        /// What it says.
        says: String,
        /// The output.
        output: String,
        /// The element type of it.
        element: String,
        /// How many runs of the kernels it is of: 1 or 2.
        runs: u8,
        /// Elements that break it.
        count: usize,
        /// Of how many.
        total: usize,
        /// Their axes, outermost first.
        axes: Vec<Axis>,
        /// The worst by excess: what the second run gave, or the left side of the equation, and what the law makes of the first run, or the
        /// right side.
        worst: Element,
        /// Where they lie, when there is a pattern.
        pattern: Option<String>,
    },
    /// Two runs of the same trial gave different bits.
    NotRepeatable {
        /// The output.
        output: String,
        /// Which repetition differed from the first run, from 2.
        run: usize,
        /// Elements that differ.
        count: usize,
        /// Of how many.
        total: usize,
        /// Its axes, outermost first.
        axes: Vec<Axis>,
        /// The first that differs.
        index: Vec<usize>,
        /// Its value in the first run.
        #[serde(with = "number")]
        first_run: f64,
        /// Its value in this run.
        #[serde(with = "number")]
        this_run: f64,
        /// Where they lie, when there is a pattern.
        pattern: Option<String>,
    },
}
