//! Outputs that cannot be judged, which is an error of the test and not of a kernel.

use thiserror::Error;

use super::OutputCase;
use crate::tensor;
use crate::tensor::Element;

/// A reason why an output cannot be judged. The harness is at fault, not the kernel.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Unusable {
    /// An output without elements.
    #[error(
        "output `{output}` has no elements: nothing would be compared; give the test a shape that is not empty"
    )]
    Empty {
        /// The output.
        output: String,
    },
    /// A mismatch of two lengths that must be equal.
    #[error(
        "output `{output}` has axes for {want} elements but its {what} has {have}; fix the test's shape"
    )]
    Length {
        /// The output.
        output: String,
        /// `device buffer`, `golden reference` or `oracle`.
        what: &'static str,
        /// The length that the axes give.
        want: usize,
        /// The actual length.
        have: usize,
    },
    /// A reference holds NaN, which nothing can equal.
    #[error(
        "the {what} of output `{output}` is NaN at {index:?}; choose inputs on which the formula is finite"
    )]
    ReferenceNan {
        /// The output.
        output: String,
        /// `golden reference` or `oracle`.
        what: &'static str,
        /// The index of the NaN along each axis.
        index: Vec<usize>,
    },
    /// A tolerance that is negative, infinite or NaN.
    #[error(
        "output `{output}` has the tolerance {value}, which is not a finite number from 0 up; fix the registry"
    )]
    Tolerance {
        /// The output.
        output: String,
        /// The unusable value.
        value: f64,
    },
}

/// Checks that a case can be judged at all.
pub(super) fn check<E: Element>(case: &OutputCase<'_, E>) -> Result<(), Unusable> {
    let output = || case.name.to_string();
    let want = tensor::count(case.axes);
    if want == 0 {
        return Err(Unusable::Empty { output: output() });
    }
    check_length(case)?;
    let tolerance = case.tolerance;
    let limits = [
        tolerance.absolute,
        tolerance.relative,
        tolerance.ceiling,
        tolerance.relative_rms.unwrap_or(0.0),
        tolerance.absolute_rms,
    ];
    if let Some(&value) = limits
        .iter()
        .find(|&&value| !value.is_finite() || value < 0.0)
    {
        return Err(Unusable::Tolerance {
            output: output(),
            value,
        });
    }
    let nan = |what, at: Option<usize>| match at {
        Some(at) => Err(Unusable::ReferenceNan {
            output: output(),
            what,
            index: tensor::index(case.axes, at),
        }),
        None => Ok(()),
    };
    nan(
        "golden reference",
        case.golden.iter().position(|value| value.to_f64().is_nan()),
    )?;
    nan(
        "oracle",
        case.oracle.iter().position(|value| value.is_nan()),
    )
}

/// Checks that the output and the references have the length that the axes give.
pub(super) fn check_length<E>(case: &OutputCase<'_, E>) -> Result<(), Unusable> {
    let want = tensor::count(case.axes);
    let lengths = [
        ("device buffer", case.got.len()),
        ("golden reference", case.golden.len()),
        ("oracle", case.oracle.len()),
    ];
    match lengths.iter().find(|(_, have)| *have != want) {
        Some(&(what, have)) => Err(Unusable::Length {
            output: case.name.to_string(),
            what,
            want,
            have,
        }),
        None => Ok(()),
    }
}
