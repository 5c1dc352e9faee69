//! Mistakes as data: the inputs and choices for which each shows, and the changes to them that reproduce it.

use std::sync::Arc;

use crate::contract::Mistake;

/// A mistake of kernels, for inputs `X` in f64 and choices `C`.
pub struct KnownMistake<X, C> {
    pub name: &'static str,
    pub explanation: &'static str,
    /// Returns true if the mistake shows for these inputs and choices.
    pub applies: fn(&X, &C) -> bool,
    /// Changes the inputs and choices so that the right computation gives the mistake's results.
    pub change: fn(&mut X, &mut C),
}

/// The explanation of a wrong head map.
pub const HEAD_MAP: &str =
    "value heads read the query/key heads of the other map (hv % H for hv / (HV / H))";
/// The explanation of reductions that count every lane twice.
pub const SUMS_DOUBLED: &str = "sums over the key channels are doubled (an exchange at a distance of 64 gives a lane of a wave of 64 its own value)";

/// Returns the mistakes that show, in the output that `compute` selects.
pub fn mistakes<X: Clone + Send + Sync + 'static, C: Clone + Send + Sync + 'static>(
    known: &'static [KnownMistake<X, C>],
    (wide, by): (&Arc<X>, &C),
    compute: impl Fn(&X, &C) -> Vec<f64> + Copy + Send + Sync + 'static,
) -> Vec<Mistake> {
    let showing = known.iter().filter(|known| (known.applies)(wide, by));
    let mistake = |known: &'static KnownMistake<X, C>| {
        let (wide, by) = (Arc::clone(wide), by.clone());
        Mistake::new(known.name, known.explanation, move || {
            let (mut wide, mut by) = (X::clone(&wide), by.clone());
            (known.change)(&mut wide, &mut by);
            compute(&wide, &by)
        })
    };
    showing.map(mistake).collect()
}

/// Returns the mistakes that show, as they show in each of the two outputs that `compute` returns.
pub fn pairs<X: Clone + Send + Sync + 'static, C: Clone + Send + Sync + 'static>(
    known: &'static [KnownMistake<X, C>],
    (wide, by): (&Arc<X>, &C),
    compute: impl Fn(&X, &C) -> (Vec<f64>, Vec<f64>) + Copy + Send + Sync + 'static,
) -> Vec<[Mistake; 2]> {
    let showing = known.iter().filter(|known| (known.applies)(wide, by));
    let mistake = |known: &'static KnownMistake<X, C>| {
        let (wide, by) = (Arc::clone(wide), by.clone());
        Mistake::pair(known.name, known.explanation, move || {
            let (mut wide, mut by) = (X::clone(&wide), by);
            (known.change)(&mut wide, &mut by);
            compute(&wide, &by)
        })
    };
    showing.map(mistake).collect()
}

/// Returns different values of both signs for unit tests of lists.
#[cfg(test)]
pub fn values(count: usize, from: f64) -> Vec<f64> {
    let values = (0..count).map(|at| (from + at as f64 * 0.7).sin());
    values.collect()
}
