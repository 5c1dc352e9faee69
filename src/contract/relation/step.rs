//! Steps that make the tensors of a second run from the tensors of the first. Inputs and outputs use the same steps.

use super::Array;
use crate::contract::Values;

/// The source index for each position along an axis of this length, at a case.
pub type Order = fn(&Values, usize) -> Vec<usize>;

/// A step of a law.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Multiplies these tensors by a factor.
    Times(&'static [&'static str], f64),
    /// Applies a function to each element of these tensors.
    Each(&'static [&'static str], fn(f64) -> f64),
    /// Reorders positions along an axis of these tensors. `*` is any tensor with such an axis.
    Moved(&'static [(&'static str, &'static str)], Order),
    /// Exchanges two tensors.
    Exchanged(&'static str, &'static str),
    /// Transposes two axes of these tensors.
    Transposed(&'static [&'static str]),
    /// Gives the first tensor the values of the second.
    Fed(&'static str, &'static str),
    /// Appends the second tensor to the first, along an axis.
    Joined(&'static str, &'static str, &'static str),
    /// Multiplies the allowed error of these tensors, because their inputs carry more error.
    Loosened(&'static [&'static str], f64),
    /// Fills these tensors with a value.
    Filled(&'static [&'static str], f64),
    /// Applies any other function.
    By(fn(&Values, &mut [Array])),
}

impl Step {
    /// Applies the step.
    pub fn apply(&self, case: &Values, arrays: &mut [Array]) {
        match self {
            Step::Times(names, factor) => each(arrays, names, |array| {
                array.values.iter_mut().for_each(|value| *value *= factor);
                let size = factor.abs();
                array
                    .allowed
                    .iter_mut()
                    .for_each(|allowed| *allowed *= size);
            }),
            Step::Each(names, law) => each(arrays, names, |array| carried(array, *law)),
            Step::Moved(places, order) => {
                for array in arrays.iter_mut() {
                    let of = |(name, axis): &(&str, &str)| {
                        let named = *name == "*" || array.name == *name;
                        named.then(|| array.axis(axis)).flatten()
                    };
                    let axes: Vec<usize> = places.iter().filter_map(of).collect();
                    for axis in axes {
                        let length = array.axes[axis].length;
                        array.pick(axis, &order(case, length));
                    }
                }
            }
            Step::Exchanged(one, other) => {
                let at = |name: &str| arrays.iter().position(|array| array.name == name);
                if let (Some(a), Some(b)) = (at(one), at(other)) {
                    arrays[a].name = (*other).into();
                    arrays[b].name = (*one).into();
                }
            }
            Step::Transposed(names) => each(arrays, names, transpose),
            Step::Fed(to, from) => {
                let held = arrays.iter().find(|array| array.name == *from).cloned();
                if let Some(held) = held {
                    each(arrays, &[to], |array| {
                        array.axes.clone_from(&held.axes);
                        array.values.clone_from(&held.values);
                        array.allowed.clone_from(&held.allowed);
                    });
                }
            }
            Step::Joined(to, more, axis) => {
                let held = arrays.iter().find(|array| array.name == *more).cloned();
                if let Some(held) = held {
                    each(arrays, &[to], |array| array.append(&held, axis));
                }
            }
            Step::Loosened(names, times) => each(arrays, names, |array| {
                array
                    .allowed
                    .iter_mut()
                    .for_each(|allowed| *allowed *= times);
            }),
            Step::Filled(names, value) => each(arrays, names, |array| array.values.fill(*value)),
            Step::By(change) => change(case, arrays),
        }
    }
}

fn each(arrays: &mut [Array], names: &[&str], change: impl Fn(&mut Array)) {
    let named = arrays
        .iter_mut()
        .filter(|array| names.contains(&array.name.as_str()));
    named.for_each(change);
}

/// Applies a law to each element, and derives the allowed errors from it.
fn carried(array: &mut Array, law: fn(f64) -> f64) {
    for (value, allowed) in array.values.iter_mut().zip(&mut array.allowed) {
        let right = law(*value);
        let ends = [*value - *allowed, *value + *allowed];
        let off = ends.map(|end| (law(end) - right).abs());
        // With a pole between the ends, the error is unbounded.
        let passes = ends[0] <= 0.0 && ends[1] >= 0.0 && !law(0.0).is_finite();
        *allowed = match off {
            _ if passes => f64::INFINITY,
            [below, above] if below.is_nan() || above.is_nan() => f64::INFINITY,
            [below, above] => below.max(above),
        };
        *value = right;
    }
}

fn transpose(array: &mut Array) {
    let [rows, columns] = [0, 1].map(|at| array.axes.get(at).map_or(1, |axis| axis.length));
    let turned = |from: &[f64]| -> Vec<f64> {
        let places =
            (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        places.filter_map(|at| from.get(at).copied()).collect()
    };
    array.values = turned(&array.values);
    array.allowed = turned(&array.allowed);
    if array.axes.len() >= 2 {
        // Axes keep their names: a row of the second run is a column of the first.
        let rows = array.axes[0].length;
        array.axes[0].length = array.axes[1].length;
        array.axes[1].length = rows;
    }
}

/// The order that reverses all positions.
pub fn reversed(_: &Values, length: usize) -> Vec<usize> {
    (0..length).rev().collect()
}

/// Returns the numbers of key heads and value heads of a case under any of the contracts' names.
pub fn heads(case: &Values) -> Option<(usize, usize)> {
    let pairs = [("H", "HV"), ("Hg", "H"), ("Hk", "H")].into_iter();
    let mut both = pairs.filter_map(|(keys, all)| case.dim(keys).zip(case.dim(all)));
    both.next()
}

/// The order that reverses the value heads of each key head, by the case's head map.
pub fn within_groups(case: &Values, length: usize) -> Vec<usize> {
    let keys = heads(case).map_or(length, |(keys, _)| keys).max(1);
    let group = (length / keys).max(1);
    // In a tiled map, such as ggml's, value head n reads key head n % H; in a block map, n / (HV / H).
    let tiled = match case.word("map") {
        Some(map) => map == "tiled",
        None => case.get("Hk").is_some(),
    };
    let source = |at: usize| {
        if tiled {
            (group - 1 - at / keys) * keys + at % keys
        } else {
            at / group * group + (group - 1 - at % group)
        }
    };
    (0..length).map(source).collect()
}

#[cfg(test)]
mod tests;
