//! Phase 4: the decay mask.

use deltanet_reference::operators;

use super::Function;
use crate::contract::{Instance, Outcome, elements, table};
use crate::references;
use crate::tensor::Distribution::Walk;

/// The functions of phase 4.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "decay_mask",
    title: "e^(g[j] - g[i]) for j <= i",
    dims: &["n"],
    integers: &[],
    words: &[],
    outputs: &["mask"],
    largest: &[&["n", "n"]],
    run: decay_mask,
}];

/// Gates are small, because the documented mask grows with the distance.
fn decay_mask(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let g = t.input("g_cumsum", elements(n), Walk(-0.02, 0.0))?;
    let mask = t.output("mask", table(n, n))?;
    t.check(mask, references!(t, |g| operators::decay_mask(g)))
}
