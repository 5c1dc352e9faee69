//! The test of a test: outputs that no kernel had to compute must not pass.

use std::borrow::Cow;

use super::judge::passing;
use super::{NamedInput, OutputCase, OutputLimits, Unusable};
use crate::tensor::{Element, poison};

/// The trivial output of a kernel that writes nothing.
pub const POISON_LEFT: &str = "poison left as it is";

/// Returns the trivial outputs that would pass in place of `case.got`: poison, all zeros, and each input of the same
/// size. A test that accepts one proves nothing about a kernel. An input of another type whose conversion is the right
/// output does not count.
///
/// # Errors
/// The outputs cannot be judged: the harness is at fault.
pub fn accepted_trivially<E: Element>(case: &OutputCase<'_, E>) -> Result<Vec<String>, Unusable> {
    Ok(accepted_trivially_by(case, &OutputLimits::of(case)?))
}

/// Does the same as [`accepted_trivially`] by limits that are already computed.
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
