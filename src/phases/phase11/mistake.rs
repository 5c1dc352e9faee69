//! A mistake that kernels make, and what it leaves: a report names the one that fits.

use crate::trial::Mistake;

/// A mistake by its short name, what went wrong, and the output that it leaves.
pub fn mistake(
    name: &'static str,
    explanation: &'static str,
    values: impl Fn() -> Vec<f64> + 'static,
) -> Mistake {
    Mistake {
        name,
        explanation,
        values: Box::new(values),
    }
}
