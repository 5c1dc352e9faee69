//! Tensors in laws: a name, axes, values, and the allowed error of each value.

use crate::report::model::Tolerance;
use crate::tensor::{Axis, Element, ElementKind, with_element};

/// A tensor of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The array's name.
    pub name: String,
    /// The array's axes, outermost first.
    pub axes: Vec<Axis>,
    /// The type that it has on the device.
    pub kind: ElementKind,
    /// The array's elements, exactly.
    pub values: Vec<f64>,
    /// Allowed error of each element; 0 for inputs.
    pub allowed: Vec<f64>,
}

impl Array {
    /// Makes an array without error.
    pub fn exact(name: &str, axes: Vec<Axis>, kind: ElementKind, values: Vec<f64>) -> Array {
        Array {
            name: name.into(),
            axes,
            kind,
            allowed: vec![0.0; values.len()],
            values,
        }
    }

    /// Returns the number of an axis.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == name)
    }

    /// Returns an axis's length, the number of elements inside one of its positions, and the number of repetitions
    /// outside it.
    pub fn around(&self, axis: usize) -> (usize, usize, usize) {
        let product = |axes: &[Axis]| axes.iter().map(|axis| axis.length).product::<usize>();
        let (before, rest) = self.axes.split_at(axis.min(self.axes.len()));
        let length = rest.first().map_or(1, |axis| axis.length);
        let inner = rest.get(1..).map_or(1, product);
        (length, inner, product(before))
    }

    /// Appends another array along an axis.
    pub fn append(&mut self, more: &Array, axis: &str) {
        let Some(at) = self.axis(axis) else { return };
        let [(own, inner, outer), (others, ..)] = [self.around(at), more.around(at)];
        let join = |first: &[f64], second: &[f64]| {
            let part = |of: &[f64], whole: usize, length: usize| {
                let row = length * inner;
                let part = of.get(whole * row..(whole + 1) * row);
                part.unwrap_or_default().to_vec()
            };
            let whole = |n| [part(first, n, own), part(second, n, others)].concat();
            (0..outer).flat_map(whole).collect::<Vec<f64>>()
        };
        self.values = join(&self.values, &more.values);
        self.allowed = join(&self.allowed, &more.allowed);
        self.axes[at].length = own + others;
    }

    /// Replaces the array by its elements at the indices `sources` along an axis.
    pub fn pick(&mut self, axis: usize, sources: &[usize]) {
        let (length, inner, outer) = self.around(axis);
        let pick = |from: &[f64]| {
            let wholes = (0..outer).flat_map(|whole| sources.iter().map(move |at| (whole, at)));
            let rows = wholes.flat_map(|(whole, at)| {
                let first = (whole * length + at) * inner;
                from.get(first..first + inner).unwrap_or_default()
            });
            rows.copied().collect::<Vec<f64>>()
        };
        self.values = pick(&self.values);
        self.allowed = pick(&self.allowed);
        if let Some(axis) = self.axes.get_mut(axis) {
            axis.length = sources.len();
        }
    }
}

/// Returns the allowed error of each element of an output by its tolerance.
///
/// Two right outputs of the same formula differ by at most both tolerances together. A tolerance in places gets one
/// place more, because the value that places are counted from is itself rounded.
pub fn allowances(kind: ElementKind, tolerance: &Tolerance, values: &[f64]) -> Vec<f64> {
    let sizes = values.iter().map(|value| value.abs());
    let largest = sizes.filter(|size| size.is_finite()).fold(1.0, f64::max);
    let scale = if tolerance.scaled { largest } else { 1.0 };
    let absolute = tolerance.absolute * scale;
    let places = tolerance.ulp.map(|ulp| i64::from(ulp) + 1);
    let each = |value: &f64| {
        let near = absolute + tolerance.relative * value.abs();
        match places {
            Some(places) if value.is_finite() => near.max(of_places(kind, *value, places)),
            _ => near,
        }
    };
    values.iter().map(each).collect()
}

/// Returns the distance to the value that lies `places` further from zero.
fn of_places(kind: ElementKind, value: f64, places: i64) -> f64 {
    with_element!(kind, E => {
        let rank = <E as Element>::nearest(value.abs()).rank();
        let beyond = <E as Element>::at_rank(rank.saturating_add(places)).to_f64();
        let far = (beyond - value.abs()).abs();
        // A number beyond the largest has no neighbour to measure a distance to.
        if far.is_nan() { f64::INFINITY } else { far }
    })
}
