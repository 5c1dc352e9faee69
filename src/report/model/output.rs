//! The judgement of one output: its tolerance, its distance from the references, and the verdict.

use serde::{Deserialize, Serialize};

use super::{Damage, Element, Problem, Verdict, number};
use crate::tensor::Axis;

/// The distance that an output may have from its references.
///
/// An element is allowed `absolute + relative * |want|`, or `ulp` places of its type where that is more. Where all three are 0
/// the element must equal the golden reference bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Absolute error allowed to every element.
    #[serde(with = "number")]
    pub absolute: f64,
    /// Error allowed in addition, as a share of the element's own reference value.
    #[serde(with = "number")]
    pub relative: f64,
    /// True if `absolute` grows with the reference. `absolute` then holds for an output whose reference reaches 1 at most,
    /// and the allowed error is `absolute * max(1, max |want|)`.
    pub scaled: bool,
    /// The number of values of the output's type that an element may lie away from the reference rounded to that type. Tests set it
    /// for outputs of few bits. Two elements may then lie a place off without use of the RMS error: a right result near the middle of
    /// two numbers may be rounded to either, and a large one is much of the RMS error of a small output.
    pub ulp: Option<u32>,
    /// Relative RMS error allowed to the output as a whole, where the test sets one.
    #[serde(with = "number::option")]
    pub relative_rms: Option<f64>,
    /// RMS error allowed to the output as a whole in any case, even if its reference is so small that `relative_rms` allows less.
    #[serde(with = "number", default, skip_serializing_if = "is_zero")]
    pub absolute_rms: f64,
    /// The document's own tolerance. It judges nothing unless `absolute` equals it, with one exception: the f64 oracle
    /// of an exact output (`absolute` 0) must lie within it.
    #[serde(with = "number")]
    pub ceiling: f64,
    /// True if 0 and -0 count as equal where the tolerance is 0.
    pub zero_signs_equal: bool,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Errors that a right kernel may make in a case, even if a tolerance allows less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rounding {
    /// Error of an element, as a share of the largest value.
    pub absolute: f64,
    /// Relative RMS error.
    pub relative_rms: f64,
}

impl Tolerance {
    /// Makes an absolute tolerance with the document's ceiling beside it.
    pub fn absolute(absolute: f64, ceiling: f64) -> Tolerance {
        Tolerance {
            absolute,
            relative: 0.0,
            scaled: false,
            ulp: None,
            relative_rms: None,
            absolute_rms: 0.0,
            ceiling,
            zero_signs_equal: false,
        }
    }

    /// Returns the relative RMS error that rounding to a type of few digits may leave between two right results, whose difference before
    /// it is `before`, a share of their size. `place` is the share of a number that the next one is away, at most.
    ///
    /// The share `before / place` of the results lies so near the middle of two numbers that the two right results are rounded to different
    /// ones, a place apart. Half of all results are a place off if they are cut off instead, so the share is at most an eighth.
    pub fn rounded_rms(before: f64, place: f64) -> f64 {
        before + place * (before / place).min(0.125).sqrt()
    }

    /// Returns a tolerance that also allows the errors of a rounding. An exact tolerance stays exact.
    pub fn with_rounding(&self, rounding: Rounding) -> Tolerance {
        if self.is_exact() {
            return self.clone();
        }
        Tolerance {
            absolute: self.absolute.max(rounding.absolute),
            relative_rms: self.relative_rms.map(|rms| rms.max(rounding.relative_rms)),
            ceiling: self.ceiling.max(rounding.absolute),
            ..self.clone()
        }
    }

    /// Returns a tolerance that allows what either of two tolerances allows. An exact tolerance allows the golden reference
    /// alone, so the other tolerance then decides how far the f64 oracle may lie away.
    pub fn union(&self, other: &Tolerance) -> Tolerance {
        let relative_rms = self.relative_rms.zip(other.relative_rms);
        Tolerance {
            absolute: self.absolute.max(other.absolute),
            relative: self.relative.max(other.relative),
            scaled: self.scaled || other.scaled,
            ulp: self.ulp.max(other.ulp),
            // A tolerance without a relative RMS allows any.
            relative_rms: relative_rms.map(|(own, other)| own.max(other)),
            absolute_rms: self.absolute_rms.max(other.absolute_rms),
            ceiling: self.ceiling.max(other.ceiling),
            zero_signs_equal: self.zero_signs_equal || other.zero_signs_equal,
        }
    }

    /// Returns true if the output must equal the golden reference bit for bit.
    pub fn is_exact(&self) -> bool {
        self.absolute == 0.0 && self.relative == 0.0 && self.ulp.is_none()
    }
}

/// The distance of an output from one reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Largest absolute difference (where `ulp` judges, from the reference rounded to the output's type); NaN as soon as one element's difference is NaN.
    #[serde(with = "number")]
    pub max_abs: f64,
    /// Error that the tolerance allows to the element of `max_abs`: scaled, with its relative share, and its places of the type. Among
    /// elements of the same error it is the largest. NaN where no element was compared.
    #[serde(with = "number")]
    pub allowed: f64,
    /// `sqrt(sum (got-want)^2 / sum want^2)`; 0 for 0/0, infinite where only the reference is all zero.
    #[serde(with = "number")]
    pub relative_rms: f64,
    /// The relative RMS error that the tolerance allows this output; absent if it has no limit.
    #[serde(
        with = "number::option",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub rms_allowed: Option<f64>,
    /// Largest distance in units in the last place of the output's type; absent where an element is NaN.
    pub max_ulp: Option<u64>,
    /// Elements whose error is larger than allowed.
    pub mismatched: usize,
    /// `mismatched / total`.
    #[serde(with = "number")]
    pub mismatched_share: f64,
    /// Elements compared.
    pub total: usize,
    /// Largest error as a share of what its element is allowed; 0 where every error is 0, infinite where an
    /// element that is allowed nothing is wrong.
    #[serde(with = "number")]
    pub used: f64,
    /// The element whose error exceeds what it is allowed by most; the largest error where none exceeds.
    pub worst: Option<Element>,
}

/// The judgement of one output of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputReport {
    /// The output's name.
    pub name: String,
    /// The output's element type: `f64`, `f32`, `f16`, `bf16`, `i32`, `u16`.
    pub element: String,
    /// The output's axes, outermost first.
    pub axes: Vec<Axis>,
    /// The tolerance that judged the output.
    pub tolerance: Tolerance,
    /// The output's distance from the golden reference (same type, the kernel's order of operations).
    pub golden: Metrics,
    /// The output's distance from the f64 oracle.
    pub oracle: Metrics,
    /// The verdict on the output.
    pub verdict: Verdict,
    /// The first problem in the order of judgement, where the verdict is not a pass.
    pub problem: Option<Problem>,
    /// The places and sizes of the errors, where the verdict is not a pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub damage: Option<Damage>,
}

impl OutputReport {
    /// Returns true where the tolerance allows the same error to every element.
    pub fn alike(&self) -> bool {
        self.tolerance.relative == 0.0 && self.tolerance.ulp.is_none()
    }
}
