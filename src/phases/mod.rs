//! What each test runs: one file a phase, each reading like the document.
//!
//! A function draws inputs, launches kernels in the document's order and says what each output should be. Each file
//! lists its functions in a table, which is how the registry finds them.

mod exchanged;
pub(crate) mod gdn;
mod phase0;
mod phase1;
mod phase10;
mod phase11;
mod phase2;
mod phase3;
mod phase4;
mod phase5;
mod phase6;
mod phase7;
mod phase8;
mod phase9;

use crate::registry::Values;
use crate::trial::{Outcome, Trial};

/// The most elements a tensor of a test may have: 64 MiB of f32.
pub const MAX_ELEMENTS: i64 = 1 << 24;

/// Something a test can run.
pub struct Function {
    /// The name that the registry uses.
    pub name: &'static str,
    /// What it computes, in words.
    pub title: &'static str,
    /// The kernels it launches.
    pub kernels: &'static [&'static str],
    /// Its dimensions, from 1 up.
    pub dims: &'static [&'static str],
    /// Its other whole numbers, which may be negative.
    pub integers: &'static [&'static str],
    /// Its choices: what they are called, and the words for each.
    pub words: &'static [(&'static str, &'static [&'static str])],
    /// The outputs it has compared.
    pub outputs: &'static [&'static str],
    /// Its largest tensors, as products of dimensions.
    pub largest: &'static [&'static [&'static str]],
    /// Runs it.
    pub run: fn(&mut Trial<'_>) -> Outcome,
}

/// Every function, by phase.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    [
        phase0::FUNCTIONS,
        phase1::FUNCTIONS,
        phase2::FUNCTIONS,
        phase3::FUNCTIONS,
        phase4::FUNCTIONS,
        phase5::FUNCTIONS,
        phase6::FUNCTIONS,
        phase7::FUNCTIONS,
        phase8::FUNCTIONS,
        phase9::FUNCTIONS,
        phase10::FUNCTIONS,
    ]
    .into_iter()
    .chain(phase11::FAMILIES.iter().copied())
    .flatten()
}

/// Why a shape is refused.
pub struct Refusal {
    /// What is wrong.
    pub title: String,
    /// What to do.
    pub help: String,
}

impl Function {
    /// Whether a shape is beyond what the tool takes.
    pub fn refuses(&self, values: &Values) -> Option<Refusal> {
        let elements = self
            .largest
            .iter()
            .map(|names| product(values, names))
            .max()
            .unwrap_or(0);
        let cap = u128::from(MAX_ELEMENTS.unsigned_abs());
        (elements > cap).then(|| Refusal {
            title: format!("the largest tensor of this shape has {elements} elements"),
            help: format!("choose a shape with no tensor of more than {cap} elements (64 MiB)"),
        })
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn product(values: &Values, names: &[&str]) -> u128 {
    names.iter().map(|name| values.dim(name) as u128).product()
}
