//! The test of a test: outputs that no kernel had to compute must not pass.

use std::borrow::Cow;

use super::judge::passing;
use super::{NamedInput, OutputCase, OutputLimits, Unusable};
use crate::tensor::{Element, poison};

/// The trivial output of a kernel that writes nothing.
pub const POISON_LEFT: &str = "poison left as it is";

/// The trivial outputs that would pass where `case.got` stands: the poison itself, all zeros, each input of the same
/// size echoed. A test for which this is not empty says nothing about a kernel. Where the right output is an input of
/// another type, converted, that one counts for nothing.
///
/// # Errors
/// The outputs cannot be judged: the harness is at fault.
pub fn accepted_trivially<E: Element>(case: &OutputCase<'_, E>) -> Result<Vec<String>, Unusable> {
    Ok(accepted_trivially_by(case, &OutputLimits::of(case)?))
}

/// Does the same by limits that were computed from the case's references and tolerance.
pub fn accepted_trivially_by<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &OutputLimits,
) -> Vec<String> {
    let count = case.got.len();
    let constant = [
        (POISON_LEFT, poison::element::<E>()),
        ("all zeros", E::nearest(0.0)),
    ];
    let mut candidates: Vec<(String, Cow<'_, [E]>)> = Vec::new();
    for (name, value) in constant {
        candidates.push((name.to_string(), vec![value; count].into()));
    }
    let same = |a: &[E], b: &[E]| a.iter().zip(b).all(|(a, b)| a.bits() == b.bits());
    let telling = |input: &&NamedInput<'_, E>| {
        input.values.len() == count && !(input.converted && same(input.values, case.golden))
    };
    for input in case.inputs.iter().filter(telling) {
        let name = format!("the input `{}` echoed", input.name);
        candidates.push((name, input.values.into()));
    }
    let accepted = passing(case, limits, &candidates);
    accepted.into_iter().map(str::to_owned).collect()
}
