//! A tensor as formulas know it: its axes, their names and lengths.

use crate::binding::layout::Layout;
use crate::compare::ElementKind;
use crate::verdict::Axis;

/// A tensor of the contract, or scratch of the binding, at one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// The type of its elements on the device.
    pub kind: ElementKind,
    /// Names of its axes, in words and as the sizes they have, and their lengths; in the contract's order.
    pub axes: Vec<Side>,
    /// Where its elements stand on the device.
    pub layout: Layout,
    /// The value of one that has a single element, where that is known.
    pub scalar: Option<f64>,
}

/// An axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What reports call it: `key channel`.
    pub name: String,
    /// Its length as a formula over the sizes: `K`, `ceil(T / C)`.
    pub symbol: String,
    /// Its length.
    pub length: usize,
}

impl Side {
    /// An axis that goes by its name alone.
    pub fn unnamed(axis: &Axis) -> Side {
        Side {
            name: axis.name.clone(),
            symbol: String::new(),
            length: axis.length,
        }
    }
}

impl Shape {
    /// A tensor in the contract's order.
    pub fn plain(name: &str, kind: ElementKind, axes: Vec<Side>) -> Shape {
        let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
        Shape {
            name: name.to_owned(),
            kind,
            layout: Layout::plain(&lengths),
            axes,
            scalar: None,
        }
    }

    /// Elements.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }

    /// The axis that a name means: the symbol of one axis, or what reports call it (blanks as `_`). A name that means one axis in one way
    /// and another in the other means none.
    pub fn axis(&self, name: &str) -> Option<usize> {
        let by_name = |axis: &Side| axis.name.replace(' ', "_") == name;
        let symbols = self.axes.iter().filter(|axis| axis.symbol == name).count();
        let by_symbol = |axis: &Side| symbols == 1 && axis.symbol == name;
        let named = self.axes.iter().position(by_name);
        let symbolic = self.axes.iter().position(by_symbol);
        match (named, symbolic) {
            (Some(named), Some(symbolic)) if named != symbolic => None,
            (named, symbolic) => named.or(symbolic),
        }
    }

    /// Its axes with their lengths, for messages.
    pub fn listed(&self) -> String {
        let axes = self.axes.iter();
        let axes = axes.map(|axis| format!("{} {}", axis.name, axis.length));
        format!("[{}]", axes.collect::<Vec<_>>().join(", "))
    }

    /// Names that [`Shape::axis`] takes.
    pub fn axis_names(&self) -> Vec<String> {
        let named = |axis: &Side| match self.axis(&axis.symbol) {
            Some(_) => axis.symbol.clone(),
            None => axis.name.replace(' ', "_"),
        };
        self.axes.iter().map(named).collect()
    }
}
