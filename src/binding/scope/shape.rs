//! A tensor as formulas see it: its axes, their names and lengths.

use crate::contract::Numbers;
use crate::tensor::{Axis, ElementKind, Layout};

/// A tensor of the contract, or scratch of the binding, at one case.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorShape {
    /// Its name.
    pub name: String,
    /// The type of its elements on the device.
    pub kind: ElementKind,
    /// Its axes, in the contract's order.
    pub axes: Vec<TensorAxis>,
    /// Its memory layout on the device.
    pub layout: Layout,
    /// The value of its only element, if it has one element and the value is known.
    pub scalar: Option<f64>,
    /// Its values, if it is of whole numbers.
    pub numbers: Numbers,
}

/// An axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorAxis {
    /// The name that reports use: `key channel`.
    pub name: String,
    /// Its length as a formula over the sizes: `K`, `ceil(T / C)`.
    pub symbol: String,
    /// Its length.
    pub length: usize,
}

impl TensorAxis {
    /// Makes an axis that has a name but no formula.
    pub fn unnamed(axis: &Axis) -> TensorAxis {
        TensorAxis {
            name: axis.name.clone(),
            symbol: String::new(),
            length: axis.length,
        }
    }
}

impl TensorShape {
    /// Makes a tensor in the contract's own layout.
    pub fn plain(name: &str, kind: ElementKind, axes: Vec<TensorAxis>) -> TensorShape {
        let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
        TensorShape {
            name: name.to_owned(),
            kind,
            layout: Layout::plain(&lengths),
            axes,
            scalar: None,
            numbers: Numbers::None,
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }

    /// Finds the axis that a name means: the formula of exactly one axis, or an axis name of reports (blanks as `_`).
    /// Returns none for a name that means one axis by formula and another by name.
    pub fn axis(&self, name: &str) -> Option<usize> {
        let by_name = |axis: &TensorAxis| axis.name.replace(' ', "_") == name;
        let symbols = self.axes.iter().filter(|axis| axis.symbol == name).count();
        let by_symbol = |axis: &TensorAxis| symbols == 1 && axis.symbol == name;
        let named = self.axes.iter().position(by_name);
        let symbolic = self.axes.iter().position(by_symbol);
        match (named, symbolic) {
            (Some(named), Some(symbolic)) if named != symbolic => None,
            (named, symbolic) => named.or(symbolic),
        }
    }

    /// Lists the axes with their lengths, for messages.
    pub fn listed(&self) -> String {
        let axes = self.axes.iter();
        let axes = axes.map(|axis| format!("{} {}", axis.name, axis.length));
        format!("[{}]", axes.collect::<Vec<_>>().join(", "))
    }

    /// Returns the names that [`TensorShape::axis`] takes.
    pub fn axis_names(&self) -> Vec<String> {
        let named = |axis: &TensorAxis| match self.axis(&axis.symbol) {
            Some(_) => axis.symbol.clone(),
            None => axis.name.replace(' ', "_"),
        };
        self.axes.iter().map(named).collect()
    }
}
